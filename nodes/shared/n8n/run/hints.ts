import type { RunStats } from '../../flow/run-state';
import { capitalized } from '../../service/outcome-messages';
import { figure, count } from '../../service/numbers';
import type { Meter } from './meter';

/** Fewer entries than these can be counted in the output. */
const MIN_ENTRIES_COUNTED = 100;

/**
 * What a run has done, for a hint: with many entries how long it took; '' for few, or if it only fetched.
 *
 * @param noun what an entry is, such as `document`
 * @param verb what became of it, such as `pushed`
 */
export function doneText(
	{ done, requests }: Pick<RunStats, 'done' | 'requests'>,
	meter: Pick<Meter, 'seconds'>,
	noun: string,
	verb: string,
): string {
	if (done <= MIN_ENTRIES_COUNTED || requests === 0) return '';
	return `${count(done, noun)} ${verb}${costText(requests, meter)}`;
}

/** ` in 20 requests, 3.5 s`. */
export function costText(requests: number, { seconds }: Pick<Meter, 'seconds'>): string {
	const time = seconds.toLocaleString('en-US', { maximumFractionDigits: 1 });
	return ` in ${count(requests, 'request')}, ${time} s`;
}

/** Retries and splits of a run, which explain why it took so long; '' for none. */
export function troubleText({ retries, splits }: RunStats, others: string[] = []): string {
	const parts = [...others];
	if (retries === 1) parts.push('a request was repeated after a temporary error');
	else if (retries > 1)
		parts.push(`requests were repeated ${figure(retries)} times after temporary errors`);
	if (splits === 1) parts.push('1 batch was split because it failed as a whole');
	else if (splits > 1)
		parts.push(`${figure(splits)} batches were split because they failed as a whole`);
	return parts.length === 0 ? '' : capitalized(parts.join('; '));
}
