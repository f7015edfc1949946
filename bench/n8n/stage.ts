import { join } from 'node:path';

import { N8N_NODE } from '../../e2e/n8n/install';
import { longestOf, type LongestBlock } from '../../e2e/n8n/measure';
import type { Command } from '../../e2e/shared/command';
import { DEMO } from '../../sandbox';
import { isolated } from '../lib/isolated';
import { MB } from '../lib/memory';
import type { Service } from '../lib/service';
import { print, table, type Cell } from '../lib/table';
import type { PushFileParameters, PushFileResult } from '../tasks/push-file';
import type { N8nBenchOptions } from './options';
import { msOf, type MeasuredRun, type Server } from './server';
import type { Stub } from './stub';

/** A goal, and what was measured. */
interface Goal {
	what: string;
	measured: string;
	goal: string;
	isMet: boolean;
}

/** What all parts use, and what they have found so far. */
export interface Stage {
	command: Command;
	options: N8nBenchOptions;
	/** Files that the stub serves. */
	folder: string;
	stub: Stub;
	/** The chunking service. */
	ai: Service;
	server: Server;
	goals: Goals;
}

/** Collects what was measured against its goal, and what was found wrong. */
export class Goals {
	private readonly all: Goal[] = [];
	readonly wrong: string[] = [];

	/** A figure that should not be above a limit. */
	atMost(what: string, value: number, limit: number, format: (value: number) => string): void {
		const measured = format(value);
		this.all.push({ what, measured, goal: `≤ ${format(limit)}`, isMet: value <= limit });
	}

	/** Something without which the figures mean nothing. */
	check(what: string, isTrue: boolean, seen = ''): void {
		this.all.push({
			what,
			measured: isTrue ? 'yes' : `no${seen && `: ${seen}`}`,
			goal: 'yes',
			isMet: isTrue,
		});
		if (!isTrue) this.wrong.push(`${what}: no${seen && ` (${seen})`}`);
	}

	print(): void {
		if (this.all.length === 0) return;
		const rows = this.all.map(({ what, measured, goal, isMet }) => [
			what,
			measured,
			goal,
			isMet ? 'met' : 'missed',
		]);
		print('', '## Goals', '', table(['', 'measured', 'goal', ''], rows));
	}
}

export const mb = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;

/** How long n8n's main thread was busy, and how long it was blocked, which includes waiting for a processor. */
export const blockText = ({ ms, cpuMs }: LongestBlock): string =>
	`${milliseconds(cpuMs)} (${milliseconds(ms)})`;

/** The longest block while one of the nodes ran. */
export const blockIn = (run: MeasuredRun, nodes: string[]): LongestBlock =>
	longestOf(nodes.map((node) => run.blockWithin(node)));

/** Columns of `rowOf`. */
export const COLUMNS = [
	'execution',
	'the nodes',
	'memory above idle',
	'idle',
	'database',
	'longest block in the nodes: busy (in all)',
	'in the execution',
];

/** A row for a run, after its name. The nodes are those whose time counts. */
export function rowOf(run: MeasuredRun, nodes: string[]): Cell[] {
	const times = nodes.map((node) => msOf(run, node));
	return [
		seconds(run.ms),
		nodes.map((_node, at) => seconds(times[at])).join(' + '),
		mb(run.peakAboveIdleBytes),
		mb(run.idleRssBytes),
		`${(run.databaseGrowthBytes / MB).toFixed(1)} MB`,
		blockText(blockIn(run, nodes)),
		blockText(run.block),
	];
}

/** Checks that the stub has each of so many documents, and forgets them. */
export async function checkDocuments(stage: Stage, what: string, expected: number): Promise<void> {
	const { documents, distinct } = await stage.stub.stats();
	stage.goals.check(
		`${what}: each document arrives once`,
		documents === expected && distinct === expected,
		`${documents} documents, ${distinct} IDs of ${expected}`,
	);
	await stage.stub.reset();
}

/** Pushes a file by axios alone, in n8n's Node.js and a process of its own. */
export async function pushByAxios(
	{ folder, stub }: Stage,
	file: string,
	lines: PushFileParameters['lines'],
): Promise<PushFileResult> {
	const parameters: PushFileParameters = {
		file: join(folder, file),
		pushUrl: `${stub.pushUrl}/api/v1/push/${DEMO.endpoint}`,
		pushKey: DEMO.pushKey,
		perRequest: 500,
		concurrency: 4,
		lines,
	};
	const result = await isolated<PushFileParameters, PushFileResult>(
		'push-file',
		parameters,
		8192,
		{
			execPath: N8N_NODE,
		},
	);
	if (!result) throw new Error('axios ran out of memory');
	return result;
}
