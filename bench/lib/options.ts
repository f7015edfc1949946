export interface BenchOptions {
	/**
	 * Whether to run once with few documents. Such a run shows that a benchmark works, but its figures mean nothing.
	 */
	quick: boolean;
}
