import { CsvReader } from './csv-reader';
import { JsonArrayReader } from './json-array-reader';
import { jsonLines, textLines } from './line-reader';
import type { RecordReader } from './record';

/** How records are written in a file. `lines`: each line of text is a record. */
export type RecordFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

const BY_EXTENSION: Readonly<Record<string, RecordFormat>> = {
	jsonl: 'jsonLines',
	ndjson: 'jsonLines',
	json: 'jsonArray',
	csv: 'csv',
	tsv: 'csv',
	txt: 'lines',
};

/** Not text/plain, which n8n gives to whatever it does not know. */
const BY_MIME_TYPE: Readonly<Record<string, RecordFormat>> = {
	'application/x-ndjson': 'jsonLines',
	'application/ndjson': 'jsonLines',
	'application/jsonl': 'jsonLines',
	'application/x-jsonlines': 'jsonLines',
	'application/json': 'jsonArray',
	'text/csv': 'csv',
	'text/tab-separated-values': 'csv',
};

/**
 * Detects the format of a file from its name, such as `documents.jsonl.gz`, or else from its MIME type.
 *
 * @returns undefined if neither says it
 */
export function formatOf(file: { fileName?: string; mimeType?: string }): RecordFormat | undefined {
	const name = (file.fileName ?? '').toLowerCase().replace(/\.gz$/, '');
	const extension = /\.([^.]+)$/.exec(name)?.[1] ?? '';
	const mimeType = (file.mimeType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
	return own(BY_EXTENSION, extension) ?? own(BY_MIME_TYPE, mimeType);
}

/** Not those of IDs in brackets, such as `[draft] 1` and `{3f2504e0}`. */
const LIST_BEGINS = /^\s*\[\s*(?:[\]{["]|-?\d[\d.eE+-]*\s*[,\]]|(?:true|false|null)\s*[,\]]|$)/;
const OBJECT_BEGINS = /^\s*\{\s*(?:["}]|$)/;

/**
 * Guesses the format from the first text of a file.
 *
 * @returns undefined if there is no text, or it could be CSV or lines of text
 */
export function guessFormat(text: string): RecordFormat | undefined {
	if (LIST_BEGINS.test(text)) return 'jsonArray';
	if (!OBJECT_BEGINS.test(text)) return undefined;
	// A single object can be read as JSON Lines only if it is on one line.
	return /^\s*\{\s*\n/.test(text) ? 'jsonArray' : 'jsonLines';
}

/**
 * The reader of a format.
 *
 * @param options `path`: of the list in a JSON file (dotted); `delimiter`: of CSV, detected if undefined
 */
export function readerOf(
	format: RecordFormat,
	options: { path?: string | undefined; delimiter?: string | undefined } = {},
): RecordReader {
	if (format === 'jsonLines') return jsonLines();
	if (format === 'jsonArray') return new JsonArrayReader(options.path);
	return format === 'csv' ? new CsvReader(options.delimiter) : textLines();
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
	return Object.hasOwn(table, key) ? table[key] : undefined;
}
