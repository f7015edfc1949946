import type { IBinaryData } from 'n8n-workflow';

import { FileError, type Bytes } from '../../records/bytes';
import { fieldOf } from '../../records/fields';
import { FORMATS, formatOf, guessFormat, type RecordFormat } from '../../records/format';
import { hasTooManyNames } from '../../records/json/json-text';
import { peek } from '../../records/peek';
import { readRecords } from '../../records/read-records';
import { RecordError, type RecordReader, type SourceRecord } from '../../records/record';
import { textOf } from '../../records/text';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/wording';
import { isCanceled, messageOf } from '../run/errors';
import { figure } from '../run/hints';
import { inputFile, type InputFile } from './files';
import { isRecord } from '../../service/json';
import type { Run } from '../run/run';

/** How to read a file. */
export interface RecordFileOptions {
	/** `auto`: from its name, its MIME type or its content. */
	format: 'auto' | RecordFormat;
	/**
	 * What a file is if neither its name nor its MIME type says it, and it does not begin as JSON does;
	 * detected by its content if undefined.
	 */
	otherwise?: RecordFormat | undefined;
	/** What to do about plain text without records, for a message. */
	asOneText?: string | undefined;
	/** Dotted path of the list in a JSON file; '' if the file is the list. */
	path: string;
	/** Of CSV; '' to detect it. */
	delimiter: string;
}

/** A file whose format is known. */
export interface RecordFile {
	name: string;
	format: RecordFormat;
	/** Its records after the first so many, several together, read as they are asked for (`readRecords`). */
	records(skip: number): AsyncIterable<SourceRecord[]>;
	/** What it says of the file so far, such as its position and the header row of CSV. */
	reader: Pick<RecordReader, 'position' | 'header' | 'columns' | 'isObject'>;
	/** To be called in the end, whether it was read to its end or not. */
	close(): void;
}

/** The parameters that say where a file is and how it is written; see file-properties.ts. */
export interface FileParameters {
	file(name: 'binaryPropertyName', itemIndex: number): string | IBinaryData;
	label(name: 'binaryPropertyName'): string;
	choice(name: 'fileFormat', itemIndex: number): RecordFileOptions['format'];
	text(name: 'listPath', itemIndex: number): string;
}

/**
 * Opens a file of an input item as the parameters say.
 *
 * @param where the name of its field, or the file itself
 * @throws InputError if the item has no such file, it is no text or its format cannot be detected, or n8n
 *   does not have it any more
 */
export async function openItemFile(
	run: Run,
	parameters: FileParameters,
	{ delimiter, otherwise, asOneText }: Omit<RecordFileOptions, 'format' | 'path'>,
	itemIndex: number,
	where: string | IBinaryData,
): Promise<RecordFile> {
	const file = inputFile(run, itemIndex, where, parameters.label('binaryPropertyName'));
	const how: RecordFileOptions = {
		format: parameters.choice('fileFormat', itemIndex),
		path: parameters.text('listPath', itemIndex).trim(),
		delimiter,
		otherwise,
		asOneText,
	};
	try {
		return await openRecords(run, file, how);
	} catch (error) {
		throw run.ended ? error : refusal(file.name, error);
	}
}

/** Why a file is refused, whatever failed: what reads it knows neither its name nor the parameters. */
export function refusal(name: string, error: unknown): unknown {
	if (error instanceof FileError) {
		return new InputError(`${quoted(name)}: ${error.message}`, NOT_TEXT);
	}
	if (error instanceof RecordError) {
		return new InputError(
			`${quoted(name)}: ${error.message}`,
			"Check the file, 'File Format' and 'Path to List'.",
		);
	}
	if (error instanceof InputError || isCanceled(error)) return error;
	return new InputError(
		`n8n could not read the file ${quoted(name)}: ${messageOf(error)}`,
		'Check that the file still exists: n8n deletes files with the execution that made them.',
	);
}

const NOT_TEXT =
	"If the file is damaged, fetch it again. If it is of another kind, convert it to UTF-8 text first, for example with n8n's Compression or Extract From File node.";

