import type { IDataObject } from 'n8n-workflow';

import { messageOf } from '../run/errors';
import { count, figure } from '../run/hints';
import type { Run } from '../run/run';
import { FailureList } from './failure-list';
import type { EntryFailure } from './sink';

/** What has become of the entries of one input item. */
interface ItemTally {
	/** Of those that succeeded, by what became of them. */
	counts: Record<string, number>;
	failed: number;
	failures: FailureList;
	first?: EntryFailure;
}

/** Sums up the entries of each input item in one item, which fails if any of them failed. */
export class ItemTallies {
	private readonly tallies = new Map<number, ItemTally>();

	/**
	 * @param done what becomes of an entry that succeeds, such as `pushed`: a member of the result
	 * @param others further counts that are there even if nothing counts, such as `notFound`
	 * @param json further members of a result
	 */
	constructor(
		private readonly run: Run,
		private readonly done: string,
		private readonly others: readonly string[],
		private readonly json: IDataObject,
	) {}

	/** An input item with an empty list, or another entry of one; see `succeed` and `fail`. */
	of(itemIndex: number): ItemTally {
		const known = this.tallies.get(itemIndex);
		if (known) return known;
		const counts = Object.fromEntries([this.done, ...this.others].map((name) => [name, 0]));
		const tally = { counts, failed: 0, failures: new FailureList() };
		this.tallies.set(itemIndex, tally);
		return tally;
	}

	/** An entry succeeded; `as`: counted under that name. */
	succeed(itemIndex: number, as = this.done): void {
		const { counts } = this.of(itemIndex);
		counts[as] = (counts[as] ?? 0) + 1;
	}

	/** An entry failed. */
	fail(itemIndex: number, failure: EntryFailure): void {
		const tally = this.of(itemIndex);
		const { id, reason, message = messageOf(reason) } = failure;
		tally.failed++;
		tally.first ??= failure;
		tally.failures.add({ id, reason, message });
	}

	/** All entries have been answered: returns the items. */
	async end(): Promise<void> {
		for (const [itemIndex, { counts, failed, failures, first }] of this.tallies) {
			await this.run.breathe();
			const json = { ...this.json, ...counts, failed };
			if (first === undefined) {
				this.run.done(itemIndex, [json]);
				continue;
			}
			const { reason, message = messageOf(reason), advice } = first;
			const all = Object.values(counts).reduce((sum, number) => sum + number, failed);
			const several = ` (${figure(failed)} of ${count(all, 'document')} failed)`;
			this.run.fail(itemIndex, reason, {
				message: all === 1 ? message : `${message}${several}`,
				advice,
				json: { ...json, failures: failures.list },
			});
		}
	}
}
