/** The files of a world: how they get into a run, what it returns, and what is left for another one. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { TestFiles } from '../../support/binary-data';
import type { RunResult } from '../../support/engine';
import { recordsFieldOf, resumptionIn, summaryOf } from './adapter';
import { contentOf, endOf, failedFile, failedIn, jsonOf, type FilePlan } from './file-plan';
import { pairedWith, wordsOf, type Played } from './run-world';
import type { World } from './world';

/** A file as the input of a run. */
export interface FileInput {
	/** Its number in the world, or that of the file its records come from. */
	owner: number;
	file: FilePlan;
	content: string | Buffer;
}

/** A file that a run returned. */
export interface ReturnedFile {
	item: INodeExecutionData;
	field: string;
	name: string;
	text: string;
}

/** n8n's files in a folder of their own. */
export class Folder {
	private readonly place = mkdtempSync(path.join(tmpdir(), 'chaos-'));
	private readonly files = new TestFiles(this.place);

	async open(): Promise<void> {
		await this.files.use('filesystem');
	}

	async itemOf({ file, content }: FileInput): Promise<INodeExecutionData> {
		if (file.refused === 'missing') return { json: jsonOf(file) };
		const mimeType = file.isTextPlain ? 'text/plain' : 'application/octet-stream';
		const { binary = {} } = await this.files.item(content, file.name, mimeType);
		return { json: jsonOf(file), binary };
	}

	async returnedBy({ output, errorOutput }: RunResult): Promise<ReturnedFile[]> {
		const found: ReturnedFile[] = [];
		for (const item of [...output, ...errorOutput]) {
			for (const [field, binary] of Object.entries(item.binary ?? {})) {
				const { fileName: name = '' } = binary;
				found.push({ item, field, name, text: await this.files.text(binary) });
			}
		}
		return found;
	}

	/** Files that this process has open. */
	openFiles(): string[] {
		const FOLDER = '/proc/self/fd';
		return namesIn(FOLDER).filter((name) =>
			targetOf(path.join(FOLDER, name)).startsWith(this.place),
		);
	}

	remove(): void {
		rmSync(this.place, { recursive: true, force: true });
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return []; // Only Linux has it.
	}
}

function targetOf(link: string): string {
	try {
		return readlinkSync(link);
	} catch {
		return ''; // It was closed meanwhile.
	}
}

export const inputsOf = ({ files = [] }: World): FileInput[] =>
	files.map((file, at) => ({ owner: file.number ?? at, file, content: contentOf(file) }));

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

/** Continues with a file where these words say. */
function continued(input: FileInput, words: string): FileInput {
	const found = resumptionIn(words);
	const { file } = input;
	if (found?.file !== file.name) return input;
	const left = file.max !== undefined && { max: endOf(file) - found.skip };
	return { ...input, file: { ...file, skip: found.skip, ...left } };
}

/** No range of records is left: a limit of 0 would be none. */
const isOver = ({ file }: FileInput): boolean => file.max !== undefined && file.max <= 0;

/** What a user runs again after a run that was stopped or canceled; see docs/files.md. */
function afterStop(run: Played, world: World): FileInput[] {
	const words = `${wordsOf(run)}\n${run.logs.join('\n')}`;
	const found = resumptionIn(words);
	const at = run.inputs.findIndex(({ file }) => file.name === found?.file);
	if (world.onError === 'stopWorkflow') {
		return run.inputs
			.slice(Math.max(at, 0))
			.map((input) => continued(input, words))
			.filter((input) => !isOver(input));
	}
	// Failed records before that were in files that nobody got.
	if (found?.hadFailures === true) return run.inputs;
	return run.inputs.map((input) => continued(input, words)).filter((input) => !isOver(input));
}

/** What a user runs again after a run that ended: the records that failed, and what was not read. */
function afterEnd(run: Played): FileInput[] {
	const items = [...run.result.output, ...run.result.errorOutput];
	return run.inputs.flatMap((input, at): FileInput[] => {
		if (input.file.refused) return [];
		const mine = items.filter((item) => pairedWith(item).includes(at));
		const failed = mine.flatMap((item) =>
			failedFilesOf(run, item)
				.filter(({ isUnreadable }) => !isUnreadable)
				.map(({ text, name }): FileInput => {
					const { records } = failedIn(text, input.file);
					const file = failedFile(name, input.file, records);
					return { ...input, file, content: text };
				}),
		);
		const error = mine.map(({ json }) => json.error).find((words) => words !== undefined);
		if (error === undefined) return failed;
		return [...failed, continued(input, String(error))].filter((left) => !isOver(left));
	});
}

export const restOf = (run: Played, world: World): FileInput[] =>
	run.canceled || run.result.error !== undefined ? afterStop(run, world) : afterEnd(run);
