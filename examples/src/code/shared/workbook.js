const { outermost, textIn, valueOf, child, children, rootOf } = require('./xml');
const { mainPart, xmlOf } = require('./office');
const { formatted, serialOf } = require('./number-formats');
const { withoutHeadings } = require('./sections');
const { tableText } = require('./tables');
module.exports = { workbookText };
/** @import { Fetched, NumberFormat, OfficeParts, XmlElement } from '../../parts/types' */

/**
 * Returns the rows of all sheets. Hidden sheets are left out, because a reader does not see them.
 * @param {OfficeParts} parts
 * @returns {Promise<Partial<Fetched>>}
 */
async function workbookText(parts) {
	const { xml, links } = await mainPart(parts, 'xl/workbook.xml', 'workbook');
	const workbook = rootOf(xml);
	const part = async (/** @type {string} */ type) => {
		const target = links.find((link) => link.type === type)?.target;
		return target && parts.has(target) ? await xmlOf(parts, target) : '';
	};
	const is1904 = ['1', 'true'].includes(valueOf(child(workbook, 'workbookPr'), 'date1904') ?? '');
	const strings = [...outermost(await part('sharedStrings'), ['si'])].map(richText);
	const formats = formatsIn(await part('styles'));
	/** @type {string[]} */
	const unknown = [];
	/** @type {{ name: string, text: string }[]} */
	const sheets = [];
	for (const sheet of children(child(workbook, 'sheets'), 'sheet')) {
		const link = links.find(({ id }) => id === valueOf(sheet, ':id'));
		const isHidden = (valueOf(sheet, 'state') ?? 'visible') !== 'visible';
		// Charts and macros have sheets of their own, without cells.
		if (isHidden || (link && link.type !== 'worksheet')) continue;
		const name = valueOf(sheet, 'name') ?? '';
		if (!link) throw new Error(`its sheet '${name}' is missing`);
		const cells = sheetRows(await xmlOf(parts, link.target), { strings, formats, is1904 });
		unknown.push(...cells.unknown.map((at) => `${name}!${at}`));
		sheets.push({ name, text: withoutHeadings(tableText(cells.rows)) });
	}
	const formulas = `${unknown.length} formulas without a value, such as ${unknown.slice(0, 3).join(', ')}: open it in Excel or LibreOffice, and save it again`;
	const read = sheets.filter(({ text }) => text !== '');
	if (read.length === 0) {
		return {
			problem: unknown.length > 0 ? `has only ${formulas}` : 'has nothing in its sheets',
		};
	}
	const named = read.map(({ name, text }) => `# ${name}\n\n${text}`).join('\n\n');
	const text = sheets.length === 1 ? read[0].text : named;
	return unknown.length > 0 ? { text, readInPart: `has ${formulas}` } : { text };
}

/**
 * The format of each style of cells.
 * @param {string} xml
 * @returns {NumberFormat[]}
 */
function formatsIn(xml) {
	/** @type {Map<number, string>} */
	const codes = new Map();
	/** @type {NumberFormat[]} */
	const formats = [];
	for (const part of outermost(xml, ['numFmts', 'cellXfs'])) {
		for (const each of children(part)) {
			const id = Number(valueOf(each, 'numFmtId') ?? 0);
			if (part.name === 'numFmts') codes.set(id, valueOf(each, 'formatCode') ?? '');
			else formats.push({ id, code: codes.get(id) });
		}
	}
	return formats;
}

/**
 * The texts of an entry, without the readings of Japanese words.
 * @param {XmlElement} entry
 */
function richText(entry) {
	const texts = children(entry).flatMap((each) => {
		if (each.name === 't') return [textIn(each)];
		return each.name === 'r' ? children(each, 't').map(textIn) : [];
	});
	// Excel writes some characters as _x000D_.
	return texts
		.join('')
		.replace(/_x([\da-f]{4})_/gi, (_, hex) => {
			const code = parseInt(hex, 16);
			return code < 32 ? ' ' : String.fromCharCode(code);
		})
		.replace(/\p{Cs}/gu, '')
		.replace(/\s+/g, ' ');
}

/**
 * @param {string} xml
 * @param {{ strings: string[], formats: NumberFormat[], is1904: boolean }} book
 */
function sheetRows(xml, { strings, formats, is1904 }) {
	/** @type {Map<number, string[]>} */
	const rows = new Map();
	/** @type {string[]} */
	const unknown = [];
	let number = 0;
	for (const part of outermost(xml, ['row', 'mergeCell'])) {
		if (part.name === 'mergeCell') {
			fill(rows, valueOf(part, 'ref') ?? '');
			continue;
		}
		number = Number(valueOf(part, 'r') ?? number + 1);
		/** @type {string[]} */
		const cells = [];
		let column = -1;
		for (const cell of children(part, 'c')) {
			const [, letters] = /^([A-Z]{1,3})\d/i.exec(valueOf(cell, 'r') ?? '') ?? [];
			column = letters ? columnOf(letters) : column + 1;
			const text = cellText(cell);
			if (text === undefined) unknown.push(`${valueOf(cell, 'r')}`);
			else if (text !== '') cells[column] = text;
		}
		rows.set(number, cells);
	}
	return { rows: [...rows.values()], unknown };

	/**
	 * The text of a cell, or undefined for a formula whose value nobody has computed.
	 * @param {XmlElement} cell
	 */
	function cellText(cell) {
		const type = valueOf(cell, 't') ?? 'n';
		if (type === 'inlineStr') return child(cell, 'is') ? richText(children(cell, 'is')[0]) : '';
		const value = child(cell, 'v');
		const text = value ? textIn(value) : '';
		if (text === '') return child(cell, 'f') && !value ? undefined : '';
		switch (type) {
			case 's': {
				const found = strings[Number(text)];
				if (found === undefined) throw new Error(`its text ${text} is missing`);
				return found;
			}
			case 'b':
				return text.trim() === '1' ? 'TRUE' : 'FALSE';
			case 'str':
				return richText({ name: '', attributes: {}, children: [value ?? ''] }) || text;
			case 'e':
				return text;
			default: {
				const number = type === 'd' ? serialOf(text, is1904) : Number(text);
				if (!Number.isFinite(number)) return text;
				const format = formats[Number(valueOf(cell, 's') ?? 0)] ?? { id: 0 };
				const isDate = type === 'd' && !format.id;
				return formatted(number, isDate ? { id: 14 } : format, is1904);
			}
		}
	}
}

/**
 * The value of merged cells belongs to each of their rows. In the first row of a table it belongs to each column.
 * @param {Map<number, string[]>} rows
 * @param {string} range such as `A2:A4`
 */
function fill(rows, range) {
	const [, left, top, , bottom] =
		/^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/i.exec(range) ?? [];
	const first = rows.get(Number(top));
	if (!left || !first) return;
	const text = first[columnOf(left)];
	if (text === undefined) return;
	for (const [number, row] of rows) {
		if (number > Number(top) && number <= Number(bottom)) row[columnOf(left)] ??= text;
	}
}

/** @param {string} letters */
function columnOf(letters) {
	let column = 0;
	for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
	return column - 1;
}
