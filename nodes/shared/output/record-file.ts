import type { RecordFormat } from '../formats/format';
import type { RecordReader, SourceRecord } from '../formats/record';
import type { FileFindings } from './file-findings';

/** An open file with records, and which of its records the user wants. */
export interface RecordFile {
	/** Index of the input item that contains the file. */
	itemIndex: number;
	name: string;
	format: RecordFormat;
	/** Dotted path to the list in a JSON file. Empty if the file itself is the list. */
	path: string;
	/** Number of records to skip at the beginning of the file. */
	skip: number;
	/** Maximum number of records to read after the skipped records. The value 0 means all records. */
	max: number;
	/** Each slice is read only when the caller requests it (see `readRecords`). */
	records(requiredFields: readonly string[]): AsyncIterable<SourceRecord[]>;
	reader: RecordReader;
	findings: FileFindings;
	/** Must be called when no more records are needed, even if the file was not read to the end. */
	close(): void;
}
