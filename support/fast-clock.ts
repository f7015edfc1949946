import { Run } from '../nodes/shared/run/run';

const now = performance.now.bind(performance);
const { sleep } = Run.prototype;

/**
 * Makes the clock of all runs that start from now on faster than real time by this factor. The time limits of single
 * requests stay real.
 *
 * @returns a function that undoes this
 */
export function speedUp(factor: number): () => void {
	const { prototype } = Run;
	const before = prototype.sleep;
	const fast = jest.spyOn(performance, 'now').mockImplementation(() => factor * now());
	prototype.sleep = async function (ms, wake) {
		await sleep.call(this, ms / factor, wake);
	};
	return () => {
		fast.mockRestore();
		prototype.sleep = before;
	};
}

/** Makes the clock of all runs faster in each test of a file. */
export function useFastClock(factor: number): void {
	let undo: () => void;
	beforeEach(() => (undo = speedUp(factor)));
	afterEach(() => undo());
}
