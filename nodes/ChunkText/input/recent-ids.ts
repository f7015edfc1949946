/** Maximum number of IDs in each of the two sets. */
const MAX_IDS = 100_000;

/**
 * Remembers the IDs of the most recent documents. It contains at least the last 100,000 IDs and at most 200,000, so
 * memory does not grow with the file.
 */
export class RecentIds {
	private recent = new Set<string>();
	private older = new Set<string>();

	/** Adds an ID, and returns whether the ID was already known. */
	has(id: string): boolean {
		const isKnown = this.recent.has(id) || this.older.has(id);
		this.recent.add(id);
		if (this.recent.size >= MAX_IDS) {
			this.older = this.recent;
			this.recent = new Set();
		}
		return isKnown;
	}
}
