import '../support/setup';

import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';

import type { CredentialData } from '../support/credential-store';
import { TestFiles } from '../support/binary-data';
import { runNode } from '../support/engine';
import { axiosClient } from './lib/axios-client';
import { PushDocuments } from './lib/shipped';

const PER_REQUEST = 500;
const CONCURRENCY = 4;

export interface FileParameters {
	client: 'node' | 'axios';
	file: string;
	/** The node derives the format from this name. */
	fileName: string;
	count: number;
	pushUrl: string;
	credentials: CredentialData;
}

export interface FileResult {
	ms: number;
	/** Peak memory minus the memory at the start, in bytes. The peak includes garbage. */
	rss: number;
}

async function pushByNode({ file, fileName, count, credentials }: FileParameters): Promise<void> {
	const files = new TestFiles(tmpdir());
	await files.use('filesystem');
	const item = await files.item('', fileName);
	files.opens(createReadStream(file));
	const { output, error } = await runNode({
		node: new PushDocuments(),
		items: [item],
		parameters: {
			documentSource: 'file',
			options: { documentsPerRequest: PER_REQUEST, concurrency: CONCURRENCY },
		},
		credentials,
	});
	if (output[0]?.json.pushed === count) return;
	throw error ?? new Error(`Not ${count} records: ${JSON.stringify(output[0]?.json)}`);
}

/** Sends a JSON Lines file in batches with axios. The batches have the same size as the node's batches. */
async function pushByAxios({ file, pushUrl }: FileParameters): Promise<void> {
	const axios = axiosClient({});
	const inFlight = new Set<Promise<unknown>>();
	let batch: unknown[] = [];
	const send = async (): Promise<void> => {
		const request: Promise<unknown> = axios
			.post(pushUrl, batch)
			.finally(() => inFlight.delete(request));
		batch = [];
		inFlight.add(request);
		if (inFlight.size >= CONCURRENCY) await Promise.race(inFlight);
	};
	for await (const line of createInterface({ input: createReadStream(file) })) {
		batch.push(JSON.parse(line));
		if (batch.length === PER_REQUEST) await send();
	}
	if (batch.length > 0) await send();
	await Promise.all(inFlight);
}

export async function run(parameters: FileParameters): Promise<FileResult> {
	const before = process.memoryUsage().rss;
	const startedAt = performance.now();
	await (parameters.client === 'node' ? pushByNode : pushByAxios)(parameters);
	const ms = performance.now() - startedAt;
	return { ms, rss: process.resourceUsage().maxRSS * 1024 - before };
}
