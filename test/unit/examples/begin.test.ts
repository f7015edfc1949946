import begin from '../../../examples/src/code/begin';
import end from '../../../examples/src/code/end';
import plan from '../../../examples/src/code/plan';
import planDatabase from '../../../examples/src/code/plan-database';
import result from '../../../examples/src/code/result';
import { checkedSettings } from '../../../examples/src/code/shared/settings';
import type {
	Approval,
	Compared,
	Entry,
	Settings,
	SyncRun,
} from '../../../examples/src/parts/types';
import { evaluate, examplesWith, nodesOf, parametersOf, runCodeNode } from './support/expressions';
import { LOCK, NOT_APPROVED } from './support/approvals';

const NOW = new Date('2026-03-01T02:00:00Z');

const LIMITS = { mostDeletes: 10, mostDeletesPercent: 5 };

const SETTINGS = { ...LIMITS, table: '', hoursBetweenRuns: 24 };

type Inputs = Parameters<typeof begin>[0];

const begun = (more: Partial<Inputs> = {}) =>
	begin({
		settings: SETTINGS,
		names: Object.keys(SETTINGS),
		...{ startedBy: 'schedule', confirmed: undefined, ownTable: 'Synced Documents w' },
		...{ isPlanOnly: false, isDataTable: true },
		...{ tables: [{ id: 'T7', name: 'Synced Documents old' }], runs: [{}], now: NOW },
		workflow: { id: 'w', name: 'Sync' },
		execution: '77',
		...more,
	})[0].json;

const run = (id: number, more: Partial<SyncRun> & { table?: string; compared?: boolean }) => {
	const { table = 'Synced Documents w', compared = true, ...row } = more;
	return { id, workflow: 'w', ...row, more: JSON.stringify({ table, compared }) };
};

test('a dry run that is neither true nor false stops the run', () => {
	for (const isPlanOnly of ['false', 'true', 0, 1, {}])
		expect(() => begun({ isPlanOnly })).toThrow(
			`Nothing was changed: "dryRun" is ${JSON.stringify(isPlanOnly)}. It must be true or false.`,
		);
	for (const isPlanOnly of [true, false])
		expect(begun({ isPlanOnly })).toMatchObject({ isPlanOnly });
});

describe('settings', () => {
	const ALL = {
		...{
			sitemap: 'a',
			exclude: '',
			leaveOut: '',
			mainPart: '',
			readNoindex: false,
			daysUntilReread: 30,
			site: 'a',
		},
		...{ secondsBetweenRequests: 1, folder: '/', url: '', prefix: '', extensions: 'pdf' },
		...{ minutesAtRest: 0, mostMegabytes: 20, api: 'Example', ignoredFields: '' },
		...{ pushAgain: [], mostPerRun: 1000, ...SETTINGS },
	};
	const NAMES = Object.keys(ALL);

	test('settings that fit are returned', () => {
		expect(checkedSettings(ALL, NAMES)).toBe(ALL);
	});

	test.each(NAMES)('a run stops if %s is removed, null or an object', (name) => {
		const { [name]: _, ...others } = ALL as Record<string, unknown>;
		expect(() => checkedSettings(others, NAMES)).toThrow(
			new RegExp(
				`^Nothing was changed: '${name}' in 'Settings' is missing\\. It must be .*\\. (?:Its default is .*|It may be empty)\\.$`,
			),
		);
		for (const value of [null, { a: 1 }, NaN]) {
			expect(() => checkedSettings({ ...ALL, [name]: value }, NAMES)).toThrow(`'${name}'`);
		}
	});

	test.each([
		...['mostDeletes', 'mostDeletesPercent', 'mostPerRun', 'daysUntilReread'].map(
			(name) => [name, ['ten', '10', -1]] as const,
		),
		['mostDeletesPercent', [100.5]],
		['mostDeletes', [1.5]],
		['secondsBetweenRequests', [0, 60]],
		['hoursBetweenRuns', [0]],
		['readNoindex', ['yes']],
		['folder', [' ']],
		['pushAgain', [[{}]]],
	] as const)('a run stops if %s is one of %j', (name, values) => {
		for (const value of values) {
			expect(() => checkedSettings({ ...ALL, [name]: value }, NAMES)).toThrow(
				`'${name}' in 'Settings' is ${JSON.stringify(value)}`,
			);
		}
	});

	const SYNCS = examplesWith('Check the Run', [
		...['sync-by-source.json', 'sync-chunks-by-source.json', 'sync-from-an-api.json'],
		...['sync-from-google-drive.json', 'sync-of-a-folder.json', 'sync-of-a-website.json'],
		...['sync-of-a-database.json', 'sync-chunks-of-a-database.json'],
	]);

	const settingsOf = (file: string) => {
		const { assignments } = parametersOf(file, 'Settings').assignments as unknown as {
			assignments: Array<{ name: string; value: unknown }>;
		};
		return Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
	};

	test('all eight syncs check their settings', () => {
		expect(SYNCS).toHaveLength(8);
	});

	test.each(SYNCS)('%s stops if one of its settings is removed', (file) => {
		const settings = { ...settingsOf(file), pushAgain: [], folder: '/' };
		const scope = (changed: object) => ({
			outputs: { Settings: [changed], [`Delete What Is Missing`]: undefined },
			others: [{ body: {} }],
			workflow: 'w',
			variables: { $execution: { mode: 'test' } },
		});
		expect(runCodeNode(file, 'Check the Run', scope(settings))).toHaveLength(1);
		for (const name of Object.keys(settingsOf(file))) {
			const { [name]: _, ...others } = settings as Record<string, unknown>;
			expect(() => runCodeNode(file, 'Check the Run', scope(others))).toThrow(`'${name}'`);
		}
	});
});

