export interface BenchOptions {
	/**
	 * Whether to use few documents and only one round. Such a run shows that a benchmark works, but its figures are not
	 * meaningful.
	 */
	quick: boolean;
	/** Regular expression for the rows of a benchmark that can measure only some of its rows. */
	rows: string;
}
