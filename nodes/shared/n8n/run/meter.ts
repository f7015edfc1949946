import type { RunStats } from '../../flow/run-state';
import { count, figure } from '../../service/numbers';

/**
 * Measures what was sent since the meter was made, for what summaries, the log and the data of an execution
 * say of the requests of a run or of a file.
 */
export class Meter {
	private readonly before: Omit<RunStats, 'increment'>;
	private readonly since = performance.now();

	/** @param stats what is measured: the counters of the run, or those of a part of it */
	constructor(private readonly stats: RunStats) {
		this.before = { ...stats };
	}

	/** Since the meter was made. */
	get seconds(): number {
		return (performance.now() - this.since) / 1000;
	}

	/** Members of a summary: `bytes` of what the service accepted (0 of deletes), and how many succeeded per second. */
	json() {
		const { stats, before, seconds } = this;
		const done = stats.done - before.done;
		return {
			requests: stats.requests - before.requests,
			retries: stats.retries - before.retries,
			splits: stats.splits - before.splits,
			throttled: stats.throttled - before.throttled,
			bytes: stats.bytes - before.bytes,
			seconds: Math.round(seconds * 1000) / 1000,
			recordsPerSecond: Math.round(done / Math.max(seconds, 0.001)),
		};
	}

	/** In a few words, for the log of a run that goes on. */
	text({ recordsPerSecond, retries } = this.json()): string {
		return `${recordsPerSecond} per second, ${count(retries, 'retry', 'retries')}`;
	}

	/**
	 * All of it, for the log of a run that is over.
	 *
	 * @param statuses responses by their status
	 */
	endText(statuses: Readonly<Record<number, number>>): string {
		const { done, failed } = this.stats;
		const json = this.json();
		const { requests, bytes, seconds } = json;
		const rate = this.text(json);
		const parts = [
			`${figure(done)} succeeded, ${figure(failed)} failed`,
			`${count(requests, 'request')}, ${figure(bytes)} bytes, ${seconds} s`,
			rate,
		];
		const byStatus: string[] = [];
		for (const [status, times] of Object.entries(statuses))
			byStatus.push(`${status}: ${figure(times)}`);
		if (byStatus.length > 0) parts.push(`responses by status ${byStatus.join(', ')}`);
		return parts.join(', ');
	}
}
