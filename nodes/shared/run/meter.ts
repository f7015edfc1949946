import type { RunStats } from '../sending/run-state';
import { figure, formatCount } from '../service/strings';

/**
 * The measurement starts when the meter is created. The figures appear in summaries, in the log, and in the execution's
 * metadata.
 */
export class Meter {
	private readonly before: Omit<RunStats, 'increment'>;
	private readonly since = performance.now();

	constructor(private readonly stats: RunStats) {
		this.before = { ...stats };
	}

	get seconds(): number {
		return (performance.now() - this.since) / 1000;
	}

	/** `bytes` includes only what the service accepted, and is 0 for deletes. */
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

	text({ recordsPerSecond, retries } = this.json()): string {
		return `${recordsPerSecond} per second, ${formatCount(retries, 'retry', 'retries')}`;
	}

	/**
	 * Returns a line with all figures. The line is written to the log after the run has ended.
	 *
	 * @param statuses number of responses for each status
	 */
	endText(statuses: Readonly<Record<number, number>>, json = this.json()): string {
		const { done, failed } = this.stats;
		const { requests, bytes, seconds } = json;
		const rate = this.text(json);
		const parts = [
			`${figure(done)} succeeded, ${figure(failed)} failed`,
			`${formatCount(requests, 'request')}, ${figure(bytes)} bytes, ${seconds} s`,
			rate,
		];
		const byStatus: string[] = [];
		for (const [status, times] of Object.entries(statuses))
			byStatus.push(`${status}: ${figure(times)}`);
		if (byStatus.length > 0) parts.push(`responses by status ${byStatus.join(', ')}`);
		return parts.join(', ');
	}
}
