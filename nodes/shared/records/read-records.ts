import { RecordError, type RecordReader, type SourceRecord } from './record';

/** How many records are returned together. */
const SLICE_RECORDS = 256;

/** Reading ends after this much text without a record: it would only keep n8n busy. */
const MAX_CHARACTERS_WITHOUT_RECORD = 256 * 1024 * 1024;

/**
 * Reads the records of a file as they are asked for, several together, since each step of an
 * asynchronous loop costs about as much as reading a small record.
 *
 * @param text from `textOf`
 * @throws {RecordError} at a record after which nothing can be read, and after 256 MB of text without a
 *   record; and whatever breaks the text, after all records that are complete
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord[]> {
	let characters = 0;
	let broken: { reason: unknown } | undefined;
	for await (const piece of unbroken(text, (reason) => (broken = { reason }))) {
		characters += piece.length;
		const { record } = reader.position;
		yield* together(reader.push(piece));
		if (reader.position.record > record) characters = 0;
		if (characters > MAX_CHARACTERS_WITHOUT_RECORD) throw withoutRecord(reader);
	}
	yield* together(broken ? (reader.held?.() ?? []) : reader.end());
	if (broken) throw broken.reason;
}

/** A text that ends where it breaks. */
async function* unbroken(
	text: AsyncIterable<string>,
	onBreak: (reason: unknown) => void,
): AsyncGenerator<string> {
	try {
		yield* text;
	} catch (reason) {
		onBreak(reason);
	}
}

/** All records in slices, or those before the one after which nothing can be read. */
function* together(records: Iterable<SourceRecord>): Generator<SourceRecord[]> {
	let slice: SourceRecord[] = [];
	try {
		for (const record of records) {
			slice.push(record);
			if (slice.length < SLICE_RECORDS) continue;
			const full = slice;
			slice = [];
			yield full;
		}
	} finally {
		if (slice.length > 0) yield slice;
	}
}

function withoutRecord({ position: { record, line } }: RecordReader): RecordError {
	const megabytes = MAX_CHARACTERS_WITHOUT_RECORD / 1024 / 1024;
	return new RecordError(
		`There is no record in ${megabytes} MB of text before line ${line}`,
		record,
		line,
	);
}
