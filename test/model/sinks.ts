/** How a run reads its items, and what it returns for the fates of its entries. */
import type { IDataObject } from 'n8n-workflow';

import { read } from './files';
import type { Entry, Expected, Failure, FileSummary, Given, Item, Shown } from './model';
import { replacedBy, type Sending } from './sending';

export interface NodeRun {
	/** The name of the field that says that an entry is done. */
	verb: 'pushed' | 'deleted';
	isFile: boolean;
	readItem: (item: Item, at: number) => Entry[];
	sending: Sending;
	/** An ID that occurs several times in items is sent once. In a file, each occurrence is sent. */
	isOnceEach?: boolean;
}

/** Predicts a run of Push Documents or Delete Document. */
export function predictRun(given: Given, run: NodeRun): Expected {
	const { sending } = run;
	const entries: Entry[] = [];
	const seen = new Set<string>();
	const sameIds = new Map<number, number>();
	const sameAs = new Map<Entry, Entry>();
	const note = ({ id, item, fate }: Entry) => {
		if (id === undefined || fate || run.verb === 'deleted') return;
		if (seen.has(id)) sameIds.set(item, (sameIds.get(item) ?? 0) + 1);
		seen.add(id);
	};
	if (run.isFile) {
		for (const [at, item] of given.items.entries()) {
			if (sending.ended) break;
			const { skipRecords, maxRecords } = given;
			const records = run.readItem(item, at);
			const last = maxRecords > 0 ? skipRecords + maxRecords : records.length;
			for (const entry of records.slice(0, last)) {
				entries.push(entry);
				if ((entry.record ?? 0) <= skipRecords) entry.fate = { is: 'skipped' };
				else if (entry.fate?.is === 'failed') {
					if (given.onError === 'stopWorkflow') sending.ended ??= entry.fate.failure;
				} else {
					note(entry);
					sending.add(entry);
				}
				if (sending.ended) break;
			}
			const isDamaged = item.file !== undefined && read(item.file).readError !== undefined;
			if (isDamaged && given.onError === 'stopWorkflow')
				sending.ended ??= { claim: 'invalid' };
			if (!sending.ended) sending.flush();
		}
	} else {
		entries.push(
			...given.items.flatMap((item, at) =>
				run.isOnceEach ? distinct(run.readItem(item, at)) : run.readItem(item, at),
			),
		);
		// If no item has a value, there is no table with blank rows, and all items fail.
		if (entries.every(({ fate }) => fate?.is === 'blank'))
			for (const entry of entries)
				entry.fate = { is: 'failed', failure: { claim: 'invalid' } };
		const isStopped =
			given.onError === 'stopWorkflow' && entries.some(({ fate }) => fate?.is === 'failed');
		if (isStopped) sending.ended = { claim: 'invalid' };
		for (const entry of entries.filter(({ fate }) => fate === undefined)) {
			note(entry);
			const first = entries.find(({ id, fate }) => id === entry.id && !isInvalid(fate));
			if (run.isOnceEach && first !== entry) sameAs.set(entry, first as Entry);
			else sending.add(entry);
		}
	}
	if (!sending.ended) sending.finish();
	for (const [entry, first] of sameAs) if (first.fate) entry.fate = first.fate;
	settle(given, entries, sending);
	const isStopped = given.onError === 'stopWorkflow' && sending.ended !== undefined;
	const repeated = [...sameIds.values()].reduce((sum, count) => sum + count, 0);
	const failed = entries.filter(
		(entry) => entry.fate?.is === 'failed' && !sameAs.has(entry),
	).length;
	const { sent, figures } = sending;
	return {
		sent,
		figures,
		untimed: untimedOf(given, run, entries, sending),
		output: [],
		failed: [],
		files: [],
		facts: isStopped
			? {}
			: run.isFile
				? { sameIds: repeated, ...rowFacts(given) }
				: {
						sameIds: repeated,
						failed,
						blank: entries.filter(({ fate }) => fate?.is === 'blank').length,
					},
		...(isStopped
			? {
					error: errorOf(
						run,
						entries.filter((entry) => !sameAs.has(entry)),
						sending,
					),
				}
			: run.isFile
				? {
						files: given.items.map((item, at) =>
							summaryOf(
								given,
								run,
								item,
								entries.filter((one) => one.item === at),
								at,
							),
						),
					}
				: shownOf(given, run, entries, sending)),
	};
}

const isInvalid = (fate: Entry['fate']): boolean =>
	fate?.is === 'failed' && fate.failure.claim === 'invalid';

/** Returns entries without those whose ID has occurred before. */
const distinct = (entries: Entry[]): Entry[] =>
	entries.filter(
		({ id, fate }, at) =>
			fate || entries.findIndex((other) => other.id === id && !other.fate) === at,
	);

