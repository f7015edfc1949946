import type { IDataObject } from 'n8n-workflow';

import { RecordError, type SourceRecord } from '../../records/record';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/wording';
import { messageOf } from '../run/errors';
import { count, figure } from '../run/hints';
import type { Run } from '../run/run';
import type { RecordFile } from '../sources/record-file';
import type { RecordTally } from './record-tally';

const NOT_READ_ON =
	'Fetch the file again. If that does not help, check the storage where n8n keeps files.';

/** Where a file comes from, and what is to be read of it. */
export interface FileOrigin {
	file: RecordFile;
	itemIndex: number;
	/** Dotted path of the list in a JSON file; '' if the file is the list. */
	path: string;
	/** Records to skip at the beginning of the file. */
	skip: number;
	/** Maximum of records to read after these; 0 for all. */
	max: number;
}

/** A place in a file; the line is unknown if its bytes cannot be read any further. */
export interface FilePlace {
	record: number;
	line: number | undefined;
}

/** How far a file was read. */
export class FileExtent {
	/** Why nothing of the file could be read. */
	refused: { reason: unknown } | undefined;
	private readError: string | undefined;
	private isAtEnd = false;

	/** @param fails counts a record that cannot be read */
	constructor(
		private readonly run: Run,
		private readonly origin: FileOrigin,
		private readonly tally: RecordTally,
		private readonly fails: (place: FilePlace, reason: unknown) => void,
	) {}

	/** The tally, with the records that the reader has passed over so far. */
	get current(): RecordTally {
		const { file, skip } = this.origin;
		this.tally.passOver(Math.min(skip, file.reader.position.record - 1));
		return this.tally;
	}

	/** A record was read. */
	read({ record }: SourceRecord): void {
		this.tally.records = record;
	}

	/** The file has no more records. */
	ended(): void {
		this.isAtEnd = !this.run.ended;
	}

	/** The file cannot be read any further. */
	brokenOff(reason: unknown): void {
		// A run that ends closes its files, and needs nothing more of them.
		if (this.run.ended) return;
		if (this.current.records === 0) {
			this.refused = { reason };
			return;
		}
		const record = ++this.tally.records;
		const line = reason instanceof RecordError ? reason.line : undefined;
		this.readError = messageOf(reason);
		const shown = line === undefined ? new InputError(this.readError, NOT_READ_ON) : reason;
		this.fails({ record, line }, shown);
		const name = quoted(this.origin.file.name);
		this.run.hint(`${name} could not be read to its end: ${this.readError}`);
	}

	/** Up to where it was processed, once it has ended. */
	words(): string {
		if (this.isAtEnd) return 'completely';
		return this.readError === undefined ? 'up to Max Records' : 'as far as it can be read';
	}

	/** A file that ends before Skip Records is hardly the one that the number is for. */
	checkSkip(done: string): void {
		const { file, skip } = this.origin;
		const { records } = this.tally;
		if (skip <= records || this.readError !== undefined) return;
		this.run.hint(
			`'Skip Records' is ${figure(skip)}, but ${quoted(file.name)} has only ${count(records, 'record')}, so nothing of it was ${done}`,
		);
	}

	/** Members of the summary. */
	json(): IDataObject {
		const { isAtEnd, readError } = this;
		return { atEnd: isAtEnd, ...(readError !== undefined && { readError }) };
	}
}
