import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import {
	defaultSettings,
	startSandbox,
	type RecordedRequest,
	type Sandbox,
	type SandboxOptions,
} from '../sandbox';
import type { CredentialData } from './credential-store';
import { sandboxCredentials } from './credentials';
import { runNode, type RunOptions, type RunResult } from './engine';
import { eventually } from './eventually';

/**
 * One sandbox for all tests of a file, as new before each of them.
 *
 * @returns the sandbox, once the tests run
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

/** Waits until so many requests have arrived, of one route or of all. */
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

/** The requests so far, for an error. */
export const shown = ({ requests }: Sandbox): string[] =>
	requests.map(({ method, path, status, endedAt }) =>
		[method, path, endedAt === 0 ? 'in flight' : status].join(' '),
	);

/** A fault that nothing but a timeout or Stop ends, however slow the machine is. */
export const HANGS = { latencyMs: 600_000 };

/** Longer than the pauses between two requests of a run that goes on. */
const QUIET_MS = 100;

/**
 * Waits until all requests have ended and no further one comes. Fails if something still
 * sends, as after a Stop that was not heard.
 */
export async function requestsOver(sandbox: Sandbox): Promise<void> {
	const { requests } = sandbox;
	for (let before = -1; before !== requests.length; ) {
		before = requests.length;
		await delay(QUIET_MS);
		await eventually(
			() => !requests.some(isInFlight),
			() => shown(sandbox),
		);
	}
}
const isInFlight = ({ endedAt }: RecordedRequest) => endedAt === 0;

/**
 * Runs a node, and presses Stop once so many requests have arrived. How soon the run ends is not measured: what
 * it waits for has to take longer than a test may.
 */
export async function stopped(
	sandbox: Sandbox,
	[count, route]: [count: number, route?: RecordedRequest['route']],
	run: (stop: Pick<RunOptions, 'cancelWhen'>) => Promise<RunResult>,
): Promise<RunResult> {
	const result = await run({ cancelWhen: requestsArrived(sandbox, count, route) });
	expect(result.status).toBe('canceled');
	const all = [...result.output, ...result.errorOutput];
	expect(all.filter(({ json, error }) => error ?? json.error)).toEqual([]);
	await requestsOver(sandbox);
	return result;
}

/** Shortens the waits before retries, which are random, to a thousandth for all tests of a file. */
export function useShortBackoff(): void {
	const random = Math.random.bind(Math);
	let spy: jest.SpyInstance;
	beforeAll(() => {
		spy = jest.spyOn(Math, 'random').mockImplementation(() => random() / 1000);
	});
	afterAll(() => spy.mockRestore());
}

/**
 * Runs one node again and again: its items, its parameters, settings of the node and the run.
 *
 * @param always parameters of all runs
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
 * Nodes with one sandbox for all tests of a file. Waits before retries are short.
 *
 * @returns the sandbox, and what makes a runner of a node with the credentials of the sandbox
 */
export function useNodes(options: SandboxOptions = {}) {
	useShortBackoff();
	const sandbox = useSandbox(options);
	const runnerOf = (node: INodeType, always?: INodeParameters) =>
		nodeRunner(node, () => sandboxCredentials(sandbox()), always);
	return { sandbox, runnerOf };
}

/** The setting of a node that returns failures as items. */
export const CONTINUE = { onError: 'continueRegularOutput' } as const;

/** The setting of a node that returns failures on the error output. */
export const TO_ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

/** JSON of the items of an output. */
export const jsonOf = (items: RunResult['output']): IDataObject[] => items.map(({ json }) => json);

/** Index of the input item each item of both outputs is paired with. */
export function pairedIndexes({ output, errorOutput }: RunResult): number[] {
	return [...output, ...errorOutput].map(
		({ pairedItem }) => (pairedItem as { item: number }).item,
	);
}

/** `0`, `1`, ... */
export const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Messages of the hints a run shows. */
export const hintsOf = ({ hints }: Pick<RunResult, 'hints'>): string[] =>
	hints.map(({ message }) => message);
