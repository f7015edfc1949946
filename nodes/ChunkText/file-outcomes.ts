import type { IDataObject } from 'n8n-workflow';

import type { FileReport } from '../shared/n8n/file-report';
import type { Run } from '../shared/n8n/run';
import { isFileText } from './file-texts';
import type { Job } from './jobs';
import type { ResponseFiles } from './response-files';
import type { TextFailure, TextOutcomes } from './text-outcomes';
import type { TextRef } from './texts';

/** Accounts for the texts of one file. */
export class FileOutcomes implements TextOutcomes {
	constructor(
		private readonly run: Run,
		private readonly report: FileReport,
		private readonly responses: ResponseFiles,
	) {}

	returned(ref: TextRef, records: IDataObject[], chunks = 0): void {
		this.report.others.chunks = (this.report.others.chunks ?? 0) + chunks;
		this.shared([ref], records);
	}

	shared(refs: TextRef[], records: IDataObject[]): void {
		const [first] = refs;
		if (first === undefined) return;
		this.run.done(first.itemIndex, records);
		this.report.succeed(refs.filter(isFileText).map(({ record }) => record));
	}

	/** The texts of a job were submitted: returns one item, from which Get Results can continue. */
	submitted({ chunkingId, session, status, refs, textCount }: Job): void {
		const texts = refs.filter(isFileText);
		this.shared(refs, [
			{
				chunkingId,
				status: String(session.masked(status)),
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
		if (json.response !== undefined) await this.responses.add({ record, ...json });
		const endsRun = failure.endsRun || this.run.ended?.reason === error;
		if (skipped) this.report.skip([ref.record]);
		else await this.report.fail(ref.record, { reason: error, message, id, endsRun });
	}

	async finish(): Promise<void> {
		await this.responses.end();
		await this.report.end();
	}
}
