import type { RunState } from './run-state';
import type { Diagnosis } from './diagnosis';

export type Outcome<R> = { ok: true; response: R; next?: undefined } | Failed;

export interface Failed {
	ok: false;
	reason: unknown;
	/** In a final outcome, the diagnosis's action is `fail` or `stop`. */
	diagnosis: Diagnosis;
	next?: undefined;
	/** Whether the work was skipped because the run had already ended. If so, `reason` says why the run ended. */
	skipped?: true;
}

export interface Unfinished<Next = 'again' | 'singleOut' | 'split'>
	extends Omit<Failed, 'next' | 'skipped'> {
	next: Next;
}

/** A job that did not finish. Its entries are submitted again, either as one job or each entry alone. */
export type UnfinishedJob = Unfinished<'again' | 'alone'>;

/** Returns a copy of the failure that is marked as final, so that the request is neither repeated nor split. */
export function finalFailure({ reason, diagnosis }: Failed | Unfinished<string>): Failed {
	const action = diagnosis.action === 'stop' ? 'stop' : 'fail';
	return { ok: false, reason, diagnosis: { ...diagnosis, action } };
}

/** Creates a final failure from a reason. */
export const failureOf = (reason: unknown): Failed => ({
	ok: false,
	reason,
	diagnosis: { action: 'fail' },
});

/** Creates the outcome of an entry that was never sent because the run had ended. */
export function skippedFailure({ reason }: { reason: unknown }): Failed {
	return { ...failureOf(reason), skipped: true };
}

/**
 * Ends the run after a final failure if every further request would also fail. Also ends the run if the run is set to
 * stop on failures.
 */
export function endRunAfter(run: RunState, { reason, diagnosis }: Failed): void {
	if (diagnosis.action === 'stop' || run.stopsOnFailure) run.stop(reason);
}
