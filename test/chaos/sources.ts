/** What goes into the runs of a world: its items or its files, then what is left of them. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { TestFiles } from '../../support/binary-data';
import type { RunResult } from '../../support/engine';
import { claimOf, resumptionIn } from './adapter';
import { contentOf, endOf, failedFile, failedIn, jsonOf } from './files';
import {
	failedFilesOf,
	isAbout,
	pairedWith,
	wordsOf,
	type FileInput,
	type Played,
	type ReturnedFile,
} from './played';
import { textOf, type TextPlan } from './service';
import type { World } from './world';

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

/** What a run gets. */
export interface Input {
	items: IDataObject[] | INodeExecutionData[];
	/** The original items, or the files, that each of them stands for. */
	owners: number[][];
	/** The file of each of them, if they have files. */
	inputs: FileInput[];
}

async function inputOfFiles(inputs: FileInput[], folder: Folder): Promise<Input> {
	const items: INodeExecutionData[] = [];
	const owners: number[][] = [];
	const placed: FileInput[] = [];
	for (const input of inputs) {
		const item = await folder.itemOf(input);
		const last = items.at(-1);
		const { field } = input.file;
		if (field !== undefined && last?.binary && item.binary) {
			last.binary[field] = item.binary.data;
			owners.at(-1)?.push(input.owner);
		} else {
			items.push(item);
			owners.push([input.owner]);
		}
		placed.push({ ...input, item: items.length - 1 });
	}
	return { items, owners, inputs: placed };
}

/** What the first run of a world gets. */
export async function inputOf(world: World, folder: Folder): Promise<Input> {
	if (world.files !== undefined) return await inputOfFiles(inputsOf(world), folder);
	const items = itemsOf(world);
	return { items, owners: items.map((_, at) => [at]), inputs: [] };
}

const inputsOf = ({ files = [] }: World): FileInput[] =>
	files.map((file, at) => ({ owner: file.number ?? at, file, content: contentOf(file) }));

/** Texts of a chunking world, by item. */
function textsOf(world: World): TextPlan[][] {
	return world.texts.map((parts, item) =>
		parts.map((count, at) => ({ key: `i${item}t${at}`, parts: count })),
	);
}

function itemsOf(world: World): IDataObject[] {
	if (world.node !== 'chunk') return world.items;
	return textsOf(world).map((texts, item) => ({
		id: `d${item}`,
		name: `Name ${item}`,
		...(world.settings.textSource === 'list'
			? { texts: texts.map(textOf) }
			: { text: textOf(texts[0]) }),
	}));
}

/**
 * Output items without chunks that name a job: what a second run can fetch. As a user would, the
 * fields of the source are put back where an item lost them.
 */
export function leftOver({ result, owners }: Played, world: World): Input {
	const original = itemsOf(world);
	const left = [...result.output, ...result.errorOutput].filter(({ json }) => {
		const { chunkingId, error, pending } = claimOf(json);
		return chunkingId !== undefined && (pending || error !== undefined);
	});
	const leftOwners = left.map((item) => owners[pairedWith(item)[0]] ?? []);
	return {
		items: left.map(({ json }, item) => ({
			json: { ...original[leftOwners[item][0] ?? -1], ...json },
			pairedItem: { item },
		})),
		owners: leftOwners,
		inputs: [],
	};
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
		const mine = items.filter((item) => isAbout(run, at, item));
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

/** What a user runs again of a world's files. */
export async function restOf(run: Played, world: World, folder: Folder): Promise<Input> {
	const isEnded = run.canceled || run.result.error !== undefined;
	const inputs = isEnded ? afterStop(run, world) : afterEnd(run);
	// Each has its own number of records to skip by now.
	const alone = inputs.map(({ file: { field: _, ...file }, ...input }) => ({ ...input, file }));
	return await inputOfFiles(alone, folder);
}