/** Returns what depends on time. */
function untimedOf(
	given: Given,
	{ isFile, readItem }: NodeRun,
	entries: Entry[],
	{ ended, figures }: Sending,
): Expected['untimed'] {
	const untimed: Expected['untimed'] = [];
	const isStopped = given.onError === 'stopWorkflow' && ended !== undefined;
	// A fault that lasts is repeated for some time. Meanwhile, the results of other requests decide about splits.
	if (given.fault === 503) untimed.push('sent', 'figures', 'request');
	const ids = entries.map(({ id }) => id);
	if (given.concurrency > 1 && (figures.splits > 0 || new Set(ids).size < ids.length))
		untimed.push('request');
	const fails = entries.filter(({ fate }) => fate?.is === 'failed');
	const isBadFile =
		isFile &&
		given.items.some(
			(item, at) =>
				(item.file && read(item.file).readError) ||
				readItem(item, at).some(({ fate }) => fate),
		);
	// A file is read while requests are in flight, so a bad record can end the run before any response.
	if (isStopped && isBadFile) untimed.push('sent', 'figures');
	if (
		isStopped &&
		isBadFile &&
		(fails.some(({ fate }) => fate?.is === 'failed' && fate.failure.claim !== 'invalid') ||
			given.fault !== 'nothing')
	)
		untimed.push('error');
	// How far a file is read before the run ends depends on the speed of reading.
	if (isFile && ended) untimed.push('facts');
	return untimed;
}

/** Counts rows of which a file's hints tell. Rows before and after the chosen range are not read. */
function rowFacts({ items, skipRecords, maxRecords }: Given): { blank: number; short?: number } {
	const files = items.flatMap(({ file }) => (file ? [read(file)] : []));
	const all = files.flatMap(({ records }) =>
		records.slice(skipRecords, maxRecords > 0 ? skipRecords + maxRecords : undefined),
	);
	const after = files.filter(({ records }) => maxRecords === 0 && records.length > skipRecords);
	return {
		blank: [...all, ...after].reduce((sum, { blanks = 0 }) => sum + blanks, 0),
		// Open: with a range, the node also counts rows that it does not send.
		...(skipRecords + maxRecords === 0 && {
			short: all.filter(({ isShort }) => isShort).length,
		}),
	};
}

/** Gives a fate to the entries that were not sent because the run ended, and to those replaced by a failed one. */
function settle({ onError }: Given, entries: Entry[], { ended }: Sending): void {
	for (const entry of entries) {
		if (entry.fate) continue;
		if (ended === undefined) throw new Error(`Entry ${entry.id} has no fate`);
		const failure = { ...ended, ...(entry.id !== undefined && { id: entry.id }) };
		entry.fate =
			onError === 'stopWorkflow' || entry.record !== undefined
				? { is: 'skipped' }
				: { is: 'failed', failure };
	}
	for (const entry of entries.toReversed()) {
		const later = replacedBy.get(entry)?.fate;
		if (entry.fate?.is === 'replaced' && later?.is !== 'done' && later?.is !== 'replaced')
			entry.fate = later as never;
	}
}

function errorOf(
	{ isFile }: NodeRun,
	entries: Entry[],
	{ ended, firstFailed, sent }: Sending,
): Expected['error'] {
	// Of documents with the same ID, the error names the one that was sent.
	const first = firstFailed ?? entries.find(({ fate }) => fate?.is === 'failed');
	const failure = first?.fate?.is === 'failed' ? first.fate.failure : (ended as Failure);
	const done = entries.filter(({ fate }) => fate?.is === 'done').length;
	if (isFile)
		return {
			...failure,
			...(first?.record !== undefined && !first.hasOnlyLine && { record: first.record }),
		};
	const of = entries.filter(
		({ fate }) => fate?.is !== 'blank' && fate?.is !== 'emptyList',
	).length;
	return {
		...failure,
		item: first?.item ?? 0,
		...(sent.length > 0 && { confirmed: done, of }),
	};
}

/** The output items of the items road. */
function shownOf(
	given: Given,
	run: NodeRun,
	entries: Entry[],
	{ figures }: Sending,
): Pick<Expected, 'output' | 'failed'> {
	if (given.output === 'perInputItem') return perInputItem(given, run, entries);
	const committed = run.sending.isCommitted && { committed: true };
	const output: Shown[] = [];
	const failed: Shown[] = [];
	for (const { item, id, fate } of entries) {
		const of = [item];
		if (fate?.is === 'failed') failed.push({ of, json: {}, failure: fate.failure });
		else if (given.output === 'summary' || fate?.is === 'blank') continue;
		else if (fate?.is === 'done')
			output.push({
				of,
				json: {
					id,
					[run.verb]: !given.dryRun,
					...(given.dryRun && { dryRun: true }),
					...committed,
					...(run.verb === 'pushed' && fate.shown),
				},
			});
		else if (fate?.is === 'notFound')
			output.push({ of, json: { id, [run.verb]: false, notFound: true } });
		else
			output.push({
				of,
				json: { ...(id !== undefined && { id }), [run.verb]: false, reason: true },
			});
	}
	if (given.output === 'summary') output.push(summary(given, entries, figures as never));
	return { output, failed };
}

