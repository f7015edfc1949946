import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../nodes/ChunkText/ChunkText.node';
import type { FaultRule, RecordedRequest, SandboxSettings } from '../sandbox';
import type { CredentialData } from './credential-store';
import { sandboxCredentials } from './credentials';
import type { NodeOptions, RunOptions, RunResult } from './engine';
import { eventually } from './eventually';
import { useFastClock } from './fast-clock';
import { indexes, nodeRunner, requestsArrived, useSandbox, useShortBackoff } from './sandbox';

const BY_LINE: INodeParameters = {
	output: 'chunks',
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	chunker: 'dynamic-newline',
	chunkerSettings: { maxChunkSize: 1 },
};

/** Moves output parameters into the options. By default, vectors are lists. */
function withOptions({ vectors = 'list', outputTo, options, ...others }: INodeParameters) {
	const more = options as INodeParameters | undefined;
	return { ...others, options: { vectors, ...(outputTo && { outputTo }), ...more } };
}

function withModel(parameters: INodeParameters): INodeParameters {
	const { modelId } = parameters;
	const locator = { __rl: true, mode: 'id', value: modelId };
	return withOptions({
		...BY_LINE,
		...parameters,
		...(typeof modelId === 'string' && { modelId: locator }),
	});
}

/** Creates a Chunk Text node for a pipeline. By default, the node makes one chunk per line. */
export const chunkNode = (
	parameters: INodeParameters = {},
	settings: Partial<NodeOptions> = {},
): NodeOptions => ({
	node: new ChunkText(),
	parameters: withModel(parameters),
	...settings,
});

/** Creates items with the texts `text 0`, `text 1` and so on. */
export const texts = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `i${at}`, name: `N${at}`, text: `text ${at}` }));

export const textsOf = (items: IDataObject[]) => items.map(({ text }) => text);

/**
 * Provides Chunk Text and a sandbox for a test file. Tests can run the node, read the requests that arrived, and add
 * faults. Pauses before retries are short.
 *
 * @param settings - settings that differ from the sandbox's defaults
 */
export function useChunkText(settings: Partial<SandboxSettings> = {}) {
	useShortBackoff();
	useFastClock(10);
	const sandbox = useSandbox({ settings: { vectorSize: 2, ...settings } });
	let tests = 0;
	beforeEach(() => tests++);
	/**
	 * The nodes keep a token in memory for each client, but the sandbox forgets all tokens when it is reset.
	 * Therefore, each test uses a different client.
	 */
	const credentials = (): CredentialData => {
		const all = sandboxCredentials(sandbox());
		const { authUrl } = sandbox().urls;
		const slashes = '/'.repeat(tests);
		return {
			...all,
			lucidworksAiOAuth2Api: {
				...all.lucidworksAiOAuth2Api,
				authUrl: `${authUrl}${slashes}`,
			},
		};
	};
	const run = nodeRunner(new ChunkText(), credentials);
	const requests = (route: RecordedRequest['route']) =>
		sandbox().requests.filter((request) => request.route === route);
	const fault = (route: FaultRule['route'], rule: Omit<FaultRule, 'route'>) =>
		sandbox().faults.add({ route, ...rule });
	const jobs = () => sandbox().jobs();
	const arrived = async (route: RecordedRequest['route'], count: number) => {
		await requestsArrived(sandbox(), count, route);
	};
	return {
		sandbox,
		jobs,
		chunkingIds: () => jobs().map(({ chunkingId }) => chunkingId),
		chunk: async (
			items: RunOptions['items'],
			parameters: INodeParameters = {},
			settings: Partial<RunOptions> = {},
		): Promise<RunResult> => await run(items, withModel(parameters), settings),
		getResults: async (
			items: RunOptions['items'],
			parameters: INodeParameters = {},
			settings: Partial<RunOptions> = {},
		): Promise<RunResult> =>
			await run(
				items,
				withOptions({ operation: 'getResults', output: 'chunks', ...parameters }),
				settings,
			),
		credentials,
		requests,
		submits: () => requests('submit'),
		polls: () => requests('results'),
		batches: () =>
			requests('submit').map(({ body }) =>
				(body as { batch: Array<{ text: string }> }).batch.map(({ text }) => text),
			),
		fault,
		/** Makes the next polls return these bodies instead of the real results. */
		answers: (...bodies: unknown[]) => {
			for (const body of bodies) {
				fault('results', { status: 200, body: JSON.stringify(body), times: 1 });
			}
		},
		jobsEnded: async () => {
			await eventually(() => jobs().every(({ status }) => status !== 'SUBMITTED'), jobs);
		},
		arrived,
		/** Makes every job take a minute, except the jobs from the first `count` submissions. */
		slowAfter: (count: number) => {
			fault('submit', { latencyMs: 100, skip: count });
			const test = tests;
			// If the submission never arrives, the test fails by itself. An unhandled rejection would end Jest.
			void arrived('submit', count + 1).then(
				() => {
					// If this test's run ended earlier, the submission belongs to the next test.
					if (test === tests) sandbox().settings.chunkDelayMs = 60_000;
				},
				() => undefined,
			);
		},
	};
}
