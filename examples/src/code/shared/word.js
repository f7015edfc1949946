const { outermost, valueOf, child, children, descendants } = require('./xml');
const { mainPart, xmlOf } = require('./office');
const { withoutHeadings } = require('./sections');
const { tableText } = require('./tables');
const { listLabels } = require('./word-lists');
module.exports = { wordText };
/** @import { Fetched, OfficeParts, WordStyle, XmlElement } from '../../parts/types' */

/**
 * Returns the text of a Word file as a reader sees it. A heading begins with `#`, as in Markdown.
 * @param {OfficeParts} parts
 * @returns {Promise<Partial<Fetched>>}
 */
async function wordText(parts) {
	const { xml, links } = await mainPart(parts, 'word/document.xml', 'document');
	const part = async (/** @type {string} */ type) => {
		const target = links.find((link) => link.type === type)?.target;
		return target && parts.has(target) ? await xmlOf(parts, target) : '';
	};
	const styles = stylesIn(await part('styles'));
	const notes = new Map([
		...notesIn(await part('footnotes'), 'footnote'),
		...notesIn(await part('endnotes'), 'endnote'),
	]);
	const labels = listLabels(await part('numbering'), styles);
	const writer = wordWriter(styles, notes, labels);
	for (const block of outermost(xml, ['p', 'tbl', 'AlternateContent', 'altChunk', 'subDoc'])) {
		if (block.name === 'altChunk' || block.name === 'subDoc') {
			return {
				problem:
					'contains a document of another format: open it in Word, and save it again',
			};
		}
		writer.add(block);
	}
	const text = writer.text();
	const hasPictures = /<(?:\w+:)?(?:drawing|pict|object)[\s>]/.test(xml);
	if (text === '' && hasPictures) {
		return { problem: 'has pictures, but no text: save it with text recognition (OCR)' };
	}
	return { text };
}

/**
 * @param {string} xml
 * @returns {Map<string, WordStyle>}
 */
function stylesIn(xml) {
	/** @type {Map<string, WordStyle>} */
	const styles = new Map();
	for (const style of outermost(xml, ['style'])) {
		const level = valueOf(child(style, 'pPr', 'outlineLvl'), 'val');
		// The names of built-in styles are English, whatever the language of Word is. Their IDs are not.
		const [, number] =
			/^heading ([1-9])$/i.exec(valueOf(child(style, 'name'), 'val') ?? '') ?? [];
		const isTitle = /^title$/i.test(valueOf(child(style, 'name'), 'val') ?? '');
		const named = number ? Number(number) - 1 : isTitle ? 0 : undefined;
		styles.set(valueOf(style, 'styleId') ?? '', {
			basedOn: valueOf(child(style, 'basedOn'), 'val'),
			level: level === undefined ? named : Number(level),
			isHidden: switched(child(style, 'rPr'), 'vanish'),
			numbering: child(style, 'pPr', 'numPr'),
		});
	}
	return styles;
}

/** @param {string | undefined} value */
function isOn(value) {
	return value !== undefined && !['0', 'false', 'off'].includes(value);
}

/**
 * Whether a property such as `vanish` is on, off, or not said.
 * @param {XmlElement | undefined} properties
 * @param {string} name
 */
function switched(properties, name) {
	const property = child(properties, name);
	return property && isOn(valueOf(property, 'val') ?? '1');
}

/**
 * @param {string} xml
 * @param {string} kind
 * @returns {[string, XmlElement][]}
 */
function notesIn(xml, kind) {
	return [...outermost(xml, [kind])].map((note) => [`${kind} ${valueOf(note, 'id')}`, note]);
}

/**
 * Collects the blocks of a document.
 * @param {Map<string, WordStyle>} styles
 * @param {Map<string, XmlElement>} notes
 * @param {(paragraph: XmlElement) => string} labels
 */
