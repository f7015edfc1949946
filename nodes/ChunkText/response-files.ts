import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { PartWriter, type Part } from '../shared/records/part-writer';

const MIME_TYPE = 'application/x-ndjson';
/** The binary field of the first file; the next ones are `responses2`, `responses3`, ... */
const FIELD = 'responses';

/**
 * Responses with data that no text could take, as JSON Lines in files of limited size: the service may
 * not deliver them again.
 */
export class ResponseFiles {
	/** The files, by the binary field of the output item. */
	readonly binary: IBinaryKeyData = {};
	/** `{ field, fileName, records, bytes }` of each file. */
	readonly files: IDataObject[] = [];
	private readonly writer: PartWriter;

	/**
	 * @param name what the names of the files begin with
	 * @param maxBytes of a file; a larger response gets a file of its own
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly name: string,
		maxBytes: number,
	) {
		this.writer = new PartWriter(maxBytes);
	}

	async add(response: IDataObject): Promise<void> {
		await this.save(this.writer.add(JSON.stringify(response)));
	}

	/** All responses have been added. */
	async end(): Promise<void> {
		await this.save(this.writer.end());
	}

	private async save(part: Part | undefined): Promise<void> {
		if (part === undefined) return;
		const { buffer, records, bytes } = part;
		const number = this.files.length + 1;
		const field = number === 1 ? FIELD : `${FIELD}${number}`;
		const fileName = `${this.name}.${field}.jsonl`;
		// Before n8n stores it: meanwhile another file may be complete.
		this.files.push({ field, fileName, records, bytes });
		const { helpers } = this.context;
		this.binary[field] = await helpers.prepareBinaryData(buffer, fileName, MIME_TYPE);
	}
}