const counting = (entries: Entry[]) => (is: string) =>
	entries.filter(({ fate }) => fate?.is === is).length;

/** One item for the whole run. It is linked to all items of which something did not fail. */
function summary({ dryRun }: Given, entries: Entry[], stats: IDataObject): Shown {
	const count = counting(entries);
	const [skipped, blank] = [count('replaced'), count('blank')];
	const of = new Set(entries.filter(({ fate }) => fate?.is !== 'failed').map(({ item }) => item));
	return {
		of: of.size > 0 ? [...of] : [0],
		json: {
			documents: count('done'),
			failures: count('failed'),
			...(skipped > 0 && { skipped }),
			...(blank > 0 && { blank }),
			...(dryRun && { dryRun }),
			stats,
		},
	};
}

/** Fields that the node returns itself, so it never keeps source fields with these names. */
const OWN = [
	'error',
	'advice',
	'httpStatus',
	'dryRun',
	'checked',
	'pushed',
	'deleted',
	'notFound',
	'skipped',
	'failed',
	'failures',
	'failedIds',
];

/** One item for each input item. It fails if any of its entries failed. */
function perInputItem(
	given: Given,
	{ verb }: NodeRun,
	entries: Entry[],
): Pick<Expected, 'output' | 'failed'> {
	const output: Shown[] = [];
	const failed: Shown[] = [];
	for (const [at, { json }] of given.items.entries()) {
		const own = entries.filter(({ item }) => item === at);
		const count = counting(own);
		const failures = own.flatMap(({ fate }) => (fate?.is === 'failed' ? [fate.failure] : []));
		const skipped = count('replaced');
		const kept = given.keep
			.filter((name) => name in json && !OWN.includes(name))
			.map((name) => [name, json[name]]);
		const shown = {
			...Object.fromEntries(kept),
			...(given.dryRun && { dryRun: true }),
			[given.dryRun ? 'checked' : verb]: count('done'),
			...(given.ignoreNotFound && { notFound: count('notFound') }),
			...(skipped > 0 && { skipped }),
			failed: failures.length,
		};
		if (failures.length === 0) output.push({ of: [at], json: shown });
		else {
			const failedIds = failures.flatMap(({ id }) => (id === undefined ? [] : [id]));
			failed.push({ of: [at], json: { ...shown, failedIds, failures: failures as never } });
		}
	}
	return { output, failed };
}

/** The item for a file: counts that add up to the number of records, and the records that failed. */
function summaryOf(
	given: Given,
	{ verb, sending }: NodeRun,
	{ file }: Item,
	entries: Entry[],
	of: number,
): FileSummary {
	const count = counting(entries);
	if (sending.ended)
		return {
			of,
			json: { [verb]: count('done'), hasEnded: true, unaccounted: 0 },
			failed: [],
			unreadable: [],
			failures: [],
		};
	const { readError, records } = file ? read(file) : { records: [] };
	const isBroken = readError === true && entries.length === records.length;
	const failed = entries.filter(({ fate }) => fate?.is === 'failed');
	const atEnd =
		!readError &&
		!sending.ended &&
		(given.maxRecords === 0 || entries.length === records.length);
	return {
		of,
		json: {
			records: entries.length + Number(isBroken),
			[given.dryRun ? 'checked' : verb]: count('done'),
			failed: failed.length + Number(isBroken),
			skipped: count('skipped') + count('replaced'),
			atEnd,
			...(sending.isCommitted && { committed: true }),
			...(given.ignoreNotFound && { notFound: count('notFound') }),
			...(readError && { readError: true }),
			...(given.dryRun && { dryRun: true }),
		},
		failed: failed.filter(({ isUnreadable }) => !isUnreadable).map(({ source = '' }) => source),
		unreadable: failed
			.filter(({ isUnreadable }) => isUnreadable)
			.map(({ source = '' }) => source),
		failures: [
			...failed.map(({ record = 0, fate }) => ({
				record,
				...(fate as { failure: Failure }).failure,
			})),
			...(isBroken ? [{ record: records.length + 1, claim: 'invalid' as const }] : []),
		],
	};
}
