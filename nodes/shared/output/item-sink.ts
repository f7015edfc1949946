/**
 * Accounts for the entries from input items. The Output option decides what the sink returns: one item for each entry,
 * one item for each input item (with counts), or one summary of all items. Each output item is linked to its input
 * items. If several input items share an entry, each of them gets the result or the error. Blank items, and entries
 * that cannot be sent, are reported to the sink as well. In this way, every input item is accounted for exactly once.
 */
import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../run/results';
import type { Run } from '../run/run';
import { FailureList } from './failure-list';
import {
	increaseCount,
	itemOf,
	newCounts,
	type EntryOrigin,
	type Sink,
	type SinkOptions,
	type SinkResult,
	type Success,
	type ResultFormat,
} from './sink';
import { messageOf } from '../service/input-error';
import { figure, formatCount } from '../service/strings';

/** Number of results to create before the node lets other executions continue. */
const SLICE_ENTRIES = 64;

interface ItemResult extends SinkResult {
	/** Noun for an entry, if the entry is not a document. */
	noun?: string;
	/**
	 * Sentence that says whether it is safe to send all entries again. If the run ends early, the error contains this
	 * sentence.
	 */
	repeating: string;
	/** The default says how many entries the service confirmed. */
	describeProgress?: (() => string) | undefined;
}

interface ItemTally {
	counts: Record<string, number>;
	failures: FailureList;
	/** The IDs of all failed documents. Only the first failures are described in `failures`. */
	failedIds: string[];
	first?: Failure;
}

export class ItemSink implements Sink {
	/** Number of entries to send, or undefined until all items have been read. */
	total: number | undefined;
	private readonly summaryItems = new Set<number>();
	private readonly otherCounts: Record<string, number> = {};
	private blankItems = 0;
	private readonly tallies = new Map<number, ItemTally>();

	constructor(
		private readonly run: Run,
		private readonly options: SinkOptions,
		private readonly result: ItemResult,
	) {}

	async addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		{ response }: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void> {
		const { run, result } = this;
		const countName = resultFormat.countName?.(response) ?? result.done;
		if (countName === result.done) run.stats.increment('done', entries.length);
		else increaseCount(this.otherCounts, countName, entries.length);
		for (const [at, entry] of entries.entries()) {
			if (at % SLICE_ENTRIES === SLICE_ENTRIES - 1) await run.yieldToOthers();
			for (const itemIndex of entry.items)
				this.giveOrCount(
					itemIndex,
					() => [resultFormat.result(entry, response)],
					countName,
				);
		}
	}

	async addItems(entry: EntryOrigin, items: IDataObject[]): Promise<void> {
		this.run.stats.increment('done');
		this.run.results.give(itemOf(entry), items);
	}

	/**
	 * Accounts for an input item whose list is empty. If the node returns one output item per entry, there is no entry
	 * to return an item for. So the node returns a single item that contains `json`.
	 */
	addEmptyList(itemIndex: number, json: IDataObject): void {
		this.giveOrCount(itemIndex, () => [json]);
	}

	/**
	 * Accounts for an item without any values, such as an empty row in a spreadsheet. The item does not fail, and the
	 * node returns nothing for the item.
	 */
	addBlankItem(itemIndex: number): void {
		this.blankItems++;
		this.giveOrCount(itemIndex, () => []);
	}

	addInvalid(itemIndex: number, reason: unknown, id?: string): void {
		this.run.stats.increment('failed');
		if (this.countsFailures) this.countFailure(itemIndex, { reason, id });
		else this.run.refuse(itemIndex, reason, id);
	}

	async addFailure(entry: EntryOrigin, failure: Failure): Promise<void> {
		await this.run.yieldToOthers();
		this.run.stats.increment('failed');
		for (const itemIndex of entry.items) {
			if (this.countsFailures) this.countFailure(itemIndex, failure);
			else this.run.fail(itemIndex, failure);
		}
	}

	async close(): Promise<void> {
		for (const [itemIndex, tally] of this.tallies) {
			await this.run.yieldToOthers();
			this.returnTally(itemIndex, tally);
		}
		if (this.run.stats.failed > 0 && !this.run.stopsOnFailure) this.hintAtFailures();
		if (this.blankItems > 0)
			this.run.hint(`${formatCount(this.blankItems, 'blank row')} skipped`, 'info');
		if (this.options.output === 'summary') this.returnSummary();
	}

	progress(): string {
		const { repeating, describeProgress } = this.result;
		if (this.total === undefined) return 'Nothing was sent.';
		if (describeProgress !== undefined) return describeProgress();
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `The service confirmed ${figure(this.run.stats.done)} of ${formatCount(this.total, 'document')}. ${repeating}.`;
	}

	/** Whether failures are counted in their item's result. If not, a failure makes its item fail immediately. */
	private get countsFailures(): boolean {
		return this.options.output === 'perInputItem' && !this.run.stopsOnFailure;
	}

	/** @param countName name of the count, or undefined if there is no entry to count */
	private giveOrCount(itemIndex: number, items: () => IDataObject[], countName?: string): void {
		const { output } = this.options;
		if (output === 'summary') this.summaryItems.add(itemIndex);
		else if (output !== 'perInputItem') this.run.results.give(itemIndex, items());
		else if (countName === undefined) this.tallyOf(itemIndex);
		else increaseCount(this.tallyOf(itemIndex).counts, countName, 1);
	}

	private tallyOf(itemIndex: number): ItemTally {
		const known = this.tallies.get(itemIndex);
		if (known) return known;
		const tally: ItemTally = {
			counts: newCounts(this.result),
			failures: new FailureList(),
			failedIds: [],
		};
		this.tallies.set(itemIndex, tally);
		return tally;
	}

	private countFailure(itemIndex: number, failure: Failure): void {
		const tally = this.tallyOf(itemIndex);
		tally.first ??= failure;
		tally.failures.addFailure(failure);
		if (failure.id !== undefined) tally.failedIds.push(failure.id);
	}

	private returnTally(
		itemIndex: number,
		{ counts, failures, failedIds, first }: ItemTally,
	): void {
		const { results } = this.run;
		const failed = failures.total;
		const json = { ...this.result.json?.(), ...counts, failed };
		if (first === undefined)
			return results.give(itemIndex, [{ ...results.keptFields(itemIndex), ...json }]);
		const { reason, message = messageOf(reason), advice } = first;
		const all = Object.values(counts).reduce((sum, number) => sum + number, failed);
		const several = ` (${figure(failed)} of ${formatCount(all, 'document')} failed)`;
		this.run.fail(itemIndex, {
			reason,
			message: all === 1 ? message : `${message}${several}`,
			advice,
			json: { ...json, failures: failures.list, failedIds },
		});
	}

	private returnSummary(): void {
		const { results, meter, stats } = this.run;
		const json = {
			documents: stats.done,
			failures: results.failures,
			...this.otherCounts,
			...(this.blankItems > 0 && { blank: this.blankItems }),
			stats: meter.json(),
		};
		const all = [...this.summaryItems].sort((one, other) => one - other);
		const items = all.length > 0 ? all : [0];
		this.run.results.give(items[0] ?? 0, [{ ...json, ...this.result.json?.() }], { items });
	}

	/** If a run continues after errors, n8n shows the run as successful, so users might miss the failures. */
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
}
