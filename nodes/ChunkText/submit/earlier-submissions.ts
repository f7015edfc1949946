import { itemOf } from '../../shared/n8n/sinks/sink';
import { newJob, type Job } from './job';
import type { Chunking } from './chunking';
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

/** The job has failed: the next try of the node submits its texts again, and must not find its data. */
export function forgetAccepted({ chunkingId, refs }: Job, chunking: Chunking): void {
	for (const ref of refs) chunking.accepted.delete(nameOf(ref));
	chunking.responses.delete(chunkingId);
}

/**
 * Leaves out texts that an earlier try of the node has submitted.
 *
 * @param earlier gets their jobs
 * @returns the other texts
 */
export async function withoutAccepted(
	texts: readonly TextEntry[],
	{ run, jobs, sessionOf, accepted, responses }: Chunking,
	earlier: Job[],
): Promise<TextEntry[]> {
	const left: TextEntry[] = [];
	for (const entry of texts) {
		await run.breathe();
		const known = accepted.get(nameOf(entry));
		if (known?.text !== entry.text || known.group !== entry.group) {
			left.push(entry);
			continue;
		}
		const { position, request } = known;
		const { chunkingId, textCount, status } = request;
		const session = sessionOf(entry.settings.scope);
		const refs = [{ ...entry, position }];
		const job = newJob(
			{ chunkingId, session, refs, textCount, since: run.now(), isOwn: true },
			status,
			{ unread: responses.get(chunkingId) },
		);
		if (jobs.add(job)) earlier.push(job);
	}
	return left;
}
