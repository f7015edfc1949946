/** Push Documents with any file, limits and faults: every record is accounted for. */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions } from '../../support/engine';
import { requestsArrived, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox();
const files = useFiles();

const push = async (
	text: string,
	fileName: string,
	options: INodeParameters,
	settings: Partial<RunOptions> = {},
) =>
	await runNode({
		node: new PushDocuments(),
		items: [await files.item(text, fileName)],
		parameters: { documentSource: 'file', options },
		credentials: sandboxCredentials(sandbox()),
		...settings,
	});

interface Line {
	text: string;
	/** The document, if it can be pushed. */
	document?: IDataObject;
	isUnreadable?: boolean;
}

const POISON = 'poison';

/** A line of a file, which may be anything. */
const anyLine = (version: number): fc.Arbitrary<Line> =>
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc
				.record({
					id: fc.constantFrom(...'abcdefgh'),
					text: fc.string({ unit: 'grapheme', maxLength: 40 }),
				})
				.map(({ id, text }) => ({ id, name: 'N', version, text }))
				.map((document) => ({ text: JSON.stringify(document), document })),
		},
		fc.constantFrom<Line>(
			{ text: '{"id":', isUnreadable: true },
			{ text: '"text"' },
			{ text: JSON.stringify({ id: 'a', version }) },
			{ text: JSON.stringify({ id: 'p', name: POISON, version }) },
			{ text: JSON.stringify({ id: 'a', name: '漢'.repeat(400) }) },
		),
	);

const anyLines = fc
	.array(fc.nat(), { maxLength: 40, minLength: 1 })
	.chain((list) => fc.tuple(...list.map((_, version) => anyLine(version))));

/** Fewer transient faults in all than a request has attempts. */
const anyFaults = fc.array(
	fc.record({
		rule: fc.constantFrom<Partial<FaultRule>>(
			{ status: 429 },
			{ status: 503, retryAfter: '0' },
			{ reset: 'midBody' },
			{ reset: 'afterWork' },
			{ latencyMs: 10 },
		),
		skip: fc.nat({ max: 4 }),
		times: fc.integer({ min: 1, max: 2 }),
	}),
	{ maxLength: 3 },
);

const anyOptions = fc.record({
	documentsPerRequest: fc.integer({ min: 1, max: 8 }),
	bytesPerRequest: fc.integer({ min: 300, max: 900 }),
	concurrency: fc.integer({ min: 1, max: 4 }),
	retryForSeconds: fc.constant(60),
});

/** What the index holds in the end: the last version of each document. */
const modelOf = (lines: readonly Line[]): IDataObject[] => [
	...new Map(
		lines.flatMap(({ document }) => (document ? [[document.id, document]] : [])),
	).values(),
];

const byId = (documents: Array<Record<string, unknown>>) =>
	[...documents].sort((one, other) => String(one.id).localeCompare(String(other.id)));

function arm(faults: Array<{ rule: Partial<FaultRule>; skip: number; times: number }>): void {
	sandbox().reset();
	sandbox().faults.add({ route: 'push', status: 422, whenBodyContains: POISON });
	for (const { rule, ...when } of faults) {
		sandbox().faults.add({ route: 'push', ...rule, ...when });
	}
}

it('accounts for every record: pushed, failed or skipped', async () => {
	await fc.assert(
		fc.asyncProperty(
			anyLines,
			anyFaults,
			anyOptions,
			fc.nat({ max: 10 }),
			async (lines, faults, options, skipRecords) => {
				arm(faults);
				const { output, error } = await push(
					lines.map(({ text }) => text).join('\n'),
					'd.jsonl',
					{ ...options, skipRecords, bytesPerFile: 1000 },
					{ onError: 'continueRegularOutput' },
				);
				expect(error).toBeUndefined();
				const [{ json, binary = {} }] = output;
				const rest = lines.slice(skipRecords);
				const failed = rest.filter(({ document }) => !document);
				// Of documents with the same ID in a request, the last one is pushed.
				expect(json).toMatchObject({
					records: lines.length,
					failed: failed.length,
					pushed: lines.length - Number(json.skipped) - failed.length,
				});
				expect(json.skipped).toBeGreaterThanOrEqual(lines.length - rest.length);
				expect(byId(sandbox().documents(DEMO.endpoint))).toEqual(byId(modelOf(rest)));
				const parts = (json.deadLetters ?? []) as Array<{
					field: string;
					unreadable?: boolean;
				}>;
				for (const isUnreadable of [undefined, true]) {
					const texts = await Promise.all(
						parts
							.filter(({ unreadable }) => unreadable === isUnreadable)
							.map(async ({ field }) => await files.text(binary[field])),
					);
					const expected = failed.filter((line) => line.isUnreadable === isUnreadable);
					expect(texts.join('').split('\n').sort()).toEqual(
						[...expected.map(({ text }) => text), ''].sort(),
					);
				}
			},
		),
		{ numRuns: 40 },
	);
});

