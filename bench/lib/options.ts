export interface BenchOptions {
	/** Few documents and one round. This shows that a benchmark runs, not how fast it is. */
	quick: boolean;
}
