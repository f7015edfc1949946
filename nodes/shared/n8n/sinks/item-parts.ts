import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../run/run';
import { itemOf, type EntryFailure, type Placed } from './sink';

/** A failure of an entry, and whether that was never sent. */
export interface PartFailure extends EntryFailure {
	skipped: boolean;
}

/** Makes one failure of all failures of an item; `first` matters most. */
export type Merging = (first: PartFailure, failures: readonly PartFailure[]) => PartFailure;

/** Makes one result of all records that the entries of an item gave. */
export type Joining = (itemIndex: number, records: IDataObject[]) => IDataObject;

/** What became of an entry of an item. */
interface Part {
	index: number;
	records: IDataObject[];
	failure?: PartFailure;
}

/** Returns the entries of each item together: their records in order, and one error for those that failed. */
export class ItemParts {
	private readonly parts = new Map<number, Part[]>();

	constructor(
		private readonly run: Run,
		private readonly merged: Merging,
		private readonly joined?: Joining,
	) {}

	returned(entry: Placed, records: IDataObject[]): void {
		this.add(entry, { records });
	}

	failed(entry: Placed, failure: PartFailure): void {
		if (!failure.skipped && this.run.stopsOnFailure) this.run.stop(failure.reason);
		this.add(entry, { records: [], failure });
	}

	/** All entries have been answered: returns the items. */
	async end(): Promise<void> {
		for (const [itemIndex, parts] of this.parts) {
			await this.run.breathe();
			parts.sort((one, other) => one.index - other.index);
			const records = parts.flatMap((part) => part.records);
			const failures = parts.flatMap(({ failure }) => failure ?? []);
			if (!this.joined) this.run.done(itemIndex, records);
			else if (failures.length === 0)
				this.run.done(itemIndex, [this.joined(itemIndex, records)]);
			const first = failures.find(({ skipped }) => !skipped) ?? failures[0];
			if (first === undefined) continue;
			const failure = failures.length > 1 ? this.merged(first, failures) : first;
			this.run.fail(itemIndex, failure.reason, failure);
		}
	}

	private add(entry: Placed, part: Omit<Part, 'index'>): void {
		const itemIndex = itemOf(entry);
		const parts = this.parts.get(itemIndex) ?? [];
		this.parts.set(itemIndex, parts);
		parts.push({ index: entry.index ?? 0, ...part });
	}
}
