import type { IDataObject } from 'n8n-workflow';

import { count, figure } from '../run/hints';
import type { Run } from '../run/run';
import { ItemParts, type Joining, type Merging } from './item-parts';
import { ItemTallies } from './item-tallies';
import { itemOf, type CommonOptions, type EntryFailure, type Placed, type Sink } from './sink';

/** What a node returns for items. */
export interface ItemResult {
	/** What becomes of an entry that succeeds, such as `pushed`. */
	done: string;
	/** What an entry is, if no document. */
	noun?: string;
	/** What doing it again means, for the error of a run that ends early. */
	repeating: string;
	/** What had been done, if that is not how many entries. */
	progress?: (() => string) | undefined;
	/** One failure for all entries of an item, which are returned together then. */
	merged?: Merging;
	/** One result for all entries of an item that are returned together. */
	joined?: Joining | undefined;
	/** Further counts of an input item that are there even if nothing counts, such as `notFound`. */
	others?: readonly string[];
	/** Further members of an item that stands for several entries. */
	json?: IDataObject;
}

/** Returns a result or an error for each entry, linked to the items that wait for it. */
export class ItemSink implements Sink {
	/** Entries to be sent, once all were read. */
	total = 0;
	/** Items that the summary stands for. */
	private readonly summarized = new Set<number>();
	/** Entries that succeeded as something else, such as `skipped`. */
	private readonly others: Record<string, number> = {};
	/** Entries that succeeded in any way, and entries that failed. */
	private succeeded = 0;
	private failures = 0;
	private readonly tallies: ItemTallies | undefined;
	private readonly parts: ItemParts | undefined;

	constructor(
		private readonly run: Run,
		private readonly options: CommonOptions,
		private readonly result: ItemResult,
	) {
		run.progress = () => this.progress();
		const { done, merged, joined, others = [], json = {} } = result;
		if (merged) this.parts = new ItemParts(run, merged, joined);
		if (options.output === 'inputItems')
			this.tallies = new ItemTallies(run, done, others, json);
	}

	async done<E extends Placed>(
		entries: readonly E[],
		result: (entry: E) => IDataObject,
		as?: string,
	): Promise<void> {
		if (as === undefined) this.run.stats.done += entries.length;
		else if (entries.length > 0) this.others[as] = (this.others[as] ?? 0) + entries.length;
		this.succeeded += entries.length;
		for (const entry of entries) {
			const pause = this.run.breathe();
			if (pause) await pause;
			for (const itemIndex of entry.items) {
				if (this.tallies) this.tallies.succeed(itemIndex, as);
				else if (this.options.output === 'summary') this.summarized.add(itemIndex);
				else this.run.done(itemIndex, [result(entry)]);
			}
		}
	}

	async returned(entry: Placed, records: IDataObject[]): Promise<void> {
		this.run.stats.done++;
		this.succeeded++;
		if (this.parts) this.parts.returned(entry, records);
		else this.run.done(itemOf(entry), records);
	}

	async shared(entries: readonly Placed[], records: IDataObject[]): Promise<void> {
		this.run.stats.done += entries.length;
		this.succeeded += entries.length;
		const items = [...new Set(entries.flatMap((entry) => entry.items))];
		this.run.done(items[0] ?? 0, records, items);
	}

	/** An item with an empty list: it gets `json`, unless each input item gets one result anyway. */
	empty(itemIndex: number, json: IDataObject): void {
		if (this.tallies) this.tallies.of(itemIndex);
		else this.succeed(itemIndex, json);
	}

	/** An entry that cannot be sent. */
	refused(itemIndex: number, reason: unknown, id?: string): void {
		this.failures++;
		if (this.tallies && !this.run.stopsOnFailure) this.tallies.fail(itemIndex, { reason, id });
		else this.run.refuse(itemIndex, reason, id);
	}

	async failed(entry: Placed, failure: EntryFailure): Promise<void> {
		await this.run.breathe();
		this.fail(entry, failure, false);
	}

	async skipped<E extends Placed>(
		entries: readonly E[],
		failure: (entry: E) => EntryFailure,
	): Promise<void> {
		for (const entry of entries) {
			await this.run.breathe();
			this.fail(entry, failure(entry), true);
		}
	}

	async end(): Promise<void> {
		await this.tallies?.end();
		await this.parts?.end();
		this.hintAtFailures();
		if (this.options.output !== 'summary') return;
		const { failures, meter, stats } = this.run;
		const json = { documents: stats.done, failures, ...this.others, stats: meter.json() };
		// If all have failed, there is still an item that it comes from.
		const items = [...this.summarized].sort((one, other) => one - other);
		this.run.done(
			items[0] ?? 0,
			[{ ...json, ...this.result.json }],
			items.length > 0 ? items : [0],
		);
	}

	/** A run that continues on errors is green, whatever failed. */
	private hintAtFailures(): void {
		const { run, failures, succeeded } = this;
		if (failures === 0 || run.stopsOnFailure) return;
		const all = count(failures + succeeded, this.result.noun ?? 'document');
		const where = run.hasErrorOutput
			? " of the items in the output 'Error'"
			: ' of their items';
		run.hint(`${figure(failures)} of ${all} failed. The field 'error'${where} says why.`);
	}

	private succeed(itemIndex: number, json: IDataObject): void {
		if (this.options.output === 'summary') this.summarized.add(itemIndex);
		else this.run.done(itemIndex, [json]);
	}

	private fail(entry: Placed, failure: EntryFailure, skipped: boolean): void {
		this.failures++;
		if (this.parts) return this.parts.failed(entry, { ...failure, skipped });
		for (const itemIndex of entry.items) {
			if (this.tallies && !this.run.stopsOnFailure) this.tallies.fail(itemIndex, failure);
			else this.run.fail(itemIndex, failure.reason, { ...failure, skipped });
		}
	}

	private progress(): string {
		const { done, repeating, progress } = this.result;
		if (progress !== undefined) return progress();
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `${count(this.run.stats.done, 'document')} of ${this.total.toLocaleString('en-US')} had been ${done}; ${repeating}.`;
	}
}
