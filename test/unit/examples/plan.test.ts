import known from '../../../examples/src/code/known';
import plan from '../../../examples/src/code/plan';
import { listedPlaces } from '../../../examples/src/code/shared/original';
import type {
	Approval,
	Entry,
	Known,
	ListedDocument,
	Settings,
} from '../../../examples/src/parts/types';
import { approved, LOCK, NOT_APPROVED } from './support/approvals';

const settings: Settings = {
	...{ mostDeletes: 10, mostDeletesPercent: 5, pushAgain: [] },
};

const owner: Known = { isOwner: true, lockedUntil: '', entries: [], compactUpTo: 0 };

interface Given {
	list: unknown;
	entries?: Entry[];
	settings?: Partial<Settings>;
	approval?: Approval;
	isAsked?: boolean;
	areAddresses?: boolean;
	isChunked?: boolean;
	batchSize?: number;
	known?: Partial<Known>;
}

/** The version of a document is its text. */
function planned({ list, entries = [], batchSize = 500, ...given }: Given) {
	const { isAsked = false, areAddresses = false } = given;
	const documents = Array.isArray(list) ? (list as ListedDocument[]) : [];
	const items = plan({
		...{
			list,
			versions: documents.map((document) => String(document?.text)),
			...{ batchSize, isAsked, asksForMissing: isAsked, areAddresses },
			isChunked: given.isChunked,
		},
		known: { ...owner, entries, ...given.known },
		settings: { ...settings, ...given.settings },
		...{ approval: given.approval ?? NOT_APPROVED, lock: LOCK },
	}).map(({ json }) => json);
	const [{ summary }] = items;
	if (!summary) throw new Error('there is no summary');
	const batches = items.filter(({ batch }) => batch > 0);
	const work = batches.flatMap((batch) => batch.work ?? []);
	return { summary, batches, work, ids: work.map(({ id }) => id).join() };
}

const document = (id: string, text = 'A') => ({ id, text });
const entry = (id: string, version = 'A', chunks = 1): Entry => [id, version, chunks];
const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

test.each<[what: string, given: Given, status: number, problem: RegExp]>([
	['no list', { list: undefined }, 400, /there is no list/],
	['a list that is an object', { list: { documents: [] } }, 400, /there is no list/],
	['an empty list', { list: [], entries: [] }, 400, /^the list is empty$/],
	['one empty item', { list: [{}], entries: [] }, 400, /the list is empty/],
	[
		'no ID',
		{ list: [document('a'), { text: 'B' }] },
		400,
		/^document 2 of 2 in the list has no ID$/,
	],
	['an empty item among others', { list: [{}, document('a')] }, 400, /document 1 of 2 .* no ID$/],
	['a document that is null', { list: [document('a'), null] }, 400, /document 2 of 2 .* no ID/],
	[
		'a field that would hide one of ours',
		{ list: [{ ...document('a'), fields: { page: 3 } }], isChunked: true },
		400,
		/^the document 'a' has a field 'page', .* chunkIndex, page, pageEnd/,
	],
	['a blank ID', { list: [document(' ')] }, 400, /no ID, only " "/],
	['a fraction', { list: [{ id: 1.5, text: 'A' }] }, 400, /no ID, only 1.5/],
	['a large number', { list: [{ id: 2 ** 60, text: 'A' }] }, 400, /no ID, only 11529/],
	...['undefined', 'shop/undefined', 'shop-null', 'shop [object Object]'].map(
		(id): [string, Given, number, RegExp] => [
			'an ID made of a missing field',
			{ list: [document(id)] },
			400,
			/a field that does not exist/,
		],
	),
	['U+FFFD in an ID', { list: [document('caf\ufffd')] }, 400, /contains the character U\+FFFD/],
	[
		'two different documents with one ID',
		{ list: [document('a'), document('b'), document('a', 'B')] },
		...([400, /two different documents with the ID 'a'/] as const),
	],
	[
		'a number and a text as one ID',
		{ list: [{ id: 1, text: 'A' }, document('1', 'B')] },
		400,
		/'1'/,
	],
	[
		'another run',
		{ list: [document('a')], known: { isOwner: false, lockedUntil: '2026-01-01' } },
		...([409, /another run has not ended.*2026-01-01/] as const),
	],
])('%s changes nothing', (_what, given, status, problem) => {
	const { summary, batches } = planned({ entries: [entry('x')], ...given });
	expect(summary.status).toBe(status);
	expect(summary.problem).toMatch(problem);
	expect(batches).toEqual([]);
});

