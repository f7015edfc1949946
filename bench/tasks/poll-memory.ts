import '../../support/setup';

import axios from 'axios';
import { setTimeout as delay } from 'node:timers/promises';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node.js';
import { CredentialStore, runNode } from '../../support/engine';
import { startService } from '../../support/event-loop';
import { liveBytes } from '../lib/memory';

export interface PollMemory {
	client: 'Chunk Text' | 'axios';
	seconds: number;
}

export interface PollMemoryResult {
	polls: number;
	/** Bytes in use that came with each poll after the first third. */
	bytesPerPoll: number;
}

const JOBS = 20;
const INTERVAL_SECONDS = 0.02;
/** So long that whatever waits for it is still there at the end. */
const REQUEST_TIMEOUT_SECONDS = 600;

/** Polls jobs that never finish, and looks at the memory in use while they do not. */
export async function run({ client, seconds }: PollMemory): Promise<PollMemoryResult> {
	const service = await startService();
	const samples: Array<{ polls: number; live: number }> = [];
	const sample = async () => samples.push({ polls: await service.polls(), live: liveBytes() });
	const polling = client === 'axios' ? byAxios : byChunkText;
	const done = polling(service.url, seconds);
	await delay((seconds * 1000) / 3);
	await sample();
	await delay((seconds * 1000) / 2);
	await sample();
	await done;
	service.stop();
	const [first, last] = samples;
	const polls = last.polls - first.polls;
	return { polls, bytesPerPoll: (last.live - first.live) / polls };
}

async function byChunkText(url: string, seconds: number): Promise<void> {
	const { error } = await runNode({
		node: new ChunkText(),
		items: Array.from({ length: JOBS }, () => ({ text: 'never' })),
		parameters: {
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			output: 'chunks',
			options: {
				textsPerRequest: 1,
				firstIntervalSeconds: INTERVAL_SECONDS,
				longestIntervalSeconds: INTERVAL_SECONDS,
				maxWaitSeconds: seconds,
				whenTimeRunsOut: 'output',
				timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
			},
		},
		store: new CredentialStore({
			aiServiceOAuth2Api: {
				aiUrl: url,
				authUrl: url,
				authorizationServerId: 'default',
				clientId: 'poll-memory',
				clientSecret: 'secret',
				scope: 'machinelearning.predict',
			},
		}),
	});
	if (error) throw error;
}

async function byAxios(url: string, seconds: number): Promise<void> {
	const endsAt = performance.now() + seconds * 1000;
	const submitted = await axios.post<{ chunkingId: string }>(
		`${url}/ai/async-chunking/sentence/gte-small`,
		{ batch: [{ text: 'never' }] },
	);
	const poll = async () => {
		while (performance.now() < endsAt) {
			await axios.get(`${url}/ai/async-chunking/${submitted.data.chunkingId}`);
			await delay(INTERVAL_SECONDS * 1000);
		}
	};
	await Promise.all(Array.from({ length: JOBS }, poll));
}
