/** Tests *Show the Plan* of the built syncs: what it can reach, what it returns, and that the run that follows agrees. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';

import type { Entry, RunPlan } from '../../../examples/src/parts/types';
import type { Workflow } from '../../../examples/src/parts/workflow';
import { manifest, ROOT } from '../../../support/manifest';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { CODE } from './support/code';
import type { Scope } from './support/expressions';
import { evaluate, runCodeNode } from './support/expressions';
import type { Shape, SourceDocument } from './support/sync-world';
import { SyncWorld } from './support/sync-world';

const WITH_TABLES = [
	...['sync-of-a-website', 'sync-of-a-folder', 'sync-from-google-drive', 'sync-from-an-api'],
	...['sync-by-source', 'sync-chunks-by-source'],
];
const WITH_DATABASES = ['sync-of-a-database', 'sync-chunks-of-a-database'];
const SYNCS = [...WITH_TABLES, ...WITH_DATABASES];

const workflowOf = (example: string): Workflow =>
	JSON.parse(readFileSync(path.join(ROOT, 'examples', `${example}.json`), 'utf8')) as Workflow;

/** The nodes that lead to a plan or to a run. */
const FORKS = ['Shows Its Plan', 'Lock or Look', 'Only the Plan'];

interface Condition {
	conditions: { conditions: Array<{ leftValue: string }> };
}

/** Returns the number of the output that an If or Switch node uses. */
function outputOf(workflow: Workflow, name: string, scope: Scope): number {
	const node = workflow.nodes.find((each) => each.name === name);
	const parameters = node?.parameters as Condition & { rules?: { values: Condition[] } };
	const rules = parameters.rules?.values ?? [parameters];
	const found = rules.findIndex(({ conditions: { conditions } }) =>
		conditions.every(({ leftValue }) => evaluate(leftValue, scope)),
	);
	return found < 0 ? rules.length : found;
}

/** Returns the nodes that an execution can reach. */
function reached(
	example: string,
	trigger: string,
	{ isPlanOnly, tableId = 'T7' }: { isPlanOnly: boolean; tableId?: string },
): Workflow['nodes'] {
	const workflow = workflowOf(example);
	const scope: Scope = {
		$json: { isPlanOnly, ...(isPlanOnly && { plan: {} }) },
		outputs: { 'Check the Run': [{ isPlanOnly, tableId }] },
	};
	const names = new Set([trigger]);
	// A set that grows while it is read is read to its end.
	for (const name of names) {
		const outputs = workflow.connections[name]?.main ?? [];
		const used = FORKS.includes(name) ? [outputs[outputOf(workflow, name, scope)]] : outputs;
		for (const { node } of used.flat()) names.add(node);
	}
	return workflow.nodes.filter(({ name }) => names.has(name));
}

/** Returns the names of nodes that write, call a service of ours, or start a batch. */
const acting = (nodes: Workflow['nodes']): string[] =>
	nodes
		.filter(({ type, parameters }) => {
			const { operation, query } = parameters as { operation?: string; query?: string };
			if (type.startsWith(manifest.name)) return true;
			if (type.endsWith('.dataTable')) return !['list', 'get'].includes(String(operation));
			// The user's own query only stands there.
			if (type.endsWith('.postgres'))
				return /\b(?:create|insert|update|delete|drop|lock table)\b/.test(String(query));
			return type.endsWith('.executeWorkflow');
		})
		.map(({ name }) => name);

