import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { FORMATS } from '../../records/format';
import { LINES, type Frame } from '../../records/part-writer';
import type { SourceRecord } from '../../records/record';
import { PartFiles, stemOf } from './part-files';
import type { RecordFile } from '../sources/record-file';
import type { Run } from '../run/run';

/**
 * The failed records of a file, unchanged and in their format, in files of limited size. Records that cannot be parsed go
 * into files of their own, so that the others can be read again as they are.
 */
export class FailedRecords {
	private readable: PartFiles | undefined;
	private unreadable: PartFiles | undefined;

	/**
	 * @param path of the list in a JSON file: a file of failed records has it at the same place
	 * @param maxBytes of a file; a larger record gets a file of its own
	 */
	constructor(
		private readonly run: Run,
		private readonly source: Pick<RecordFile, 'name' | 'format' | 'reader'>,
		private readonly path: string,
		private readonly maxBytes: number,
	) {}

	async add({ text, error }: SourceRecord): Promise<void> {
		const files = error
			? (this.unreadable ??= this.files('unreadable'))
			: (this.readable ??= this.files('failed'));
		await files.add(text);
	}

	/** All records have been added. */
	async end(): Promise<void> {
		await this.readable?.end();
		await this.unreadable?.end();
	}

	/** The files, by the binary field of the output item: `failed`, `failed2`, ..., `unreadable`, ... */
	get binary(): IBinaryKeyData {
		return { ...this.readable?.binary, ...this.unreadable?.binary };
	}

	/** `{ field, fileName, records, bytes, unreadable? }` of each file. */
	json(): IDataObject[] {
		const unreadable = this.unreadable?.files ?? [];
		return [
			...(this.readable?.files ?? []),
			...unreadable.map((file) => ({ ...file, unreadable: true })),
		];
	}

	private files(field: string): PartFiles {
		const { name, format } = this.source;
		const { extensions, mimeType } = FORMATS[format];
		return new PartFiles(this.run, {
			field,
			stem: stemOf(name),
			extension: extensions[0],
			mimeType,
			maxBytes: this.maxBytes,
			frame: this.frame(),
		});
	}

	private frame(): Frame {
		if (FORMATS[this.source.format].isList) return listAt(this.path);
		const { header } = this.source.reader;
		return header === undefined ? LINES : { ...LINES, before: `${header}\n` };
	}
}

/** A JSON file with a list at a dotted path; '' if the file is the list. */
function listAt(path: string): Frame {
	const names = path === '' ? [] : path.split('.');
	const opening = names.map((name) => `{${JSON.stringify(name)}:`).join('');
	return { before: `${opening}[\n`, between: ',\n', after: `\n]${'}'.repeat(names.length)}\n` };
}
