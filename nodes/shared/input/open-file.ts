import type { IBinaryData } from 'n8n-workflow';

import { peek } from '../formats/bytes';
import { likeliestDelimiter } from '../formats/csv-delimiter';
import { columnsOf, hasColumn } from '../formats/csv-rows';
import { fieldOf, plainName } from '../formats/fields';
import { FORMATS, formatOf, type RecordFormat } from '../formats/format';
import { Findings } from '../formats/findings';
import type { FileFindings } from '../output/file-findings';
import type { RecordFile } from '../output/record-file';
import { readRecords, type SourceRecord } from '../formats/record';
import { InputError } from '../service/input-error';
import { quoted, quotedList } from '../service/strings';
import type { WithParameter } from '../parameters/property';
import { inputFile, type InputFile } from './files';
import { isObject, isRecord } from '../service/json';
import type { Run } from '../run/run';
import { afterComments, isPage } from '../service/page';
import { EMPTY_FILE_ADVICE, htmlError, readError, repeatedNames } from './file-errors';

/** A page may begin with comments. The text before its first tag is read up to this length. */
const MAX_COMMENT_CHARACTERS = 1_000_000;

/** The options are the same for the whole run. */
export interface RecordFileOptions {
	/** Delimiter for CSV files, or '' to detect it. */
	delimiter: string;
	quotes: 'on' | 'none';
	jsonColumns: readonly string[];
}

/** A field that every record needs, and the label of the parameter that names the field. */
export type RequiredField = readonly [field: string, parameter: string];

export type FileParameters = WithParameter<'fileFormat', 'auto' | RecordFormat> &
	WithParameter<'listPath', string> &
	WithParameter<'options.skipRecords' | 'options.maxRecords', number> & {
		file(name: 'binaryPropertyName', itemIndex: number): string | IBinaryData;
		value(name: 'options.encoding', itemIndex: number): unknown;
	};

/** The files in a run's items, and the parameters that say how to read them. */
export interface Files {
	run: Run;
	parameters: FileParameters;
	options: RecordFileOptions;
	/** Whether the next file is opened while entries from the previous file are still in flight. */
	overlaps?: boolean;
	/**
	 * Whether the entries are IDs to delete. If so, a file may have one ID per line. It is read as lines unless its name
	 * or MIME type indicates another format.
	 */
	areDeleted?: boolean;
}

/**
 * Opens a file in an input item and detects the file's format.
 *
 * @param location name of the binary field, or the file itself
 * @throws InputError if the file is missing, was deleted by n8n, is not text, or has a format that cannot be detected
 */
export async function openFile(
	{ run, parameters, options, areDeleted: takesLines = false }: Files,
	itemIndex: number,
	location: string | IBinaryData,
): Promise<RecordFile> {
	const encoding = encodingOf(parameters, itemIndex);
	const chosen = parameters.get('fileFormat', itemIndex);
	const path = parameters.get('listPath', itemIndex).trim();
	const file = inputFile(run, itemIndex, location);
	const findings: FileFindings = new Findings();
	const { name } = file;
	let close = (): void => undefined;
	try {
		const opened = await file.open({ encoding, findings });
		({ close } = opened);
		const { first: head = '', all } = await peek(
			opened.text,
			(before, next) => before + next,
			(head) => afterComments(head) < head.length || head.length > MAX_COMMENT_CHARACTERS,
		);
		if (isPage(head, file.mimeType)) throw htmlError(name);
		const delimiter = parseDelimiter(options.delimiter);
		const format = chosen === 'auto' ? detectFormat(file, head, takesLines) : chosen;
		const hasQuotes = options.quotes === 'on';
		const reader = FORMATS[format].reader({ path, delimiter, hasQuotes, findings });
		const skip = parameters.get('options.skipRecords', itemIndex);
		const max = parameters.get('options.maxRecords', itemIndex);
		const records = (needed: readonly string[]) => {
			reader.skip = skip;
			reader.requiredFields = needed;
			return readRecords(all, reader);
		};
		return { itemIndex, name, format, path, skip, max, records, reader, findings, close };
	} catch (error) {
		close();
		throw run.ended ? error : readError(name, error);
	}
}

/**
 * Reads the encoding to use for an item's file.
 *
 * @returns the encoding's name in the Encoding Standard, or `auto`
 * @throws InputError if the Encoding Standard does not define the label that the parameter contains
 */
