import { createHash } from 'crypto';

import type { Packed } from '../../shared/flow/batches';
import { bulk } from '../../shared/flow/bulk';
import { failed, type Failed } from '../../shared/flow/deliver';
import { flat } from '../../shared/flow/slices';
import type { Session } from '../../shared/n8n/session/session';
import {
	classify,
	submitBody,
	submitPath,
	type ChunkingResponse,
} from '../../shared/service/chunking/chunking';
import { ServiceFailure } from '../../shared/service/failure';
import { keepAccepted } from './earlier-submissions';
import { denied, idOfAnother, jobFailed, noChunkingId, refusedContent } from '../failures';
import { newJob, type Job } from './job';
import type { Chunking } from './chunking';
import { forTokenAlone, noteRefusal } from './refusals';
import { textTooLarge, type TextEntry } from '../texts/text';

/**
 * Submits texts (docs/service-interface.md, Chunking request).
 *
 * @param slices texts ordered by their settings
 * @param notSubmitted called for each text the service has not accepted, or may not have accepted
 * @param maxTexts maximum of texts in a request
 * @returns the jobs the service has accepted, as soon as each is
 */
export async function* submit(
	slices: AsyncIterable<TextEntry[]> | Iterable<TextEntry[]>,
	chunking: Chunking,
	notSubmitted: (text: TextEntry, outcome: Failed) => Promise<void>,
	maxTexts = chunking.options.textsPerRequest,
): AsyncGenerator<Job, void, undefined> {
	const { options, jobs } = chunking;
	const maxBytes = options.bytesPerRequest;
	const line = chunking.submitting;
	const submitting = {
		...line,
		judge: (error: unknown) => forTokenAlone(error, line.judge(error), chunking),
		limits: { maxCount: maxTexts, maxBytes },
		groupOf: ({ group }: TextEntry) => group,
		textOf: ({ text }: TextEntry) => text,
		besidesOf: ({ besides = 0 }: TextEntry) => besides,
		tooLarge: (_text: TextEntry, bytes: number) => textTooLarge('The text', bytes, maxBytes),
		send: async (batch: Array<Packed<TextEntry>>) =>
			await send(
				batch.map(({ entry }) => entry),
				chunking,
			),
	};
	for await (const { entries, outcome } of flat(bulk(slices, submitting))) {
		if (!outcome.ok) {
			for (const entry of entries) await notSubmitted(entry, outcome);
			continue;
		}
		const job = outcome.response;
		if (jobs.markIfAmbiguous(job)) {
			const outcome = failed(idOfAnother(), 1);
			for (const entry of entries) await notSubmitted(entry, outcome);
			continue;
		}
		keepAccepted(entries, job, chunking);
		if (jobs.add(job)) yield job;
	}
}

async function send(texts: TextEntry[], { run, options, sessionOf }: Chunking): Promise<Job> {
	const [first] = texts;
	if (first === undefined) throw new Error('A request needs a text');
	const { settings, group } = first;
	const session = sessionOf(settings.scope);
	const { body } = await session
		.request({
			method: 'POST',
			path: submitPath(settings.chunker, settings.modelId),
			body: submitBody(
				settings,
				texts.map(({ text }) => text),
				texts.map(({ fields }) => fields),
			),
			timeoutMs: options.timeoutSeconds * 1000,
		})
		.catch((error: unknown) => {
			noteRefusal(session, error);
			throw isOfContent(error) ? refusedContent(error) : error;
		});
	const response = classify(body);
	const { status = 'SUBMITTED', chunkingId } = response;
	if (chunkingId === undefined) throw notAccepted(response, session, body, texts.length);
	const refs = texts.map((text, position) => ({ ...text, position }));
	const job = { chunkingId, session, refs, textCount: texts.length, since: run.now() };
	const digest = digestOf(group, texts);
	return newJob({ ...job, isOwn: true, digest }, status, { unread: body });
}

/** Statuses that are about what was sent. */
const isOfContent = (error: unknown): error is ServiceFailure =>
	error instanceof ServiceFailure && [400, 422].includes(error.httpStatus ?? 0);

/** A service may return the same chunking ID for the same request, but not for another one. */
function digestOf(group: string, texts: TextEntry[]): string {
	const hash = createHash('sha256').update(JSON.stringify(group));
	for (const { text } of texts) hash.update(JSON.stringify(text));
	return hash.digest('base64');
}

/** Why a response to a submission has no chunking ID. */
function notAccepted(
	response: ChunkingResponse,
	session: Session,
	body: unknown,
	texts: number,
): ServiceFailure {
	const words = response.state === 'invalid' ? '' : session.words(body);
	if (response.state === 'denied') return denied(response.by, words);
	const { state, status = 'SUBMITTED' } = response;
	return state === 'failed' ? jobFailed(status, words, texts) : noChunkingId(words);
}
