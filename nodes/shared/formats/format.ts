import { CsvReader, type CsvOptions } from './csv-reader';
import { JsonReader } from './json-reader';
import { jsonLinesReader, textLinesReader } from './line-reader';
import type { RecordReader } from './record';

/** In the `lines` format, each line of text is a record. */
export type RecordFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

interface FormatTraits {
	name: string;
	description: string;
	/** Files that a node writes use the first extension. */
	extensions: readonly [string, ...string[]];
	/** Files that a node writes have the first MIME type in this list. */
	mimeTypes: readonly string[];
	isJson?: true;
	/** Whether the file is a single JSON value that contains the list of records. */
	isList?: true;
	/** Whether a record has no fields. It is then plain text that can only be used as an ID. */
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
		// n8n also uses text/plain for files of an unknown type, so this MIME type does not identify the format.
		mimeTypes: [],
		isOnlyIds: true,
		reader: ({ findings }) => textLinesReader(findings),
	},
};

/** Returns the formats that meet a condition, in the same order as in `FORMATS`. */
export const formatsWith = (meets: (traits: FormatTraits) => unknown): RecordFormat[] =>
	(Object.keys(FORMATS) as RecordFormat[]).filter((format) => meets(FORMATS[format]));

/**
 * Detects a file's format from its name, such as `documents.jsonl.gz`. If the name does not identify a format, the MIME
 * type is used.
 *
 * @param allowsTextLines whether the `lines` format is allowed
 * @returns undefined if neither the name nor the MIME type identifies a format
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
