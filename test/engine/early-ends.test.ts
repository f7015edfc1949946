/**
 * Tests runs that end in the middle: at a failure if On Error is Stop Workflow, and at a cancel. The error, the log and
 * the requests must agree about what was done, and the next run must be able to do the rest.
 *
 * @jest-environment node
 */
import { captured } from '../../support/log-capture';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunOptions, RunResult } from '../../support/engine';
import { speedUp } from '../../support/fast-clock';
import { HANGS, indexes, nodeRunner, stopped } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';

const { sandbox, chunk, fault, jobs, requests } = useChunkText();
const files = useFiles();
const credentials = () => sandboxCredentials(sandbox());
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (captured.length = 0));

const COUNT = 8;
/** The run ends at this entry, and each entry has a request of its own. */
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
	run: typeof push;
}

const NODES: Record<string, Node> = {
	'Push Documents': {
		route: 'push',
		done: 'pushed',
		parameters: (source) => (source === 'file' ? { documentSource: 'file' } : {}),
		options: { concurrency: 1, documentsPerRequest: 1 },
		run: push,
	},
	'Delete Document': {
		route: 'delete',
		done: 'deleted',
		parameters: (source) => (source === 'file' ? { idSource: 'file' } : {}),
		options: { concurrency: 1 },
		run: remove,
	},
	'Chunk Text': {
		route: 'submit',
		done: 'chunked',
		parameters: (source) =>
			source === 'file' ? { textSource: 'file' } : { text: '={{ $json.text }}' },
		options: { concurrency: 1, textsPerRequest: 1, outputTo: 'files' },
		run: chunk,
	},
};

/** Returns the entries that took effect, in order. */
function effectsOf(name: string): string[] {
	if (name === 'Chunk Text') return IDS.slice(0, jobs().length);
	sandbox().commit();
	const indexed = sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => String(id));
	return IDS.filter((id) => indexed.includes(id) === (name === 'Push Documents'));
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
	rule: (node: string) => Omit<FaultRule, 'route'>;
	/** How much faster than real time the run's clock is. */
	clock?: number;
}

const UNKNOWN = 'an unknown outcome';
const ENDS: End[] = [
	{ name: 'a rejected entry', rule: () => ({ status: 400 }) },
	{ name: UNKNOWN, rule: () => ({ html: true }) },
	{ name: 'a refused key', rule: (node) => ({ status: node === 'Chunk Text' ? 407 : 401 }) },
	{ name: 'five minutes of 429', rule: () => ({ status: 429 }), clock: 3000 },
];

/** Checks that the error, the log and the figures of the run agree about the entries. */
function expectAgreement(name: string, source: Source, result: RunResult, failed: number): void {
	const { error, output, errorOutput, taskData } = result;
	expect([output, errorOutput]).toEqual([[], []]);
	expect(effectsOf(name)).toEqual(IDS.slice(0, BAD));
	const words = `${error?.message} ${error?.description ?? ''}`;
	const { done } = logged();
	expect(taskData?.metadata?.tracing?.records).toBe(done);
	// Chunk Text may not have asked for all chunks before the run ended.
	if (name !== 'Chunk Text') expect(done).toBe(BAD);
	if (source === 'file') {
		expect(words).toContain(
			`${done} records of the file 'd.jsonl' had been ${NODES[name].done}`,
		);
		expect(words.includes('had failed')).toBe(failed > 0);
		expect(logged()).toEqual({ done, failed });
	} else if (name === 'Chunk Text') {
		for (const { chunkingId } of jobs()) expect(words).toContain(chunkingId);
	} else {
		expect(words).toContain(`The service confirmed ${done} of ${COUNT} documents.`);
	}
}

describe.each(Object.entries(NODES))('%s', (name, { route, parameters, options, run }) => {
	beforeEach(async () => {
		if (name !== 'Delete Document') return;
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
		const expectContinuation = async ({ error }: RunResult) => {
			const words = `${error?.message} ${error?.description ?? ''}`;
			const [, skip] = /'Skip Records' to (\d+)/.exec(words) ?? [];
			expect(skip).toBe(String(BAD));
			sandbox().faults.clear();
			sandbox().requests.length = 0;
			const { output } = await runOf({}, { skipRecords: BAD });
			expect(output.at(-1)?.json).toMatchObject({ records: COUNT, skipped: BAD, failed: 0 });
			expect(requests(route)).toHaveLength(COUNT - BAD);
			expect(effectsOf(name)).toEqual(IDS);
		};

		it.each(ENDS)('stops at $name', async ({ name: end, rule, clock }) => {
			fault(route, { ...rule(name), skip: BAD });
			const undo = clock === undefined ? undefined : speedUp(clock);
			const result = await runOf();
			undo?.();
			expect(result.status).toBe('error');
			expectAgreement(name, source, result, 1);
			const { message = '' } = result.error ?? {};
			expect(message.includes('unknown whether')).toBe(end === UNKNOWN);
			if (source === 'file') expect(message).toContain(`record ${BAD + 1} (line ${BAD + 1})`);
			if (name !== 'Chunk Text') expect(message).toContain(IDS[BAD]);
			if (clock === undefined) expect(requests(route)).toHaveLength(BAD + 1);
			if (source === 'file' && name !== 'Chunk Text') await expectContinuation(result);
		});

		it('ends with a cancel', async () => {
			fault(route, { ...HANGS, skip: BAD });
			const result = await stopped(sandbox(), [BAD + 1, route], runOf);
			expectAgreement(name, source, result, 0);
			expect(requests(route)).toHaveLength(BAD + 1);
			if (source === 'file' && name !== 'Chunk Text') await expectContinuation(result);
		});
	});
});
