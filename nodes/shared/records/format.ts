import { CsvReader, type CsvOptions } from './csv-reader';
import type { Findings } from './findings';
import { JsonReader } from './json-reader';
import { jsonLinesReader, textLinesReader } from './line-reader';
import type { RecordReader, SourceRecord } from './record';

/** How records are written in a file. `lines`: each line of text is a record. */
export type RecordFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

/** A file whose format is known. */
export interface RecordFile {
	name: string;
	format: RecordFormat;
	/** Dotted path of the list in a JSON file; '' if the file is the list. */
	path: string;
	/**
	 * Reads its records, several together, as they are asked for (`readRecords`).
	 *
	 * @param skip number of records at the beginning that are not returned
	 * @param requiredFields fields that each record needs
	 */
	records(skip: number, requiredFields: readonly string[]): AsyncIterable<SourceRecord[]>;
	/** What is noticed while it is read. */
	findings: Findings;
	/** What it says of the file so far, such as its position and the header row of CSV. */
	reader: RecordReader;
	/** To be called in the end, whether it was read to its end or not. */
	close(): void;
}

/** What sets a format apart. */
interface FormatTraits {
	name: string;
	/** As a choice. */
	description: string;
	/** Extensions of names of files; that of files we write comes first. */
	extensions: readonly [string, ...string[]];
	/** MIME types that say the format; that of files we write comes first. */
	mimeTypes: readonly string[];
	/** Whether the text of a record is JSON. */
	isJson?: true;
	/** Whether a file is one JSON value, with the records in a list. */
	isList?: true;
	/** Whether records have no fields: they can only be IDs. */
	isOnlyIds?: true;
	reader(options: ReaderOptions): RecordReader;
}

interface ReaderOptions extends CsvOptions {
	/** Of the list in a JSON file, dotted. */
	path?: string | undefined;
}

/** All formats. */
export const FORMATS: Readonly<Record<RecordFormat, FormatTraits>> = {
	jsonLines: {
		name: 'JSON Lines',
		description: 'One JSON value per line, also called NDJSON',
		extensions: ['jsonl', 'ndjson'],
		mimeTypes: [
			'application/x-ndjson',
			'application/ndjson',
			'application/jsonl',
			'application/x-jsonlines',
		],
		isJson: true,
		reader: ({ findings }) => jsonLinesReader(findings),
	},
	jsonArray: {
		name: 'JSON Array',
		description: 'A JSON file that is, or contains, a list',
		extensions: ['json'],
		mimeTypes: ['application/json'],
		isJson: true,
		isList: true,
		reader: ({ path, findings }) => new JsonReader(path, findings),
	},
	csv: {
		name: 'CSV',
		description: 'With a header row. All values are strings.',
		extensions: ['csv', 'tsv'],
		mimeTypes: ['text/csv', 'text/tab-separated-values'],
		reader: (options) => new CsvReader(options),
	},
	lines: {
		name: 'Text Lines',
		description: 'One ID per line',
		extensions: ['txt'],
		// Not text/plain, which n8n gives to whatever it does not know.
		mimeTypes: [],
		isOnlyIds: true,
		reader: ({ findings }) => textLinesReader(findings),
	},
};

/** Formats by a condition, in the order of the table. */
export const formatsWith = (meets: (traits: FormatTraits) => unknown): RecordFormat[] =>
	(Object.keys(FORMATS) as RecordFormat[]).filter((format) => meets(FORMATS[format]));

/**
 * Detects the format of a file from its name, such as `documents.jsonl.gz`, or else from its MIME type.
 *
 * @param allowsTextLines whether it may be lines of text
 * @returns undefined if neither says it
 */
export function formatOf(
	fileName: string,
	mimeType: string,
	allowsTextLines: boolean,
): RecordFormat | undefined {
	const extension = /\.([^.]+?)(?:\.gz)?$/.exec(fileName.toLowerCase())?.[1] ?? '';
	const type = mimeType.replace(/;.*/s, '').trim().toLowerCase();
	const [byName] = formatsWith(
		({ extensions, isOnlyIds }) =>
			extensions.includes(extension) && (allowsTextLines || !isOnlyIds),
	);
	return byName ?? formatsWith(({ mimeTypes }) => mimeTypes.includes(type))[0];
}
