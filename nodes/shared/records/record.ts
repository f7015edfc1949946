import { repairText } from './decoders';
import { describeBadCharacters } from './text';

/** One record of a file. */
export interface SourceRecord {
	/** Its number, counted from 1. */
	record: number;
	/** The line it begins in, counted from 1. */
	line: number;
	/** Its text as it is in the file, without the line break at its end: part of a longer text, see `detach`. */
	text: string;
	/** Its content; undefined if there is an error. */
	value: unknown;
	/** Why it cannot be read; the records after it can. */
	error: RecordError | undefined;
}

/** A record that cannot be read. A reader that throws it ends there; all records before it were returned. */
export class RecordError extends Error {
	override readonly name = 'RecordError';

	constructor(
		message: string,
		readonly record: number,
		readonly line: number,
		/** What to do about it if nothing after the record can be read. */
		readonly advice = 'Correct the file.',
	) {
		super(message);
	}
}

/** What is wrong with a record, named by its number and its line. */
export const recordError = (
	defect: string,
	record: number,
	line: number,
	advice?: string,
): RecordError =>
	new RecordError(`Record ${record} (line ${line}) ${defect}`, record, line, advice);

/** Reads records of one format from text that arrives in pieces. */
export interface RecordReader {
	/** How many records at the beginning are not returned; to be set before the first piece. */
	skip: number;
	/** Fields that each record needs, by which a header row is recognized; to be set as `skip`. */
	requiredFields?: readonly string[];
	/**
	 * The records that are complete with this piece; to be read to the end before the next piece.
	 *
	 * @throws {RecordError} if nothing after this record can be read
	 */
	push(piece: string): Iterable<SourceRecord>;
	/**
	 * To be called once, after the last piece: the records that end with the text.
	 *
	 * @param isBroken the text could not be read to its end: only records that are complete
	 */
	end(isBroken?: boolean): Iterable<SourceRecord>;
	/** The record that comes next or is being read, and its line. */
	readonly position: { record: number; line: number };
	/** The header row and the columns, once read, of formats that have them. */
	readonly header?: string | undefined;
	readonly columns?: readonly string[] | undefined;
	/** Whether the file is one object, which is its only record. */
	readonly isObject?: boolean;
}

/** What a record that cannot be read is told if the file ends with it, to follow what is wrong. */
export const MAY_BE_CUT = '; the file ends here without a line break and may be truncated';

/** No record may be longer, so that a missing line break or quote cannot fill the memory. */
export const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/**
 * Refuses a record that is too long to be held.
 *
 * @throws {RecordError} if it is longer than `MAX_RECORD_CHARACTERS`
 */
export function checkLength(characters: number, record: number, line: number): void {
	if (characters <= MAX_RECORD_CHARACTERS) return;
	const megabytes = MAX_RECORD_CHARACTERS / 1024 / 1024;
	const defect = `is longer than ${megabytes} MB of text, the maximum for one record`;
	throw recordError(defect, record, line);
}

/** A copy of a part of a longer text, for what is kept for long: it does not keep the longer text in memory. */
export function detach(part: string): string {
	// V8 represents a long part as a reference to the whole, but not that of a text made anew.
	return ` ${part}`.slice(1);
}

/** How many records are returned together: what is read and not yet sent is lost work if the run ends. */
const SLICE_RECORDS = 64;

/**
 * Reads the records of a file as they are asked for, several together, since each step of an
 * asynchronous loop costs about as much as reading a small record.
 *
 * @param text from `textOf`
 * @throws {RecordError} at a record after which nothing can be read; and whatever breaks the text, after
 *   all records that are complete
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord[]> {
	let broken: { reason: unknown } | undefined;
	try {
		for await (const piece of text) yield* slicesOf(reader.push(piece));
	} catch (reason) {
		broken = { reason };
	}
	const hasGivenUp = broken?.reason instanceof RecordError;
	if (!hasGivenUp) yield* slicesOf(reader.end(broken !== undefined));
	if (broken) throw broken.reason;
}

/** All records in slices, or those before the one after which nothing can be read. */
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

/** A record whose bytes are characters, or else one that cannot be read. */
function checkCharacters(record: SourceRecord): SourceRecord {
	const defect = describeBadCharacters(record.text);
	if (defect === undefined) return record;
	const { record: number, line } = record;
	const error = recordError(defect, number, line);
	return { ...record, text: repairText(record.text), value: undefined, error };
}
