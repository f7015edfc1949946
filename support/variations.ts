import { isQuick } from './runs';

/**
 * Counts in how many samples of a property test each variation occurs. A property cannot find a fault in a variation
 * that its generator never makes.
 */
export class Variations {
	private readonly counts = new Map<string, number>();
	private samples = 0;

	/** Counts one sample. Each name must be given with each sample, with `false` if the variation does not occur. */
	note(variations: Record<string, boolean>): void {
		this.samples++;
		for (const [name, occurs] of Object.entries(variations))
			this.counts.set(name, (this.counts.get(name) ?? 0) + Number(occurs));
	}

	/**
	 * Returns the variations that occur in less than this percentage of the samples, with their counts. A quick run has too
	 * few samples to tell, so it returns none.
	 */
	rarerThan(percent: number): string[] {
		if (this.samples === 0) return ['There are no samples'];
		if (isQuick) return [];
		return [...this.counts]
			.filter(([, count]) => count === 0 || count * 100 < percent * this.samples)
			.map(([name, count]) => `${name}: ${count} of ${this.samples}`);
	}
}

/** Returns the argument of `Variations.note` for the names that occur. */
export const occurring = (
	names: readonly string[],
	occurs: (name: string) => boolean,
): Record<string, boolean> => Object.fromEntries(names.map((name) => [name, occurs(name)]));
