import path from 'node:path';

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import {
	defaultSettings,
	startSandbox,
	type RecordedRequest,
	type Sandbox,
	type SandboxOptions,
} from '../sandbox';
import { seededRandom } from '../sandbox/random';
import type { CredentialData } from './credential-store';
import { sandboxCredentials } from './credentials';
import { runNode, type RunOptions, type RunResult } from './engine';
import { eventually } from './eventually';
import { ROOT } from './manifest';

/**
 * Provides one sandbox for all tests in a file and resets it before each test.
 *
 * @returns a function that returns the sandbox while the tests are running
 */
export function useSandbox(options: SandboxOptions = {}): () => Sandbox {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox(options);
	});
	afterEach(() => {
		sandbox.reset();
		Object.assign(sandbox.settings, defaultSettings(), options.settings);
	});
	afterAll(async () => {
		await sandbox.close();
	});
	return () => sandbox;
}

/** Waits until this many requests have arrived, on one route or in total. */
export async function requestsArrived(
	sandbox: Sandbox,
	count: number,
	only?: RecordedRequest['route'],
): Promise<void> {
	const seen = () => sandbox.requests.filter(({ route }) => route === (only ?? route));
	await eventually(
		() => seen().length >= count,
		() => shown(sandbox),
	);
}

export const shown = ({ requests }: Sandbox): string[] =>
	requests.map((request) =>
		[request.method, request.path, isInFlight(request) ? 'in flight' : request.status].join(
			' ',
		),
	);

const isInFlight = ({ endedAt }: RecordedRequest) => endedAt === 0;

/** This delay is so long that only a timeout or Stop can end the request, even on a slow machine. */
export const HANGS = { latencyMs: 600_000 };

/**
 * Runs a node and presses Stop after this many requests have arrived. This function does not check how quickly the run
 * ends. Therefore, use a run that would exceed the test's time limit if Stop had no effect.
 */
export async function stopped(
	sandbox: Sandbox,
	[count, route]: [count: number, route?: RecordedRequest['route']],
	run: (stop: Pick<RunOptions, 'cancelWhen'>) => Promise<RunResult>,
): Promise<RunResult> {
	const cancelWhen = requestsArrived(sandbox, count, route);
	const result = await run({ cancelWhen });
	await cancelWhen;
	expect(result.status).toBe('canceled');
	const all = [...result.output, ...result.errorOutput];
	expect(all.filter(({ json, error }) => error ?? json.error)).toEqual([]);
	// Fails if the node keeps sending requests, for example because it ignored Stop.
	await eventually(
		() => !result.isWorking() && !sandbox.requests.some(isInFlight),
		() => shown(sandbox),
	);
	return result;
}

/**
 * Divides the random pauses before retries by 1,000 for all tests in a file. The random numbers are the same in every
 * run of the file.
 */
export function useShortBackoff(): void {
	let spy: jest.SpyInstance;
	beforeAll(() => {
		const random = seededRandom(path.relative(ROOT, String(expect.getState().testPath)));
		spy = jest.spyOn(Math, 'random').mockImplementation(() => random() / 1000);
	});
	afterAll(() => spy.mockRestore());
}

/**
 * Creates a function that runs one node. The function's arguments are items, parameters, and settings for the node
 * and the run.
 *
 * @param always parameters for all runs
 */
export function nodeRunner(
	node: INodeType,
	credentials: () => CredentialData,
	always: INodeParameters = {},
) {
	return async (
		items: RunOptions['items'],
		parameters: INodeParameters = {},
		settings: Partial<RunOptions> = {},
	): Promise<RunResult> =>
		await runNode({
			node,
			items,
			parameters: { ...always, ...parameters },
			credentials: credentials(),
			...settings,
		});
}

/**
 * Provides nodes and one sandbox for all tests in a file, and shortens the pauses before retries.
 *
 * @returns the sandbox, and a function that creates a runner for a node. The runner uses the sandbox's credentials
 */
export function useNodes(options: SandboxOptions = {}) {
	useShortBackoff();
	const sandbox = useSandbox(options);
	const runnerOf = (node: INodeType, always?: INodeParameters) =>
		nodeRunner(node, () => sandboxCredentials(sandbox()), always);
	return { sandbox, runnerOf };
}

export const CONTINUE = { onError: 'continueRegularOutput' } as const;

export const TO_ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

export const jsonOf = (items: RunResult['output']): IDataObject[] => items.map(({ json }) => json);

export function pairedIndexes({ output, errorOutput }: RunResult): number[] {
	return [...output, ...errorOutput].map(
		({ pairedItem }) => (pairedItem as { item: number }).item,
	);
}

export const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

export const hintsOf = ({ hints }: Pick<RunResult, 'hints'>): string[] =>
	hints.map(({ message }) => message);
