/** A function, and who called it, in a CPU profile. */
interface ProfileNode {
	id: number;
	callFrame: { functionName: string; url: string };
	children?: number[];
}

/** A CPU profile as V8 returns it. */
export interface CpuProfile {
	nodes: ProfileNode[];
	/** ID of the function that ran at each sample. */
	samples: number[];
	/** Microseconds before each sample. */
	timeDeltas: number[];
}

/**
 * The time spent in functions that match and in whatever they called.
 * @returns milliseconds
 */
export function timeWithin(
	{ nodes, samples, timeDeltas }: CpuProfile,
	matches: (frame: { functionName: string; url: string }) => boolean,
): number {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const within = new Set<number>();
	const visit = (id: number): void => {
		within.add(id);
		for (const child of byId.get(id)?.children ?? []) visit(child);
	};
	for (const { id, callFrame } of nodes) {
		if (!within.has(id) && matches(callFrame)) visit(id);
	}
	return samples.reduce((sum, id, at) => (within.has(id) ? sum + timeDeltas[at] : sum), 0) / 1000;
}
