import { Agent } from 'node:http';

import axios, { type AxiosInstance } from 'axios';

/**
 * Creates an axios client that keeps connections alive, as a person would set it up by hand. n8n itself never keeps a
 * connection alive.
 */
export function axiosClient(headers: Record<string, string>): AxiosInstance {
	return axios.create({
		httpAgent: new Agent({ keepAlive: false }),
		maxBodyLength: Infinity,
		proxy: false,
		headers: { Accept: 'application/json', ...headers },
	});
}

/** Runs tasks with at most `concurrency` of them in flight. */
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

/** Splits a list into parts of equal size. Only the last part may be shorter. */
export function slices<T>(list: T[], size: number): T[][] {
	const parts: T[][] = [];
	for (let start = 0; start < list.length; start += size) {
		parts.push(list.slice(start, start + size));
	}
	return parts;
}
