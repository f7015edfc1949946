/** CPU time of a call at best, in ms: what else runs on the machine does not count. */
export function fastestMs(call: () => unknown, runs = 5): number {
	let best = Infinity;
	for (let run = 0; run < runs; run++) {
		const before = process.cpuUsage();
		call();
		const { user, system } = process.cpuUsage(before);
		best = Math.min(best, (user + system) / 1000);
	}
	return best;
}
