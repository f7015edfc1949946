import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before other requests get a turn. */
const SLICE = 15;

/**
 * Returns a function for long synchronous work. The work must call this function after each step. Most calls return
 * immediately. After 15 ms of work, a call waits until other requests have run.
 */
export function timeSlices(): () => Promise<void> | undefined {
	let began = Date.now();
	return () => {
		if (Date.now() - began < SLICE) return undefined;
		return nextTurn().then(() => {
			began = Date.now();
		});
	};
}