export function encodingOf(
	parameters: { value(name: 'options.encoding', itemIndex: number): unknown },
	itemIndex: number,
): string {
	// An expression may return an encoding that is not in the list.
	const label = String(parameters.value('options.encoding', itemIndex) ?? '').trim();
	if (label === '' || label === 'auto') return 'auto';
	try {
		return new TextDecoder(label).encoding;
	} catch {
		// The label is unknown, so the error below is thrown.
	}
	throw new InputError(
		`'Encoding' must be an encoding such as windows-1251, but it is ${JSON.stringify(label)}`,
		'Choose an encoding from the list, or enter a label from the Encoding Standard (encoding.spec.whatwg.org). Convert a file in any other encoding to UTF-8 before this node.',
	);
}

/**
 * Checks the beginning of a file for mistakes that would make every record fail. A CSV file must have a column for each
 * required field. If a JSON file is a single object, this object must be a record, not a wrapper around the list of
 * records. A file that is read as one ID per line must not be a table.
 *
 * @param first first record after the skipped records, if such a record exists
 * @throws InputError if a required field is missing or the file is empty
 */
export function checkFields(
	run: Run,
	{ name, format, reader }: RecordFile,
	first: SourceRecord | undefined,
	needed: readonly RequiredField[],
): void {
	const { columns, isObject } = reader;
	if (columns) checkColumns(run, name, columns, needed);
	else if (isObject) checkObject(name, first?.value, needed);
	else if (format === 'lines' && first) checkFirstLine(name, first.value, needed);
	else if (!first && !FORMATS[format].isList && reader.position.record === 1)
		throw new InputError(`The file ${quoted(name)} is empty`, EMPTY_FILE_ADVICE);
}

function checkObject(name: string, object: unknown, required: readonly RequiredField[]): void {
	if (!isRecord(object)) return;
	const missing = required.filter(([field]) => fieldOf(object, field) === undefined);
	const lists = listsIn(object);
	const fields = missing.map(([field]) => quoted(field)).join(' and ');
	if (missing.length > 0 && lists.length === 0) checkMap(name, object, fields);
	if (missing.length === 0 || lists.length === 0) return;
	throw new InputError(
		`The file ${quoted(name)} is one object without ${fields}, but with a list in ${quotedList(lists)}`,
		"If the records are in such a list, enter its path as 'Path to List'.",
	);
}

/** Throws if an object, or an object within it, consists of objects, as in `{"a1": {…}, "a2": {…}}`. */
function checkMap(name: string, object: object, fields: string, at = ''): void {
	const members = Object.entries(object) as Array<[string, unknown]>;
	const objects = members.filter(([, value]) => isObject(value));
	const [only] = members;
	if (members.length === 1 && isObject(only?.[1]) && Object.values(only[1]).every(isObject))
		return checkMap(name, only[1], fields, ` in ${quoted(only[0])}`);
	if (objects.length === 0 || objects.length < members.length) return;
	const keys = quotedList(objects.map(([key]) => key));
	throw new InputError(
		`The file ${quoted(name)} is one object without ${fields}. The members${at} are objects themselves: ${keys}`,
		'The file looks like a map from IDs to records. Convert it to a list of records that contain their IDs, for example with: jq "to_entries | map({id: .key} + .value)".',
	);
}

/**
 * Throws if a file that is read as one ID per line begins with the header row of a table. Otherwise, the node would use
 * each row of the table as the ID of a document to delete.
 */
function checkFirstLine(name: string, line: unknown, required: readonly RequiredField[]): void {
	const fields = required.map(([field]) => field);
	const delimiter = likeliestDelimiter(String(line), true, fields);
	const columns = columnsOf(String(line), { delimiter, hasQuotes: true }) ?? [];
	const column = fields.find((field) => hasColumn(columns, field));
	if (columns.length === 1 || column === undefined) return;
	throw new InputError(
		`The file ${quoted(name)} was read as one ID per line, but its first line is a header row with the column ${quoted(column)}`,
		"Choose 'CSV' in 'File Format'.",
	);
}

/** Returns the dotted paths to the lists in an object, such as `response.docs` in a Solr export. */
const listsIn = (object: object, before = '', levels = 3): string[] =>
	Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
		if (Array.isArray(value)) return before + name;
		return isObject(value) && levels > 1 ? listsIn(value, `${before}${name}.`, levels - 1) : [];
	});

