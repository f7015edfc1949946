import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../flow/clock';

/** Longest single sleep: n8n before 2.34 cannot end one, so a cancel is seen after that at most. */
const SLEEP_SLICE_MS = 500;

/** The execution was stopped, by a person or by the workflow's time-out. */
export class Cancelled extends Error {
	override readonly name = 'Cancelled';

	/** @param progress what had been done by then */
	constructor(progress = '') {
		// n8n takes an execution for canceled, rather than failed, by this very word.
		super(['The execution was canceled', progress].filter(Boolean).join('. '));
	}
}

/** Whether the execution has been stopped. */
export function isCancelled(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/** Whether an error stands for a stopped execution: never retried, never turned into an item. */
export function isCancel(error: unknown): boolean {
	return error instanceof Cancelled;
}

/** The clock of an execution: its sleeps end with it. */
export function executionClock(context: IExecuteFunctions): Clock {
	return {
		now: () => Date.now(),
		random: () => Math.random(),
		async sleep(ms) {
			const end = Date.now() + ms;
			for (let left = ms; left > 0; left = end - Date.now()) {
				if (isCancelled(context)) break;
				// Rejects on a cancel, which the check below reports in our own words.
				await sleep(
					Math.min(left, SLEEP_SLICE_MS),
					context.getExecutionCancelSignal(),
				).catch(() => undefined);
			}
			if (isCancelled(context)) throw new Cancelled();
		},
	};
}
