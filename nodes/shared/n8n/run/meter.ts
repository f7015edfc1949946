import type { IDataObject } from 'n8n-workflow';

import type { RunStats } from '../../flow/run-state';
import type { Run } from './run';

/** Measures what a run has sent since the meter was made, for the summary of a source. */
export class Meter {
	private readonly before;

	/**
	 * @param sentBytes bytes of all requests of the run so far; omitted if undefined
	 * @param stats what counts the requests
	 */
	constructor(
		private readonly run: Run,
		private readonly sentBytes?: () => number,
		private readonly stats: RunStats = run.stats,
	) {
		this.before = { ...stats, bytes: sentBytes?.() ?? 0, now: run.now() };
	}

	get retries(): number {
		return this.stats.retries - this.before.retries;
	}

	/** How many were done in a second, on average. */
	perSecond(done: number): number {
		return Math.round(done / Math.max(this.seconds, 0.001));
	}

	/** The members of a summary. */
	json(done: number): IDataObject {
		const { sentBytes, before } = this;
		return {
			requests: this.stats.requests - before.requests,
			...(sentBytes && { bytes: sentBytes() - before.bytes }),
			retries: this.retries,
			seconds: Math.round(this.seconds * 1000) / 1000,
			documentsPerSecond: this.perSecond(done),
		};
	}

	private get seconds(): number {
		return (this.run.now() - this.before.now) / 1000;
	}
}
