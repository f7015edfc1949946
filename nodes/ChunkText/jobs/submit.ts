import type { Packed } from '../../shared/sending/batcher';
import type { JobOptions } from '../../shared/sending/jobs';
import { submitBody, submitPath } from '../../shared/service/chunking/chunking';
import { classify } from '../../shared/service/chunking/chunking-response';
import { textTooLarge, type TextEntry } from '../input/text-entry';
import type { ChunkService, Job } from './chunk-service';
import type { FetchResult } from './fetch';
import { jobFailed, noChunkingId } from './job-errors';

/**
 * Describes how texts are submitted (docs/service-interface.md, Chunking request). All texts in a request
 * have the same settings. Entries arrive sorted by settings, so that requests are as full as possible.
 */
export function submissions(
	service: ChunkService,
): Omit<JobOptions<TextEntry, Job, FetchResult>, 'waitForJob'> {
	const { jobs, options, submitting } = service;
	const maxBytes = options.bytesPerRequest;
	return {
		...submitting,
		limits: { maxCount: options.textsPerRequest, maxBytes },
		groupOf: ({ group }) => group,
		textOf: ({ text }) => text,
		tooLarge: (_text, bytes) => textTooLarge('The text', bytes, maxBytes),
		send: async (batch: Array<Packed<TextEntry>>) => {
			const job = await send(
				batch.map(({ entry }) => entry),
				service,
			);
			jobs.add(job);
			return job;
		},
		onRepeat: (job) => jobs.delete(job),
	};
}

async function send(texts: TextEntry[], { run, session, options }: ChunkService): Promise<Job> {
	const [first] = texts;
	if (first === undefined) throw new Error('A request needs a text');
	const { settings } = first;
	const { body } = await session.request({
		method: 'POST',
		path: submitPath(settings.chunker, settings.modelId),
		body: submitBody(settings, texts),
		timeoutMs: options.timeoutSeconds * 1000,
	});
	const { state, status = 'SUBMITTED', chunkingId } = classify(body);
	if (state === 'failed') throw jobFailed(status, session.words(body), texts.length);
	if (chunkingId === undefined)
		throw noChunkingId(typeof body === 'object' ? session.words(body) : '');
	return {
		chunkingId,
		texts: texts.map((text, position) => ({ ...text, position })),
		textCount: texts.length,
		since: run.now(),
		isOfThisRun: true,
		status,
	};
}
