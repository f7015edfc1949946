/** @import { AskedItem, ExtractedItem, Fetched, FileItem, FileToRead, Item, OfficeItem } from '../parts/types' */

const { decodedText } = require('./shared/decoded-text');
const { readPages } = require('./shared/pdf-pages');
const { sections } = require('./shared/sections');
const { tableText } = require('./shared/tables');

/**
 * @param {{
 *   entries: FileToRead[],
 *   wanted: FileToRead[],
 *   downloads: FileItem[],
 *   files: FileItem[],
 *   pdfs: ExtractedItem[],
 *   texts: ExtractedItem[],
 *   htmls: ExtractedItem[],
 *   words: OfficeItem[],
 *   workbooks: OfficeItem[],
 *   slides: OfficeItem[],
 *   asked?: AskedItem[] | null,
 *   folder?: string,
 *   titleAsName?: unknown,
 * }} inputs
 * @returns {Item<Fetched>[]}
 */
module.exports = ({
	entries,
	wanted,
	downloads,
	files,
	pdfs,
	texts,
	htmls,
	words,
	workbooks,
	slides,
	asked,
	folder,
	titleAsName,
}) => {
	// One item per entry: `text`, `pages`, `problem` if this version cannot be read, or `error` if it could not be now.
	const places = new Map(wanted.map(({ id }, at) => [id, at]));
	/** @type {Map<number | undefined, Partial<Fetched>>} */
	const read = new Map();
	for (const kind of ['pdf', 'text', 'html']) {
		for (const [at, { json }] of files.filter((file) => file.json.kind === kind).entries()) {
			const { extension, size } = wanted[Number(json.entry)];
			const found = checked(content(kind, at, String(extension)), kind, size);
			const isPlain = kind === 'text' && !['md', 'markdown'].includes(String(extension));
			read.set(json.entry, isPlain && !found.problem ? { ...found, isPlain } : found);
		}
	}
	const office = [...words, ...workbooks, ...slides];
	for (const { json } of files.filter((file) => file.json.kind === 'office')) {
		const item = office.find((each) => each.json.entry === json.entry);
		const { entry: _, ...found } = item?.json ?? {};
		// If the node itself fails, it returns a single item for all files.
		const failed = office.find((each) => each.json.error)?.json.error;
		read.set(json.entry, item ? found : { error: failed ?? 'was not read' });
	}
	return entries.map((entry) => ({ json: { id: entry.id, ...named(result(entry)) } }));

	/**
	 * @param {FileToRead} entry
	 * @returns {Partial<Fetched>}
	 */
	function result({ id, isMissing, problem, extension, size }) {
		if (isMissing) return missing(id);
		if (problem) return { problem };
		const at = places.get(id) ?? 0;
		// If the connection fails, n8n returns a single item for all files.
		const { json, binary } = downloads[downloads.length === wanted.length ? at : 0] ?? {};
		if (!binary?.data) return { error: json?.error ?? 'was not downloaded' };
		const { bytes } = binary.data;
		if (size !== undefined && bytes !== undefined && size !== bytes) {
			return {
				error: `its size was ${size} in the list and ${bytes} in the download, so it is probably being written`,
			};
		}
		return (
			read.get(at) ?? {
				problem: `is a file of the kind '${extension}', which n8n cannot read: save it as PDF, or leave it out`,
			}
		);
	}

	/**
	 * Each delete of a missing file counts under the limits: a folder that cannot be reached has no files either, and a
	 * login that may no longer read the files is told that there are none. But a list may be short.
	 * @param {string | number} id
	 * @returns {Partial<Fetched>}
	 */
	function missing(id) {
		if (!asked) return { text: '' };
		const at = entries.filter((entry) => entry.isMissing).findIndex((entry) => entry.id === id);
		// The answer about the file, then about the folders above it.
		const answers = asked.filter(({ pairedItem }) => pairedItem?.item === at);
		const [file] = answers.map(({ json }) => json);
		if (file?.statusCode === undefined) return { error: file?.error ?? 'was not asked for' };
		const isGone = file.statusCode === 404 || file.body?.trashed === true;
		if (isGone) return { text: '' };
		if (file.statusCode !== 200)
			return { error: `Drive answers with status ${file.statusCode}` };
		const isInFolder = answers.some(({ json }) => folder && json.body?.id === folder.trim());
		if (!isInFolder) return { text: '' };
		return {
			error: 'is in the folder, but not in its list, so Drive has not returned the whole list',
		};
	}

	/**
	 * @param {Partial<Fetched>} found
	 * @param {string} kind
	 * @param {number | undefined} size
	 * @returns {Partial<Fetched>}
	 */
	function checked(found, kind, size) {
		const text = String(found.text ?? '');
		// n8n reads such a file as a text or a table.
		if (text.startsWith('%PDF-')) return namedWrong();
		if (kind === 'html' && size && text.trim() === '' && !found.problem) {
			return { problem: 'has no text: if it needs JavaScript, it cannot be read' };
		}
		return found;
	}

	/**
	 * @param {string} kind
	 * @param {number} at
	 * @param {string} extension
	 * @returns {Partial<Fetched>}
	 */
	function content(kind, at, extension) {
		if (kind === 'pdf') return pdf(pdfs[at]?.json ?? {});
		if (kind === 'html') return html(htmls[at]?.json ?? {});
		return plain(texts[at]?.json ?? {}, extension);
	}

	/**
	 * The first heading becomes the name, unless the file has a title.
	 * @param {Partial<Fetched>} found
	 * @returns {Partial<Fetched>}
	 */
	function named(found) {
		if (!titleAsName || found.name || found.isPlain) return found;
		// A comment in a block of code is no heading.
		const text = sections(String(found.text ?? '')) ?? '';
		const [, heading = ''] = /^#{1,6} +(.*\S)/m.exec(text) ?? [];
		const name = heading.replace(/ +#+$/, '').trim();
		return name ? { ...found, name } : found;
	}

	/**
	 * Many programs write the name of a file as the title.
	 * @param {unknown} info
	 */
	function usableTitle(info) {
		const title = String(Object(info).Title ?? '').trim();
		return /^(?:Microsoft \w+|untitled\b|unbenannt\b|.*\.\w{2,5}$)/i.test(title) ? '' : title;
	}

	/** @param {ExtractedItem['json']} json */
	function pdf({ error, text: pages, info }) {
		if (/password/i.test(String(error))) {
			return { problem: 'is encrypted: save it without a password' };
		}
		if (!Array.isArray(pages)) return damaged(error);
		const name = titleAsName ? usableTitle(info) : '';
		return { ...readPages(pages.map(String)), ...(name && { name }) };
	}

	/** @param {ExtractedItem['json']} json */
	function html({ error, problem, text, title }) {
		if (problem) return { problem };
		if (typeof text !== 'string') return damaged(error);
		const name = String(title ?? '').trim();
		return name ? { text, name } : { text };
	}

	/**
	 * @param {ExtractedItem['json']} json
	 * @param {string} extension
	 */
	function plain({ error, data }, extension) {
		if (typeof data !== 'string') return damaged(error);
		const bytes = Buffer.from(data, 'base64');
		const { text, problem } = decodedText(bytes);
		if (problem) return bytes.toString('latin1', 0, 5) === '%PDF-' ? namedWrong() : { problem };
		// Many servers answer with a page in place of a file.
		if (/^\s*<(?:!doctype html|html)[\s>]/i.test(text)) {
			return { problem: 'is an HTML page: give it the extension html' };
		}
		return { text: ['csv', 'tsv'].includes(extension) ? tableText(csvRows(text)) : text };
	}

	function namedWrong() {
		return { problem: 'is a PDF file: give it the extension pdf' };
	}

	/** @param {unknown} error */
	function damaged(error) {
		return { problem: `is damaged, or its content is of another kind (${String(error)})` };
	}

	/**
	 * A quote that is never closed is a part of its cell.
	 * @param {string} text
	 */
	function csvRows(text) {
		// Excel writes the delimiter into a line of its own, and PowerShell a type.
		const before = /^(?:"?sep=([^\r\n"])"?|"?#TYPE [^\r\n]*)(?:\r?\n|\r|$)/i.exec(text) ?? [''];
		const rows = text.slice(before[0].length);
		// A title may stand above the columns' names.
		const [names = ''] =
			/^[^\r\n,;\t]*[,;\t][^\r\n]*/m.exec(rows.replace(/"[^"\r\n]*"/g, '')) ?? [];
		const [mostFrequent] = [',', ';', '\t'].sort(
			(one, other) => names.split(other).length - names.split(one).length,
		);
		const delimiter = before[1] ?? mostFrequent;
		const escaped = delimiter.replace(/[\\^\]|.*+?$(){}[-]/, '\\$&');
		const cells = new RegExp(
			`("[^"]*(?:""[^"]*)*"|[^${escaped}\\r\\n]*)(${escaped}|\\r?\\n|\\r|$)`,
			'gy',
		);
		/** @type {string[][]} */
		const all = [[]];
		for (const [, cell, end] of rows.matchAll(cells)) {
			const isQuoted = cell.length > 1 && cell.startsWith('"') && cell.endsWith('"');
			const value = isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
			all[all.length - 1].push(value);
			if (end === '') break;
			if (end !== delimiter) all.push([]);
		}
		return all;
	}
};
