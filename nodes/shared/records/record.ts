/** One record of a file. */
export interface SourceRecord {
	/** Its number, counted from 1. */
	record: number;
	/** The line it begins in, counted from 1. */
	line: number;
	/** Its text as it is in the file, without the line break at its end. */
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
	) {
		super(message);
	}
}

/** Reads records of one format from text that arrives in pieces. */
export interface RecordReader {
	/** How many records at the beginning are not returned; to be set before the first piece. */
	skip: number;
	/**
	 * The records that are complete with this piece; to be read to the end before the next piece.
	 *
	 * @throws {RecordError} if nothing after this record can be read
	 */
	push(piece: string): Iterable<SourceRecord>;
	/** To be called once, after the last piece: the records that end with the text. */
	end(): Iterable<SourceRecord>;
	/** In place of `end`, when the text breaks: the records that are complete, if `push` may hold some back. */
	held?(): Iterable<SourceRecord>;
	/** The record that comes next or is being read, and its line. */
	readonly position: { record: number; line: number };
	/** The header row and the columns, once read, of formats that have them. */
	readonly header?: string | undefined;
	readonly columns?: readonly string[] | undefined;
	/** Whether the file is one object, which is its only record. */
	readonly isObject?: boolean;
}

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
	throw new RecordError(
		`Record ${record} (line ${line}) is longer than ${megabytes} MB of text, the maximum for one record`,
		record,
		line,
	);
}

/** A copy of a part of a longer text that does not keep the longer text in memory. */
export function detached(part: string): string {
	// V8 represents a long part as a reference to the whole, but not that of a text made anew.
	return ` ${part}`.slice(1);
}
