import type { IDataObject } from 'n8n-workflow';

import { InputError } from '../service/input-error';
import { isObject, isRecord } from '../service/json';
import { Findings } from '../formats/findings';
import { figure, formatCount, isNullOrBlankText, listOf } from '../service/strings';
import type { Run } from '../run/run';
import type { Failure } from '../run/results';
import type { ItemSink } from '../output/item-sink';
import type { EntryOrigin, Sink } from '../output/sink';
import { hintAtIds, type FileFindings } from '../output/file-findings';
import { idIn } from './field-mapping';
import { IdChecks } from './id-checks';
import { fieldsOfItem } from './item-fields';
import { fileFieldsOf } from './files';

export interface Source<E> {
	/** Slices of entries. They are read on demand, and reading stops when the run ends. */
	entries: AsyncIterable<E[]>;
	sink: Sink;
	isLast: boolean;
}

/** Makes entries from the values of items, or from the records in a file. */
export interface Reading<E extends EntryOrigin, V = unknown> {
	/**
	 * The value is an item, a record, or an element of a list in an item.
	 *
	 * @throws InputError if the value cannot be sent
	 */
	entryOf(value: V, origin: EntryOrigin): E;
	/** Returns the ID of an invalid value, which is reported together with the error. */
	idOf?(value: V, origin: EntryOrigin): string | undefined;
}

/** All items are read and checked before anything is sent. */
export interface ItemReading<E extends EntryOrigin, V = unknown> extends Reading<E, V> {
	/**
	 * Returns an item's values, or undefined if the item is already accounted for.
	 *
	 * @throws InputError if the item has no value
	 */
	valuesOf(itemIndex: number): readonly V[] | undefined | Promise<readonly V[] | undefined>;
	/** Returns the document ID of an item without entries, if the item represents one document. */
	idOfItem?(itemIndex: number): string | undefined;
	/** Verb for messages, such as `push`. */
	verb: string;
	/** Result for an item whose list of values is empty. */
	emptyList?: IDataObject;
	/**
	 * Rearranges the entries after all items have been read. If this function removes an entry, it must report the
	 * entry's outcome to the sink.
	 */
	resolve?(entries: E[], sink: Sink): E[] | Promise<E[]>;
	sink: ItemSink;
}

/** Reads all input items and passes their entries to `use` as one source. */
export async function withItems<E extends EntryOrigin, V = unknown>(
	run: Run,
	reading: ItemReading<E, V>,
	use: (source: Source<E>) => Promise<void>,
): Promise<void> {
	const { sink } = reading;
	run.progress = () => sink.progress();
	const found = await new ItemReader(run, reading).readItems();
	const entries = (await reading.resolve?.(found, sink)) ?? found;
	if (!run.ended) sink.total = entries.length;
	await use({ entries: slicesOf(run, entries), sink, isLast: true });
	await sink.close();
}

class ItemReader<E extends EntryOrigin, V> {
	private readonly entries: E[] = [];
	private readonly findings: FileFindings = new Findings();
	private readonly checks: IdChecks;
	/** Errors for blank items. They are reported only if all items are blank. */
	private readonly blankItems = new Map<number, unknown>();
	/**
	 * Invalid items that are missing the same value as the first invalid item. This list is used only if the run stops
	 * at the first error. The error can then name all of these items.
	 */
	private readonly withMissingValue: Array<{ itemIndex: number; error: InputError }> = [];

	constructor(
		private readonly run: Run,
		private readonly reading: ItemReading<E, V>,
	) {
		this.checks = new IdChecks(reading.verb === 'delete');
	}

	async readItems(): Promise<E[]> {
		const { run, reading, findings, entries } = this;
		for (const itemIndex of run.items.keys()) {
			const pause = run.yieldToOthers();
			if (pause) await pause;
			if (run.ended) return entries;
			try {
				const reads = reading.valuesOf(itemIndex);
				await this.readValues(itemIndex, reads instanceof Promise ? await reads : reads);
			} catch (error) {
				await this.refuse(itemIndex, error, { id: reading.idOfItem?.(itemIndex) });
			}
		}
		hintAtIds(run, findings);
		this.reportMissingAndBlank();
		return entries;
	}

	private async readValues(itemIndex: number, values: readonly V[] | undefined): Promise<void> {
		const { run, reading, checks, findings } = this;
		const origin = { items: [itemIndex] };
		// The item has no entry of its own, but other items may have the same document ID.
		if (values === undefined)
			return checks.check({ ...origin, id: reading.idOfItem?.(itemIndex) }, findings);
		if (values.length === 0) reading.sink.addEmptyList(itemIndex, reading.emptyList ?? {});
		for (const [position, value] of values.entries()) {
			const pause = position > 0 ? run.yieldToOthers() : undefined;
			if (pause) await pause;
			if (run.ended) return;
			try {
				const entry = reading.entryOf(value, origin);
				checks.check(entry, findings);
				this.entries.push(entry);
			} catch (error) {
				const id = reading.idOf?.(value, origin);
				const where =
					values.length > 1 ? `Entry ${position} (zero-based) of the list: ` : '';
				if (await this.refuse(itemIndex, error, { id, value, where })) return;
			}
		}
	}

