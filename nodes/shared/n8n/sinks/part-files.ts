import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { PartWriter, type Frame, type Part } from '../../records/part-writer';
import { InputError } from '../../service/input-error';
import { messageOf } from '../run/errors';
import type { Run } from '../run/run';

const CHECK_STORAGE = 'Check the storage where n8n keeps files, for example its free space.';

/** What the files of an output item are called, and what is in them. */
interface PartFilesOptions {
	/** The binary field of the first file; the next ones are `failed2`, `failed3`, ... */
	field: string;
	/** What the names of the files begin with. */
	stem: string;
	extension: string;
	mimeType: string;
	/** Maximum size of one file; a larger record gets a file of its own. */
	maxBytes: number;
	frame?: Frame;
}

/** Records in files of limited size, which one output item has in its binary fields. */
export class PartFiles {
	/** The files, by their field. */
	readonly binary: IBinaryKeyData = {};
	/** `{ field, fileName, records, bytes }` of each file. */
	readonly files: IDataObject[] = [];
	private readonly writer: PartWriter;

	constructor(
		private readonly run: Run,
		private readonly options: PartFilesOptions,
	) {
		this.writer = new PartWriter(options.maxBytes, options.frame);
	}

	async add(text: string): Promise<void> {
		await this.save(this.writer.add(text));
	}

	/** All records have been added. */
	async end(): Promise<void> {
		await this.save(this.writer.end());
	}

	private async save(part: Part | undefined): Promise<void> {
		if (part === undefined) return;
		const { field: name, stem, extension, mimeType } = this.options;
		const number = this.files.length + 1;
		const field = number === 1 ? name : `${name}${number}`;
		const fileName = `${stem}.${field}.${extension}`;
		const { buffer, records, bytes } = part;
		// Before n8n stores it: meanwhile another file may be complete.
		this.files.push({ field, fileName, records, bytes });
		this.binary[field] = await storeFile(this.run, buffer, fileName, mimeType);
	}
}

/**
 * Stores a file that an output item is to have. If n8n cannot store it, the run ends, since this would
 * go on for every further file; this one stays in the item itself.
 */
export async function storeFile(
	run: Run,
	buffer: Buffer,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	try {
		return await run.context.helpers.prepareBinaryData(buffer, fileName, mimeType);
	} catch (error) {
		const message = `n8n could not store the file ${fileName}: ${messageOf(error)}`;
		run.stop(new InputError(message, CHECK_STORAGE));
		return { data: buffer.toString('base64'), mimeType, fileName };
	}
}

/** `documents` of `exports/documents.jsonl.gz`. */
export function stemOf(name: string): string {
	const last = name.split(/[\\/]/).at(-1) ?? '';
	return last.replace(/\.gz$/i, '').replace(/(?<=.)\.[^.]*$/, '') || 'records';
}