/** How many names a message lists. */
const MAX_LISTED = 20;

/** Enough to tell one format from another. */
const HEAD_CHARACTERS = 64 * 1024;

/** Enough for the first record of JSON Lines, which only what follows it tells from a JSON file. */
const FIRST_RECORD_CHARACTERS = 4 * 1024 * 1024;

/**
 * Opens a file and finds out its format.
 *
 * @throws InputError if the format cannot be detected; FileError if it is no text; and what n8n throws
 *   for a file that it does not have any more
 */
async function openRecords(
	run: Run,
	file: InputFile,
	options: RecordFileOptions,
): Promise<RecordFile> {
	const { bytes, close } = await file.open();
	let isRecognized = false;
	try {
		const found = await recognized(run, file, bytes, options);
		isRecognized = true;
		return { ...found, close };
	} finally {
		if (!isRecognized) close();
	}
}

async function recognized(
	run: Run,
	file: InputFile,
	bytes: Bytes,
	options: RecordFileOptions,
): Promise<Omit<RecordFile, 'close'>> {
	const { head, all } = await withFirstText(textOf(bytes, async () => await goingOn(run)));
	const format = options.format === 'auto' ? detected(file, head, options) : options.format;
	const { path, delimiter } = options;
	if (!FORMATS[format].isList && path !== '' && options.format === 'auto') {
		run.hint(
			`'Path to List' was not used, because ${quoted(file.name)} is ${FORMATS[format].label}`,
			'info',
		);
	}
	const reader = FORMATS[format].reader({
		path,
		...(delimiter !== '' && { delimiter: checkedDelimiter(delimiter) }),
	});
	return {
		name: file.name,
		format,
		records: (skip) => {
			reader.skip = skip;
			return readRecords(all, reader);
		},
		reader,
	};
}

/** Before each slice of a file: whatever reads it, it ends with the run. */
async function goingOn(run: Run): Promise<void> {
	await run.breathe();
	if (run.ended) throw run.ended.reason;
}

/**
 * Checks that a file can have the fields that are needed: a CSV file has them as columns, and a JSON
 * file that is one object is a record itself, rather than what contains the records.
 *
 * @param needed fields, each with the name of the parameter that names it
 * @throws InputError if one is missing
 */
export function checkFields(
	file: RecordFile,
	first: SourceRecord,
	needed: ReadonlyArray<readonly [field: string, parameter: string]>,
): void {
	checkColumns(file, needed);
	if (file.reader.isObject) checkObject(file.name, first.value, needed);
}

function checkObject(
	name: string,
	object: unknown,
	needed: ReadonlyArray<readonly [string, string]>,
): void {
	if (!isRecord(object)) return;
	const missing = needed.filter(([field]) => fieldOf(object, field) === undefined);
	const lists = Object.keys(object).filter((key) => Array.isArray(object[key]));
	if (missing.length === 0 || lists.length === 0) return;
	const fields = missing.map(([field]) => quoted(field)).join(' and ');
	throw new InputError(
		`The file ${quoted(name)} is one object without ${fields}, but with a list in ${listed(lists)}`,
		"If the records are in such a list, enter its name as 'Path to List'.",
	);
}

/** The first names of a list, for a message. */
export function listed(names: readonly string[]): string {
	const others = names.length - MAX_LISTED;
	const first = names.slice(0, MAX_LISTED).map(quoted).join(', ');
	return others > 0 ? `${first} and ${figure(others)} more` : first;
}

function checkColumns(
	{ name, reader: { columns: all } }: RecordFile,
	needed: ReadonlyArray<readonly [column: string, parameter: string]>,
): void {
	if (all === undefined) return;
	const missing = needed.filter(([column]) => !all.includes(column));
	if (missing.length === 0) return;
	const names = missing.map(([column]) => quoted(column)).join(' and no column ');
	const parameters = missing.map(([, parameter]) => quoted(parameter));
	throw new InputError(
		`The file ${quoted(name)} has no column ${names}`,
		all.length === 1
			? `Its only column is ${listed(all)}. Enter it as ${parameters.join(' and ')}, or set the option 'CSV Delimiter'.`
			: `Its columns are: ${listed(all)}. Enter one of these as ${parameters.join(' and one as ')}.`,
	);
}

