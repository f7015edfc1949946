/** CPU time of the fastest of some calls, in ms: what else the machine does counts for nothing. */
function fastestMs(call: () => unknown, runs = 5): number {
	let fastest = Infinity;
	for (let run = 0; run < runs; run += 1) {
		const before = process.cpuUsage();
		call();
		const { user, system } = process.cpuUsage(before);
		fastest = Math.min(fastest, (user + system) / 1000);
	}
	return fastest;
}

/** What a clock may be off by: a call that takes next to no time does not grow. */
const CLOCK_MS = 1;

/** About 4 for what takes time in proportion to its input, 16 if it grows with the square. */
export function growth<T>(inputOf: (size: number) => T, size: number, call: (input: T) => unknown) {
	const [small, large] = [inputOf(size / 4), inputOf(size)];
	return (fastestMs(() => call(large)) + CLOCK_MS) / (fastestMs(() => call(small)) + CLOCK_MS);
}

/** Below the square, and above what a garbage collection in between adds. */
export const LINEAR = 10;