describe.each(SYNCS)('%s', (example) => {
	test.each(['T7', ''])('a plan reaches no node that writes or sends (table %j)', (tableId) => {
		const nodes = reached(example, 'Show the Plan', { isPlanOnly: true, tableId });
		expect(acting(nodes)).toEqual([]);
		const names = nodes.map(({ name }) => name);
		expect(names).toEqual(expect.arrayContaining(['Plan the Batches', 'Plan', 'Fail the Run']));
		expect(names.includes('Read State Table')).toBe(
			WITH_TABLES.includes(example) && tableId !== '',
		);
	});

	test('a run reaches them, and does not end with a plan', () => {
		const workflow = workflowOf(example);
		const [, trigger] = workflow.nodes.filter(({ type }) => /Trigger$|webhook$/.test(type));
		const nodes = reached(example, trigger.name, { isPlanOnly: false });
		expect(acting(nodes)).toEqual(
			expect.arrayContaining(['Note the Beginning', 'Lock', 'Apply Batch', 'Unlock']),
		);
		expect(nodes.map(({ name }) => name)).not.toContain('Plan');
	});

	test('nothing is written before the settings are checked', () => {
		const { connections } = workflowOf(example);
		const before = new Set(['Check the Run']);
		for (const name of before) {
			for (const [source, { main = [] }] of Object.entries(connections)) {
				if (main.flat().some(({ node }) => node === name)) before.add(source);
			}
		}
		const nodes = workflowOf(example).nodes.filter(({ name }) => before.has(name));
		expect(nodes.length).toBeGreaterThan(4);
		expect(acting(nodes)).toEqual([]);
	});

	test("the editor's button offers Show the Plan first, and never the approval", () => {
		// The editor's order: forms, webhooks, app triggers, schedules, manual triggers. Of one kind, the first one.
		const order = ['webhook', 'scheduleTrigger', 'manualTrigger'];
		const kindOf = (type: string) => order.indexOf(type.replace('n8n-nodes-base.', ''));
		const triggers = workflowOf(example).nodes.filter(({ type }) => kindOf(type) >= 0);
		const [first] = [...triggers].sort((one, other) => kindOf(one.type) - kindOf(other.type));
		const isCalled = example.endsWith('by-source');
		expect(first.name).toBe(isCalled ? 'List Arrives' : 'Show the Plan');
	});
});

/** Runs the built Code nodes of a plan. Returns what *Plan the Batches* returns. */
function planOf(
	example: string,
	list: unknown[],
	known: Entry[] | null,
	more: { settings?: object; isExecuted?: boolean } = {},
): RunPlan {
	const file = `${example}.json`;
	const lists = ['Pages of the Website', 'Choose Files', 'Map Fields'];
	const outputs: Record<string, unknown[] | undefined> = {
		...Object.fromEntries(lists.map((name) => [name, list.length > 0 ? list : [{}]])),
		...{ 'Show the Plan': [{ body: { dryRun: true, documents: list } }] },
		...{ Lock: undefined, 'State Table': undefined, 'Note the Beginning': undefined },
		'Read State Table': known ? [{ id: 3, run: 1, entries: JSON.stringify(known) }] : undefined,
		'Check the Run': [
			{ approval: { isApproved: false, most: 0, isInvalid: false, remembered: 0 } },
		],
		Settings: [
			{
				...{ mostDeletes: 10, mostDeletesPercent: 5, pushAgain: [], ignoredFields: '' },
				...{ mostPerRun: 3, ...more.settings },
			},
		],
	};
	const scope: Scope = { outputs, params: { 'Chunk Text': {}, 'Push Documents': {} } };
	for (const name of ['Known Documents', 'Compute Versions', 'Plan the Batches']) {
		const items = runCodeNode(file, name, scope) as Array<{ json: { plan?: RunPlan } }>;
		outputs[name] = items.map(({ json }) => json);
	}
	const [{ plan }] = outputs['Plan the Batches'] as Array<{ plan: RunPlan }>;
	return plan;
}

const isFetched = (example: string) =>
	['sync-of-a-website', 'sync-of-a-folder', 'sync-from-google-drive'].includes(example);