describe('the table of a sync', () => {
	const other = { workflow: 'x', name: 'Other', beganAt: '2026-02-28' };

	test('a workflow has a table of its own, or the one that is named', () => {
		expect(begun().table).toBe('Synced Documents w');
		const named = { ...SETTINGS, table: ' Synced Documents old ' };
		expect(begun({ settings: named }).table).toBe('Synced Documents old');
		expect(() => begun({ settings: { ...SETTINGS, table: 'Synced Documents new' } })).toThrow(
			"there is no data table 'Synced Documents new'",
		);
		expect(() => begun({ settings: { ...SETTINGS, table: "a'b" } })).toThrow(
			'no name of a table',
		);
	});

	test('a workflow takes over the table of another one, but not back and forth', () => {
		expect(begun({ runs: [run(1, other)] }).table).toBe('Synced Documents w');
		expect(begun({ runs: [run(1, other), run(2, {})] }).table).toBe('Synced Documents w');
		expect(() => begun({ runs: [run(1, {}), run(2, other)] })).toThrow(
			/'Other' \(x\) has used the table 'Synced Documents w' at 2026-02-28/,
		);
		const elsewhere = run(2, { ...other, table: 'Synced Documents w2' });
		expect(begun({ runs: [run(1, {}), elsewhere] }).table).toBe('Synced Documents w');
	});
});

test('the row of a run says when it began, how, and when the next one is late', () => {
	expect(begun().row).toMatchObject({
		...{ workflow: 'w', name: 'Sync', startedBy: 'schedule', outcome: '', approvable: 0 },
		...{ beganAt: '2026-03-01T02:00:00.000Z', nextBefore: '2026-03-02T02:00:00.000Z' },
		more: '{"table":"Synced Documents w","execution":"77"}',
	});
});

test.each([
	['schedule', undefined, false, false],
	['schedule', false, false, false],
	['approval', undefined, true, false],
	['webhook', 60, true, false],
	['webhook', 0, true, false],
	['webhook', true, false, true],
	['webhook', 'true', false, true],
	['webhook', -1, false, true],
])('%s with %j', (startedBy, confirmed, isApproved, isInvalid) => {
	const { approval, row } = begun({ startedBy, confirmed, runs: [run(1, { approvable: 60 })] });
	expect(approval).toMatchObject({ isApproved, isInvalid, remembered: 60 });
	if (isApproved) expect(approval.most).toBe(confirmed ?? 60);
	expect(row.startedBy).toBe(isApproved ? 'approval' : startedBy);
});

