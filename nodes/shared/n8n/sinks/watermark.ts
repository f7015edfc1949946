import { figure } from '../../service/numbers';

/** Knows up to which record everything has been answered, though answers come in any order. */
export class Watermark {
	/** Records beyond a gap. */
	private readonly beyond = new Set<number>();

	/** @param upTo all records up to this number, counted from 1, have been answered */
	constructor(public upTo = 0) {}

	/** A record was answered. */
	markDone(record: number): void {
		if (record !== this.upTo + 1) {
			this.beyond.add(record);
			return;
		}
		this.upTo = record;
		while (this.beyond.delete(this.upTo + 1)) this.upTo++;
	}
}

/** How to continue if what was answered has taken effect; '' if nothing was. */
export const adviceToSkip = (upTo: number): string =>
	upTo === 0
		? ''
		: `Everything up to record ${figure(upTo)} was answered: continue with Skip Records: ${upTo}`;
