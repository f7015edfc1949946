import type { RunState, RunStats } from '../../flow/run-state';
import { count } from './hints';

/** What summaries, the log and the data of an execution say of the requests of a run or of a file. */
type Stats = Record<
	| 'requests'
	| 'retries'
	| 'splits'
	| 'throttled'
	/** Of the documents or texts that the service accepted; of deletes 0. */
	| 'bytes'
	| 'seconds'
	/** Those that succeeded, on average. */
	| 'recordsPerSecond',
	number
>;

/** Measures what was sent since the meter was made. */
export class Meter {
	private readonly before: RunStats;
	private readonly since: number;

	/** @param stats what is measured: the counters of the run, or those of a part of it */
	constructor(
		private readonly run: RunState,
		private readonly stats: RunStats = run.stats,
	) {
		this.before = { ...stats };
		this.since = run.now();
	}

	/** What succeeded. */
	get done(): number {
		return this.counted('done');
	}

	json(): Stats {
		return {
			requests: this.counted('requests'),
			retries: this.counted('retries'),
			splits: this.counted('splits'),
			throttled: this.counted('throttled'),
			bytes: this.counted('bytes'),
			seconds: Math.round(this.seconds * 1000) / 1000,
			recordsPerSecond: this.perSecond,
		};
	}

	/** The same in a few words, for the log. */
	text(): string {
		return `${this.perSecond} per second, ${count(this.counted('retries'), 'retry', 'retries')}`;
	}

	private get perSecond(): number {
		return Math.round(this.done / Math.max(this.seconds, 0.001));
	}

	get seconds(): number {
		return (this.run.now() - this.since) / 1000;
	}

	private counted(name: keyof RunStats): number {
		return this.stats[name] - this.before[name];
	}
}
