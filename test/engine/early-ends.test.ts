/**
 * Tests runs that end in the middle: at a failure if On Error is Stop Workflow, and at a cancel. The error, the log and
 * the requests must agree about what was done, and the next run must be able to do the rest.
 */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunOptions, RunResult } from '../../support/engine';
import { skipPauses } from '../../support/fast-clock';
import { useNodeLog } from '../../support/node-log';
import { HANGS, indexes, nodeRunner, stopped } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';

const captured = useNodeLog();

const { sandbox, chunk, fault, jobs, requests } = useChunkText();
const files = useFiles();
const credentials = () => sandboxCredentials(sandbox());
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (captured.length = 0));

const COUNT = 8;
/** The request that begins with this entry is the first that is not done as a whole. */
const BAD = 4;
const ENTRIES: IDataObject[] = indexes(COUNT).map((at) => ({
	id: `e${at}`,
	name: 'N',
	text: `Text ${at}.`,
}));

const IDS = ENTRIES.map(({ id }) => String(id));

const SOURCES = ['items', 'file'] as const;
type Source = (typeof SOURCES)[number];
type Items = IDataObject[] | INodeExecutionData[];

interface Node {
	route: FaultRule['route'];
	done: string;
	parameters(source: Source): INodeParameters;
	options: INodeParameters;
	/** Number of entries in a request. */
	perRequest: number;
	/** Matches the requests that contain an entry. */
	ruleFor: (at: number) => Omit<FaultRule, 'route'>;
	run: typeof push;
}

const pushing = (perRequest: number): Node => ({
	route: 'push',
	done: 'pushed',
	parameters: (source) => (source === 'file' ? { documentSource: 'file' } : {}),
	options: { concurrency: 1, documentsPerRequest: perRequest },
	perRequest,
	ruleFor: (at) => ({ whenBodyContains: `"e${at}"` }),
	run: push,
});

const chunking = (perRequest: number): Node => ({
	route: 'submit',
	done: 'chunked',
	parameters: (source) =>
		source === 'file' ? { textSource: 'file' } : { text: '={{ $json.text }}' },
	options: { concurrency: 1, textsPerRequest: perRequest, outputTo: 'files' },
	perRequest,
	ruleFor: (at) => ({ whenBodyContains: `"Text ${at}."` }),
	run: chunk,
});

const NODES: Record<string, Node> = {
	'Push Documents': pushing(1),
	'Push Documents, two documents per request': pushing(2),
	'Delete Document': {
		route: 'delete',
		done: 'deleted',
		parameters: (source) => (source === 'file' ? { idSource: 'file' } : {}),
		options: { concurrency: 1 },
		perRequest: 1,
		ruleFor: (at) => ({ whenPathEndsWith: `e${at}` }),
		run: remove,
	},
	'Chunk Text': chunking(1),
	'Chunk Text, two texts per request': chunking(2),
};

/** Returns the entries that took effect, in order. */
function effectsOf({ route }: Node): string[] {
	if (route === 'submit')
		return IDS.slice(
			0,
			jobs().reduce((sum, { texts }) => sum + texts, 0),
		);
	sandbox().commit();
	const indexed = sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => String(id));
	return IDS.filter((id) => indexed.includes(id) === (route === 'push'));
}

const itemsOf = async (source: Source): Promise<Items> =>
	source === 'items'
		? ENTRIES
		: [
				await files.item(
					ENTRIES.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
					'd.jsonl',
				),
			];

/** Returns the figures in the last line that the node wrote to n8n's log. */
function logged(): { done: number; failed: number } {
	const line = captured.filter((text) => /\d+ succeeded, \d+ failed/.test(text)).at(-1) ?? '';
	const [, done, failed] = /(\d+) succeeded, (\d+) failed/.exec(line) ?? [];
	return { done: Number(done), failed: Number(failed) };
}

interface End {
	name: string;
	rule: (node: Node) => Omit<FaultRule, 'route'>;
	/** Number of entries that are done before the run ends. */
	done: number;
	/** Whether only one entry is at fault, so that the node sends the entries of its request one by one. */
	isOfEntry?: boolean;
	/** Whether the run ends only after pauses. */
	hasPauses?: true;
}

const UNKNOWN = 'an unknown outcome';
const fromBad = ({ perRequest }: Node) => ({ skip: BAD / perRequest });
const rejected = (at: number): Pick<End, 'rule' | 'done' | 'isOfEntry'> => ({
	rule: ({ ruleFor }) => ({ ...ruleFor(at), status: 400 }),
	done: at,
	isOfEntry: true,
});
const ENDS: End[] = [
	{ name: 'a rejected entry', ...rejected(BAD) },
	{ name: 'a rejected entry, after another in its request', ...rejected(BAD + 1) },
	{ name: UNKNOWN, rule: (node) => ({ ...fromBad(node), html: true }), done: BAD },
	{
		name: 'a refused key',
		rule: (node) => ({ ...fromBad(node), status: node.route === 'submit' ? 407 : 401 }),
		done: BAD,
	},
	{
		name: 'five minutes of 429',
		rule: (node) => ({ ...fromBad(node), status: 429 }),
		done: BAD,
		hasPauses: true,
	},
];

