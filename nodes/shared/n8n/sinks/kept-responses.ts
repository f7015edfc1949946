import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { SourceRecord } from '../../records/record';
import type { Run } from '../run/run';
import { jsonInSteps } from '../run/slices';
import { PartFiles, stemOf } from './part-files';
import type { EntryFailure } from './sink';

/** Through the record, its response, a list in that, an entry and a list of vectors. */
const LEVELS_TO_VECTORS = 5;

/** Responses to the records of a file that could not be used: the service may not deliver them again. */
export class KeptResponses {
	private readonly parts: PartFiles;

	constructor(
		private readonly run: Run,
		file: string,
		bytesPerFile: number,
	) {
		this.parts = new PartFiles(run, {
			field: 'responses',
			stem: stemOf(file),
			extension: 'jsonl',
			mimeType: 'application/x-ndjson',
			maxBytes: bytesPerFile,
		});
	}

	/** Keeps the response that a failure has, if any. It may be large: each vector is written in a step. */
	async add({ record }: SourceRecord, { id, json }: EntryFailure): Promise<void> {
		if (json?.response === undefined) return;
		const kept = { record, ...(id !== undefined && { id }), ...json };
		const breathe = () => this.run.breathe();
		await this.parts.add(await jsonInSteps(kept, LEVELS_TO_VECTORS, breathe));
	}

	async end(): Promise<void> {
		await this.parts.end();
	}

	get binary(): IBinaryKeyData {
		return this.parts.binary;
	}

	/** Members of the summary. */
	json(): IDataObject {
		const { files } = this.parts;
		return files.length > 0 ? { responses: files } : {};
	}
}
