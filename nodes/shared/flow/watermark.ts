/** Knows up to which record everything has been answered, though answers come in any order. */
export class Watermark {
	/** All records up to this number, counted from 1, have been answered. */
	upTo = 0;
	/** Ranges beyond a gap: the last number of each by its first. */
	private readonly beyond = new Map<number, number>();

	/** Records that were answered together, in rising order. */
	answered(records: readonly number[]): void {
		let first: number | undefined;
		let last = 0;
		for (const record of records) {
			if (first !== undefined && record !== last + 1) {
				this.add(first, last);
				first = undefined;
			}
			first ??= record;
			last = record;
		}
		if (first !== undefined) this.add(first, last);
	}

	/** All records up to this number. */
	answeredUpTo(last: number): void {
		if (last > this.upTo) this.add(this.upTo + 1, last);
	}

	private add(first: number, last: number): void {
		this.beyond.set(first, last);
		for (let end; (end = this.beyond.get(this.upTo + 1)) !== undefined; this.upTo = end) {
			this.beyond.delete(this.upTo + 1);
		}
	}
}
