import type { RunStats } from '../sending/run-state';
import { capitalize, figure, formatCount } from '../service/strings';
import type { Meter } from './meter';

/** A run with at most this many entries needs no hint, because users can see the entries in the output. */
const MIN_ENTRIES_COUNTED = 100;

/**
 * Returns a hint about how many entries a run has processed and how long this took. Returns '' if there are only a few
 * entries, or if the run only fetched results.
 *
 * @param noun name for one entry, such as `document`
 * @param verb what happened to the entries, such as `pushed`
 */
export function doneText(
	{ done, requests }: Pick<RunStats, 'done' | 'requests'>,
	meter: Pick<Meter, 'seconds'>,
	noun: string,
	verb: string,
): string {
	if (done <= MIN_ENTRIES_COUNTED || requests === 0) return '';
	return `${formatCount(done, noun)} ${verb}${costText(requests, meter)}`;
}

/** Returns a phrase such as ` in 20 requests, 3.5 s`. */
export function costText(requests: number, { seconds }: Pick<Meter, 'seconds'>): string {
	const time = seconds.toLocaleString('en-US', { maximumFractionDigits: 1 });
	return ` in ${formatCount(requests, 'request')}, ${time} s`;
}

/** Returns a hint about retries and splits, which can slow down a run. Returns '' if there is nothing to report. */
export function troubleText({ retries, splits }: RunStats): string {
	const parts: string[] = [];
	if (retries === 1) parts.push('a request was repeated after a temporary error');
	else if (retries > 1)
		parts.push(`requests were repeated ${figure(retries)} times after temporary errors`);
	if (splits === 1) parts.push('1 batch was split because it failed as a whole');
	else if (splits > 1)
		parts.push(`${figure(splits)} batches were split because they failed as a whole`);
	return parts.length === 0 ? '' : capitalize(parts.join('; '));
}
