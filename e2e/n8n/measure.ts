import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { E2E } from '../shared/paths';
import { freePort } from '../shared/ports';
import { pause } from '../shared/wait';
import type { N8n, N8nOptions } from './process';
import { startN8n } from './process';

const PROBE = path.join(E2E, 'n8n', 'probe.cjs');

/** How long n8n is left alone before its idle memory is read. */
const IDLE_MS = 2000;

/** What a piece of work took from n8n. */
export interface Measured {
	ms: number;
	/** Resident memory of n8n's process before the work, garbage collected. */
	idleRssBytes: number;
	/** Its highest resident memory during the work, above the idle one. */
	peakAboveIdleBytes: number;
	/** Growth of n8n's SQLite database, its write-ahead log included. */
	databaseGrowthBytes: number;
	/** Longest time in which n8n's event loop did nothing else. */
	longestBlockMs: number;
}

/** A running n8n that can be measured. */
export interface MeasuredN8n extends N8n {
	/** Measures one piece of work, and returns its result too. */
	measure<T>(work: () => Promise<T>): Promise<{ result: T; measured: Measured }>;
}

/** A value of /proc/<pid>/status in bytes (Linux). */
function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
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
	const url = `http://127.0.0.1:${probePort}/`;
	return {
		...n8n,
		measure: async (work) => {
			await pause(IDLE_MS);
			await fetch(url, { method: 'POST' });
			const databaseBefore = databaseBytes(userFolder);
			const idleRssBytes = memoryOf(pid, 'VmRSS');
			resetPeak(pid);
			const startedAt = performance.now();
			const result = await work();
			const ms = performance.now() - startedAt;
			const peak = memoryOf(pid, 'VmHWM');
			const { longestBlockMs } = (await (await fetch(url)).json()) as Measured;
			const databaseGrowthBytes = databaseBytes(userFolder) - databaseBefore;
			return {
				result,
				measured: {
					ms,
					idleRssBytes,
					peakAboveIdleBytes: peak - idleRssBytes,
					databaseGrowthBytes,
					longestBlockMs,
				},
			};
		},
	};
}
