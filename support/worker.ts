import type { ICredentialType, INodeParameters, INodeType } from 'n8n-workflow';

import type { Clock } from '../nodes/shared/sending/run-state';
import type { CredentialTypes } from './credential-types';
import { watchLimiters, watchRuns } from './process-state';
import { type CredentialStore, runNode, type RunOptions, type RunResult } from './engine';

/** A simulated n8n process. It shares only the credential store with other workers. */
export interface Worker {
	node: INodeType;
	credentialTypes: CredentialTypes;
}

/**
 * Loads new copies of Chunk Text and its credential, so that each worker has its own module state. All workers share
 * one copy of n8n.
 *
 * @param speed factor by which a run's pauses are shortened. Deadlines stay real
 */
export function startWorker({ speed = 1 } = {}): Worker {
	const n8n = jest.requireActual<object>('n8n-workflow');
	let worker: Worker | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8n);
		/* eslint-disable @typescript-eslint/no-require-imports -- loads separate copies of the modules */
		const { ChunkText } = require('../nodes/ChunkText/ChunkText.node') as {
			ChunkText: new () => INodeType;
		};
		const { LucidworksAiOAuth2Api } =
			require('../credentials/LucidworksAiOAuth2Api.credentials') as {
				LucidworksAiOAuth2Api: new () => ICredentialType;
			};
		const { Run } = require('../nodes/shared/run/run') as { Run: { prototype: Clock } };
		const { limiters } = require('../nodes/shared/session/request-settings') as {
			limiters: Parameters<typeof watchLimiters>[0];
		};
		/* eslint-enable @typescript-eslint/no-require-imports */
		watchLimiters(limiters);
		watchRuns(Run as unknown as Parameters<typeof watchRuns>[0]);
		const { sleep } = Run.prototype;
		Run.prototype.sleep = async function (ms, wake) {
			await sleep.call(this, ms / speed, wake);
		};
		worker = {
			node: new ChunkText(),
			credentialTypes: { lucidworksAiOAuth2Api: new LucidworksAiOAuth2Api() },
		};
	});
	jest.dontMock('n8n-workflow');
	return worker as Worker;
}

export interface ChunkRunOptions {
	/** Number of texts. Each text gets its own request. */
	texts?: number;
	concurrency?: number;
	parameters?: INodeParameters;
	options?: INodeParameters;
	items?: RunOptions['items'];
	onError?: RunOptions['onError'];
	cancelWhen?: Promise<unknown>;
}

/** Runs Chunk Text once on a worker. By default, the node submits texts. */
export async function chunk(
	worker: Worker,
	store: CredentialStore,
	{ texts = 1, concurrency = 4, parameters, options, items, ...settings }: ChunkRunOptions = {},
): Promise<RunResult> {
	return await runNode({
		...worker,
		store,
		items:
			items ?? Array.from({ length: texts }, (_, index) => ({ text: `Text ${index}. End.` })),
		...settings,
		parameters: {
			operation: 'submit',
			text: '={{ $json.text }}',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			chunker: 'sentence',
			options: { textsPerRequest: 1, concurrency, retryForSeconds: 0, ...options },
			...parameters,
		},
	});
}
