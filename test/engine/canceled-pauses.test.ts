/**
 * Tests that no request begins after a cancel, whatever the run was waiting for. A request that begins after a cancel
 * could take effect although the run has already ended.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule, SandboxSettings } from '../../sandbox';
import { texts, useChunkText } from '../../support/chunking';
import { eventually } from '../../support/eventually';
import { useFastClock } from '../../support/fast-clock';
import { nodeRunner, shown } from '../../support/sandbox';

const { sandbox, chunk, credentials, fault } = useChunkText();
// A pause must be longer than the time until the cancel.
useFastClock(1);

const NODES = {
	chunk,
	push: nodeRunner(new PushDocuments(), credentials),
	delete: nodeRunner(new DeleteDocument(), credentials),
	migrate: nodeRunner(new MigrateBlobs(), credentials, { confirm: true }),
};

interface Pause {
	what: string;
	node: keyof typeof NODES;
	/** The run pauses after the response to this request. */
	route: FaultRule['route'];
	/** The cancel comes after so many responses. The default is 1. */
	after?: number;
	rule?: Omit<FaultRule, 'route'>;
	settings?: Partial<SandboxSettings>;
	options?: INodeParameters;
}

const LONG = { retryAfter: '60' };
const ROUTES: Array<[node: Pause['node'], route: Pause['route']]> = [
	['chunk', 'token'],
	['chunk', 'submit'],
	['chunk', 'results'],
	['push', 'push'],
	['delete', 'delete'],
];
const PAUSES: Pause[] = [
	...ROUTES.flatMap(([node, route]) =>
		[429, 503, 504].map((status) => ({
			what: `the pause after ${status}`,
			...{ node, route, rule: { status, ...LONG } },
		})),
	),
	{
		what: 'the pause after 429',
		...{ node: 'migrate', route: 'convert', rule: { status: 429, ...LONG } },
	},
	...(['submit', 'results'] as const).map(
		(route): Pause => ({
			what: "another worker's token",
			...{ node: 'chunk', route, rule: { status: 401 } },
		}),
	),
	{
		what: 'the next poll',
		// By then, a job is polled about once a second.
		...{ node: 'chunk', route: 'results', settings: { chunkDelayMs: 60_000 }, after: 5 },
	},
	...(
		[
			['push', 'push', { documentsPerRequest: 1 }],
			['delete', 'delete', {}],
			['chunk', 'submit', { textsPerRequest: 1 }],
		] as const
	).map(
		([node, route, options]): Pause => ({
			what: 'Max Requests per Minute',
			...{ node, route, options: { maxRequestsPerMinute: 1, ...options } },
		}),
	),
];

it.each(PAUSES)(
	'no request begins after a cancel while $node waits for $what on the route $route',
	async ({ node, route, rule, settings, options = {}, after = 1 }) => {
		if (rule) fault(route, { ...rule, times: 1 });
		Object.assign(sandbox().settings, settings);
		const isAnswered = () =>
			sandbox().requests.filter((request) => request.route === route && request.endedAt > 0)
				.length >= after;
		let before: string[] = [];
		const cancelWhen = (async () => {
			await eventually(isAnswered, () => shown(sandbox()));
			// The node gets the response a moment later.
			await delay(100);
			before = shown(sandbox());
		})();
		const result = await NODES[node](texts(2), { options }, { cancelWhen });
		await cancelWhen;
		expect(result.status).toBe('canceled');
		await eventually(
			() => !result.isWorking(),
			() => shown(sandbox()),
		);
		await delay(100);
		expect(shown(sandbox())).toEqual(before);
	},
);