/** Checks that the error, the log and the figures of the run agree about the entries. */
function expectAgreement(
	node: Node,
	source: Source,
	result: RunResult,
	expected: { done: number; failed: number },
): void {
	const { error, output, errorOutput, taskData } = result;
	const isChunking = node.route === 'submit';
	expect([output, errorOutput]).toEqual([[], []]);
	expect(effectsOf(node)).toEqual(IDS.slice(0, expected.done));
	const words = `${error?.message} ${error?.description ?? ''}`;
	const { done, failed } = logged();
	expect(taskData?.metadata?.tracing?.records).toBe(done);
	// Chunk Text may not have asked for all chunks before the run ended.
	if (isChunking) expect(done).toBeLessThanOrEqual(expected.done);
	else expect(done).toBe(expected.done);
	if (source === 'file') {
		expect(words).toContain(`${done} records of the file 'd.jsonl' had been ${node.done}`);
		expect(words.includes(`and ${expected.failed} had failed`)).toBe(expected.failed > 0);
		expect(failed).toBe(expected.failed);
	} else if (isChunking) {
		for (const { chunkingId } of jobs()) expect(words).toContain(chunkingId);
	} else {
		expect(words).toContain(`The service confirmed ${done} of ${COUNT} documents.`);
	}
}

describe.each(Object.entries(NODES))('%s', (_name, node) => {
	const { route, parameters, options, perRequest, run } = node;
	const isChunking = route === 'submit';
	beforeEach(async () => {
		if (route !== 'delete') return;
		await pushDirectly(sandbox(), ENTRIES);
		sandbox().requests.length = 0;
	});

	describe.each(SOURCES)('from %s', (source) => {
		const runOf = async (settings: Partial<RunOptions> = {}, more: INodeParameters = {}) =>
			await run(
				await itemsOf(source),
				{ ...parameters(source), options: { ...options, ...more } },
				settings,
			);

		/** Checks that a run that continues as the error says does the rest, and nothing twice. */
		const expectContinuation = async ({ error }: RunResult, done: number) => {
			const words = `${error?.message} ${error?.description ?? ''}`;
			const [, skip] = /'Skip Records' to (\d+)/.exec(words) ?? [];
			expect(skip).toBe(String(done));
			sandbox().faults.clear();
			sandbox().requests.length = 0;
			const { output } = await runOf({}, { skipRecords: done });
			expect(output.at(-1)?.json).toMatchObject({ records: COUNT, skipped: done, failed: 0 });
			expect(requests(route)).toHaveLength(Math.ceil((COUNT - done) / perRequest));
			expect(effectsOf(node)).toEqual(IDS);
		};

		it.each(ENDS)('stops at $name', async ({ name: end, rule, done, isOfEntry, hasPauses }) => {
			fault(route, rule(node));
			const undo = hasPauses && skipPauses();
			const result = await runOf();
			if (undo) undo();
			expect(result.status).toBe('error');
			const place = done % perRequest;
			// A request fails as a whole, and then its entries are sent one by one until one of them fails.
			const entriesSent = isOfEntry && perRequest > 1 ? place + 1 : 0;
			expectAgreement(node, source, result, { done, failed: perRequest - place });
			const { message = '' } = result.error ?? {};
			expect(message.includes('unknown whether')).toBe(end === UNKNOWN);
			if (source === 'file')
				expect(message).toContain(`record ${done + 1} (line ${done + 1})`);
			if (!isChunking) expect(message).toContain(IDS[done]);
			if (!hasPauses)
				expect(requests(route)).toHaveLength(
					Math.floor(done / perRequest) + 1 + entriesSent,
				);
			if (source === 'file' && !isChunking) await expectContinuation(result, done);
		});

		it('ends with a cancel', async () => {
			const count = BAD / perRequest;
			fault(route, { ...HANGS, skip: count });
			const result = await stopped(sandbox(), [count + 1, route], runOf);
			expectAgreement(node, source, result, { done: BAD, failed: 0 });
			expect(requests(route)).toHaveLength(count + 1);
			if (source === 'file' && !isChunking) await expectContinuation(result, BAD);
		});

		it('ends with a cancel while the first request waits and later ones are done', async () => {
			fault(route, { ...HANGS, times: 1 });
			const result = await stopped(
				sandbox(),
				[COUNT / perRequest, route],
				async (cancel) => await runOf(cancel, { concurrency: 2 }),
			);
			const { done, failed } = logged();
			const words = `${result.error?.message} ${result.error?.description ?? ''}`;
			const effects = effectsOf(node);
			// Nobody knows what happened to the last request, but the first one had no effect.
			if (!isChunking) expect(IDS.slice(perRequest)).toEqual(expect.arrayContaining(effects));
			expect(effects.length).toBeGreaterThanOrEqual(done);
			if (!isChunking) expect(done).toBeGreaterThanOrEqual(COUNT - 2 * perRequest);
			if (source === 'file') {
				expect(failed).toBe(0);
				expect(words).toContain(`${done} records of the file 'd.jsonl' had been`);
				expect(words).not.toContain('Skip Records');
			} else if (!isChunking)
				expect(words).toContain(`The service confirmed ${done} of ${COUNT} documents.`);
			expect(words).toContain('Requests in flight may have taken effect');
		});

		if (route === 'push' && perRequest > 1)
			it.each([BAD, BAD + 1])(
				'stops at document %i, which the response rejects beside an accepted one',
				async (at) => {
					const body = JSON.stringify({ items: [{ id: IDS[at], status: 422 }] });
					fault(route, { ...node.ruleFor(at), status: 200, body });
					const { error } = await runOf();
					const words = `${error?.message} ${error?.description ?? ''}`;
					expect(words).toContain(IDS[at]);
					expect(logged().done).toBe(BAD + 1);
					expect(requests(route)).toHaveLength(BAD / perRequest + 1);
					if (source === 'items')
						return expect(words).toContain(
							`confirmed ${BAD + 1} of ${COUNT} documents`,
						);
					expect(words).toContain(`${BAD + 1} records of the file 'd.jsonl' had been`);
					expect(words).toContain(`and 1 had failed`);
					// The next run repeats the rejected document, even if a later one is done.
					expect(words).toContain(`To continue, set 'Skip Records' to ${at}`);
				},
			);
	});
});
