export interface BenchOptions {
	/** Uses few documents and one round, which shows that a benchmark runs, but not how fast it is. */
	quick: boolean;
}
