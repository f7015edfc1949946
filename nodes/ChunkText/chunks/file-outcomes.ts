import type { IDataObject } from 'n8n-workflow';

import type { FileSink } from '../../shared/n8n/sinks/file-sink';
import type { PartFiles } from '../../shared/n8n/sinks/part-files';
import type { Run } from '../../shared/n8n/run/run';
import { jsonInSteps } from '../../shared/n8n/sources/slices';
import { isFileText } from '../texts/file-texts';
import type { Job } from '../submit/job';
import type { TextFailure, TextOutcomes } from './failed-texts';
import type { TextRef } from '../texts/text';

/** Through the record, its response, `chunkedData`, an entry and `vectors`. */
const LEVELS_TO_VECTORS = 5;

/** Accounts for the texts of one file. */
export class FileOutcomes implements TextOutcomes {
	constructor(
		private readonly run: Run,
		private readonly sink: FileSink,
		private readonly responses: PartFiles,
	) {}

	async returned(ref: TextRef, records: IDataObject[], chunks = 0): Promise<void> {
		this.sink.count('chunks', chunks);
		await this.shared([ref], records);
	}

	async shared(refs: TextRef[], records: IDataObject[]): Promise<void> {
		const [first] = refs;
		if (first === undefined) return;
		this.run.done(first.itemIndex, records);
		await this.sink.done(refs.filter(isFileText));
	}

	/** The texts of a job were submitted: returns one item, from which Get Results can continue. */
	async submitted({ chunkingId, session, facts, refs, textCount }: Job): Promise<void> {
		const texts = refs.filter(isFileText);
		await this.shared(refs, [
			{
				chunkingId,
				status: String(session.masked(facts.status)),
				firstRecord: texts[0]?.record.record,
				lastRecord: texts.at(-1)?.record.record,
				textsInRequest: textCount,
				documents: texts.map(({ document }) => ({ id: document?.id, ...document?.fields })),
			},
		]);
	}

	async failed(ref: TextRef, failure: TextFailure): Promise<void> {
		if (!isFileText(ref)) return;
		const { error, message, skipped, json } = failure;
		const id = ref.document?.id;
		const { record } = ref.record;
		if (json.response !== undefined)
			await this.responses.add(await this.written({ record, ...json }));
		const endsRun = failure.endsRun || this.run.ended?.reason === error;
		if (skipped) await this.sink.skipped([ref]);
		else await this.sink.failed(ref, { reason: error, message, id, endsRun });
	}

	/** JSON with a response, which may be large: each of its vectors is written in a step. */
	private async written(json: IDataObject): Promise<string> {
		const breathe = () => this.run.breathe();
		return await jsonInSteps(json, LEVELS_TO_VECTORS, breathe);
	}

	async finish(): Promise<void> {
		await this.responses.end();
	}
}
