import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../run/results';
import type { Run } from '../run/run';
import { FailureList } from './failure-list';
import {
	add,
	itemOf,
	newCounts,
	type EntryOrigin,
	type Sink,
	type SinkResult,
	type Success,
	type ResultFormat,
} from './sink';
import { messageOf } from '../../service/input-error';
import type { CommonOptions } from '../parameters/common-options';
import { formatCount, figure } from '../../service/numbers';

/** How many results are made between two turns for other executions. */
const SLICE_ENTRIES = 64;

/** What a node returns for items. */
interface ItemResult extends SinkResult {
	/** What an entry is, if no document. */
	noun?: string;
	/** What doing it again means, for the error of a run that ends early. */
	repeating: string;
	/** What had been done, if that is not how many entries. */
	progress?: (() => string) | undefined;
}

/** What has become of the entries of an input item that gets one result with counts. */
interface ItemTally {
	/** Of those that succeeded, by what became of them. */
	counts: Record<string, number>;
	failures: FailureList;
	first?: Failure;
}

/** Returns the results or the error of each entry, or one result for an input item, linked to the items that wait for it. */
export class ItemSink implements Sink {
	/** Entries to be sent; undefined until all were read. */
	total: number | undefined;
	/** Items that the summary stands for. */
	private readonly summarized = new Set<number>();
	/** Entries that succeeded as something else, such as `skipped`. */
	private readonly otherCounts: Record<string, number> = {};
	private blanks = 0;
	private readonly tallies = new Map<number, ItemTally>();

	constructor(
		private readonly run: Run,
		private readonly options: CommonOptions,
		private readonly result: ItemResult,
	) {
		run.progress = () => this.progress();
	}

	async addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		{ response }: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void> {
		const { run, result } = this;
		const as = resultFormat.countedAs?.(response) ?? result.done;
		if (as === result.done) run.stats.increment('done', entries.length);
		else add(this.otherCounts, as, entries.length);
		for (const [at, entry] of entries.entries()) {
			if (at % SLICE_ENTRIES === SLICE_ENTRIES - 1) await run.yieldToOthers();
			for (const itemIndex of entry.items)
				this.give(itemIndex, () => [resultFormat.result(entry, response)], as);
		}
	}

	async addItems(entry: EntryOrigin, items: IDataObject[]): Promise<void> {
		this.run.stats.increment('done');
		this.run.results.give(itemOf(entry), items);
	}

	/** An item with an empty list: it gets `json`, unless several or each input item get one result anyway. */
	addEmptyList(itemIndex: number, json: IDataObject): void {
		this.give(itemIndex, () => [json]);
	}

	/** An item without anything in it, such as an empty row of a spreadsheet: no failure, and no output item. */
	addBlankItem(itemIndex: number): void {
		this.blanks++;
		this.give(itemIndex, () => []);
	}

	/** An entry that cannot be sent. */
	addInvalid(itemIndex: number, reason: unknown, id?: string): void {
		this.run.stats.increment('failed');
		if (this.isPerInputItem) this.countFailure(itemIndex, { reason, id });
		else this.run.refuse(itemIndex, reason, id);
	}

	async addFailure(entry: EntryOrigin, failure: Failure): Promise<void> {
		await this.run.yieldToOthers();
		this.run.stats.increment('failed');
		for (const itemIndex of entry.items) {
			if (this.isPerInputItem) this.countFailure(itemIndex, failure);
			else this.run.fail(itemIndex, failure);
		}
	}

	async close(): Promise<void> {
		for (const [itemIndex, tally] of this.tallies) {
			await this.run.yieldToOthers();
			this.returnTally(itemIndex, tally);
		}
		if (this.run.stats.failed > 0 && !this.run.stopsOnFailure) this.hintAtFailures();
		if (this.blanks > 0)
			this.run.hint(`${formatCount(this.blanks, 'blank row')} skipped`, 'info');
		if (this.options.output === 'summary') this.returnSummary();
	}

	/** Whether each input item gets one result with counts, its failures too. */
	private get isPerInputItem(): boolean {
		return this.options.output === 'perInputItem' && !this.run.stopsOnFailure;
	}

	/**
	 * Gives an input item what it gets for an entry, or its share in one result.
	 *
	 * @param as what the entry is counted as, if there is one
	 */
	private give(itemIndex: number, items: () => IDataObject[], as?: string): void {
		const { output } = this.options;
		if (output === 'summary') this.summarized.add(itemIndex);
		else if (output !== 'perInputItem') this.run.results.give(itemIndex, items());
		else if (as === undefined) this.tallyOf(itemIndex);
		else add(this.tallyOf(itemIndex).counts, as, 1);
	}

	private tallyOf(itemIndex: number): ItemTally {
		const known = this.tallies.get(itemIndex);
		if (known) return known;
		const tally = { counts: newCounts(this.result), failures: new FailureList() };
		this.tallies.set(itemIndex, tally);
		return tally;
	}

	private countFailure(itemIndex: number, failure: Failure): void {
		const tally = this.tallyOf(itemIndex);
		tally.first ??= failure;
		tally.failures.note(failure);
	}

	private returnTally(itemIndex: number, { counts, failures, first }: ItemTally): void {
		const failed = failures.total;
		const json = { ...this.result.json?.(), ...counts, failed };
		if (first === undefined) return this.run.results.give(itemIndex, [json]);
		const { reason, message = messageOf(reason), advice } = first;
		const all = Object.values(counts).reduce((sum, number) => sum + number, failed);
		const several = ` (${figure(failed)} of ${formatCount(all, 'document')} failed)`;
		this.run.fail(itemIndex, {
			reason,
			message: all === 1 ? message : `${message}${several}`,
			advice,
			json: { ...json, failures: failures.list },
		});
	}

	private returnSummary(): void {
		const { results, meter, stats } = this.run;
		const json = {
			documents: stats.done,
			failures: results.failures,
			...this.otherCounts,
			...(this.blanks > 0 && { blank: this.blanks }),
			stats: meter.json(),
		};
		// If all have failed, there is still an item that it comes from.
		const all = [...this.summarized].sort((one, other) => one - other);
		const items = all.length > 0 ? all : [0];
		this.run.results.give(items[0] ?? 0, [{ ...json, ...this.result.json?.() }], { items });
	}

	/** A run that continues on errors is green, whatever failed. */
	private hintAtFailures(): void {
		const { run, otherCounts } = this;
		const { done, failed } = run.stats;
		const number = Object.values(otherCounts).reduce(
			(sum, other) => sum + other,
			done + failed,
		);
		const all = formatCount(number, this.result.noun ?? 'document');
		const items = failed === 1 ? 'the failed item' : 'the failed items';
		const where = run.results.toErrorOutput ? 'in the Error output' : `of ${items}`;
		run.hint(`${figure(failed)} of ${all} failed. See the field 'error' ${where}.`);
	}

	private progress(): string {
		const { repeating, progress } = this.result;
		if (this.total === undefined) return 'Nothing was sent.';
		if (progress !== undefined) return progress();
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `The service confirmed ${figure(this.run.stats.done)} of ${formatCount(this.total, 'document')}. ${repeating}.`;
	}
}