describe.each(WITH_TABLES)('the plan of %s', (example) => {
	const document = (id: string, text = 'Some text') =>
		isFetched(example) ? { id, version: text } : { id, name: id, text };
	const versionOf = (id: string, text?: string): string => {
		const { newIds } = planOf(example, [document(id, text)], null);
		expect(newIds).toEqual([id]);
		const scope: Scope = {
			outputs: {
				...Object.fromEntries(
					['Pages of the Website', 'Choose Files', 'Map Fields'].map((name) => [
						name,
						[document(id, text)],
					]),
				),
				'Show the Plan': [{ body: { documents: [document(id, text)] } }],
				Settings: [{ ignoredFields: '' }],
			},
			params: { 'Chunk Text': {}, 'Push Documents': {} },
		};
		const [item] = runCodeNode(`${example}.json`, 'Compute Versions', scope) as Array<{
			json: { versions: string[] };
		}>;
		return item.json.versions[0];
	};

	test('before the first run, there is no table, and all documents are new', () => {
		expect(planOf(example, [document('a'), document('b')], null)).toMatchObject({
			...{ status: 200, error: '', new: 2, changed: 0, missing: 0, unchanged: 0 },
			newIds: ['a', 'b'],
		});
	});

	test('an empty list has no plan', () => {
		expect(planOf(example, [], null)).toMatchObject({
			...{ status: 400, new: 0, error: 'Nothing was changed: the list is empty.' },
		});
	});

	test('the kinds of documents are counted and named', () => {
		const known: Entry[] = [
			['same', versionOf('same'), 1],
			['changed', 'old', 1],
			['gone', 'old', 1],
		];
		const list = [document('same'), document('changed'), document('new')];
		expect(planOf(example, list, known)).toMatchObject({
			...{ status: 200, new: 1, changed: 1, missing: 1, unchanged: 1, withheld: 0, later: 0 },
			...{ newIds: ['new'], changedIds: ['changed'], missingIds: ['gone'] },
		});
	});

	test('withheld deletes are counted, with the number that can be approved', () => {
		const known = Array.from({ length: 30 }, (_, at): Entry => [`${at}`, 'v', 1]);
		expect(planOf(example, [document('a')], known)).toMatchObject({
			...{ new: 1, missing: 30, withheld: 30, approvable: 30 },
			missingIds: known.slice(0, 20).map(([id]) => id),
		});
	});

	test('an ID that could never be deleted is unreadable', () => {
		const { new: added, unreadable, problems } = planOf(example, [document('..')], null);
		expect({ added, unreadable }).toEqual({ added: 0, unreadable: 1 });
		expect(problems).toEqual([expect.stringContaining("'..' has an ID that stands for")]);
	});
});

test('a website says what is asked, how many requests that takes, and how long', () => {
	const list = [
		{ id: 'a', version: '1' },
		{ id: 'b', version: '1' },
		{ id: 'c', version: '1' },
	];
	const known: Entry[] = [['x', 'v', 1]];
	const settings = { secondsBetweenRequests: 2.5 };
	expect(planOf('sync-of-a-website', list, known, { settings })).toMatchObject({
		...{ new: 2, missing: 1, later: 1, laterIds: ['c'] },
		...{ willBeAsked: 3, requests: 3, secondsAtLeast: 8 },
	});
});

test('a missing page that Settings exclude is not requested', () => {
	const list = [
		{ id: 'a', version: '1' },
		{ id: 'x', skipped: 'excluded' },
	];
	const known: Entry[] = [['x', 'v', 1]];
	expect(planOf('sync-of-a-website', list, known)).toMatchObject({ missing: 1, requests: 1 });
});

