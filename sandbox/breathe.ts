import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before other requests may run. */
const SLICE = 15;

/**
 * Creates a function that lets long synchronous work share the event loop. Call the returned function between
 * pieces of work. Most calls return immediately. After 15 ms of work, a call waits until other requests have run.
 */
export function breather(): () => Promise<void> | undefined {
	let began = Date.now();
	return () => {
		if (Date.now() - began < SLICE) return undefined;
		return nextTurn().then(() => {
			began = Date.now();
		});
	};
}