test('identical copies count once, and 0 is an ID', () => {
	const list = [document('a'), document('a'), { id: 0, text: 'A' }];
	expect(planned({ list }).ids).toBe('a,0');
});

test('an empty list deletes everything after an approval', () => {
	for (const list of [[], [{}]]) {
		const { ids } = planned({
			list,
			entries: [entry('a')],
			approval: approved(1),
		});
		expect(ids).toBe('a');
	}
});

test('only what changed is sent, and what is missing comes first', () => {
	const entries = [entry('a'), entry('b'), entry('c'), entry('d', '')];
	const { work, summary } = planned({
		list: [document('a'), document('b', 'B'), document('d'), document('e')],
		entries,
	});
	expect(work.map(({ id, version }) => [id, version])).toEqual([
		['c', null],
		['b', 'B'],
		['e', 'A'],
		// It has failed before.
		['d', 'A'],
	]);
	expect(summary).toMatchObject({ unchanged: 1, missing: 1, withheld: 0, known: 4 });
});

test('more than ten deletes and more than 5% are withheld, and everything else is done', () => {
	const gone = (missing: number, all: number) => {
		const entries = many(all).map((id) => entry(id));
		const list = [
			...many(all)
				.slice(missing)
				.map((id) => document(id)),
			document('new'),
		];
		return planned({ list, entries });
	};
	expect(gone(10, 20).summary.withheld).toBe(0);
	expect(gone(11, 300).summary.withheld).toBe(0);
	expect(gone(15, 300).summary.withheld).toBe(0);
	expect(gone(16, 300)).toMatchObject({ summary: { withheld: 16 }, ids: 'new' });
	expect(gone(11, 20)).toMatchObject({ summary: { withheld: 11 }, ids: 'new' });
});

test('the address of a page may end with a word for a missing field', () => {
	const list = [document('https://example.com/types/null')];
	expect(planned({ list, isAsked: true }).ids).toBe('https://example.com/types/null');
});

test('documents that were never in the index do not count for the limits', () => {
	const entries: Entry[] = many(20).map((id) => [id, 'A', 0, undefined, 'is a scan']);
	const { summary, work } = planned({ list: [document('a')], entries });
	expect(summary.withheld).toBe(0);
	expect(work).toHaveLength(21);
});

test('an approval is for so many deletes', () => {
	const entries = many(20).map((id) => entry(id));
	const { work, batches } = planned({
		list: [document('0')],
		entries,
		approval: approved(19),
	});
	expect(work).toHaveLength(19);
	expect(batches[0]).toMatchObject({ isApproved: true, missing: 19, mayDelete: 0 });
});

test('documents are pushed again if their IDs are listed', () => {
	const list = [document('a'), { id: 1, text: 'A' }, document('b')];
	const entries = [entry('a'), entry('1'), entry('b')];
	const again = (pushAgain: unknown) => planned({ list, entries, settings: { pushAgain } }).ids;
	expect(again(['a', 1])).toBe('a,1');
	expect(again('b')).toBe('b');
	expect(again(null)).toBe('');
});

test('what could not be read is named until its version changes', () => {
	const entries: Entry[] = [['a', 'A', 2, 'sum', 'is encrypted']];
	const { summary, batches } = planned({ list: [document('a')], entries });
	expect(batches).toEqual([]);
	expect(summary).toMatchObject({ unreadable: 1, unchanged: 0, problems: ["'a' is encrypted"] });
	expect(planned({ list: [document('a', 'B')], entries }).work).toMatchObject([
		{ id: 'a', chunks: 2, text: 'sum' },
	]);
});

test('with Fetch, missing documents count under the limits, whatever the source would answer', () => {
	const entries = many(100).map((id) => entry(id));
	const given = { entries, isAsked: true, batchSize: 33 };
	const most = planned({ ...given, list: many(90).map((id) => document(id)) });
	expect(most).toMatchObject({ summary: { withheld: 0 } });
	expect(most.work).toHaveLength(10);
	const broken = planned({ ...given, list: [document('0')] });
	expect(broken).toMatchObject({ summary: { withheld: 99 }, work: [] });
});