function wordWriter(styles, notes, labels) {
	/** @type {string[]} */
	const blocks = [];
	let isInList = false;
	// A field has a code, which is not seen, and a result. It may begin in one paragraph and end in another one.
	/** @type {('code' | 'result')[]} */
	const fields = [];
	/** Text boxes and notes of the current block, which follow it. @type {XmlElement[]} */
	let boxes = [];
	/** @type {{ label: string, note: XmlElement }[]} */
	let references = [];
	const counts = { footnote: 0, endnote: 0 };
	/** The text of a paragraph whose end was deleted, so that the next one continues it. */
	let begun = '';
	return {
		add: (/** @type {XmlElement} */ block) => {
			addBlock(block);
			afterBlock();
		},
		text: () => {
			if (begun.trim()) push(begun.trim(), false);
			return blocks.join('').trimEnd();
		},
	};

	/** @param {XmlElement} block */
	function addBlock(block) {
		if (block.name === 'tbl') {
			for (const text of tableBlocks(block)) push(withoutHeadings(text), false);
		} else if (block.name === 'p') {
			addParagraph(block);
		} else if (block.name === 'AlternateContent') {
			for (const each of alternative(block)) addBlock(each);
		} else {
			for (const each of children(block)) addBlock(each);
		}
	}

	/** @param {XmlElement} paragraph */
	function addParagraph(paragraph) {
		const properties = child(paragraph, 'pPr');
		const own = inline(paragraph);
		// A deleted mark at the end of a paragraph joins it with the next one.
		if (child(properties, 'rPr', 'del')) {
			begun += own;
			return;
		}
		const text = (begun + own).replace(/[ \t]+$/gm, '').trim();
		begun = '';
		const label = labels(paragraph);
		if (text === '') return;
		const level = outlineLevel(properties);
		if (level !== undefined) {
			const number = /[\p{L}\p{N}]/u.test(label) ? `${label.trim()} ` : '';
			const line = `${number}${text}`.replace(/\s+/g, ' ');
			push(`${'#'.repeat(level < 5 ? level + 1 : 6)} ${line}`, false);
		} else {
			push(withoutHeadings(label ? `${label} ${text}` : text), label !== '');
		}
	}

	/**
	 * Items of a list follow each other without a blank line.
	 * @param {string} text
	 * @param {boolean} isItem
	 */
	function push(text, isItem) {
		if (text === '') return;
		if (blocks.length > 0) blocks.push(isItem && isInList ? '\n' : '\n\n');
		blocks.push(text);
		isInList = isItem;
	}

	/** Adds the text boxes and notes of the last block. They may have notes and text boxes too. */
	function afterBlock() {
		for (let round = 0; round < 5 && boxes.length + references.length > 0; round++) {
			const [nowBoxes, nowReferences] = [boxes, references];
			[boxes, references] = [[], []];
			for (const box of nowBoxes) for (const each of children(box)) addBlock(each);
			for (const { label, note } of nowReferences) {
				const text = flat(children(note));
				if (text) push(label ? `${label} ${text}` : text, false);
			}
		}
		[boxes, references] = [[], []];
	}

	/** @param {XmlElement | undefined} properties */
	function outlineLevel(properties) {
		const own = valueOf(child(properties, 'outlineLvl'), 'val');
		const id = valueOf(child(properties, 'pStyle'), 'val') ?? '';
		const ofStyle = fromStyle(id, ({ level }) => level);
		// Without a part for styles, the ID is all there is.
		const [, named] = (styles.size === 0 && /^heading ?([1-9])$/i.exec(id)) || [];
		const level = own === undefined ? (named ? Number(named) - 1 : ofStyle) : Number(own);
		return level !== undefined && level >= 0 && level < 9 ? level : undefined;
	}

	/**
	 * What a style or the one that it is based on says.
	 * @template Value
	 * @param {string} id
	 * @param {(style: WordStyle) => Value | undefined} read
	 */
	function fromStyle(id, read) {
		let style = styles.get(id);
		for (let steps = 0; style && steps < 20; steps++) {
			const value = read(style);
			if (value !== undefined) return value;
			style = styles.get(style.basedOn ?? '');
		}
		return undefined;
	}

	/**
	 * The first of several variants that has a text. Word writes text boxes twice, for new and for old programs.
	 * @param {XmlElement} element
	 */
	function alternative(element) {
		const variants = children(element);
		const hasText = (/** @type {XmlElement} */ each) =>
			['t', 'sym', 'footnoteReference'].some((name) => descendants(each, name).length > 0);
		return children(variants.find(hasText));
	}

	/**
	 * The words within a paragraph.
	 * @param {XmlElement} element
	 * @param {boolean | undefined} [isHidden] whether the style of the paragraph hides its text
	 * @returns {string}
	 */
	function inline(
		element,
		isHidden = fromStyle(
			valueOf(child(element, 'pPr', 'pStyle'), 'val') ?? '',
			(style) => style.isHidden,
		),
	) {
		let text = '';
		for (const each of children(element)) text += piece(each, isHidden);
		return text;
	}

	/**
	 * @param {XmlElement} element
	 * @param {boolean | undefined} isHidden
	 * @returns {string}
	 */
	function piece(element, isHidden) {
		const isCode = fields.includes('code');
		switch (element.name) {
			case 'r': {
				const properties = child(element, 'rPr');
				const id = valueOf(child(properties, 'rStyle'), 'val') ?? '';
				const own =
					switched(properties, 'vanish') ?? fromStyle(id, (style) => style.isHidden);
				return run(element, own ?? isHidden);
			}
			case 'del':
			case 'moveFrom':
			case 'pPr':
			case 'rPr':
			case 'sdtPr':
				return '';
			case 'AlternateContent':
				return alternative(element)
					.map((each) => piece(each, isHidden))
					.join('');
			case 'ruby':
				return `${inline(child(element, 'rubyBase') ?? element, isHidden)}(${inline(child(element, 'rt') ?? element, isHidden)})`;
			// Formulas have texts outside of runs of Word.
			case 't':
				return isHidden || isCode ? '' : textOfElement(element);
			case 'txbxContent':
				if (!isCode) boxes.push(element);
				return '';
			default:
				return inline(element, isHidden);
		}
	}

	/**
	 * @param {XmlElement} element
	 * @param {boolean | undefined} isHidden
	 */
	function run(element, isHidden) {
		let text = '';
		for (const each of children(element)) {
			if (each.name === 'fldChar') {
				const type = valueOf(each, 'fldCharType');
				if (type === 'begin') fields.push('code');
				if (type === 'separate' && fields.length > 0) fields[fields.length - 1] = 'result';
				if (type === 'end') fields.pop();
			} else if (!isHidden && !fields.includes('code')) {
				text += character(each);
			}
		}
		return text;
	}

	/**
	 * @param {XmlElement} element
	 * @returns {string}
	 */
	function character(element) {
		switch (element.name) {
			case 't':
				return textOfElement(element);
			case 'tab':
			case 'ptab':
				return '\t';
			case 'br':
			case 'cr':
				return '\n';
			case 'noBreakHyphen':
				return '-';
			case 'sym':
				return symbol(valueOf(element, 'font') ?? '', valueOf(element, 'char') ?? '');
			case 'footnoteReference':
			case 'endnoteReference':
				return reference(element);
			case 'instrText':
			case 'delText':
			case 'delInstrText':
			case 'softHyphen':
				return '';
			default:
				return piece(element, false);
		}
	}

	/** @param {XmlElement} element */
	function reference(element) {
		const kind = element.name === 'footnoteReference' ? 'footnote' : 'endnote';
		const note = notes.get(`${kind} ${valueOf(element, 'id')}`);
		if (!note) return '';
		const hasOwnMark = isOn(valueOf(element, 'customMarkFollows'));
		if (!hasOwnMark) counts[kind]++;
		const label = kind === 'footnote' ? `[${counts[kind]}]` : `[e${counts[kind]}]`;
		references.push({ label: hasOwnMark ? '' : label, note });
		return hasOwnMark ? '' : label;
	}

	/**
	 * Rows of a table. A table with one column is only a frame around paragraphs.
	 * @param {XmlElement} table
	 */
	function tableBlocks(table) {
		/** @type {Map<number, string>} */
		const above = new Map();
		/** @type {string[][]} */
		const rows = [];
		for (const row of rowsOf(table)) {
			/** @type {string[]} */
			const cells = [];
			let column = Number(valueOf(child(row, 'trPr', 'gridBefore'), 'val') ?? 0);
			if (!(column >= 0 && column < 1000)) column = 0;
			for (const cell of inside(row, 'tc')) {
				const properties = child(cell, 'tcPr');
				const merge = child(properties, 'vMerge');
				const own = child(properties, 'cellDel') ? '' : flat(children(cell));
				const isContinued = merge && valueOf(merge, 'val') !== 'restart';
				const text = isContinued ? (above.get(column) ?? own) : own;
				above.set(column, merge ? text : '');
				cells[column] = text;
				const span = Number(valueOf(child(properties, 'gridSpan'), 'val') ?? 1);
				column += span >= 1 && span < 1000 ? span : 1;
			}
			rows.push(cells);
		}
		const isFrame = rows.every((row) => Object.keys(row).length < 2);
		if (!isFrame) return tableText(rows).split('\n\n');
		return inside(table, 'tr').flatMap((row) =>
			inside(row, 'tc').flatMap((cell) => children(cell).map((block) => flat([block]))),
		);
	}

	/** @param {XmlElement} table */
	function rowsOf(table) {
		return inside(table, 'tr').filter((row) => !child(row, 'trPr', 'del'));
	}

	/**
	 * Rows and cells may stand in content controls.
	 * @param {XmlElement} element
	 * @param {string} name
	 * @returns {XmlElement[]}
	 */
	function inside(element, name) {
		return children(element).flatMap((each) => {
			if (each.name === name) return [each];
			const isWrapper = ['sdt', 'sdtContent', 'customXml', 'ins', 'moveTo'].includes(
				each.name,
			);
			return isWrapper ? inside(each, name) : [];
		});
	}

	/**
	 * Blocks in one line.
	 * @param {XmlElement[]} all
	 * @returns {string}
	 */
	function flat(all) {
		const texts = all.map((block) => {
			if (block.name === 'tcPr') return '';
			if (block.name === 'tbl') return tableBlocks(block).join('; ');
			if (block.name === 'AlternateContent') return flat(alternative(block));
			if (block.name !== 'p') return flat(children(block));
			const label = labels(block);
			const text = inline(block).trim();
			return text && label.trim() ? `${label.trim()} ${text}` : text;
		});
		return texts
			.filter((text) => text !== '')
			.join(' ')
			.replace(/\s+/g, ' ')
			.trim();
	}
}

