import type { Packed } from '../../shared/flow/batcher';
import { bulk } from '../../shared/flow/bulk';
import type { Failed } from '../../shared/flow/deliver';
import { flat } from '../../shared/flow/parallel';
import { submitBody, submitPath } from '../../shared/service/chunking/chunking';
import { classify } from '../../shared/service/chunking/chunking-response';
import { jobFailed, noChunkingId } from '../failures';
import { textTooLarge, type TextEntry } from '../texts/text';
import type { ChunkService, Job } from './service';

/**
 * Submits texts (docs/service-interface.md, Chunking request).
 *
 * @param slices texts ordered by their settings
 * @param maxTexts maximum of texts in a request
 * @param notSubmitted called for each text that the service has not accepted, or may not have accepted
 * @returns the jobs the service has accepted, as soon as each is
 */
export async function* submit(
	slices: AsyncIterable<TextEntry[]> | Iterable<TextEntry[]>,
	service: ChunkService,
	maxTexts: number,
	notSubmitted: (text: TextEntry, outcome: Failed) => Promise<void>,
): AsyncGenerator<Job, void, undefined> {
	const maxBytes = service.options.bytesPerRequest;
	const submitting = {
		...service.submitting,
		limits: { maxCount: maxTexts, maxBytes },
		groupOf: ({ group }: TextEntry) => group,
		textOf: ({ text }: TextEntry) => text,
		tooLarge: (_text: TextEntry, bytes: number) => textTooLarge('The text', bytes, maxBytes),
		send: async (batch: Array<Packed<TextEntry>>) =>
			await send(
				batch.map(({ entry }) => entry),
				service,
			),
	};
	for await (const { entries, outcome } of flat(bulk(slices, submitting))) {
		if (outcome.ok) {
			service.jobs.add(outcome.response);
			yield outcome.response;
		} else for (const entry of entries) await notSubmitted(entry, outcome);
	}
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
		throw noChunkingId(state === 'invalid' ? '' : session.words(body));
	return {
		chunkingId,
		refs: texts.map((text, position) => ({ ...text, position })),
		textCount: texts.length,
		since: run.now(),
		isOwn: true,
		status,
	};
}