test('doubtful deletes of all batches together stay within the limits', () => {
	const entries = many(8).map((id) => entry(`gone-${id}`));
	const list = many(40).map((id) => document(id));
	const { batches } = planned({ list, entries, isAsked: true, batchSize: 12 });
	// Each batch may delete its missing documents, and its share of the two deletes that are left.
	expect(batches.map(({ mayDelete }) => mayDelete)).toEqual([0, 0, 0, 0]);
	expect(batches.map(({ missing }) => missing)).toEqual([2, 2, 2, 2]);
	expect(planned({ list: list.slice(0, 3), isAsked: true }).batches[0].mayDelete).toBe(10);
});

test('each batch of deletes has a push too, if there are enough of them', () => {
	const entries = many(9).map((id) => entry(`gone-${id}`));
	const list = [document('new-1'), document('new-2'), document('new-3')];
	const { batches } = planned({ list, entries, batchSize: 4 });
	const parts = batches.map(({ work = [] }) => work.map(({ version }) => version !== null));
	expect(parts).toEqual(Array.from({ length: 3 }, () => [false, false, false, true]));
	const ids = new Set(batches.flatMap(({ work = [] }) => work.map(({ id }) => id)));
	expect(ids.size).toBe(12);
});

test('the first batch has the snapshot', () => {
	const entries = [entry('a', 'B'), entry('b', 'B')];
	const list = [document('a'), document('b')];
	const { batches, summary } = planned({
		list,
		entries,
		batchSize: 1,
		known: { compactUpTo: 5 },
	});
	expect(batches.map(({ snapshot }) => snapshot)).toEqual([entries, []]);
	expect(summary.compactUpTo).toBe(5);
	const unchanged = planned({
		list,
		entries: [entry('a'), entry('b')],
		known: { compactUpTo: 5 },
	});
	expect(unchanged.summary.compactUpTo).toBe(0);
});

const at = (seconds: number) => new Date(seconds * 1000);
const rowsOf = (...rows: Array<[run: number, ...entries: Entry[]]>) =>
	rows.map(([run, ...entries], index) => ({
		...{ id: index + 100, run, entries: JSON.stringify(entries), size: entries.length },
	}));
const knownFrom = (rows: object[], mostRows = 500) =>
	known({ rows: rows as [], lock: { id: 1 }, now: at(100), mostRows })[0].json;

test('the oldest lock that has not expired owns the table', () => {
	const lock = (id: number, seconds: number) => ({ id, lockedUntil: at(seconds).toISOString() });
	expect(knownFrom([lock(1, 101)]).isOwner).toBe(true);
	expect(knownFrom([lock(1, 101), lock(2, 150)]).isOwner).toBe(true);
	const other = knownFrom([lock(0, 102), lock(1, 110)]);
	expect(other).toMatchObject({ isOwner: false, lockedUntil: at(102).toISOString() });
	expect(knownFrom([lock(0, 99), lock(1, 110)]).isOwner).toBe(true);
	expect(knownFrom([lock(1, 99)]).isOwner).toBe(false);
});

test('a late row may only raise the number of chunks that the index may contain', () => {
	const newer: [number, Entry] = [8, entry('a', 'new', 2)];
	expect(knownFrom(rowsOf(newer, [7, entry('a', 'old', 5)])).entries).toEqual([['a', '', 5]]);
	expect(knownFrom(rowsOf(newer, [7, entry('a', 'old', 1)])).entries).toEqual([['a', '', 2]]);
	expect(knownFrom(rowsOf(newer, [7, ['a', null]])).entries).toEqual([['a', '', 2]]);
});

test.each(['[["a","A",1]', 'a', '{"a":1}', 'null', '["ab"]', '[["a"]]', '[null]'])(
	'a row whose entries were changed to %j is named, and nothing is changed',
	(entries) => {
		const [good, bad] = rowsOf([1, entry('a')], [1, entry('b')]);
		const broken = knownFrom([good, { ...bad, entries }]);
		expect(broken.problem).toMatch(
			/^'entries' in the row with the ID 101 of the data table is not a list.* stay in the index$/,
		);
		const { summary, work } = planned({ list: [document('a', 'A')], known: broken });
		expect(summary).toMatchObject({ status: 500, problem: broken.problem, planned: 0 });
		expect(work).toEqual([]);
	},
);

test('a table that cannot be written is a reason, too', () => {
	const lock = { id: 0, error: 'Data table size limit exceeded.' };
	const [{ json }] = known({ rows: [], lock, now: at(0), mostRows: 9 });
	const { summary } = planned({ list: [document('a', 'A')], known: json });
	expect(summary).toMatchObject({
		status: 500,
		problem: 'the data table cannot be written: Data table size limit exceeded',
	});
});

