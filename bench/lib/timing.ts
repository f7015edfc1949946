export interface Timing {
	ms: number;
	/** Processor time of all threads of this process, in milliseconds. */
	cpuMs: number;
}

export async function time(work: () => Promise<unknown>): Promise<Timing> {
	const cpu = process.cpuUsage();
	const startedAt = performance.now();
	await work();
	const ms = performance.now() - startedAt;
	const { user, system } = process.cpuUsage(cpu);
	return { ms, cpuMs: (user + system) / 1000 };
}

function median(timings: Timing[]): Timing {
	const sorted = [...timings].sort((one, other) => one.ms - other.ms);
	return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Measures competitors in turn over several rounds, so that other load on the machine affects all competitors equally.
 */
export async function compare<K extends string>(
	rounds: number,
	competitors: Record<K, () => Promise<Timing>>,
): Promise<Record<K, Timing>> {
	const names = Object.keys(competitors) as K[];
	const timings = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
		K,
		Timing[]
	>;
	for (let round = 0; round < rounds; round++) {
		for (const name of names) timings[name].push(await competitors[name]());
	}
	return Object.fromEntries(names.map((name) => [name, median(timings[name])])) as Record<
		K,
		Timing
	>;
}
