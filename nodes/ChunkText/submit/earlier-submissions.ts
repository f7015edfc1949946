import { factsOf, type Job } from './job';
import type { Chunking } from './chunking';
import type { TextEntry, TextRef } from '../texts/text';

const nameOf = ({ itemIndex, textIndex }: TextRef): string => `${itemIndex} ${textIndex ?? ''}`;

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
 * The jobs of texts that an earlier try of the node has submitted.
 *
 * @returns the other texts
 */
export async function* acceptedBefore(
	texts: Iterable<TextEntry>,
	chunking: Chunking,
): AsyncGenerator<Job, TextEntry[], undefined> {
	const { run, jobs, sessionOf, accepted, responses } = chunking;
	const left: TextEntry[] = [];
	const found = new Map<string, Job>();
	for (const entry of texts) {
		await run.breathe();
		const known = accepted.get(nameOf(entry));
		if (known?.text !== entry.text || known.group !== entry.group) {
			left.push(entry);
			continue;
		}
		const { chunkingId, textCount, status } = known.request;
		const job = found.get(chunkingId) ?? {
			chunkingId,
			textCount,
			session: sessionOf(entry.settings.scope),
			refs: [],
			since: run.now(),
			isOwn: true,
			state: { name: 'not finished', unread: responses.get(chunkingId) },
			facts: factsOf(status),
		};
		job.refs.push({ ...entry, position: known.position });
		found.set(chunkingId, job);
	}
	for (const job of found.values()) if (jobs.add(job)) yield job;
	return left;
}
