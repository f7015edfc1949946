import { repairText } from './decoders';
import { describeBadCharacters } from './text';

export interface SourceRecord {
	/** Number of the record, counted from 1. */
	record: number;
	/** Line on which the record begins, counted from 1. */
	line: number;
	/** Text of the record without its line break. This string may keep a longer string in memory (see `detach`). */
	text: string;
	/** Parsed value. It is undefined after an error. */
	value: unknown;
	/** The reason why the record cannot be read. Later records can still be read. */
	error: RecordError | undefined;
}

/**
 * A record that cannot be read. If a reader throws this error, no later record can be read, but all earlier records
 * have been returned.
 */
export class RecordError extends Error {
	override readonly name = 'RecordError';

	constructor(
		message: string,
		readonly record: number,
		readonly line: number,
		/** Advice for the user if later records cannot be read. */
		readonly advice = 'Correct the file.',
	) {
		super(message);
	}
}

/**
 * Returns the error for a record.
 *
 * @param defect the rest of a sentence that begins with "Record 17 (line 18)"
 */
export const recordError = (
	defect: string,
	record: number,
	line: number,
	advice?: string,
): RecordError =>
	new RecordError(`Record ${record} (line ${line}) ${defect}`, record, line, advice);

/** Reads records of one format from a text that arrives in pieces. */
export interface RecordReader {
	/** Number of records to skip at the beginning. It must be set before the first `push`. */
	skip: number;
	/**
	 * Fields that each record must contain. The CSV reader finds the header row with them. They must be set before
	 * the first `push`.
	 */
	requiredFields?: readonly string[];
	/**
	 * Returns the records that end in this piece. The caller must read all of them before the next `push`.
	 *
	 * @throws {RecordError} if no later record can be read
	 */
	push(piece: string): Iterable<SourceRecord>;
	/**
	 * Returns the last records. It must be called once, after the last piece.
	 *
	 * @param isBroken whether the end of the text could not be read. In this case, only complete records are returned
	 */
	end(isBroken?: boolean): Iterable<SourceRecord>;
	/** Number and line of the current or the next record. */
	readonly position: { record: number; line: number };
	/** Header row and columns, if the format has them and they have been read. */
	readonly header?: string | undefined;
	readonly columns?: readonly string[] | undefined;
	/** Whether the file is a single object, which is the only record. */
	readonly isObject?: boolean;
}

/** End of the error message for the last record if the file ends without a line break. */
export const MAY_BE_CUT = '; the file ends here without a line break and may be truncated';

/** Maximum length of a record. Without it, a missing line break or quote could fill the memory with one record. */
export const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** @throws {RecordError} if the record is longer than `MAX_RECORD_CHARACTERS` */
export function checkLength(characters: number, record: number, line: number): void {
	if (characters <= MAX_RECORD_CHARACTERS) return;
	const megabytes = MAX_RECORD_CHARACTERS / 1024 / 1024;
	const defect = `is longer than ${megabytes} MB of text, the maximum for one record`;
	throw recordError(defect, record, line);
}

/** Copies a part of a string, so that the part does not keep the whole string in memory. */
export function detach(part: string): string {
	// For a long part, V8 stores only a reference to the whole string. A new string needs no reference.
	return ` ${part}`.slice(1);
}

/** Maximum number of records in a slice. If a run ends early, the work for a larger slice would be lost. */
const SLICE_RECORDS = 64;

/**
 * Reads the records of a file in slices, only as fast as the caller asks for them. Slices save time, because a step
 * of an asynchronous loop takes about as long as reading a small record.
 *
 * @param text the text from `textOf`
 * @throws {RecordError} if no later record can be read. Errors of `text` are thrown unchanged, after all complete
 * records
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

/** Yields records in slices. If reading fails, the records before the failure come first. */
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

/** Returns the record, or the record with an error if it contains invalid characters. */
function checkCharacters(record: SourceRecord): SourceRecord {
	const defect = describeBadCharacters(record.text);
	if (defect === undefined) return record;
	const { record: number, line } = record;
	const error = recordError(defect, number, line);
	return { ...record, text: repairText(record.text), value: undefined, error };
}
