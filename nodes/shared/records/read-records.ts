import type { RecordReader, SourceRecord } from './record';

/**
 * Reads the records of a file as they are asked for: those of one piece of text together, since each
 * step of an asynchronous loop costs about as much as reading a small record.
 *
 * @param text from `textOf`
 * @throws {RecordError} at a record after which nothing can be read, and whatever breaks the text
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord[]> {
	for await (const piece of text) {
		yield* together(reader.push(piece));
	}
	yield* together(reader.end());
}

/** All records, or those before the one after which nothing can be read. */
function* together(records: Iterable<SourceRecord>): Generator<SourceRecord[]> {
	const found: SourceRecord[] = [];
	try {
		for (const record of records) found.push(record);
	} finally {
		if (found.length > 0) yield found;
	}
}