test('files that are missing or too large are not downloaded, but Drive is asked for missing ones', () => {
	const list = [
		{ id: 'a', version: '1' },
		{ id: 'b', version: '1', problem: 'has 90.0 MB' },
		{ id: 'c.exe', skipped: 'exe' },
		{ id: 'd', version: '1', later: true },
	];
	const counts = {
		...{ new: 1, missing: 1, unreadable: 1, unreadableIds: ['b'], willBeAsked: 2 },
		...{ skipped: { exe: 1 }, skippedIds: ['c.exe'], later: 1, laterIds: ['d'] },
		problems: ["'b' has 90.0 MB"],
	};
	const known: Entry[] = [['x', 'v', 1]];
	expect(planOf('sync-of-a-folder', list, known)).toMatchObject({ ...counts, requests: 1 });
	expect(planOf('sync-from-google-drive', list, known)).toMatchObject({ ...counts, requests: 2 });
	expect(planOf('sync-of-a-folder', list, known)).not.toHaveProperty('secondsAtLeast');
});

test('a list with texts says how many characters are chunked', () => {
	const list = [
		{ id: 'a', text: 'four' },
		{ id: 'b', text: ['one', 'two'] },
		{ id: 'c', problem: 'is encrypted' },
		{ id: 'd' },
	];
	const plan = planOf('sync-chunks-by-source', list, null);
	expect(plan).toMatchObject({ new: 2, unreadable: 2, charactersToChunk: 10 });
	expect(plan.problems).toEqual(["'c' is encrypted", "'d' has no text"]);
	expect(plan).not.toHaveProperty('requests');
	// Documents that are pushed as they are may have any fields.
	const whole = planOf('sync-by-source', list, null);
	expect(whole).toMatchObject({ new: 4, unreadable: 0 });
	expect(whole).not.toHaveProperty('charactersToChunk');
});

test('a known problem is unreadable without being asked again', () => {
	const list = [{ id: 'a', version: '1' }];
	const scope = { outputs: { 'Choose Files': list }, params: { 'Chunk Text': {} } };
	const [{ json }] = runCodeNode('sync-of-a-folder.json', 'Compute Versions', {
		...scope,
		params: { 'Chunk Text': {}, 'Push Documents': {} },
	}) as Array<{ json: { versions: string[] } }>;
	const known: Entry[] = [['a', json.versions[0], 1, undefined, 'is a scan']];
	expect(planOf('sync-of-a-folder', list, known)).toMatchObject({
		...{ new: 0, changed: 0, unreadable: 1, unreadableIds: ['a'], problems: ["'a' is a scan"] },
		...{ willBeAsked: 0, requests: 0 },
	});
});

