import { repairText } from './decoders';
import { describeBadCharacters } from './text';

export interface SourceRecord {
	/** Record number, counted from 1. */
	record: number;
	/** Line on which the record begins, counted from 1. */
	line: number;
	/**
	 * The record's original text, without the line break at the end. The string may keep a longer string in
	 * memory (see `detach`).
	 */
	text: string;
	/** Undefined if there is an error. */
	value: unknown;
	/** The records after it can still be read. */
	error: RecordError | undefined;
}

/** If a reader throws this error, all earlier records have been returned, but no later record can be read. */
export class RecordError extends Error {
	override readonly name = 'RecordError';

	constructor(
		message: string,
		readonly record: number,
		readonly line: number,
		/** Advice for the user, shown if the rest of the file cannot be read because of this error. */
		readonly advice = 'Correct the file.',
		/** The message without the parts that differ between records (see `commonMessageOf`). */
		readonly commonMessage = message,
	) {
		super(message);
	}
}

/**
 * Returns the error for a record.
 *
 * @param defect completes a sentence that begins with "Record 17 (line 18)"
 * @param detail follows the defect after a colon. Records with the same defect are counted together, whatever their
 *   details are
 */
export const recordError = (
	defect: string,
	record: number,
	line: number,
	advice?: string,
	detail?: string,
): RecordError =>
	new RecordError(
		`Record ${record} (line ${line}) ${defect}${detail === undefined ? '' : `: ${detail}`}`,
		record,
		line,
		advice,
		`The record ${defect}`,
	);

export interface RecordReader {
	/** Must be set before the first call to `push`. */
	skip: number;
	/**
	 * Fields that each record must contain. The CSV reader uses them to recognize the header row. Must be
	 * set before the first call to `push`.
	 */
	requiredFields?: readonly string[];
	/**
	 * Returns the records that this piece of text completes. The caller must read all of them before it
	 * pushes the next piece.
	 *
	 * @throws {RecordError} if a record cannot be read and no later record can be read either
	 */
	push(piece: string): Iterable<SourceRecord>;
	/**
	 * Returns the remaining records. Must be called once, after the last piece.
	 *
	 * @param isBroken whether the text could not be read to its end. If so, only complete records are returned
	 */
	end(isBroken?: boolean): Iterable<SourceRecord>;
	/** Number and line of the current or next record. */
	readonly position: { record: number; line: number };
	/** The header row and the columns, if the format has them. Undefined until they have been read. */
	readonly header?: string | undefined;
	readonly columns?: readonly string[] | undefined;
	readonly delimiter?: string;
	/** Whether the file consists of a single object, which is the only record. */
	readonly isObject?: boolean;
}

export const MAY_BE_CUT = '; the file ends here without a line break and may be truncated';

/** Without this limit, a missing line break or quote could make a single record fill the memory. */
export const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** @throws {RecordError} if the record is longer than `MAX_RECORD_CHARACTERS` */
export function checkLength(characters: number, record: number, line: number): void {
	if (characters <= MAX_RECORD_CHARACTERS) return;
	const megabytes = MAX_RECORD_CHARACTERS / 1024 / 1024;
	const defect = `is longer than ${megabytes} MB of text, the maximum for one record`;
	throw recordError(defect, record, line);
}

/** Copies part of a longer string, so that the copy does not keep the longer string in memory. */
export function detach(part: string): string {
	// V8 stores a long substring as a reference to the original string. Building a new string removes the
	// reference.
	return ` ${part}`.slice(1);
}

/** Larger slices would waste more work if the run ends early. */
const SLICE_RECORDS = 64;

/**
 * Reads a file's records in slices. Each slice is read only when the caller requests it. Slices save time,
 * because each step of an asynchronous loop takes about as long as reading a small record.
 *
 * @param text the pieces of the file's text
 * @throws {RecordError} if a record cannot be read and no later record can be read either. Errors from
 *   `text` are rethrown unchanged after all complete records have been returned.
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord[]> {
	let interruption: { reason: unknown } | undefined;
	try {
		for await (const piece of text) yield* slicesOf(reader, reader.push(piece));
	} catch (reason) {
		interruption = { reason };
	}
	const hasGivenUp = interruption?.reason instanceof RecordError;
	if (!hasGivenUp) yield* slicesOf(reader, reader.end(interruption !== undefined));
	if (interruption) throw interruption.reason;
}

/** If reading fails, the records before the failure are yielded first. */
function* slicesOf(
	reader: RecordReader,
	records: Iterable<SourceRecord>,
): Generator<SourceRecord[]> {
	let slice: SourceRecord[] = [];
	try {
		for (const record of records) {
			slice.push(withCharacterError(record, reader.delimiter));
			if (slice.length < SLICE_RECORDS) continue;
			const full = slice;
			slice = [];
			yield full;
		}
	} finally {
		if (slice.length > 0) yield slice;
	}
}

function withCharacterError(source: SourceRecord, delimiter?: string): SourceRecord {
	const { record, line, text } = source;
	const defect = describeBadCharacters(text, delimiter);
	if (defect === undefined) return source;
	const error = recordError(defect, record, line);
	return { record, line, text: repairText(text), value: undefined, error };
}
