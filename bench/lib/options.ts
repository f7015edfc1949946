export interface BenchOptions {
	/** Few documents and one round: shows that it runs, not how fast. */
	quick: boolean;
}
