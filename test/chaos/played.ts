/** What is known of a world after it was played: its runs, and the files they read and returned. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RunResult } from '../../support/engine';
import { recordsFieldOf, summaryOf, type Settings } from './adapter';
import type { FilePlan } from './files';
import type { ChaosServer } from './server';
import type { World } from './world';

/** A file as the input of a run. */
export interface FileInput {
	/** Its number in the world, or that of the file its records come from. */
	owner: number;
	file: FilePlan;
	content: string | Buffer;
	/** The input item that has the file, if that is not the one of its own. */
	item?: number;
}

/** A file that a run returned. */
export interface ReturnedFile {
	item: INodeExecutionData;
	field: string;
	name: string;
	text: string;
}

/** One run of the node within a world. */
export interface Played {
	result: RunResult;
	settings: Settings;
	/** The original items, or the files, that each input item of this run stands for. */
	owners: number[][];
	/** How long it took, from the Stop button on if that was pressed. */
	tookMs: number;
	canceled: boolean;
	/** What was logged meanwhile. */
	logs: string[];
	/** The files that were read, by input item. */
	inputs: FileInput[];
	/** The files that were returned. */
	files: ReturnedFile[];
	/** Keys of the records that had taken effect when the run had ended. */
	effects: Set<string>;
	/** Chunking IDs that the node had got by then. */
	jobs: string[];
	/** Chunks that had been delivered by then. */
	delivered: Set<string>;
}

/** Everything that is known after a world was played. */
export interface Aftermath {
	world: World;
	server: ChaosServer;
	runs: Played[];
	logs: string[];
	/** Rejections and exceptions nobody handled. */
	stray: string[];
	/** Sockets and timers that were left. */
	handles: string[];
}

/** The words of a run's error, as a user reads them. */
export function wordsOf({ result: { error } }: Played): string {
	if (error === undefined) return '';
	const { message, description } = error as { message?: string; description?: string | null };
	return `${message ?? ''}. ${description ?? ''}`;
}

/** All that a run returned, the records of files among it. */
export const itemsOf = ({ result, files }: Played): INodeExecutionData[] => [
	...result.output,
	...result.errorOutput,
	...recordsIn(files),
];

/** The item an output item is paired with; -1 for none. */
export function pairedWith({ pairedItem }: INodeExecutionData): number[] {
	return [pairedItem ?? []]
		.flat()
		.map((paired) => (typeof paired === 'number' ? paired : paired.item));
}

/** The input item that has a file of a run. */
export const itemAt = ({ inputs }: Played, at: number): number => inputs[at]?.item ?? at;

/** Whether an output item is about a file of a run: the only one of its item, or the one it names. */
export const isAbout = (run: Played, at: number, item: INodeExecutionData): boolean => {
	const mine = itemAt(run, at);
	if (!pairedWith(item).includes(mine)) return false;
	return run.owners[mine].length < 2 || item.json.file === run.inputs[at]?.file.name;
};

/** Chunks in files, as the items that they would have been. */
export const recordsIn = (files: ReturnedFile[]): INodeExecutionData[] =>
	linesIn(files.filter(({ item, field }) => field === recordsFieldOf(item.json)));

/** Responses in files, as items. */
export const responsesIn = (files: ReturnedFile[]): INodeExecutionData[] =>
	linesIn(
		files.filter(({ item, field: wanted }) =>
			summaryOf(item.json)?.responses?.some(({ field }) => field === wanted),
		),
	);

const linesIn = (files: ReturnedFile[]): INodeExecutionData[] =>
	files.flatMap(({ item: { pairedItem }, text }) =>
		text
			.split('\n')
			.filter(Boolean)
			.map((line) => ({ json: JSON.parse(line) as IDataObject, pairedItem })),
	);

/** The files with the records of an input that failed. */
export function failedFilesOf(
	{ files }: Played,
	item: INodeExecutionData,
): Array<Omit<ReturnedFile, 'item'> & { isUnreadable: boolean }> {
	const listed = summaryOf(item.json)?.deadLetters ?? [];
	return listed.map(({ field, unreadable }) => {
		const { name = '', text = '' } =
			files.find((file) => file.item === item && file.field === field) ?? {};
		return { field, name, text, isUnreadable: unreadable === true };
	});
}
