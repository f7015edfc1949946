import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** The end of a request, a job or an entry. */
export type Outcome<R> = { ok: true; response: R } | Failed;

/** It failed, or was never sent. */
export interface Failed {
	ok: false;
	reason: unknown;
	/** The action is never `retry`: retries are over. */
	verdict: Verdict;
	/** It was not started, because the run had ended for this reason. */
	skipped?: true;
}

/** A request that failed and goes on: as it was, with one of its entries as a probe, or in smaller requests. */
export interface Unfinished {
	next: 'again' | 'probe' | 'split';
	failure: Failed;
}

/** A failure that is neither retried nor split. */
export function finalFailure(failure: Failed): Failed {
	const { verdict } = failure;
	return {
		...failure,
		verdict: { ...verdict, action: verdict.action === 'stop' ? 'stop' : 'fail' },
	};
}

/** The outcome of what failed for good. */
export const failureOf = (reason: unknown): Failed => ({
	ok: false,
	reason,
	verdict: { action: 'fail' },
});

/** The outcome of what was not started because the run had ended. */
export function skippedFailure({ reason }: { reason: unknown }): Failed {
	return { ...failureOf(reason), skipped: true };
}

/** Ends the run if the final failure of an entry requires it. */
export function endRunAfter(run: RunState, { reason, verdict }: Failed): void {
	if (verdict.action === 'stop' || run.stopsOnFailure) run.stop(reason);
}
