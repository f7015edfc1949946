import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { FORMATS } from '../../records/format';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/wording';
import type { FileOrigin } from '../sinks/file-extent';
import { FileSink, type FileResult } from '../sinks/file-sink';
import { hasFile, inputFile } from './files';
import { ItemSink, type ItemResult } from '../sinks/item-sink';
import {
	checkFields,
	EMPTY,
	openItemFile,
	type FileParameters,
	type RecordFile,
	type RecordFileOptions,
} from './record-file';
import { messageOf } from '../run/errors';
import type { Run } from '../run/run';
import type { CommonOptions, Placed, Sink } from '../sinks/sink';

/** Where entries come from, and who accounts for them. */
export interface Source<E> {
	/** Several together; read as they are asked for, and no further once the run has ended. */
	entries: AsyncIterable<E[]>;
	sink: Sink;
	/** Whether no other source follows. */
	isLast: boolean;
}

/** How entries are made of what is read. */
interface Reading<E extends Placed> {
	/**
	 * The entry of a value: of an item, an entry of its list, or a record.
	 *
	 * @throws InputError for a value that cannot be sent
	 */
	entryOf(value: unknown, place: Placed): E;
	/** The ID in a value that cannot be sent, as far as it has one. */
	idOf?(value: unknown): string | undefined;
}

type Values = readonly unknown[] | undefined;

/** How input items are read: all of them and checked, before anything is sent. */
export interface ItemReading<E extends Placed> extends Reading<E> {
	/**
	 * The values of an item: one, or those of its list; undefined for one that is accounted for otherwise.
	 *
	 * @throws InputError for an item that has none
	 */
	valuesOf(itemIndex: number): Values | Promise<Values>;
	/** The ID of an item that has no values that can be sent, if it stands for one document. */
	idOfItem?(itemIndex: number): string | undefined;
	/** What an item with an empty list gets where each entry gets an item. */
	emptyList: IDataObject;
	/** Why a value cannot be sent, with its position if it is one of a list; the error unless given. */
	wrong?(error: unknown, position: number, length: number): unknown;
	/** Resolves equal IDs; may account for entries that are not to be sent. */
	resolve(entries: E[], sink: Sink): E[] | Promise<E[]>;
	sink: ItemResult;
}

/** How the files of input items are read: one after the other, as their records are needed. */
export interface FileReading<E extends Placed> extends Reading<E> {
	/** Fields that a file must have, each with the parameter that names it; see `checkFields`. */
	needed: ReadonlyArray<readonly [field: string, parameter: string]>;
	/** How many records are passed on at once; fewer where what was read and not yet sent counts. */
	sliceRecords?: number;
	sink: FileResult;
}

/**
 * All input items, as one source.
 *
 * @param options of the node
 */
export async function withItems<E extends Placed>(
	run: Run,
	options: CommonOptions,
	reading: ItemReading<E>,
	use: (source: Source<E>) => Promise<void>,
): Promise<void> {
	const sink = new ItemSink(run, options, reading.sink);
	const read = await readItems(run, reading, sink);
	const all = await reading.resolve(read, sink);
	sink.total = all.length;
	await use({ entries: slicesOf(run, all), sink, isLast: true });
	await sink.end();
}

async function readItems<E extends Placed>(
	run: Run,
	reading: ItemReading<E>,
	sink: ItemSink,
): Promise<E[]> {
	const all: E[] = [];
	for (const itemIndex of run.items.keys()) {
		const pause = run.breathe();
		if (pause) await pause;
		if (run.ended) return all;
		const place = { items: [itemIndex] };
		let values: Values;
		try {
			const found = reading.valuesOf(itemIndex);
			values = found instanceof Promise ? await found : found;
		} catch (error) {
			refuseItem(run, itemIndex, error, reading.idOfItem?.(itemIndex));
			continue;
		}
		if (values === undefined) continue;
		if (values.length === 0) sink.empty(itemIndex, reading.emptyList);
		for (const [position, value] of values.entries()) {
			if (position > 0) {
				const pause = run.breathe();
				if (pause) await pause;
			}
			if (run.ended) return all;
			try {
				all.push(reading.entryOf(value, place));
			} catch (error) {
				if (passedOn(run, itemIndex)) break;
				const shown = reading.wrong?.(error, position, values.length) ?? error;
				sink.refused(itemIndex, shown, reading.idOf?.(value));
			}
		}
	}
	return all;
}

/** How many entries of items are passed on at once. */
const SLICE_ENTRIES = 500;

async function* slicesOf<E>(run: Run, all: readonly E[]): AsyncGenerator<E[], void, undefined> {
	for (let from = 0; from < all.length; from += SLICE_ENTRIES) {
		await run.breathe();
		// A canceled run returns nothing, so the rest need not be accounted for.
		if (run.signal.aborted) return;
		yield all.slice(from, from + SLICE_ENTRIES);
	}
}

