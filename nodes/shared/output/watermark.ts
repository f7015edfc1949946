import { figure } from '../service/strings';

/**
 * Tracks how many records at the beginning of a file have an outcome. Outcomes may arrive in any order. This number is
 * the one in "set 'Skip Records' to" (`adviceToSkip`).
 */
export class Watermark {
	/** Records that already have an outcome while an earlier record still has none. */
	private readonly laterRecords = new Set<number>();

	/** @param upTo all records up to this number have an outcome. Records are counted from 1 */
	constructor(public upTo = 0) {}

	markDone(record: number): void {
		if (record !== this.upTo + 1) {
			this.laterRecords.add(record);
			return;
		}
		this.upTo = record;
		while (this.laterRecords.delete(this.upTo + 1)) this.upTo++;
	}
}

/** Returns advice on how to continue after the first `upTo` records. If `upTo` is 0, the advice is empty. */
export const adviceToSkip = (upTo: number): string =>
	upTo === 0
		? ''
		: `All records up to ${figure(upTo)} have a result. To continue, set 'Skip Records' to ${upTo}`;
