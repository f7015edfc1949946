const { outermost, valueOf, child, children } = require('./xml');
module.exports = { listLabels };
/** @import { WordLevel, WordStyle, XmlElement } from '../../parts/types' */

/**
 * Returns a function that returns what stands before an item of a list, such as `-` or `2.1`, with two spaces for each
 * level. It counts the items, so it must see each paragraph once, in their order.
 * @param {string} xml the part for numbering
 * @param {Map<string, WordStyle>} styles
 * @returns {(paragraph: XmlElement) => string}
 */
function listLabels(xml, styles) {
	/** @type {Map<string, { levels: Map<number, WordLevel>, link?: string }>} */
	const kinds = new Map();
	/** @type {Map<string, { kind: string, levels: Map<number, WordLevel>, starts: Map<number, number> }>} */
	const lists = new Map();
	for (const each of outermost(xml, ['abstractNum', 'num'])) {
		if (each.name === 'abstractNum') {
			kinds.set(valueOf(each, 'abstractNumId') ?? '', {
				levels: levelsIn(each),
				link: valueOf(child(each, 'numStyleLink'), 'val'),
			});
		} else {
			const overrides = children(each, 'lvlOverride');
			lists.set(valueOf(each, 'numId') ?? '', {
				kind: valueOf(child(each, 'abstractNumId'), 'val') ?? '',
				levels: new Map(overrides.flatMap((override) => [...levelsIn(override)])),
				starts: new Map(
					overrides.flatMap((override) => {
						const start = valueOf(child(override, 'startOverride'), 'val');
						return start ? [[Number(valueOf(override, 'ilvl')), Number(start)]] : [];
					}),
				),
			});
		}
	}
	/** The last numbers of each kind of list, because lists of one kind continue each other. @type {Map<string, number[]>} */
	const numbers = new Map();
	/** Lists that have begun. @type {Set<string>} */
	const begun = new Set();

	return (paragraph) => {
		const found = place(paragraph);
		if (!found) return '';
		const { id, level } = found;
		const list = lists.get(id);
		if (!list) return '';
		const kind = kindOf(list.kind);
		const levels = kinds.get(kind)?.levels ?? new Map();
		const levelOf = (/** @type {number} */ at) => list.levels.get(at) ?? levels.get(at);
		const current = levelOf(level);
		if (!current || current.format === 'none') return '';
		const counted = numbers.get(kind) ?? [];
		numbers.set(kind, counted);
		if (!begun.has(`${id} ${level}`)) {
			begun.add(`${id} ${level}`);
			const start = list.starts.get(level);
			if (start !== undefined) counted[level] = start - 1;
		}
		counted[level] = (counted[level] ?? current.start - 1) + 1;
		// A number starts again below each item of a higher level.
		counted.length = level + 1;
		const indent = '  '.repeat(level);
		if (current.format === 'bullet') return `${indent}-`;
		const label = current.text.replace(
			/%([1-9])/g,
			(/** @type {string} */ _, /** @type {string} */ digit) => {
				const at = Number(digit) - 1;
				const { format, start } = levelOf(at) ?? current;
				return written(counted[at] ?? start, format);
			},
		);
		return label.trim() ? indent + label.trim() : '';
	};

	/** @param {XmlElement} paragraph */
	function place(paragraph) {
		const properties = child(paragraph, 'pPr');
		const own = child(properties, 'numPr');
		let id = valueOf(child(own, 'numId'), 'val');
		let level = valueOf(child(own, 'ilvl'), 'val');
		let style = styles.get(valueOf(child(properties, 'pStyle'), 'val') ?? '');
		for (let steps = 0; style && steps < 20; steps++) {
			id ??= valueOf(child(style.numbering, 'numId'), 'val');
			level ??= valueOf(child(style.numbering, 'ilvl'), 'val');
			style = styles.get(style.basedOn ?? '');
		}
		const at = Number(level ?? 0);
		return id && id !== '0' && at >= 0 && at < 9 ? { id, level: at } : undefined;
	}

	/**
	 * A kind may only name a style, whose list has the levels.
	 * @param {string} kind
	 */
	function kindOf(kind) {
		const link = kinds.get(kind)?.link;
		const id = valueOf(child(styles.get(link ?? '')?.numbering, 'numId'), 'val');
		return (id && lists.get(id)?.kind) || kind;
	}
}

/**
 * @param {XmlElement} element
 * @returns {Map<number, WordLevel>}
 */
function levelsIn(element) {
	return new Map(
		children(element, 'lvl').map((level) => [
			Number(valueOf(level, 'ilvl')),
			{
				format: valueOf(child(level, 'numFmt'), 'val') ?? 'decimal',
				text: valueOf(child(level, 'lvlText'), 'val') ?? '',
				start: Number(valueOf(child(level, 'start'), 'val') ?? 1),
			},
		]),
	);
}

/**
 * @param {number} number
 * @param {string} format
 */
function written(number, format) {
	const isLower = format.startsWith('lower');
	if (/Letter$/.test(format) && number > 0) {
		const letter = String.fromCharCode((isLower ? 97 : 65) + ((number - 1) % 26));
		const times = 1 + Math.floor((number - 1) / 26);
		return letter.repeat(times < 9 ? times : 9);
	}
	if (/Roman$/.test(format) && number > 0 && number < 4000) {
		const roman = romanOf(number);
		return isLower ? roman.toLowerCase() : roman;
	}
	return format === 'decimalZero' && number < 10 ? `0${number}` : String(number);
}

/** @param {number} number */
function romanOf(number) {
	const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
	const digits = ['M', 'CM', 'D', 'CD', 'C', 'XC', 'L', 'XL', 'X', 'IX', 'V', 'IV', 'I'];
	let [rest, roman] = [number, ''];
	for (const [at, value] of values.entries()) {
		while (rest >= value) {
			roman += digits[at];
			rest -= value;
		}
	}
	return roman;
}
