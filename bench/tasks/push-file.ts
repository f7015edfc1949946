import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { axiosClient } from '../lib/axios-client';
import { peakRss } from '../lib/memory';

export interface PushFileParameters {
	file: string;
	pushUrl: string;
	pushKey: string;
	perRequest: number;
	concurrency: number;
	/** `parse`: each line is parsed, and axios writes the JSON; `text`: the lines are joined as they are. */
	lines: 'parse' | 'text';
}

export interface PushFileResult {
	ms: number;
	/** Processor time of its main thread, where Node.js tells. */
	cpuMs: number;
	/** The most the process had above its start, garbage included. */
	rss: number;
}

/** Pushes a file of JSON Lines by axios alone, reading no further than the requests in flight. */
export async function run(parameters: PushFileParameters): Promise<PushFileResult> {
	const { file, pushUrl, pushKey, perRequest, concurrency, lines } = parameters;
	const headers = { 'X-API-Key': pushKey, 'Content-Type': 'application/json' };
	const axios = axiosClient(headers, { keepAlive: true });
	const inFlight = new Set<Promise<unknown>>();
	const send = async (batch: string[]): Promise<void> => {
		const body =
			lines === 'parse' ? batch.map((line) => JSON.parse(line)) : `[${batch.join(',')}]`;
		const request: Promise<unknown> = axios
			.post(pushUrl, body)
			.finally(() => inFlight.delete(request));
		inFlight.add(request);
		if (inFlight.size >= concurrency) await Promise.race(inFlight);
	};
	const { user, system } = threadCpu();
	const cpuBefore = user + system;
	const rssBefore = process.memoryUsage().rss;
	const startedAt = performance.now();
	let batch: string[] = [];
	for await (const line of createInterface({ input: createReadStream(file) })) {
		batch.push(line);
		if (batch.length < perRequest) continue;
		await send(batch);
		batch = [];
	}
	if (batch.length > 0) await send(batch);
	await Promise.all(inFlight);
	const ms = performance.now() - startedAt;
	const cpu = threadCpu();
	const cpuMs = (cpu.user + cpu.system - cpuBefore) / 1000;
	return { ms, cpuMs, rss: peakRss() - rssBefore };
}

/** Since Node.js 23.9, which n8n's own is. */
function threadCpu(): NodeJS.CpuUsage {
	const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
	return threadCpuUsage?.() ?? { user: NaN, system: NaN };
}
