export interface BenchOptions {
	/** Whether to use few documents and only one round. This shows that a benchmark runs, but not how fast it is. */
	quick: boolean;
}
