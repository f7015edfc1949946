import type { RecordReader, SourceRecord } from './record';

/**
 * Reads the records of a file as they are asked for.
 *
 * @param text from `textOf`
 * @throws {RecordError} at a record after which nothing can be read, and whatever breaks the text
 */
export async function* readRecords(
	text: AsyncIterable<string>,
	reader: RecordReader,
): AsyncGenerator<SourceRecord> {
	for await (const piece of text) {
		for (const record of reader.push(piece)) yield record;
	}
	for (const record of reader.end()) yield record;
}
