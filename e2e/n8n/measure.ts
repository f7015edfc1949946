import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { E2E } from '../shared/paths';
import { freePort } from '../shared/ports';
import { pause } from '../shared/wait';
import type { N8n, N8nOptions } from './process';
import { startN8n } from './process';
import type { CpuProfile } from './profile';

const PROBE = path.join(E2E, 'n8n', 'probe.cjs');

/** How long n8n is left alone before its idle memory is read. */
const IDLE_MS = 2000;

/** A time in which n8n's event loop did nothing else. */
export interface Block {
	/** Milliseconds since the epoch. */
	endedAt: number;
	ms: number;
	/** Processor time of the main thread; the rest is mostly waiting for a processor that others use. */
	cpuMs: number;
}

/** The longest of some blocks, and the most processor time in one of them. */
export type LongestBlock = Pick<Block, 'ms' | 'cpuMs'>;

/** What a piece of work took from n8n. */
export interface Measured {
	ms: number;
	/** Processor time of n8n's main thread. */
	cpuMs: number;
	/** Resident memory of n8n's process before the work, garbage collected. */
	idleRssBytes: number;
	/** Its highest resident memory during the work, above the idle one. */
	peakAboveIdleBytes: number;
	/** Growth of n8n's SQLite database, its write-ahead log included. */
	databaseGrowthBytes: number;
	/** Blocks of the event loop of 10 ms or more. */
	blocks: Block[];
}

/** A running n8n that can be measured. */
export interface MeasuredN8n extends N8n {
	/** Measures one piece of work, and returns its result too. */
	measure<T>(work: () => Promise<T>): Promise<{ result: T; measured: Measured }>;
	/** Does a piece of work under V8's CPU profiler, which makes it slower. */
	profile(work: () => Promise<unknown>): Promise<CpuProfile>;
}

/** A value of /proc/<pid>/status in bytes (Linux). */
function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** Processor time of a process's main thread so far, in milliseconds (Linux, with 100 ticks a second). */
function cpuMsOf(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
	// pid (name, which may hold anything) state ppid ... utime is the 12th, stime the 13th.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Makes VmHWM, the highest resident memory so far, start anew. */
function resetPeak(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function databaseBytes(userFolder: string): number {
	const folder = path.join(userFolder, '.n8n');
	return readdirSync(folder)
		.filter((name) => name.startsWith('database.sqlite'))
		.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}

/** The longest block of the event loop, and the most processor time in one, of those mostly within a time. */
export function longestBlock(
	{ blocks }: Pick<Measured, 'blocks'>,
	{ from, to } = { from: 0, to: Infinity },
): LongestBlock {
	const within = blocks.filter(
		({ endedAt, ms }) => Math.min(endedAt, to) - Math.max(endedAt - ms, from) > ms / 2,
	);
	return longestOf(within);
}

/** The longest of several blocks, and the most processor time in one of them; 0 of none. */
export const longestOf = (blocks: LongestBlock[]): LongestBlock => ({
	ms: Math.max(0, ...blocks.map(({ ms }) => ms)),
	cpuMs: Math.max(0, ...blocks.map(({ cpuMs }) => cpuMs)),
});

/**
 * Starts n8n with a probe in it, on Linux. It stops with the command, as every n8n does.
 * @throws Error with the tail of n8n's log if it does not come up
 */
export async function startMeasuredN8n(
	userFolder: string,
	port: number,
	options: N8nOptions = {},
): Promise<MeasuredN8n> {
	const probePort = await freePort();
	const n8n = await startN8n(userFolder, port, {
		...options,
		settings: { ...options.settings, PROBE_PORT: String(probePort) },
		preload: [...(options.preload ?? []), PROBE],
	});
	const { pid } = n8n.process;
	if (pid === undefined) throw new Error('n8n has no process');
	const ask = async (method: string, route = ''): Promise<unknown> =>
		await (await fetch(`http://127.0.0.1:${probePort}/${route}`, { method })).json();
	return {
		...n8n,
		measure: async (work) => {
			await pause(IDLE_MS);
			await ask('POST');
			const databaseBefore = databaseBytes(userFolder);
			const idleRssBytes = memoryOf(pid, 'VmRSS');
			resetPeak(pid);
			const cpuBefore = cpuMsOf(pid);
			const startedAt = performance.now();
			const result = await work();
			const ms = performance.now() - startedAt;
			const cpuMs = cpuMsOf(pid) - cpuBefore;
			const peak = memoryOf(pid, 'VmHWM');
			const { blocks } = (await ask('GET')) as Pick<Measured, 'blocks'>;
			const databaseGrowthBytes = databaseBytes(userFolder) - databaseBefore;
			return {
				result,
				measured: {
					ms,
					cpuMs,
					idleRssBytes,
					peakAboveIdleBytes: peak - idleRssBytes,
					databaseGrowthBytes,
					blocks,
				},
			};
		},
		profile: async (work) => {
			await ask('POST', 'profile');
			await work();
			return (await ask('GET', 'profile')) as CpuProfile;
		},
	};
}
