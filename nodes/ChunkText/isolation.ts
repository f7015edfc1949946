import type { Chunking, Job } from './jobs';

/** Whether a job failed whose texts may be submitted again, without losing what it delivered. */
export function canIsolate(
	{ hasError, isOwn, refs, kept }: Job,
	{ run, options }: Chunking,
): boolean {
	const isWanted = options.isolateFailingTexts && !run.stopsOnFailure && !run.ended;
	return isWanted && hasError === true && isOwn && refs.length > 1 && kept === undefined;
}