	/**
	 * Accounts for an item, or a value in its list, that does not become an entry.
	 *
	 * @param where beginning of the message about a value in a list
	 * @returns true if the item was passed on. Then its other values are not read
	 */
	private async refuse(
		itemIndex: number,
		error: unknown,
		{ id, value, where = '' }: { id?: string | undefined; value?: V; where?: string },
	): Promise<boolean> {
		const { run, reading, withMissingValue } = this;
		if (passOnSummary(run, itemIndex)) return true;
		if (isBlankThroughout(value) && isBlankItem(run, itemIndex)) {
			this.blankItems.set(itemIndex, error);
			return false;
		}
		const failure =
			failedBefore(error, value) ?? failedBefore(error, run.items[itemIndex]?.json);
		if (failure) {
			await reading.sink.addFailure({ items: [itemIndex] }, failure);
			return false;
		}
		const [first] = withMissingValue;
		const missing = first?.error.missing ?? '';
		const reason = withBeginning(where, error);
		if (run.stopsOnFailure && reason instanceof InputError && reason.missing?.includes(missing))
			withMissingValue.push({ itemIndex, error: reason });
		else if (!first) reading.sink.addInvalid(itemIndex, reason, id);
		return false;
	}

	private reportMissingAndBlank(): void {
		const { run, blankItems, withMissingValue } = this;
		const { sink, verb } = this.reading;
		const [first] = withMissingValue;
		const items = withMissingValue.map(({ itemIndex }) => itemIndex);
		const total = run.items.length - blankItems.size;
		if (first) sink.addInvalid(first.itemIndex, errorForItems(first.error, items, total, verb));
		for (const [itemIndex, error] of blankItems) {
			if (blankItems.size < run.items.length) sink.addBlankItem(itemIndex);
			else sink.addInvalid(itemIndex, error);
		}
	}
}

/**
 * Returns the error for items without a required value. If other items have the value, the parameter is correct. In
 * that case, the advice is to correct the items without the value.
 */
function errorForItems(
	error: InputError,
	items: number[],
	total: number,
	verb: string,
): InputError {
	if (items.length === total) return error;
	const [noun, have, them] =
		items.length === 1 ? ['item', 'has', 'it'] : ['items', 'have', 'them'];
	const advice = `${figure(items.length)} of ${formatCount(total, 'item')} ${have} no ${error.missing} (${noun} ${listOf(items)}). Correct ${them}, or set 'On Error' to 'Continue (using error output)' to ${verb} the others.`;
	return new InputError(error.message, advice);
}

const isBlankItem = (run: Run, itemIndex: number): boolean =>
	isBlankThroughout(fieldsOfItem(run, itemIndex)) && fileFieldsOf(run, itemIndex).length === 0;

const isBlankThroughout = (value: unknown): boolean =>
	isNullOrBlankText(value) || (isObject(value) && Object.values(value).every(isNullOrBlankText));

function withBeginning(where: string, error: unknown): unknown {
	if (where === '' || !(error instanceof InputError)) return error;
	return new InputError(where + error.message, error.description);
}

/**
 * Returns the failure that an item or a record already contains, if it lacks a required value because it failed in an
 * earlier node of this package. With _On Error: Continue_, such an item has the fields `error` and `advice`.
 *
 * @param error what is wrong with the item or record in this node
 */
export function failedBefore(error: unknown, value: unknown): Failure | undefined {
	if (!(error instanceof InputError) || error.missing === undefined || !isObject(value))
		return undefined;
	const { id, error: message, advice, ...json } = value;
	if (typeof message !== 'string' || typeof advice !== 'string' || !message || !advice)
		return undefined;
	const reason = new InputError(message, advice);
	return { reason, id: idIn({ id }, 'id'), json: json as IDataObject };
}

const SLICE_ENTRIES = 500;

async function* slicesOf<E>(run: Run, all: readonly E[]): AsyncGenerator<E[], void, undefined> {
	for (let from = 0; from < all.length; from += SLICE_ENTRIES) {
		// A canceled run returns nothing, so the remaining entries need no outcome.
		if (run.signal.aborted) return;
		yield all.slice(from, from + SLICE_ENTRIES);
	}
}

/**
 * Passes an item through unchanged if it is a file summary from another node of this package.
 *
 * @returns whether the item is a file summary
 */
export function passOnSummary(run: Run, itemIndex: number): boolean {
	const { json = {}, binary = {} } = run.items[itemIndex] ?? {};
	const { file, records, stats } = json;
	const isSummary = typeof file === 'string' && typeof records === 'number' && isRecord(stats);
	if (isSummary) run.results.give(itemIndex, [json], { binary });
	return isSummary;
}
