/** @import { AskedItem, ExtractedItem, Fetched, FileItem, FileToRead, Item } from '../parts/types' */

const { decodedText } = require('./shared/decoded-text');
const { readPages } = require('./shared/pdf-pages');

/**
 * @param {{
 *   entries: FileToRead[],
 *   wanted: FileToRead[],
 *   downloads: FileItem[],
 *   files: FileItem[],
 *   pdfs: ExtractedItem[],
 *   texts: ExtractedItem[],
 *   htmls: ExtractedItem[],
 *   rows: ExtractedItem[],
 *   asked?: AskedItem[] | null,
 *   folder?: string,
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
	rows,
	asked,
	folder,
}) => {
	// One item per entry: `text`, `pages`, `problem` if this version cannot be read, or `error` if it could not be now.
	const places = new Map(wanted.map(({ id }, at) => [id, at]));
	/** @type {Map<number | undefined, Partial<Fetched>>} */
	const read = new Map();
	for (const kind of ['pdf', 'text', 'html', 'xlsx']) {
		for (const [at, { json }] of files.filter((file) => file.json.kind === kind).entries()) {
			const { extension, size } = wanted[Number(json.entry)];
			read.set(json.entry, checked(content(kind, at, String(extension)), kind, size));
		}
	}
	return entries.map((entry) => ({ json: { id: entry.id, ...result(entry) } }));

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
		if (kind === 'xlsx') return sheet(rows.filter(({ pairedItem }) => pairedItem?.item === at));
		return plain(texts[at]?.json ?? {}, extension);
	}

	/** @param {ExtractedItem['json']} json */
	function pdf({ error, text: pages }) {
		if (/password/i.test(String(error))) {
			return { problem: 'is encrypted: save it without a password' };
		}
		if (!Array.isArray(pages)) return damaged(error);
		return readPages(pages.map(String));
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
		return { text: ['csv', 'tsv'].includes(extension) ? table(csvRows(text)) : text };
	}

	/** @param {ExtractedItem[]} items */
	function sheet(items) {
		const { error } = items[0]?.json ?? {};
		if (error) {
			const isEncrypted = /password|encrypt/i.test(String(error));
			return isEncrypted
				? { problem: 'is encrypted: save it without a password' }
				: damaged(error);
		}
		const text = table(items.map(({ json }) => [json.row ?? []].flat()));
		return text ? { text } : { problem: 'has nothing in its first sheet' };
	}

	function namedWrong() {
		return { problem: 'is a PDF file: give it the extension pdf' };
	}

	/** @param {unknown} error */
	function damaged(error) {
		return { problem: `is damaged, or its content is of another kind (${String(error)})` };
	}

	/**
	 * Writes each row as `Name: Ladder; Price: 79`, because a chunk may begin in the middle of the table.
	 * @param {unknown[][]} all
	 */
	function table(all) {
		const [names = [], ...others] = all.filter((row) => row.some((cell) => shown(cell) !== ''));
		if (others.length === 0) return names.map(shown).join('; ');
		const lines = others.map((row) => {
			const cells = [...row].map((cell, column) => {
				const name = shown(names[column]);
				const value = shown(cell);
				return name && value ? `${name}: ${value}` : value;
			});
			return cells.filter((cell) => cell !== '').join('; ');
		});
		return lines.join('\n\n');
	}

	/** @param {unknown} cell */
	function shown(cell) {
		return String(cell ?? '').trim();
	}

	/**
	 * A quote that is never closed is a part of its cell.
	 * @param {string} text
	 */
	function csvRows(text) {
		// Excel writes the delimiter into a line of its own, and PowerShell a type.
		const before = /^(?:"?sep=([^\r\n"])"?|"?#TYPE [^\r\n]*)(?:\r?\n|\r|$)/i.exec(text) ?? [''];
		const rows = text.slice(before[0].length);
		const firstLine = rows.slice(0, rows.search(/[\r\n]|$/));
		const [mostFrequent] = [',', ';', '\t'].sort(
			(one, other) => firstLine.split(other).length - firstLine.split(one).length,
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