/** The first text of a file, as much as tells its format, and the whole of it, even if it breaks off there. */
async function withFirstText(
	text: AsyncIterable<string>,
): Promise<{ head: string; all: AsyncIterable<string> }> {
	let head = '';
	const { all, broken } = await peek(text, (piece) => isEnough((head += piece)));
	if (broken && head.trim() === '') throw broken.reason;
	return { head, all };
}

/** Whether the beginning of a file tells its format: of an object, by what follows its line. */
function isEnough(head: string): boolean {
	const text = head.trimStart();
	if (text === '') return head.length >= FIRST_RECORD_CHARACTERS;
	const end = text.indexOf('\n');
	if (!text.startsWith('{')) return end >= 0 || text.length >= HEAD_CHARACTERS;
	return (end >= 0 && text.slice(end).trim() !== '') || text.length >= FIRST_RECORD_CHARACTERS;
}

function detected(
	file: InputFile,
	head: string,
	{ path, otherwise, asOneText = '' }: RecordFileOptions,
): RecordFormat {
	const named = formatOf({ fileName: file.name, mimeType: file.mimeType });
	// JSON Lines often come as .json or as application/json.
	if (named !== undefined && FORMATS[named].isList && path === '' && isJsonLines(head))
		return 'jsonLines';
	// A node that does not read lines of text finds other formats in files called .txt.
	if (named !== undefined && (named !== 'lines' || otherwise === named)) return named;
	const first = head.trimStart().charAt(0);
	// IDs may begin like JSON: taken for it, the node would do something to documents that nobody named.
	const isAmbiguous = otherwise !== undefined && (first === '[' || first === '{');
	const found = isAmbiguous ? undefined : (otherwise ?? guessFormat(head));
	if (found !== undefined) return found;
	const name = quoted(file.name);
	const isBlank = first === '' && head.length < FIRST_RECORD_CHARACTERS;
	if (isBlank) throw new InputError(`The file ${name} is empty`, EMPTY);
	if (!isAmbiguous && isPlainText(file)) {
		throw new InputError(
			`${name} is plain text, and its records cannot be recognized`,
			`Set 'File Format' if it has records. ${asOneText}`,
		);
	}
	const why = isAmbiguous
		? `, because it begins with ${first} and may be JSON or text lines`
		: '';
	throw new InputError(
		`The format of the file ${name} (${file.mimeType}) cannot be detected${why}: set 'File Format'`,
		"Choose it as 'File Format', or give the file a name with the extension of its format.",
	);
}

const isPlainText = ({ name, mimeType }: InputFile): boolean =>
	/\.(?:txt|md|markdown)(?:\.gz)?$/i.test(name) || /^text\/(?:plain|markdown)\b/i.test(mimeType);

/** What to do about an empty file. */
export const EMPTY = 'Check the node that outputs the file.';

/** Whether the first line is a JSON object by itself, and more follows. */
function isJsonLines(head: string): boolean {
	const text = head.trimStart();
	const end = text.indexOf('\n');
	if (end < 0 || !text.startsWith('{') || text.slice(end).trim() === '') return false;
	const line = text.slice(0, end);
	try {
		return hasTooManyNames(line) || JSON.parse(line) !== undefined;
	} catch {
		return false;
	}
}

/** @throws InputError if it is not one character that can separate cells */
function checkedDelimiter(text: string): string {
	const delimiter = text === '\\t' ? '\t' : text;
	if (delimiter.length === 1 && !'"\r\n'.includes(delimiter)) return delimiter;
	throw new InputError(
		`'CSV Delimiter' must be one character, but it is ${JSON.stringify(text)}`,
		'Enter a character such as ; or \\t for a tab, or remove the option to detect it.',
	);
}