function checkColumns(
	run: Run,
	name: string,
	all: readonly string[],
	needed: readonly RequiredField[],
): void {
	const names = Object.fromEntries(all.map((column) => [column, column]));
	const missing = needed.filter(([field]) => fieldOf(names, field) === undefined);
	if (missing.length > 0) {
		const columns = missing.map(([field]) => quoted(field)).join(' and no column ');
		const parameters = missing.map(([, parameter]) => quoted(parameter));
		throw new InputError(
			`The file ${quoted(name)} has no column ${columns}`,
			all.length === 1
				? `Its only column is ${quotedList(all)}. Enter it as ${parameters.join(' and ')}, or set the option 'CSV Delimiter'. If this is an error message, check the node that fetches the file.`
				: `Its columns are: ${quotedList(all)}. Enter one of these as ${parameters.join(' and one as ')}. If these are not names of columns, add a header row to the file.`,
		);
	}
	for (const [field, parameter] of needed) {
		if (all.includes(field)) continue;
		const plain = plainName(field);
		const alike = all.filter((column) => plainName(column) === plain);
		if (alike.length < 2) continue;
		throw new InputError(
			`The file ${quoted(name)} has several columns whose names look like ${quoted(field)}: ${quotedList(alike)}`,
			`Copy the name of the right one from the file as ${quoted(parameter)}, or rename all but one of them.`,
		);
	}
	const repeated = repeatedNames(all);
	if (repeated.length === 0) return;
	for (const [field, parameter] of needed) {
		if (
			!UNIQUE_COLUMN_PARAMETERS.includes(parameter) ||
			!repeated.includes(String(fieldOf(names, field)))
		)
			continue;
		throw new InputError(
			`The file ${quoted(name)} has several columns named ${quoted(field)}`,
			`Choose another column as ${quoted(parameter)}, or rename all but one of them.`,
		);
	}
	run.hintAtFile(
		`The file ${quoted(name)} has several columns with the same name: ${quotedList(repeated)}`,
		'From each group, the node uses the first value that is not empty.',
	);
}

/** Parameters that name a column. The header must not contain such a column name twice. */
const UNIQUE_COLUMN_PARAMETERS = ['ID Field', 'Name Field'];

function detectFormat(file: InputFile, head: string, takesLines: boolean): RecordFormat {
	// If the node does not accept lines, the format of a .txt file is detected from its content.
	const named = formatOf(file.name, file.mimeType, takesLines);
	if (named !== undefined) return named;
	const first = head.trimStart().charAt(0);
	const isJson = first === '[' || first === '{';
	if (isJson && !takesLines) return 'jsonArray';
	if (!isJson && takesLines) return 'lines';
	const name = quoted(file.name);
	if (first === '') throw new InputError(`The file ${name} is empty`, EMPTY_FILE_ADVICE);
	if (!isJson && isPlainText(file)) {
		throw new InputError(
			`The file ${name} is plain text, so its records cannot be recognized`,
			"Set 'File Format' if it has records. If the whole file is one text, choose 'Text File' instead of 'File'.",
		);
	}
	// An ID may begin with [ or {. If the node read such IDs as JSON, it would delete documents that the file does not
	// list.
	const why = isJson ? `, because it begins with ${first} and may be JSON or text lines` : '';
	throw new InputError(
		`The format of the file ${name} (${file.mimeType}) cannot be detected${why}`,
		"Choose the format in 'File Format', or add an extension such as .csv to the file name.",
	);
}

const isPlainText = ({ name, mimeType }: InputFile): boolean =>
	/\.(?:txt|md|markdown)(?:\.gz)?$/i.test(name) || /^text\/(?:plain|markdown)\b/i.test(mimeType);

/** @throws InputError if the string is not a single character that can separate cells */
function parseDelimiter(text: string): string | undefined {
	if (text === '') return undefined;
	const delimiter = text === '\\t' ? '\t' : text;
	if (delimiter.length === 1 && !'"\r\n'.includes(delimiter)) return delimiter;
	throw new InputError(
		`'CSV Delimiter' must be one character, but it is ${JSON.stringify(text)}`,
		'Enter a character such as ; or \\t for a tab, or remove the option to detect it.',
	);
}