test('rows of deleted documents and rows without entries are read', () => {
	const rows = [...rowsOf([1, entry('a'), entry('b')], [1, ['a', null]], [1])];
	expect(knownFrom(rows).entries).toEqual([entry('b')]);
});

test('the table is compacted if it has many rows or many entries', () => {
	const rows = rowsOf([1, entry('a')], [1, entry('a')], [1, entry('a')]);
	expect(knownFrom(rows, 3).compactUpTo).toBe(0);
	expect(knownFrom(rows, 2).compactUpTo).toBe(102);
	const often = rowsOf([1, ...Array.from({ length: 1004 }, () => entry('a'))]);
	expect(knownFrom(often).compactUpTo).toBe(100);
});

describe('lists with versions', () => {
	const listed = (more: object) => ({ ...document('a', 'B'), ...more });
	const entries = [entry('a'), entry('b')];

	test('a document that waits is not changed and not missing', () => {
		const { summary, ids } = planned({
			list: [listed({ later: true })],
			entries,
			isAsked: true,
		});
		expect(ids).toBe('b');
		expect(summary).toMatchObject({ later: 1, unchanged: 0, missing: 1 });
	});

	test('a document that waits is fetched if it is to be pushed again', () => {
		const pushAgain = { settings: { pushAgain: ['a'] } };
		const list = [listed({ later: true })];
		expect(planned({ list, entries: [entry('a')], isAsked: true, ...pushAgain }).ids).toBe('a');
	});

	test('skipped documents are counted by kind, and missing if they were there before', () => {
		const list = [
			...[listed({}), { id: 'b', skipped: 'docx' }],
			...[{ skipped: 'docx' }, { skipped: 'constructor' }],
		];
		const { summary, ids } = planned({ list, entries, isAsked: true });
		expect(ids).toBe('b,a');
		expect(summary.skipped).toEqual({ docx: 2, constructor: 1 });
	});

	test('a list of skipped documents only is refused', () => {
		const given = { list: [{ id: 'a', skipped: 'docx' }], isAsked: true };
		expect(planned(given).summary).toMatchObject({
			status: 400,
			problem: expect.stringContaining(
				'no document to index, only others: {"docx":1}',
			) as string,
		});
		// Documents that are known are missing, and none may be deleted without an approval.
		expect(planned({ ...given, entries })).toMatchObject({ ids: '', summary: { withheld: 2 } });
		expect(planned({ ...given, entries, approval: approved(2) }).ids).toBe('a,b');
	});

	test('in other lists, these fields are content', () => {
		const { summary, ids } = planned({
			list: [listed({ later: true, skipped: 'docx' })],
			entries,
		});
		expect(ids).toBe('b,a');
		expect(summary).not.toHaveProperty('skipped');
	});
});

describe('a run that may fetch only so many documents', () => {
	const versions = (...ids: string[]) => ids.map((id) => ({ id, text: 'B' }));

	test('new documents come before changed ones, and the others wait', () => {
		const given = {
			list: versions('a', 'b', 'c', 'd'),
			entries: ['a', 'b', 'c'].map((id) => entry(id)),
		};
		const some = planned({ ...given, isAsked: true, settings: { mostPerRun: 2 } });
		expect(some.ids).toBe('d,a');
		expect(some.summary).toMatchObject({ later: 2, planned: 2 });
		const all = planned({ ...given, isAsked: true, settings: { mostPerRun: 4 } });
		expect(all.ids).toBe('a,b,c,d');
		expect(all.summary).not.toHaveProperty('later');
	});

	test('missing documents take at most half of the run', () => {
		const given = {
			list: versions('x', 'y', 'z'),
			entries: ['a', 'b', 'c'].map((id) => entry(id)),
		};
		const { ids, summary } = planned({ ...given, isAsked: true, settings: { mostPerRun: 4 } });
		expect(ids).toBe('a,b,x,y');
		expect(summary).toMatchObject({ later: 2, planned: 4 });
	});

	test('lists with texts have no such limit', () => {
		const { ids } = planned({ list: versions('a', 'b'), settings: { mostPerRun: 1 } });
		expect(ids).toBe('a,b');
	});

	test('Fetch finds the settings in each batch', () => {
		const given = {
			list: versions('a', 'b'),
			batchSize: 1,
			settings: { mostPerRun: 3 },
		};
		const most = (isAsked: boolean) =>
			planned({ ...given, isAsked }).batches.map(({ settings: all }) => all?.mostPerRun);
		expect(most(true)).toEqual([3, 3]);
		expect(most(false)).toEqual([undefined, undefined]);
	});
});