/** @param {XmlElement} element */
function textOfElement(element) {
	const text = element.children.filter((each) => typeof each === 'string').join('');
	return text.replaceAll('\u00ad', '').replaceAll('\n', ' ');
}

/**
 * A character of a font of symbols. Those without a counterpart in Unicode are left out.
 * @param {string} font
 * @param {string} hex
 */
function symbol(font, hex) {
	const code = parseInt(hex, 16);
	if (!(code > 31 && code <= 0xffff)) return '';
	if (code < 0xe000 || code > 0xf8ff) return String.fromCharCode(code);
	const key = code & 0xff;
	/** @type {Record<number, string>} */
	const wingdings = {
		...{ 0x6c: '●', 0x6e: '■', 0x71: '❑', 0x76: '❖', 0x9f: '•', 0xa7: '▪', 0xa8: '◻' },
		...{ 0xfc: '✔', 0xfb: '✘', 0xfe: '☑', 0xfd: '☒', 0xd8: '➢', 0xe0: '→', 0xdf: '←' },
		...{ 0xe1: '↑', 0xe2: '↓', 0xf0: '⇨', 0x4a: '☺', 0x28: '☎', 0x2a: '✉' },
	};
	const greek = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
	/** @type {Record<number, string>} */
	const symbols = {
		...{ 0xa3: '≤', 0xa5: '∞', 0xab: '↔', 0xac: '←', 0xad: '↑', 0xae: '→', 0xaf: '↓' },
		...{ 0xb0: '°', 0xb1: '±', 0xb3: '≥', 0xb4: '×', 0xb7: '•', 0xb8: '÷', 0xb9: '≠' },
		...{ 0xbb: '≈', 0xc5: '⊕', 0xce: '∈', 0xd6: '√', 0xde: '⇒', 0xe5: '∑', 0xf2: '∫' },
	};
	if (/^wingdings$/i.test(font)) return wingdings[key] ?? '';
	if (!/^symbol$/i.test(font)) return '';
	const letter = key & 0xdf;
	if (letter > 64 && letter < 91) {
		const capital = greek[letter - 65];
		return key > 96 ? capital.toLowerCase() : capital;
	}
	if (key < 0x40) return String.fromCharCode(key);
	return symbols[key] ?? '';
}
