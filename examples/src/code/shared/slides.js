const { rootOf, textIn, valueOf, child, children, descendants } = require('./xml');
const { mainPart, relationships, xmlOf } = require('./office');
const { tableText } = require('./tables');
module.exports = { slidePages };
/** @import { Fetched, OfficeParts, XmlElement } from '../../parts/types' */

/**
 * Returns a page for each slide, in the order of the presentation: the title, the other texts, the notes of the speaker.
 * The page of a hidden slide is empty, so that the numbers of pages are the numbers of slides.
 * @param {OfficeParts} parts
 * @returns {Promise<Partial<Fetched>>}
 */
async function slidePages(parts) {
	const { xml, links } = await mainPart(parts, 'ppt/presentation.xml', 'presentation');
	/** @type {string[]} */
	const pages = [];
	/** @type {number[]} */
	const pictures = [];
	for (const entry of children(child(rootOf(xml), 'sldIdLst'), 'sldId')) {
		const path = links.find(({ id }) => id === valueOf(entry, ':id'))?.target;
		if (!path) throw new Error(`its slide ${pages.length + 1} is missing`);
		const slide = rootOf(await xmlOf(parts, path));
		if (['0', 'false'].includes(valueOf(slide, 'show') ?? '1')) {
			pages.push('');
			continue;
		}
		const slideLinks = await relationships(parts, path);
		const notes = slideLinks.find(({ type }) => type === 'notesSlide')?.target;
		const spoken = notes ? notesText(rootOf(await xmlOf(parts, notes))) : '';
		/** @type {Map<string, string>} */
		const diagrams = new Map();
		for (const { id, type, target } of slideLinks) {
			if (type === 'diagramData' && parts.has(target)) {
				diagrams.set(id, diagramText(rootOf(await xmlOf(parts, target))));
			}
		}
		const texts = shapeTexts(child(slide, 'cSld', 'spTree'), diagrams);
		const isTitle = (/** @type {{ kind: string }} */ { kind }) =>
			/^(title|ctrTitle)$/.test(kind);
		const ordered = [...texts.filter(isTitle), ...texts.filter((each) => !isTitle(each))];
		pages.push([...ordered.map(({ text }) => text), spoken].filter(Boolean).join('\n\n'));
		const isPicture = pages.at(-1) === '' && descendants(slide, 'pic').length > 0;
		if (isPicture) pictures.push(pages.length);
	}
	if (pages.length === 0) return { problem: 'has no slides' };
	if (pictures.length === 0) return { pages };
	if (pages.every((page) => page === '')) {
		return { problem: 'has pictures, but no text: save it with text recognition (OCR)' };
	}
	return { pages, pagesWithoutText: pictures };
}

/**
 * @param {XmlElement | undefined} tree
 * @param {Map<string, string>} diagrams
 * @returns {{ kind: string, text: string }[]}
 */
function shapeTexts(tree, diagrams) {
	return children(tree).flatMap((shape) => {
		switch (shape.name) {
			case 'grpSp':
				return shapeTexts(shape, diagrams);
			case 'AlternateContent': {
				const variants = children(shape).map((each) => shapeTexts(each, diagrams));
				return variants.find((texts) => texts.length > 0) ?? [];
			}
			case 'graphicFrame': {
				const table = descendants(shape, 'tbl')[0];
				const diagram = valueOf(descendants(shape, 'relIds')[0], 'dm') ?? '';
				const text = table ? tableOf(table) : (diagrams.get(diagram) ?? '');
				return text ? [{ kind: '', text }] : [];
			}
			case 'sp':
			case 'cxnSp': {
				const kind =
					valueOf(descendants(child(shape, 'nvSpPr') ?? shape, 'ph')[0], 'type') ?? '';
				// What stands on each slide: its number, the date, the footer.
				const isEverywhere = ['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'].includes(kind);
				const text = isEverywhere ? '' : paragraphs(child(shape, 'txBody'));
				return text ? [{ kind, text }] : [];
			}
			default:
				return [];
		}
	});
}

/** @param {XmlElement} notes */
function notesText(notes) {
	const texts = shapeTexts(child(notes, 'cSld', 'spTree'), new Map());
	return texts.map(({ text }) => text).join('\n\n');
}

/** @param {XmlElement} data */
function diagramText(data) {
	const points = descendants(data, 'pt');
	return points
		.map((point) => paragraphs(child(point, 't')))
		.filter((text) => text !== '')
		.join('\n');
}

/**
 * @param {XmlElement | undefined} body
 * @returns {string}
 */
function paragraphs(body) {
	return children(body, 'p')
		.map((paragraph) => line(paragraph).replaceAll('\u00ad', '').trim())
		.filter((text) => text !== '')
		.join('\n');
}

/**
 * @param {XmlElement} element
 * @returns {string}
 */
function line(element) {
	return children(element)
		.map((each) => {
			if (each.name === 't') return textIn(each);
			if (each.name === 'br') return '\n';
			if (each.name === 'tab') return '\t';
			if (each.name === 'pPr' || each.name === 'rPr' || each.name === 'endParaRPr') return '';
			if (each.name === 'AlternateContent') {
				return (
					children(each)
						.map(line)
						.find((text) => text !== '') ?? ''
				);
			}
			return line(each);
		})
		.join('');
}

/** @param {XmlElement} table */
function tableOf(table) {
	/** @type {string[][]} */
	const rows = [];
	for (const row of children(table, 'tr')) {
		/** @type {string[]} */
		const cells = [];
		for (const [at, cell] of children(row, 'tc').entries()) {
			const text = paragraphs(child(cell, 'txBody')).replace(/\s+/g, ' ');
			const isBelow = ['1', 'true'].includes(valueOf(cell, 'vMerge') ?? '');
			cells[at] = isBelow ? (rows.at(-1)?.[at] ?? '') : text;
		}
		rows.push(cells);
	}
	return tableText(rows);
}
