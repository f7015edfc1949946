import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which other requests get their turn. */
const SLICE = 15;

/**
 * Lets long synchronous work share the event loop: call it between pieces of work; it returns at
 * once most of the time, and waits one turn when the slice is used up.
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
