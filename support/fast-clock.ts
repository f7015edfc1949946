import { Run } from '../nodes/shared/run/run';

const { now, sleep } = Run.prototype;

/**
 * Makes the clock of all runs faster than real time by this factor. The time limits of single requests stay real.
 *
 * @returns a function that undoes this
 */
export function speedUp(factor: number): () => void {
	const { prototype } = Run;
	const before = { now: prototype.now, sleep: prototype.sleep };
	prototype.now = () => factor * now();
	prototype.sleep = async function (ms, wake) {
		await sleep.call(this, ms / factor, wake);
	};
	return () => void Object.assign(prototype, before);
}

/** Makes the clock of all runs faster in each test of a file. */
export function useFastClock(factor: number): void {
	let undo: () => void;
	beforeEach(() => (undo = speedUp(factor)));
	afterEach(() => undo());
}
