import { setTimeout as delay } from 'node:timers/promises';

/** Maximum wait. It is shorter than a test's time limit, so that the error can say what the test was waiting for. */
const WITHIN_MS = 15_000;

/** Tests may replace the clock. */
const now = performance.now.bind(performance);

/**
 * Waits until a condition holds.
 *
 * @param sight a function that returns the current state, for use in the error message
 * @throws an error that contains the current state, if the wait takes too long
 */
export async function eventually(
	isSo: () => boolean,
	sight: () => unknown,
	withinMs = WITHIN_MS,
): Promise<void> {
	const until = now() + withinMs;
	while (!isSo()) {
		if (now() > until) {
			const seen = JSON.stringify(sight(), undefined, 1);
			throw new Error(`Waited ${withinMs / 1000} s in vain. So far there is: ${seen}`);
		}
		await delay(5);
	}
}