/** The parameters of a file of records, with those that files have beside their format. */
interface FileSourceParameters extends FileParameters {
	number(name: 'options.skipRecords' | 'options.maxRecords', itemIndex: number): number;
}

/** An open file as a source, with how it is read. */
interface OpenSource<E, R> extends Source<E> {
	itemIndex: number;
	sink: FileSink;
	reading: R;
	/** Resolved once all its entries have been taken. */
	wasRead: Promise<void>;
	/** To be called once all its entries have been answered: returns the rest. */
	end(): Promise<void>;
	/** To be called in any case. */
	close(): void;
}

/**
 * The files of all input items, each opened when the one before was taken. An item without a usable file
 * fails; one that sums up a file, as our nodes return it, is passed on as it is.
 *
 * @param options of the node
 * @param readingOf how a file of an item is read
 */
export async function* openFiles<E extends Placed, R extends FileReading<E>>(
	run: Run,
	parameters: FileSourceParameters,
	options: CommonOptions & Pick<RecordFileOptions, 'otherwise' | 'asOneText'>,
	readingOf: (itemIndex: number, file: RecordFile) => R | Promise<R>,
): AsyncGenerator<OpenSource<E, R>, void, undefined> {
	const sinks = new Set<FileSink>();
	const open = async (itemIndex: number, where: string | IBinaryData, isLast: boolean) => {
		const file = await openItemFile(run, parameters, options, itemIndex, where);
		let source: OpenSource<E, R> | undefined;
		try {
			const path = parameters.text('listPath', itemIndex).trim();
			const skip = parameters.number('options.skipRecords', itemIndex);
			const max = parameters.number('options.maxRecords', itemIndex);
			const reading = await readingOf(itemIndex, file);
			const origin = { file, itemIndex, path, skip, max };
			source = openSource<E, R>(run, origin, options, reading, isLast);
			run.progress = progressOf(sinks, source.sink);
			run.logLines = () => unfinished(sinks).map((sink) => sink.logLine());
			return source;
		} finally {
			if (source === undefined) file.close();
		}
	};
	for (const itemIndex of run.items.keys()) {
		if (run.ended) return;
		if (run.restored(itemIndex)) continue;
		let places: Array<string | IBinaryData> = [];
		try {
			places = placesOf(run, parameters, itemIndex);
			run.beginFiles(itemIndex, places.length);
		} catch (error) {
			run.refuse(itemIndex, error);
		}
		for (const [at, where] of places.entries()) {
			const isLast = itemIndex === run.items.length - 1 && at === places.length - 1;
			// A file that cannot be opened fails alone, not those in other fields of its item.
			const opened = await open(itemIndex, where, isLast).catch((error: unknown) => {
				// A run that ends closes its files, also the one that is being opened.
				if (!run.ended) run.refuse(itemIndex, error);
			});
			if (opened) yield opened;
			if (!run.ended) continue;
			// The only one of its item has no other result, so that the item itself fails.
			const left = places.length > 1 ? places.slice(opened ? at + 1 : at) : [];
			for (const one of left) notRead(run, parameters, itemIndex, one);
			return;
		}
	}
}

/** The run ended before a file was read, and its item may have the results of others. */
function notRead(
	run: Run,
	parameters: FileSourceParameters,
	itemIndex: number,
	where: string | IBinaryData,
): void {
	const reason = run.ended?.reason;
	const { name } = inputFile(run, itemIndex, where, parameters.label('binaryPropertyName'));
	const message = `The file ${quoted(name)} was not read: ${messageOf(reason)}`;
	run.fail(itemIndex, reason, { message, json: { file: name }, skipped: true });
}

function openSource<E extends Placed, R extends FileReading<E>>(
	run: Run,
	origin: FileOrigin,
	options: CommonOptions,
	reading: R,
	isLast: boolean,
): OpenSource<E, R> {
	const sink = new FileSink(run, origin, options, reading.sink);
	let read: () => void = () => undefined;
	const wasRead = new Promise<void>((resolve) => (read = resolve));
	return {
		entries: readRecords(run, origin, reading, sink, read),
		wasRead,
		itemIndex: origin.itemIndex,
		sink,
		isLast,
		reading,
		close: () => origin.file.close(),
		end: async () => {
			origin.file.close();
			await sink.end();
		},
	};
}

/** Opened files as sources, one after the other: `use` has answered all entries of a file when it returns. */
export async function withFiles<E, R>(
	run: Run,
	files: AsyncIterable<OpenSource<E, R>>,
	use: (source: OpenSource<E, R>) => Promise<void>,
): Promise<void> {
	for await (const source of files) {
		await finish(run, source, use);
	}
}