it('continues after a stop where the error says, until the index equals the file', async () => {
	await fc.assert(
		fc.asyncProperty(anyLines, anyFaults, anyOptions, async (anything, faults, options) => {
			// What can be corrected: the service rejects a document for a while.
			const lines = anything.map((line, version) =>
				line.document
					? line
					: {
							text: JSON.stringify({ id: 'z', name: POISON, version }),
							document: { id: 'z', name: POISON, version },
						},
			);
			arm(faults);
			const text = lines.map((line) => line.text).join('\n');
			const { error } = await push(text, 'd.jsonl', options);
			const isStopped = lines.some((line) => line.text.includes(POISON));
			expect(error !== undefined).toBe(isStopped);
			if (isStopped) {
				sandbox().faults.clear();
				const advice = error?.description ?? '';
				const [, skip] = /Skip Records: (\d+)/.exec(advice) ?? [];
				// Where nothing is known to be done, there is no number.
				const skipRecords = Number(skip ?? 0);
				const again = await push(text, 'd.jsonl', { ...options, skipRecords });
				const { json } = again.output[0];
				expect(json).toMatchObject({ records: lines.length, failed: 0 });
				expect(Number(json.pushed) + Number(json.skipped)).toBe(lines.length);
			}
			expect(byId(sandbox().documents(DEMO.endpoint))).toEqual(byId(modelOf(lines)));
		}),
		{ numRuns: 40 },
	);
});

describe('a run that ends early says where to continue: with its files of failed records no record is lost', () => {
	const documents = Array.from({ length: 40 }, (_, at) => `{"id":"d${at}","name":"N"}`);
	const anyRun = fc.record({
		bad: fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 2 }),
		requests: fc.integer({ min: 6, max: 12 }),
		documentsPerRequest: fc.integer({ min: 1, max: 2 }),
		concurrency: fc.integer({ min: 1, max: 4 }),
	});

	it.each(['canceled', 'refused'])('%s', async (how) => {
		await fc.assert(
			fc.asyncProperty(anyRun, async ({ bad, requests, ...options }) => {
				const text = documents
					.map((line, at) => (bad.includes(at) ? line.replace('N', POISON) : line))
					.join('\n');
				arm([{ rule: { latencyMs: 20 }, skip: requests - 1, times: 2 }]);
				if (how === 'refused')
					sandbox().faults.add({ route: 'push', status: 403, skip: requests });
				const { output, error } = await push(text, 'd.jsonl', options, {
					onError: 'continueRegularOutput',
					...(how === 'canceled' && { cancelWhen: requestsArrived(sandbox(), requests) }),
				});
				const said = error?.message ?? String(output[0]?.json.error);
				const skipRecords = Number(/Skip Records: (\d+)/.exec(said)?.[1] ?? 0);
				sandbox().faults.clear();
				await push(text, 'd.jsonl', { ...options, skipRecords });
				for (const { field } of (output[0]?.json.deadLetters ?? []) as IDataObject[])
					await push(
						await files.text(output[0]?.binary?.[field as string]),
						'failed.jsonl',
						options,
					);
				expect(sandbox().documents(DEMO.endpoint)).toHaveLength(documents.length);
			}),
			{ numRuns: 15 },
		);
	});
});
