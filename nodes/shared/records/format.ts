import { CsvReader, type CsvOptions } from './csv-reader';
import type { Findings } from './findings';
import { JsonReader } from './json-reader';
import { jsonLinesReader, textLinesReader } from './line-reader';
import type { RecordReader, SourceRecord } from './record';

/** Format of the records in a file. In `lines`, each line of text is a record. */
export type RecordFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

export interface RecordFile {
	name: string;
	format: RecordFormat;
	/** Dotted path of the list in a JSON file. Empty if the file itself is the list. */
	path: string;
	/**
	 * Reads the records in slices, each of them on demand (`readRecords`).
	 *
	 * @param skip number of records at the beginning that are not returned
	 * @param requiredFields fields that each record needs
	 */
	records(skip: number, requiredFields: readonly string[]): AsyncIterable<SourceRecord[]>;
	findings: Findings;
	/** The reader of the format, which knows the position in the file and the header row of CSV. */
	reader: RecordReader;
	/** Must be called at the end, even if the file was not read to its end. */
	close(): void;
}

interface FormatTraits {
	name: string;
	description: string;
	/** Extensions of file names. Files that a node writes get the first one. */
	extensions: readonly [string, ...string[]];
	/** MIME types that identify the format. Files that a node writes get the first one. */
	mimeTypes: readonly string[];
	isJson?: true;
	/** Whether a file is one JSON value that contains the records as a list. */
	isList?: true;
	/** Whether records have no fields, so that they can only be IDs. */
	isOnlyIds?: true;
	reader(options: ReaderOptions): RecordReader;
}

interface ReaderOptions extends CsvOptions {
	path?: string | undefined;
}

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
		// Without text/plain, because n8n also uses it for files that it does not know.
		mimeTypes: [],
		isOnlyIds: true,
		reader: ({ findings }) => textLinesReader(findings),
	},
};

/** Returns the formats that meet a condition, in the order of `FORMATS`. */
export const formatsWith = (meets: (traits: FormatTraits) => unknown): RecordFormat[] =>
	(Object.keys(FORMATS) as RecordFormat[]).filter((format) => meets(FORMATS[format]));

/**
 * Detects the format of a file from its name, such as `documents.jsonl.gz`. If the name does not identify
 * a format, the MIME type decides.
 *
 * @param allowsTextLines whether the file may contain lines of text
 * @returns undefined if neither identifies a format
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