/** Opened files as sources, with the entries of several in flight: a file is opened once the one before was read. */
export async function withAllFiles<E, R>(
	run: Run,
	files: AsyncIterable<OpenSource<E, R>>,
	use: (source: OpenSource<E, R>) => Promise<void>,
): Promise<void> {
	const unfinished = new Set<Promise<void>>();
	for await (const source of files) {
		const ending: Promise<void> = finish(run, source, use).finally(() =>
			unfinished.delete(ending),
		);
		unfinished.add(ending);
		await Promise.race([source.wasRead, ending]);
	}
	await Promise.all(unfinished);
}

async function finish<E, R>(
	run: Run,
	source: OpenSource<E, R>,
	use: (source: OpenSource<E, R>) => Promise<void>,
): Promise<void> {
	try {
		await use(source);
		await source.end();
	} catch (error) {
		run.refuse(source.itemIndex, error);
	} finally {
		source.close();
	}
}

/** Files that a message names: those that were opened last. */
const MAX_FILES_NAMED = 3;

const unfinished = (sinks: Iterable<FileSink>): FileSink[] =>
	[...sinks].filter(({ hasEnded }) => !hasEnded);

/** What had been done: with the files in flight, or else with the one that was opened last. */
function progressOf(sinks: Set<FileSink>, opened: FileSink): () => string {
	for (const sink of sinks) if (sink.hasEnded) sinks.delete(sink);
	sinks.add(opened);
	return () => {
		const left = unfinished(sinks);
		const named = left.length > 0 ? left.slice(-MAX_FILES_NAMED) : [opened];
		return named.map((sink) => sink.progress()).join(' ');
	};
}

/**
 * Where the files of an item are: in the fields that are named, separated by commas. Of several names,
 * those count that the item has.
 */
function placesOf(
	run: Run,
	parameters: FileSourceParameters,
	itemIndex: number,
): Array<string | IBinaryData> {
	const where = parameters.file('binaryPropertyName', itemIndex);
	if (typeof where !== 'string') return [where];
	const names = [...new Set(where.split(',').flatMap((name) => name.trim() || []))];
	if (names.length === 0) {
		const label = parameters.label('binaryPropertyName');
		throw new InputError(`'${label}' has no name`, 'Enter the name of a field with a file.');
	}
	const found = names.filter((name) => hasFile(run, itemIndex, name));
	if (found.length > 0) return found;
	return passedOn(run, itemIndex) ? [] : names.slice(0, 1);
}

/** An item cannot be used, unless it is to be passed on. */
export function refuseItem(run: Run, itemIndex: number, error: unknown, id?: string): void {
	if (!passedOn(run, itemIndex)) run.refuse(itemIndex, error, id);
}

/** Passes on an item that sums up a file, as our nodes return it, and is nothing else that can be used. */
function passedOn(run: Run, itemIndex: number): boolean {
	const { json = {}, binary = {} } = run.items[itemIndex] ?? {};
	const { file, records, deadLetters } = json;
	const isSummary =
		typeof file === 'string' && typeof records === 'number' && Array.isArray(deadLetters);
	if (isSummary) run.doneWithFiles(itemIndex, json, binary);
	return isSummary;
}

/** How many records are passed on at once: what is read and not yet sent is lost work if the run ends. */
const SLICE_RECORDS = 64;

/** What is to be sent of a file; all other records are accounted for. */
async function* readRecords<E extends Placed>(
	run: Run,
	{ file, itemIndex, skip, max }: FileOrigin,
	{ needed, entryOf, idOf, sliceRecords = SLICE_RECORDS }: FileReading<E>,
	sink: FileSink,
	wasRead: () => void,
): AsyncGenerator<E[], void, undefined> {
	const items = [itemIndex];
	const last = max === 0 ? Infinity : skip + max;
	let isFirst = true;
	let at = 0;
	try {
		for await (const records of file.records(skip)) {
			let slice: E[] = [];
			for (const record of records) {
				const pause = run.breathe();
				if (pause) await pause;
				if (slice.length === sliceRecords) {
					yield slice;
					slice = [];
				}
				if (run.ended) break;
				if (record.record > last) {
					if (slice.length > 0) yield slice;
					return;
				}
				at = record.record;
				if (isFirst) checkFields(file, record, needed);
				isFirst = false;
				sink.extent.read(record);
				const place = { items, record };
				try {
					if (record.error) throw record.error;
					slice.push(entryOf(record.value, place));
				} catch (reason) {
					await sink.failed(place, { reason, id: idOf?.(record.value) });
				}
			}
			if (slice.length > 0) yield slice;
			if (run.ended) return;
		}
		if (isFirst) checkNotEmpty(file);
		sink.extent.ended();
	} catch (error) {
		// Whatever is wrong after Max Records is reported by the run that reads that far.
		if (at < last) sink.extent.brokenOff(error);
	} finally {
		wasRead();
	}
}

function checkNotEmpty({ name, format, reader }: RecordFile): void {
	if (FORMATS[format].isList || reader.header || reader.position.record > 1) return;
	throw new InputError(`The file ${quoted(name)} is empty`, EMPTY);
}
