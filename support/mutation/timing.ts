/** Stands in for test/unit/support/timing.ts: code with mutants in it says nothing about time. */
export function growth<T>(inputOf: (size: number) => T, size: number, call: (input: T) => unknown) {
	call(inputOf(size / 4));
	return 1;
}

export const LINEAR = 10;