describe('the plan equals the run that follows', () => {
	const SHAPES: Record<string, Shape> = {
		'whole documents': { isChunked: false, isFetched: false },
		chunks: { isChunked: true, isFetched: false },
		'chunks of fetched texts': { isChunked: true, isFetched: true },
	};
	const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
	const document = fc
		.record({
			id: fc.constantFrom(...IDS),
			version: fc.nat(2),
			isReadable: fc.nat(3).map((number) => number > 0),
			isLater: fc.nat(4).map((number) => number === 0),
		})
		.map(
			({ id, version, isReadable, isLater }): SourceDocument => ({
				...{ id, version: version * 2 + Number(isReadable), isListed: true, isLater },
				state: isReadable ? 'text' : 'problem',
				words: [`${id}${version}0`, `${id}${version}1`],
			}),
		);
	const worlds = fc.record({
		lists: fc.array(fc.uniqueArray(document, { selector: ({ id }) => id, minLength: 1 }), {
			...{ minLength: 2, maxLength: 4 },
		}),
		failures: fc.constantFrom(0, 30),
		seed: fc.nat(1000),
		confirmDeletes: fc.boolean(),
		pushAgain: fc.subarray(IDS, { maxLength: 1 }),
		mostPerRun: fc.constantFrom(1, 3, 1000),
	});
	const kindsOf = ({ isChunked, isFetched }: Shape): string[] => [
		...['new', 'changed', 'missing', 'withheld'],
		...(isChunked ? ['unreadable'] : []),
		...(isFetched ? ['later'] : []),
	];

	test.each(Object.entries(SHAPES))('%s', (_name, shape) => {
		const variations = new Variations();
		fc.assert(
			fc.property(
				worlds,
				({ lists, failures, seed, confirmDeletes, pushAgain, mostPerRun }) => {
					const world = new SyncWorld(CODE, shape, false);
					const asRun = (list: SourceDocument[]) =>
						list.map((each) =>
							shape.isChunked ? each : { ...each, state: 'text' as const },
						);
					const toEnd = (
						list: SourceDocument[],
						fails: () => boolean,
						isApproved: boolean,
					) => {
						const steps = world.run({
							list,
							confirmDeletes: isApproved,
							pushAgain,
							fails,
						});
						let step = steps.next();
						while (!step.done) step = steps.next();
						return step.value;
					};
					let state = seed;
					const random = () => (state = (state * 48_271 + 11) % 2_147_483_647) % 100;
					const last = asRun(lists[lists.length - 1]);
					for (const list of lists.slice(0, -1))
						toEnd(asRun(list), () => random() < failures, true);

					world.settings = { mostPerRun };
					const before = new Map(world.known().map((entry) => [entry[0], entry]));
					const [rows, index] = [JSON.stringify(world.rows), [...world.index]];
					const plan = world.plan(last, confirmDeletes, pushAgain);
					expect([JSON.stringify(world.rows), [...world.index]]).toEqual([rows, index]);
					const run = toEnd(last, () => false, confirmDeletes);

					// What the run has counted
					const {
						new: added,
						changed,
						missing,
						unreadable,
						withheld,
						later,
						unchanged,
					} = plan;
					const planned = { unchanged, withheld, later: later || undefined };
					expect(planned).toEqual({
						...{ unchanged: run.unchanged, withheld: run.withheld, later: run.later },
					});
					const read =
						Number(run.pushed) + Number(run.deleted) + Number(run.notIndexed ?? 0);
					// What Fetch cannot read counts as new or changed until it is asked.
					const unread = Number(run.unreadable) - unreadable;
					expect(unread).toBeGreaterThanOrEqual(0);
					if (!shape.isFetched) expect(unread).toBe(0);
					const isMissing = missing - withheld;
					// Deletes fail if the service knows none of the documents, because an earlier push has failed.
					const failed = Number(run.failed);
					expect(added + changed + isMissing).toBe(read + unread + failed);

					// What the table says, whatever the plan has compared
					const after = new Map(world.known().map((entry) => [entry[0], entry]));
					const inList = new Set(last.map(({ id }) => id));
					const forgotten = [...before.keys()].filter((id) => !after.has(id));
					if (withheld + failed === 0)
						expect([...plan.missingIds].sort()).toEqual(forgotten.sort());
					expect(plan.missingIds.filter((id) => inList.has(id))).toEqual([]);
					const appeared = [...after.keys()].filter((id) => !before.has(id));
					const known = new Set([...plan.newIds, ...plan.unreadableIds]);
					expect(appeared.filter((id) => !known.has(id))).toEqual([]);
					expect(plan.newIds.filter((id) => before.has(id))).toEqual([]);
					if (unread === 0) {
						expect(plan.newIds.filter((id) => !after.has(id))).toEqual([]);
					}
					const renewed = [...after]
						.filter(
							([id, [, version]]) =>
								before.has(id) && before.get(id)?.[1] !== version,
						)
						.map(([id]) => id);
					const mayChange = new Set([
						...plan.changedIds,
						...plan.unreadableIds,
						...plan.missingIds,
					]);
					expect(renewed.filter((id) => !mayChange.has(id))).toEqual([]);
					const isAgain = (id: string) => renewed.includes(id) || pushAgain.includes(id);
					if (unread === 0) {
						expect(plan.changedIds.filter((id) => !isAgain(id))).toEqual([]);
					}
					variations.note(
						occurring(kindsOf(shape), (kind) => Number(Object(plan)[kind]) > 0),
					);
				},
			),
			{ numRuns: runs(150) },
		);
		expect(variations.rarerThan(1)).toEqual([]);
	});
});
