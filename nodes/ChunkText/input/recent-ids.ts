/** Minimum number of IDs to remember. It is limited so that memory does not grow with the file. */
const MAX_IDS = 100_000;

/** Remembers the IDs of the latest documents, at least 100,000 and at most twice as many. */
export class RecentIds {
	private recent = new Set<string>();
	private older = new Set<string>();

	/** Adds an ID and returns whether it was known. */
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
