import { itemOf } from '../../shared/n8n/sinks/sink';
import { newJob, type Job } from './job';
import { knownOf, type Chunking } from './chunking';
import type { TextEntry, TextRef } from '../texts/text';

const nameOf = (ref: TextRef): string => `${itemOf(ref)} ${ref.index ?? ''}`;

/** The service has accepted these texts: the next try of the node need not submit them again. */
export function keepAccepted(texts: TextEntry[], job: Job, { accepted }: Chunking): void {
	const { chunkingId, textCount, facts } = job;
	const request = { chunkingId, textCount, status: facts.status };
	for (const [position, entry] of texts.entries()) {
		const { text, group } = entry;
		accepted.set(nameOf(entry), { text, group, position, request });
	}
}

/**
 * The job has failed: the next try of the node submits its texts again. It must not take the data of this
 * job for that of its own, but returns it with those texts that fail again.
 */
export function forgetAccepted(
	{ chunkingId, session, refs, facts }: Job,
	{ accepted, failed, responses, kept }: Chunking,
): void {
	const request = { chunkingId, session, response: facts.kept };
	for (const name of refs.map(nameOf)) {
		accepted.delete(name);
		failed.set(name, [...(failed.get(name) ?? []), request]);
	}
	responses.delete(chunkingId);
	kept.delete(chunkingId);
}

/**
 * Leaves out texts that an earlier try of the node has submitted.
 *
 * @param earlier gets their jobs
 * @returns the other texts
 */
export async function withoutAccepted(
	texts: readonly TextEntry[],
	chunking: Chunking,
	earlier: Job[],
): Promise<TextEntry[]> {
	const { run, jobs, sessionOf, accepted, failed } = chunking;
	const left: TextEntry[] = [];
	for (const entry of texts) {
		await run.breathe();
		const known = accepted.get(nameOf(entry));
		if (known?.text !== entry.text || known.group !== entry.group) {
			const failedBefore = failed.get(nameOf(entry));
			for (const request of failedBefore ?? []) jobs.failedBefore.add(request.chunkingId);
			left.push(failedBefore ? { ...entry, failedBefore } : entry);
			continue;
		}
		const { position, request } = known;
		const { chunkingId, textCount, status } = request;
		const session = sessionOf(entry.settings.scope);
		const refs = [{ ...entry, position }];
		const job = newJob(
			{ chunkingId, session, refs, textCount, since: run.now(), isOwn: true },
			status,
			knownOf(chunkingId, chunking),
		);
		if (jobs.add(job)) earlier.push(job);
	}
	return left;
}
