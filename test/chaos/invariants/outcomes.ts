/** What a run says became of its items and records, beside what did. */
import type { INodeExecutionData } from 'n8n-workflow';

import { claimOf, denialsIn, recordIn, summaryOf, type Summary } from '../adapter';
import type { FileRecord } from '../files';
import {
	isAbout,
	itemsOf,
	pairedWith,
	wordsOf,
	type Aftermath,
	type FileInput,
	type Played,
} from '../played';
import type { World } from '../world';
import { short, type Check, type Found } from './invariant';

/** The item of a file, and what it was given. */
export interface Answer {
	run: Played;
	input: FileInput;
	item: INodeExecutionData;
	summary: Summary;
	/** The run ended before the file did. */
	isEnded: boolean;
}

/** The items that sum up the files of a run. */
export function answersOf(run: Played): Answer[] {
	const items = [...run.result.output, ...run.result.errorOutput];
	return run.inputs.flatMap((input, at) =>
		items
			.filter((item) => isAbout(run, at, item))
			.flatMap((item) => {
				const summary = summaryOf(item.json);
				const isEnded = claimOf(item.json).error !== undefined;
				return summary === undefined ? [] : [{ run, input, item, summary, isEnded }];
			}),
	);
}

export const perAnswer =
	(check: (answer: Answer, after: Aftermath) => Found): Check =>
	(after) =>
		after.runs.flatMap((run) => answersOf(run).flatMap((answer) => check(answer, after)));

/** What a run says of one item or one record. */
export interface Outcome {
	/** Names the item or the record. */
	name: string;
	/** Why it failed; undefined if it did not. */
	error?: string;
	/** It says in a field that it was not done. */
	isDenied: boolean;
	/** What is asked for has taken effect. */
	isDone: boolean;
	/** The service has accepted the document, or one of those that this is about. */
	isAccepted: boolean;
}

/** How many migrations there can be if all that deny theirs are right. */
function mayHaveMigrated({ settings }: World, runs: Played[]): number {
	if (settings.oncePerItem !== true) return 0;
	return runs
		.flatMap(itemsOf)
		.filter(({ json }) => denialsIn(claimOf(json).error ?? '').length === 0).length;
}

/** Whether what an input item asks for took effect. */
function tookEffect({ world, server, runs }: Aftermath, owner: number): boolean {
	const { truth } = server.service;
	switch (world.node) {
		case 'push':
			return truth.document(String(world.items[owner]?.version)).accepted > 0;
		case 'delete':
			return truth.deletedIds.has(String(world.items[owner]?.id));
		case 'migrate':
			return truth.migrations.effects > mayHaveMigrated(world, runs);
		case 'chunk':
			// An item says something about one of its texts, so all of them have to be submitted.
			return world.texts[owner]?.every(
				(_, at) => (truth.texts.get(`i${owner}t${at}`)?.jobs.length ?? 0) > 0,
			);
	}
}

/** A second delete of the same document finds nothing, and may say so. */
const mayBeMissing = ({ files = [] }: World, { key }: FileRecord): boolean =>
	files.flatMap((file) => file.records).filter((record) => record.key === key).length > 1;

/** What the items of a run say. */
function outcomesOfItems(run: Played, after: Aftermath): Outcome[] {
	const { world, server } = after;
	const { truth } = server.service;
	const isAccepted = (at: number) =>
		world.node === 'push' && truth.document(String(world.items[at]?.version)).accepted > 0;
	const outcomes = itemsOf(run).map((item): Outcome => {
		const { error, pushed, deleted, migrated } = claimOf(item.json);
		const [at] = pairedWith(item);
		const isMissing = 'notFound' in item.json;
		return {
			name: `item ${run.owners[at].join()}: ${short(item.json)}`,
			error,
			isDenied: [pushed, deleted, migrated].includes(false) && !isMissing,
			isDone: tookEffect(after, run.owners[at][0]),
			isAccepted: pairedWith(item).some(isAccepted),
		};
	});
	const stop = run.result.error as { context?: { itemIndex?: number } } | undefined;
	const at = stop?.context?.itemIndex;
	if (at !== undefined) {
		const isDone = tookEffect(after, run.owners[at][0]);
		const name = `item ${run.owners[at].join()}`;
		// What a run that stopped says is of all its documents.
		outcomes.push({ name, error: wordsOf(run), isDenied: false, isDone, isAccepted: false });
	}
	return outcomes;
}

/** What the summaries of a run say of records that failed, and its error of the one that stopped it. */
function outcomesOfRecords(run: Played, { world }: Aftermath): Outcome[] {
	const outcomeOf = ({ file }: FileInput, number: number, error: string): Outcome[] => {
		const record = file.records[number - 1];
		const isAccepted = run.effects.has(record?.key ?? '');
		const isDone = record !== undefined && isAccepted && !mayBeMissing(world, record);
		return [
			{ name: `${file.name}, record ${number}`, error, isDenied: false, isDone, isAccepted },
		];
	};
	const words = wordsOf(run);
	const stopped = run.inputs.find(({ file }) => words.includes(`'${file.name}'`));
	return [
		...answersOf(run).flatMap(({ input, summary }) =>
			summary.failures.flatMap(({ record, error }) => outcomeOf(input, record, error)),
		),
		...(stopped === undefined ? [] : outcomeOf(stopped, recordIn(words), words)),
	];
}

/** What a run says of all that it was given. */
export const outcomesOf = (run: Played, after: Aftermath): Outcome[] => [
	...outcomesOfItems(run, after),
	...outcomesOfRecords(run, after),
];
