/** What a piece of work took. */
export interface Timing {
	ms: number;
	/** Of this process alone, all its threads. */
	cpuMs: number;
}

/** Measures one piece of work. */
export async function time(work: () => Promise<unknown>): Promise<Timing> {
	const cpu = process.cpuUsage();
	const startedAt = performance.now();
	await work();
	const ms = performance.now() - startedAt;
	const { user, system } = process.cpuUsage(cpu);
	return { ms, cpuMs: (user + system) / 1000 };
}

/** The one in the middle, by wall time. */
function median(timings: Timing[]): Timing {
	const sorted = [...timings].sort((one, other) => one.ms - other.ms);
	return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Measures competitors in turn, several rounds, so that what else the machine does meets all of
 * them alike.
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
