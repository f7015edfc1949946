import { CsvReader } from './csv-reader';
import { JsonArrayReader } from './json/json-array-reader';
import { jsonLines, textLines } from './line-reader';
import type { RecordReader } from './record';

/** How records are written in a file. `lines`: each line of text is a record. */
export type RecordFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

/** What sets a format apart. */
export interface FormatTraits {
	/** Its name in messages. */
	label: string;
	/** Extensions of names of files; that of files we write comes first. */
	extensions: readonly [string, ...string[]];
	/** MIME type of files we write. */
	mimeType: string;
	/** MIME types that say the format. */
	mimeTypes: readonly string[];
	/** Whether the text of a record is JSON. */
	isJson: boolean;
	/** Whether a file is one JSON value, with the records in a list. */
	isList: boolean;
	reader(options: ReaderOptions): RecordReader;
}

export interface ReaderOptions {
	/** Of the list in a JSON file, dotted. */
	path?: string | undefined;
	/** Of CSV; detected if undefined. */
	delimiter?: string | undefined;
}

/** All formats. */
export const FORMATS: Readonly<Record<RecordFormat, FormatTraits>> = {
	jsonLines: {
		label: 'JSON Lines',
		extensions: ['jsonl', 'ndjson'],
		mimeType: 'application/x-ndjson',
		mimeTypes: [
			'application/x-ndjson',
			'application/ndjson',
			'application/jsonl',
			'application/x-jsonlines',
		],
		isJson: true,
		isList: false,
		reader: () => jsonLines(),
	},
	jsonArray: {
		label: 'a JSON list',
		extensions: ['json'],
		mimeType: 'application/json',
		mimeTypes: ['application/json'],
		isJson: true,
		isList: true,
		reader: ({ path }) => new JsonArrayReader(path),
	},
	csv: {
		label: 'CSV',
		extensions: ['csv', 'tsv'],
		mimeType: 'text/csv',
		mimeTypes: ['text/csv', 'text/tab-separated-values'],
		isJson: false,
		isList: false,
		reader: ({ delimiter }) => new CsvReader(delimiter),
	},
	lines: {
		label: 'lines of text',
		extensions: ['txt'],
		mimeType: 'text/plain',
		// Not text/plain, which n8n gives to whatever it does not know.
		mimeTypes: [],
		isJson: false,
		isList: false,
		reader: () => textLines(),
	},
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
	const formats = Object.keys(FORMATS) as RecordFormat[];
	return (
		formats.find((format) => FORMATS[format].extensions.includes(extension)) ??
		formats.find((format) => FORMATS[format].mimeTypes.includes(mimeType))
	);
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
