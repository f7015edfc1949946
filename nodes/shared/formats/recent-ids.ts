import { detach } from './record';

/** Maximum number of IDs in each of the two sets that `RecentIds` keeps. */
const MAX_IDS = 100_000;

/** It holds at least the last 100,000 different IDs and at most 200,000 IDs. */
export class RecentIds {
	private recent = new Set<string>();
	private older = new Set<string>();

	/** Adds an ID and returns whether the ID was already known. */
	addAndCheck(id: string): boolean {
		const { size } = this.recent;
		// An ID from a file may be a part of its text, and would keep that text in memory.
		this.recent.add(detach(id));
		const isKnown = this.recent.size === size || this.older.has(id);
		if (this.recent.size >= MAX_IDS) {
			this.older = this.recent;
			this.recent = new Set();
		}
		return isKnown;
	}
}