test('a plan knows the table that exists, and another workflow stops it as well', () => {
	const settings = { ...SETTINGS, table: 'Synced Documents old' };
	const isPlanOnly = true;
	expect(begun({ settings, isPlanOnly })).toMatchObject({ isPlanOnly: true, tableId: 'T7' });
	expect(begun({ isPlanOnly })).toMatchObject({ isPlanOnly: true, tableId: '' });
	expect(() => begun({ isPlanOnly, settings: { ...SETTINGS, hoursBetweenRuns: 0 } })).toThrow(
		"'hoursBetweenRuns'",
	);
	const other = run(2, { workflow: 'x', name: 'Other' });
	expect(() => begun({ isPlanOnly, runs: [run(1, {}), other] })).toThrow("'Other' (x) has used");
	// In a database, the setting is the ID of a workflow.
	const named = { ...SETTINGS, table: 'w-old' };
	const ofDatabase = { isDataTable: false, tables: [{ name: 'w-old', id: 'T8' }] };
	expect(begun({ settings: named, ...ofDatabase })).toMatchObject({
		table: 'w-old',
		tableId: '',
	});
});

// Two syncs that create a table at the same moment: one of them fails, and finds the table at its next try.
test.each([
	...['sync-by-source.json', 'sync-of-a-website.json'].flatMap((file) => [
		[file, 'Runs Table'],
		[file, 'State Table'],
	]),
	...[
		['sync-of-a-database.json', 'Runs Table'],
		['sync-of-a-database.json', 'Tables'],
		['sync-status.json', 'Runs Table'],
		['tell-me.json', 'Runs Table'],
		['tell-me.json', 'History'],
	],
])('%s: %s tries again to create its table', (file, name) => {
	const node = nodesOf(file).find((each) => each.name === name);
	expect(node).toMatchObject({ retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 });
});

test('Tell Me closes the row of the execution that has failed', () => {
	const { filters, columns } = parametersOf('tell-me.json', 'Close the Row') as {
		filters: { conditions: Array<{ keyName: string; keyValue: string }> };
		columns: { value: Record<string, string> };
	};
	const failed = { execution: { id: '77', error: { message: 'No sitemap.' } } };
	const scope = { outputs: { 'Run Failed': [failed] } };
	const [more, ended] = filters.conditions;
	const pattern = String(evaluate(more.keyValue, scope)).slice(1, -1);
	expect(begun().row.more).toContain(pattern);
	expect(begun({ execution: '7' }).row.more).not.toContain(pattern);
	expect(ended).toMatchObject({ keyName: 'endedAt', condition: 'isEmpty' });
	expect(columns.value.outcome).toBe('failed');
	expect(evaluate(columns.value.error, scope)).toBe('No sitemap.');
});

/** A sync of 1,000 documents with a history. Each run lists the first ones, or none. */
class History {
	readonly runs: Array<Partial<SyncRun>> = [];
	known = 1000;

	constructor(private readonly kind: 'list' | 'fetched' | 'database') {}

	run(listed: number, startedBy = 'schedule', confirmed?: unknown) {
		const { approval, row, table } = begun({ runs: this.runs, startedBy, confirmed });
		const settings: Settings = { ...LIMITS, pushAgain: [] };
		const items =
			this.kind === 'database'
				? this.databaseItems(listed, approval, settings)
				: this.items(listed, approval, settings);
		const { summary } = items[0].json as { summary: Parameters<typeof end>[0]['summary'] };
		const batches = items.filter(({ json }) => json.batch > 0);
		const deleted = batches.reduce(
			(sum, { json }) => sum + ('missing' in json ? (json.missing ?? 0) : 0),
			0,
		);
		const batchRow = { run: 1, pushed: 0, deleted, entries: '[]' };
		const [{ json }] = result({
			...{ summary, batches: deleted > 0 ? [batchRow] : [], approval, isChunked: false },
			howToDelete: 'send "confirmDeletes": {number}',
		});
		const [noted] = end({
			...{ result: json, summary, known: [], batches: [], counted: 5, now: NOW },
			begun: { table, approval, row, isPlanOnly: false, tableId: '' },
		});
		this.runs.push({ ...row, ...noted.json, id: this.runs.length + 1 });
		this.known -= deleted;
		return { ...json, deleted, row: noted.json };
	}

	private items(listed: number, approval: Approval, settings: Settings) {
		const isAsked = this.kind === 'fetched';
		const ids = Array.from({ length: this.known }, (_, at) => `${at}`);
		return plan({
			...{ list: ids.slice(0, listed).map((id) => ({ id, text: 'T' })), settings, approval },
			versions: ids.map(() => 'v'),
			known: {
				...{ isOwner: true, lockedUntil: '', compactUpTo: 0 },
				entries: ids.map((id): Entry => [id, 'v', 1]),
			},
			...{ lock: LOCK, batchSize: 2000 },
			...{ isAsked, asksForMissing: isAsked, areAddresses: false },
		});
	}