describe('pages with several spellings of their address', () => {
	const [small, large] = ['https://a.example/%eb', 'https://a.example/%EB'];
	const of = (list: string[], known: string[], given: Partial<Given> = {}) =>
		planned({
			list: list.map((id) => document(id)),
			entries: known.map((id) => entry(id)),
			...{ isAsked: true, areAddresses: true, ...given },
		});

	test('a page keeps the ID in the table, and is not missing', () => {
		const { summary, ids } = of([large], [small]);
		expect(summary).toMatchObject({ unchanged: 1, missing: 0 });
		expect(ids).toBe('');
		const changed = of([large], [small], { list: [document(large, 'B')] });
		expect(changed.work).toEqual([
			expect.objectContaining({ id: small, chunks: 1, document: { id: large, text: 'B' } }),
		]);
	});

	test('of two known spellings, the one in the list stays, and the other is missing', () => {
		for (const list of [[small], [large]]) {
			const { summary, work } = of(list, [small, large]);
			expect(summary).toMatchObject({ unchanged: 1, missing: 1 });
			expect(work.map(({ id }) => id)).toEqual([list[0] === small ? large : small]);
		}
	});

	test('a new page has the spelling of the list, and pushAgain may have any', () => {
		expect(of([large], []).ids).toBe(large);
		expect(of([large], [small], { settings: { pushAgain: [large] } }).ids).toBe(small);
	});

	test('IDs that are no addresses of pages are compared as they are', () => {
		const { ids } = of([large], [small], { areAddresses: false });
		expect(ids).toBe(`${small},${large}`);
	});
});

test('an excluded page counts as missing, and says that it is excluded', () => {
	const url = (path: string) => `https://a.example/${path}`;
	const { work, summary } = planned({
		list: [document(url('a')), { id: url('%EB'), skipped: 'excluded' }],
		entries: [entry(url('a')), entry(url('%eb')), entry(url('c'))],
		...{ isAsked: true, areAddresses: true },
	});
	expect(summary).toMatchObject({ missing: 2, skipped: { excluded: 1 } });
	expect(work.map(({ id, isExcluded }) => [id, isExcluded])).toEqual([
		[url('%eb'), true],
		[url('c'), undefined],
	]);
});

describe('documents that have failed before', () => {
	test('come last, in batches of their own, if there are others', () => {
		const list = ['a', 'b', 'c', 'd', 'e'].map((id) => document(id, 'B'));
		const entries = [entry('a', ''), entry('b', ''), entry('c'), entry('gone')];
		const { batches } = planned({ list, entries, batchSize: 2 });
		expect(batches.map(({ work = [] }) => work.map(({ id }) => id))).toEqual([
			...[
				['gone', 'd'],
				['c', 'e'],
			],
			['a', 'b'],
		]);
		expect(batches.map((batch) => batch.batches)).toEqual([3, 3, 3]);
	});

	test('share the batches of deletes if all others have failed as well', () => {
		const entries = [entry('a', ''), entry('gone')];
		const { batches } = planned({ list: [document('a')], entries, batchSize: 2 });
		expect(batches).toHaveLength(1);
	});

	test('wait for the next run if a run may fetch only so many', () => {
		const list = ['a', 'b', 'c'].map((id) => document(id, 'B'));
		const entries = [entry('a', ''), entry('b')];
		const given = { list, entries, isAsked: true, settings: { mostPerRun: 2 } };
		expect(planned(given).ids).toBe('c,b');
	});
});

test('the first batch has the checksums of all addresses in the list, without excluded ones', () => {
	const url = (path: string) => `https://a.example/${path}`;
	const list = [document(url('a')), document(url('b/')), { id: url('c'), skipped: 'excluded' }];
	const of = (areAddresses: boolean) =>
		planned({ list, isAsked: true, areAddresses, batchSize: 1 }).batches.map(
			(batch) => batch.listed,
		);
	expect(of(true)).toEqual([listedPlaces([url('a'), url('b')]), undefined]);
	expect(of(false)).toEqual([undefined, undefined]);
});
