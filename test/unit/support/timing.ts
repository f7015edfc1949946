/** How long a call takes at best, so that other processes of the machine do not count. */
export function fastestMs(call: () => unknown, runs = 5): number {
	let best = Infinity;
	for (let run = 0; run < runs; run++) {
		const startedAt = performance.now();
		call();
		best = Math.min(best, performance.now() - startedAt);
	}
	return best;
}
