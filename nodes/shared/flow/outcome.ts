import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** The end of a request, a job or an entry. */
export type Outcome<R> = { ok: true; response: R } | Failed;

/** The outcome of what failed or was never sent. */
export interface Failed {
	ok: false;
	reason: unknown;
	/** Its action is never `retry`, because an outcome is final. */
	verdict: Verdict;
	/** Whether it was never started, because the run had already ended for this reason. */
	skipped?: true;
}

/** A failed attempt after which the request is repeated, probed or split. */
export interface Unfinished {
	next: 'again' | 'probe' | 'split';
	failure: Failed;
}

/** Returns the same failure as a final one, which is neither retried nor split. */
export function finalFailure(failure: Failed): Failed {
	const { verdict } = failure;
	return {
		...failure,
		verdict: { ...verdict, action: verdict.action === 'stop' ? 'stop' : 'fail' },
	};
}

/** Makes a final failure. */
export const failureOf = (reason: unknown): Failed => ({
	ok: false,
	reason,
	verdict: { action: 'fail' },
});

/** Makes the outcome of an entry that was never sent because the run had ended. */
export function skippedFailure({ reason }: { reason: unknown }): Failed {
	return { ...failureOf(reason), skipped: true };
}

/** Ends the run after a final failure if every further request would fail too, or if the run stops at failures. */
export function endRunAfter(run: RunState, { reason, verdict }: Failed): void {
	if (verdict.action === 'stop' || run.stopsOnFailure) run.stop(reason);
}
