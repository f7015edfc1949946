/** Every item and every record is accounted for once. */
import type { INodeExecutionData } from 'n8n-workflow';

import { claimOf } from '../adapter';
import { endOf, showsCut, wantedOf } from '../files';
import { itemAt, itemsOf, pairedWith, wordsOf, type Played } from '../played';
import { MARKER } from '../service';
import { short, stopped, type Check, type Found, type Invariant } from './invariant';
import { answersOf, perAnswer } from './outcomes';

const everyItemOnce: Check = ({ world, runs }) =>
	runs.flatMap((run) => {
		if (run.canceled) return [];
		const items = itemsOf(run);
		if (stopped(run)) {
			return items.length > 0 ? [['every item once', 'a stopped run returned items']] : [];
		}
		const found: Array<[Invariant, string]> = [];
		const byInput = new Map<number, INodeExecutionData[]>();
		for (const item of items) {
			const pairs = pairedWith(item);
			if (pairs.length === 0)
				found.push(['every item once', `unpaired: ${short(item.json)}`]);
			for (const at of pairs) byInput.set(at, [...(byInput.get(at) ?? []), item]);
		}
		run.owners.forEach((owners, at) => {
			const mine = byInput.get(at) ?? [];
			const failures = mine.filter(({ json }) => claimOf(json).error !== undefined);
			if (mine.length === 0 && !mayBeSilent(run)) {
				found.push(['every item once', `nothing for item ${at}`]);
			}
			if (failures.length > owners.length)
				found.push(['every item once', `${failures.length} errors for item ${at}`]);
			const single = world.node === 'delete' || world.node === 'push';
			if (
				single &&
				owners.length < 2 &&
				run.settings.pushOutput !== 'summary' &&
				mine.length > 1
			) {
				found.push(['every item once', `${mine.length} results for item ${at}`]);
			}
		});
		return [...found, ...chunksTwice(run, items)];
	});

/** Items may end without an output item of their own: as a document without chunks, or migrated with the others. */
const mayBeSilent = ({ settings }: Played): boolean => settings.chunkOutput === 'documents';

function chunksTwice(run: Played, items: INodeExecutionData[]): Array<[Invariant, string]> {
	const { chunkOutput } = run.settings;
	if (chunkOutput !== 'chunks' && chunkOutput !== 'documents') return [];
	const seen = new Set<string>();
	const twice: Array<[Invariant, string]> = [];
	for (const item of items) {
		const { json } = item;
		if (claimOf(json).error !== undefined || typeof json.text !== 'string') continue;
		const [marker] = json.text.match(MARKER) ?? [];
		if (marker === undefined || json.text.includes('\n')) continue;
		// A file that is continued may have a record that failed, and is in a file of its own.
		const chunk = `${marker} of item ${pairedWith(item).join()}`;
		if (seen.has(chunk)) twice.push(['every item once', `chunk ${chunk} twice`]);
		seen.add(chunk);
	}
	return twice;
}

const continues: Check = ({ world, runs }) =>
	world.onError === 'stopWorkflow'
		? []
		: runs
				.filter((run) => stopped(run) && !run.canceled)
				.map((run) => ['continues', `the run stopped: ${wordsOf(run)}`]);

/** A file that was read is summed up once; one that was not has an error. */
const summedUp: Check = ({ runs }) =>
	runs.flatMap((run) => {
		if (run.canceled || run.result.error !== undefined) return [];
		const answers = answersOf(run);
		const failed = [...run.result.output, ...run.result.errorOutput].filter(
			(item) => claimOf(item.json).error !== undefined,
		);
		return run.inputs.flatMap((input, at): Found => {
			const mine = answers.filter((answer) => answer.input === input).length;
			const isFailed = failed.some((item) => pairedWith(item).includes(itemAt(run, at)));
			return (mine === 1 && !input.file.refused) || (mine === 0 && isFailed)
				? []
				: [['every record once', `${mine} summaries of ${input.file.name}`]];
		});
	});

const accounted = perAnswer(({ input: { file }, summary, isEnded }) => {
	const { records, done, failed, skipped, notFound, failures, failureCounts } = summary;
	const wrong = (detail: string): Found => [
		['every record once', `${file.name}: ${detail}, ${JSON.stringify(summary)}`],
	];
	if (done + failed + skipped + notFound !== records) return wrong('they do not add up');
	const count = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
	const inAll = [failures.length, count(failureCounts.map((entry) => entry.records))];
	if (inAll.some((number) => number !== failed)) return wrong('failures are missing');
	if (new Set(failures.map(({ record }) => record)).size !== failed) return wrong('one twice');
	const all = Math.min(file.records.length + (file.isCut ? 1 : 0), endOf(file));
	if (isEnded) return records > all ? wrong('more than there are') : [];
	if (records !== all) return wrong(`of ${all} records`);
	if (showsCut(file) !== (summary.readError !== undefined)) return wrong('where the file ends');
	return skipped === Math.min(file.skip, file.records.length) ? [] : wrong('skipped too many');
});

/** Ranges without a gap cover each record once. */
const onceInRanges: Check = ({ world, runs, server }) => {
	const { files = [] } = world;
	const isPlain = runs.length === 1 && server.played.length === 0 && !runs[0]?.canceled;
	if (!isPlain || files.every(({ max }) => max === undefined)) return [];
	// The last delete may be repeated to commit.
	if (world.settings.commit === 'lastDeleteOnly') return [];
	const { truth } = server.service;
	const timesOf = (key: string): number => {
		if (world.node === 'push') return truth.document(key).accepted;
		if (world.node === 'chunk') return truth.texts.get(key)?.jobs.length ?? 0;
		return truth.requestedDeletes.filter((id) => id === key).length;
	};
	const keys = files.flatMap(wantedOf).map(({ key = '' }) => key);
	return [...new Set(keys)]
		.filter((key) => timesOf(key) > keys.filter((other) => other === key).length)
		.map((key) => ['every record once', `${key} was read ${timesOf(key)} times`]);
};

/** The number of chunks is that of what was returned. */
const chunkCount: Check = ({ runs, world }) =>
	runs.flatMap((run) => {
		const isCounted = ['chunks', 'documents'].includes(String(run.settings.chunkOutput));
		const answers = answersOf(run);
		if (world.node !== 'chunk' || !isCounted || answers.length === 0) return [];
		if (answers.some(({ summary }) => summary.chunks === undefined)) return [];
		const claimed = answers.reduce((sum, { summary }) => sum + (summary.chunks ?? 0), 0);
		const returned = itemsOf(run).filter(
			({ json }) => typeof json.text === 'string' && json.chunkCount !== 0,
		).length;
		return claimed === returned
			? []
			: [['every record once', `${claimed} chunks, but ${returned} were returned`]];
	});

export const ACCOUNTING: Check[] = [
	everyItemOnce,
	continues,
	summedUp,
	accounted,
	onceInRanges,
	chunkCount,
];