	private databaseItems(listed: number, approval: Approval, settings: Settings) {
		const gone = this.known - listed;
		const compared: Compared = {
			...{ settings: '', isOwner: true, lockedUntil: null, rows: listed, rowsWithoutId: 0 },
			...{ repeatedId: null, known: this.known, unchanged: listed, goneFromIndex: gone },
			...{ unreadable: 0, problems: [], changed: [] },
			gone: gone > 0 ? [{ from: 'a', to: 'z', documents: gone }] : [],
		};
		return planDatabase({
			...{
				compared,
				settings,
				approval,
				lock: LOCK,
				owner: 'w',
				query: '',
				ignored: '[]',
				isChunked: false,
			},
		});
	}
}

describe.each(['list', 'fetched', 'database'] as const)('an approval is a ceiling: %s', (kind) => {
	test('60 are withheld, then the source breaks: nothing is deleted', () => {
		for (const left of [3, 0]) {
			const history = new History(kind);
			expect(history.run(940)).toMatchObject({ deleted: 0, withheld: 60, approvable: 60 });
			const broken = history.run(left, 'approval');
			expect(broken).toMatchObject({ status: 500, deleted: 0, withheld: 1000 - left });
			expect(broken.error).toContain(`${1000 - left} of 1000 documents would be deleted`);
			expect(broken.error).toContain('more than the 60 that you have approved');
			// A person has started it and reads its error, so its own number is the next ceiling.
			expect(broken.approvable).toBe(1000 - left);
		}
	});

	test('the smallest number since a run has withheld nothing counts', () => {
		const history = new History(kind);
		history.run(940);
		expect(history.run(3)).toMatchObject({ withheld: 997, approvable: 60 });
		expect(history.run(3).error).toContain('It deletes at most 60');
		expect(history.run(3, 'approval')).toMatchObject({ deleted: 0, withheld: 997 });
		expect(history.run(3, 'approval')).toMatchObject({ deleted: 997, withheld: 0 });
	});

	test('a run that withholds nothing ends an approval', () => {
		const history = new History(kind);
		history.run(940);
		history.run(1000);
		expect(history.run(3, 'approval')).toMatchObject({ deleted: 0, withheld: 997 });
	});

	test('what was approved is deleted, and an empty list needs an approval, too', () => {
		const history = new History(kind);
		history.run(940);
		expect(history.run(940, 'approval')).toMatchObject({ deleted: 60, withheld: 0 });
		expect(history.run(0)).toMatchObject({ status: 500, deleted: 0, withheld: 940 });
		const small = new History(kind);
		small.known = 3;
		expect(small.run(0)).toMatchObject({ deleted: 0, withheld: 3 });
	});

	test('the number of a caller is the ceiling', () => {
		const history = new History(kind);
		history.run(940);
		expect(history.run(3, 'webhook', 60)).toMatchObject({ deleted: 0, withheld: 997 });
		expect(history.run(3, 'webhook', 997)).toMatchObject({ deleted: 997 });
	});
});

test('an approval without a number is answered with the number', () => {
	const history = new History('list');
	expect(history.run(940, 'webhook', true)).toMatchObject({
		status: 400,
		error: 'Nothing was changed: "confirmDeletes" is the number of deletes that you allow: send "confirmDeletes": 60.',
		row: { outcome: 'failed', approvable: 0 },
	});
});

test('a run that fails before it compares does not change what may be approved', () => {
	const history = new History('list');
	history.run(940);
	history.run(940, 'webhook', true);
	expect(history.run(3, 'approval')).toMatchObject({ deleted: 0, withheld: 997 });
});

test('the limits cannot be lost in the plan either', () => {
	for (const bad of [{ mostDeletes: undefined }, { mostDeletesPercent: 'ten' }]) {
		const settings = { ...LIMITS, pushAgain: [], ...bad } as unknown as Settings;
		expect(() =>
			plan({
				...{ list: [{ id: 'a' }], versions: ['v'], settings, approval: NOT_APPROVED },
				known: { isOwner: true, lockedUntil: '', compactUpTo: 0, entries: [['b', 'v', 1]] },
				...{ lock: LOCK, batchSize: 9, isAsked: false },
				...{ asksForMissing: false, areAddresses: false },
			}),
		).toThrow(Object.keys(bad)[0]);
	}
});
