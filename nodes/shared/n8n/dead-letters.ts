import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { RecordFormat } from '../records/format';
import { PartWriter, type Part } from '../records/part-writer';
import type { SourceRecord } from '../records/record';
import type { RecordFile } from './record-file';

/** How failed records are written, so that the same node can read them. */
const WRITTEN: Readonly<Record<RecordFormat, { extension: string; mimeType: string }>> = {
	jsonLines: { extension: 'jsonl', mimeType: 'application/x-ndjson' },
	jsonArray: { extension: 'jsonl', mimeType: 'application/x-ndjson' },
	csv: { extension: 'csv', mimeType: 'text/csv' },
	lines: { extension: 'txt', mimeType: 'text/plain' },
};

/** The binary field of the first file; the next ones are `failed2`, `failed3`, ... */
const FIELD = 'failed';

/**
 * The failed records of a file, unchanged, in files of limited size. Records that cannot be parsed go
 * into files of their own, so that the others can be read again as they are.
 */
export class DeadLetters {
	/** The files, by the binary field of the output item. */
	readonly binary: IBinaryKeyData = {};
	/** `{ field, fileName, records, bytes, unreadable? }` of each file. */
	readonly files: IDataObject[] = [];
	private parts = 0;
	private readable: PartWriter | undefined;
	private unreadable: PartWriter | undefined;

	/** @param maxBytes of a file; a larger record gets a file of its own */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly source: Pick<RecordFile, 'name' | 'format' | 'header'>,
		private readonly maxBytes: number,
	) {}

	async add({ text, error }: SourceRecord): Promise<void> {
		const isReadable = error === undefined;
		const writer = isReadable
			? (this.readable ??= this.writer())
			: (this.unreadable ??= this.writer());
		await this.save(writer.add(this.line(text)), isReadable);
	}

	/** All records have been added. */
	async end(): Promise<void> {
		await this.save(this.readable?.end(), true);
		await this.save(this.unreadable?.end(), false);
	}

	private writer(): PartWriter {
		return new PartWriter(this.maxBytes, this.source.header());
	}

	/** An element of a JSON list may have several lines, but no line break within a value. */
	private line(text: string): string {
		return this.source.format === 'jsonArray' ? text.replace(/[\r\n]+/g, ' ') : text;
	}

	private async save(part: Part | undefined, isReadable: boolean): Promise<void> {
		if (part === undefined) return;
		const { buffer, records, bytes } = part;
		// Counted before n8n stores the file, since another one may be completed meanwhile.
		const number = ++this.parts;
		const field = number === 1 ? FIELD : `${FIELD}${number}`;
		const { extension, mimeType } = WRITTEN[this.source.format];
		const kind = isReadable ? field : `${field}.unreadable`;
		const fileName = `${stemOf(this.source.name)}.${kind}.${extension}`;
		const unreadable = isReadable ? {} : { unreadable: true };
		const { helpers } = this.context;
		this.binary[field] = await helpers.prepareBinaryData(buffer, fileName, mimeType);
		this.files.push({ field, fileName, records, bytes, ...unreadable });
	}
}

/** `documents` of `exports/documents.jsonl.gz`. */
export function stemOf(name: string): string {
	const last = name.split(/[\\/]/).at(-1) ?? '';
	return last.replace(/\.gz$/i, '').replace(/(?<=.)\.[^.]*$/, '') || 'records';
}
