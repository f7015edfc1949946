import { Agent } from 'node:http';

import axios, { type AxiosInstance } from 'axios';

/** Creates an axios client that opens a new connection for each request, as n8n does. */
export function axiosClient(headers: Record<string, string>): AxiosInstance {
	return axios.create({
		httpAgent: new Agent({ keepAlive: false }),
		maxBodyLength: Infinity,
		proxy: false,
		headers: { Accept: 'application/json', ...headers },
	});
}

export async function limited<T>(
	concurrency: number,
	entries: T[],
	task: (entry: T, index: number) => Promise<unknown>,
): Promise<void> {
	const { default: pLimit } = await import('p-limit');
	const limit = pLimit(concurrency);
	await Promise.all(
		entries.map(async (entry, index) => await limit(async () => await task(entry, index))),
	);
}

export function slices<T>(list: T[], size: number): T[][] {
	const parts: T[][] = [];
	for (let start = 0; start < list.length; start += size) {
		parts.push(list.slice(start, start + size));
	}
	return parts;
}
