import { repairText } from './decoders';
import { describeBadCharacters } from './text';

export interface SourceRecord {
	/** Number of the record, counted from 1. */
	record: number;
	/** Line in which the record begins, counted from 1. */
	line: number;
	/**
	 * Text as the file contains it, without the line break at the end. It may keep a longer text in
	 * memory, see `detach`.
	 */
	text: string;
	/** Parsed content. Undefined if there is an error. */
	value: unknown;
	/** Why this record cannot be read. The records after it can be read. */
	error: RecordError | undefined;
}

/**
 * A record that cannot be read. If a reader throws this error, all records before it were returned, but
 * nothing after it can be read.
 */
export class RecordError extends Error {
	override readonly name = 'RecordError';

	constructor(
		message: string,
		readonly record: number,
		readonly line: number,
		/** Advice for the user if nothing after the record can be read. */
		readonly advice = 'Correct the file.',
	) {
		super(message);
	}
}

/**
 * Returns the error of a record.
 *
 * @param defect what is wrong, as the rest of a sentence that begins with "Record 17 (line 18)"
 */
export const recordError = (
	defect: string,
	record: number,
	line: number,
	advice?: string,
): RecordError =>
	new RecordError(`Record ${record} (line ${line}) ${defect}`, record, line, advice);

/** Reads records of one format from text that arrives in pieces. */
export interface RecordReader {
	/** Number of records at the beginning that are not returned. Must be set before the first piece. */
	skip: number;
	/**
	 * Fields that each record needs. A header row is recognized by them. Must be set before the first
	 * piece.
	 */
	requiredFields?: readonly string[];
	/**
	 * Returns the records that this piece completes. They must all be read before the next piece.
	 *
	 * @throws {RecordError} if nothing after this record can be read
	 */
	push(piece: string): Iterable<SourceRecord>;
	/**
	 * Returns the records that end with the text. Must be called once, after the last piece.
	 *
	 * @param isBroken whether the text could not be read to its end; then only complete records are
	 *   returned
	 */
	end(isBroken?: boolean): Iterable<SourceRecord>;
	/** Number and line of the record that is being read, or that comes next. */
	readonly position: { record: number; line: number };
	/** Header row and columns, for formats that have them. Undefined until they were read. */
	readonly header?: string | undefined;
	readonly columns?: readonly string[] | undefined;
	/** Whether the file is one object, which is its only record. */
	readonly isObject?: boolean;
}

/** Appended to the error of the last record if the file ends without a line break. */
export const MAY_BE_CUT = '; the file ends here without a line break and may be truncated';

/** Maximum length of a record. Without it, a missing line break or quote could fill the memory. */
export const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/**
 * Checks the length of a record.
 *
 * @throws {RecordError} if it is longer than `MAX_RECORD_CHARACTERS`
 */
export function checkLength(characters: number, record: number, line: number): void {
	if (characters <= MAX_RECORD_CHARACTERS) return;
	const megabytes = MAX_RECORD_CHARACTERS / 1024 / 1024;
	const defect = `is longer than ${megabytes} MB of text, the maximum for one record`;
	throw recordError(defect, record, line);
}

/** Copies a part of a longer text, so that the copy does not keep the longer text in memory. */
export function detach(part: string): string {
	// V8 stores a long part as a reference to the whole text. A newly built text is stored without the
	// reference.
	return ` ${part}`.slice(1);
}

/**
 * Maximum number of records in a slice. A larger slice would waste more work if the run ends before its
 * records are sent.
 */
const SLICE_RECORDS = 64;

/**
 * Reads the records of a file in slices, each of them on demand. A slice saves time, because each step of
 * an asynchronous loop costs about as much as reading a small record.
 *
 * @param text from `textOf`
 * @throws {RecordError} if nothing after a record can be read. Errors of the text are thrown unchanged,
 *   after all complete records were returned.
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord[]> {
	let interruption: { reason: unknown } | undefined;
	try {
		for await (const piece of text) yield* slicesOf(reader.push(piece));
	} catch (reason) {
		interruption = { reason };
	}
	const hasGivenUp = interruption?.reason instanceof RecordError;
	if (!hasGivenUp) yield* slicesOf(reader.end(interruption !== undefined));
	if (interruption) throw interruption.reason;
}

/** Yields records in slices. If reading fails, the records before the failure are yielded first. */
function* slicesOf(records: Iterable<SourceRecord>): Generator<SourceRecord[]> {
	let slice: SourceRecord[] = [];
	try {
		for (const record of records) {
			slice.push(checkCharacters(record));
			if (slice.length < SLICE_RECORDS) continue;
			const full = slice;
			slice = [];
			yield full;
		}
	} finally {
		if (slice.length > 0) yield slice;
	}
}

/** Turns a record with invalid characters into a record with an error. */
function checkCharacters(record: SourceRecord): SourceRecord {
	const defect = describeBadCharacters(record.text);
	if (defect === undefined) return record;
	const { record: number, line } = record;
	const error = recordError(defect, number, line);
	return { ...record, text: repairText(record.text), value: undefined, error };
}
