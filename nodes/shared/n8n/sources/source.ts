import type { IDataObject } from 'n8n-workflow';

import { InputError } from '../../service/input-error';
import { isObject, isRecord } from '../../service/json';
import { isBlank } from '../../service/push/document-id';
import type { Run } from '../run/run';
import type { ItemSink } from '../sinks/item-sink';
import type { EntryOrigin, Sink } from '../sinks/sink';
import { fieldsOfItem, fileFieldsOf } from './files';
import { count, figure, listOf } from '../../service/numbers';

/** Where entries come from, and who accounts for them. */
export interface Source<E> {
	/** Several together; read as they are asked for, and no further once the run has ended. */
	entries: AsyncIterable<E[]>;
	sink: Sink;
	/** Whether no other source follows. */
	isLast: boolean;
}

/** How entries are made of what is read. */
export interface Reading<E extends EntryOrigin> {
	/**
	 * The entry of a value: of an item, an entry of its list, or a record.
	 *
	 * @throws InputError for a value that cannot be sent
	 */
	entryOf(value: unknown, place: EntryOrigin): E;
	/** The ID in a value that cannot be sent, as far as it has one. */
	idOf?(value: unknown): string | undefined;
}

type Values = readonly unknown[] | undefined;

/** How input items are read: all of them and checked, before anything is sent. */
export interface ItemReading<E extends EntryOrigin> extends Reading<E> {
	/**
	 * The values of an item: one, or those of its list; undefined for one that is accounted for otherwise.
	 *
	 * @throws InputError for an item that has none
	 */
	valuesOf(itemIndex: number): Values | Promise<Values>;
	/** The ID of an item that has no values that can be sent, if it stands for one document. */
	idOfItem?(itemIndex: number): string | undefined;
	/** What the node does with an item, such as `push`. */
	verb: string;
	/** What an item with an empty list gets where each entry gets an item. */
	emptyList: IDataObject;
	/** Puts the entries in order, once all were read; may account for entries that are not to be sent. */
	resolve?(entries: E[], sink: Sink): E[] | Promise<E[]>;
	sink: ItemSink;
}

/** All input items, as one source. */
export async function withItems<E extends EntryOrigin>(
	run: Run,
	reading: ItemReading<E>,
	use: (source: Source<E>) => Promise<void>,
): Promise<void> {
	const { sink } = reading;
	const read = await readItems(run, reading);
	const all = (await reading.resolve?.(read, sink)) ?? read;
	if (!run.ended) sink.total = all.length;
	await use({ entries: slicesOf(run, all), sink, isLast: true });
	await sink.close();
}

async function readItems<E extends EntryOrigin>(run: Run, reading: ItemReading<E>): Promise<E[]> {
	const { sink } = reading;
	const all: E[] = [];
	/** Items without the value that the first of them lacks, if the run stops for that: others may have it. */
	const lacking: Array<{ itemIndex: number; error: InputError }> = [];
	const refuse = (itemIndex: number, error: unknown, id?: string) => {
		const [first] = lacking;
		const missing = first?.error.missing ?? '';
		if (run.stopsOnFailure && error instanceof InputError && error.missing?.includes(missing))
			lacking.push({ itemIndex, error });
		else if (!first) sink.refused(itemIndex, error, id);
	};
	/** Why blank items cannot be used. */
	const blank = new Map<number, unknown>();
	for (const itemIndex of run.items.keys()) {
		const pause = run.yieldToOthers();
		if (pause) await pause;
		if (run.ended) return all;
		let values: Values;
		try {
			const found = reading.valuesOf(itemIndex);
			values = found instanceof Promise ? await found : found;
		} catch (error) {
			if (isBlankItem(run, itemIndex)) blank.set(itemIndex, error);
			else if (!passedOn(run, itemIndex))
				refuse(itemIndex, error, reading.idOfItem?.(itemIndex));
			continue;
		}
		if (values?.length === 0) sink.empty(itemIndex, reading.emptyList);
		for (const [position, value] of (values ?? []).entries()) {
			const pause = position > 0 ? run.yieldToOthers() : undefined;
			if (pause) await pause;
			if (run.ended) return all;
			try {
				all.push(reading.entryOf(value, { items: [itemIndex] }));
			} catch (error) {
				if (passedOn(run, itemIndex)) break;
				if (hasNoValue(value) && isBlankItem(run, itemIndex)) blank.set(itemIndex, error);
				else refuse(itemIndex, inList(error, position, values), reading.idOf?.(value));
			}
		}
	}
	const [first] = lacking;
	const items = lacking.map(({ itemIndex }) => itemIndex);
	const total = run.items.length - blank.size;
	if (first) sink.refused(first.itemIndex, amongOthers(first.error, items, total, reading.verb));
	for (const [itemIndex, error] of blank) {
		if (blank.size < run.items.length) sink.blank(itemIndex);
		else sink.refused(itemIndex, error);
	}
	return all;
}

/** The error of items that lack a value which others have, so that the parameter is right. */
function amongOthers(error: InputError, items: number[], total: number, verb: string): InputError {
	if (items.length === total) return error;
	const [noun, have, them] =
		items.length === 1 ? ['item', 'has', 'it'] : ['items', 'have', 'them'];
	const advice = `${figure(items.length)} of ${count(total, 'item')} ${have} no ${error.missing} (${noun} ${listOf(items)}). Correct ${them}, or set 'On Error' to 'Continue (using error output)' to ${verb} the others.`;
	return new InputError(error.message, advice);
}

/** Whether an item has no file and no field with a value, as blank rows of a spreadsheet. */
const isBlankItem = (run: Run, itemIndex: number): boolean =>
	hasNoValue(fieldsOfItem(run, itemIndex)) && fileFieldsOf(run, itemIndex).length === 0;

const hasNoValue = (value: unknown): boolean =>
	isBlank(value) || (isObject(value) && Object.values(value).every(isBlank));

/** Says which value of a list cannot be used. */
function inList(error: unknown, position: number, { length = 1 }: Values = []): unknown {
	if (length === 1 || !(error instanceof InputError)) return error;
	const message = `Entry ${position} (zero-based) of the list: ${error.message}`;
	return new InputError(message, error.description);
}

/** How many entries of items are passed on at once. */
const SLICE_ENTRIES = 500;

async function* slicesOf<E>(run: Run, all: readonly E[]): AsyncGenerator<E[], void, undefined> {
	for (let from = 0; from < all.length; from += SLICE_ENTRIES) {
		// A canceled run returns nothing, so the rest need not be accounted for.
		if (run.signal.aborted) return;
		yield all.slice(from, from + SLICE_ENTRIES);
	}
}

/** Passes on an item that sums up a file, as our nodes return it, and is nothing else that can be used. */
export function passedOn(run: Run, itemIndex: number): boolean {
	const { json = {}, binary = {} } = run.items[itemIndex] ?? {};
	const { file, records, stats } = json;
	const isSummary = typeof file === 'string' && typeof records === 'number' && isRecord(stats);
	if (isSummary) run.results.give(itemIndex, [json], { binary });
	return isSummary;
}
