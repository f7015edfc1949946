import fc from 'fast-check';

import plan from '../../../examples/src/code/plan-database';
import type {
	Compared,
	DatabaseBatch,
	KeyRange,
	Settings,
	Summary,
} from '../../../examples/src/parts/types';
import { approved, LOCK, NOT_APPROVED } from './support/approvals';

const NOTHING: Compared = {
	...{ settings: 'checksum', isOwner: true, lockedUntil: null, rows: 100, rowsWithoutId: 0 },
	...{ repeatedId: null, known: 100, unchanged: 100, goneFromIndex: 0, unreadable: 0 },
	...{ problems: [], changed: [], gone: [] },
};

const SETTINGS: Settings = {
	...{ mostDeletes: 10, mostDeletesPercent: 5, pushAgain: [] },
};

function planned(
	compared: Partial<Compared>,
	settings: Partial<Settings> = {},
	approval = NOT_APPROVED,
) {
	const items = plan({
		compared: { ...NOTHING, ...compared },
		settings: { ...SETTINGS, ...settings },
		...{ approval, lock: LOCK, owner: 'w', query: 'select 1', isChunked: false },
		ignored: '["views"]',
	});
	const [{ json: first }] = items;
	const { summary } = first as { summary: Summary };
	const batches = items
		.map(({ json }) => json)
		.filter(({ batch }) => batch > 0) as DatabaseBatch[];
	return { summary, batches };
}

const ranges = (...documents: number[]): KeyRange[] =>
	documents.map((count, at) => ({ from: `${at}a`, to: `${at}z`, documents: count }));

test('without changes, there is no batch', () => {
	const { summary, batches } = planned({});
	expect(batches).toEqual([]);
	expect(summary).toMatchObject({ status: 200, problem: '', unchanged: 100, planned: 0 });
});

test('a batch deletes and pushes, if possible', () => {
	const { summary, batches } = planned({
		changed: ranges(3, 2),
		gone: ranges(1),
		goneFromIndex: 1,
	});
	expect(batches).toMatchObject([
		{
			batch: 1,
			batches: 2,
			run: 7,
			from: '0a',
			to: '0z',
			goneFrom: '0a',
			goneTo: '0z',
			documents: 4,
		},
		{
			batch: 2,
			batches: 2,
			run: 7,
			from: '1a',
			to: '1z',
			goneFrom: null,
			goneTo: null,
			documents: 2,
		},
	]);
	expect(summary.planned).toBe(6);
});

test.each([
	['another run', { isOwner: false, lockedUntil: 'noon' }, 409, 'expires at noon'],
	['an empty table', { rows: 0, known: 0 }, 400, 'returns no rows'],
	['rows without ID', { rowsWithoutId: 2 }, 400, '2 of 100 rows'],
	['a key that cannot be found again', { keyType: 'record' }, 400, 'Write array[a, b]'],
	['two rows with one ID', { repeatedId: 'a' }, 400, "have the ID 'a'"],
	['a failure of the query', { message: 'no permission' }, 400, "'Your Query': no permission"],
])('%s stops the run before it changes anything', (_what, compared, status, why) => {
	const { summary, batches } = planned({ ...compared, changed: ranges(3), gone: ranges(1) });
	expect(batches).toEqual([]);
	expect(summary).toMatchObject({ status, planned: 0, unchanged: 0 });
	expect(summary.problem).toContain(why);
});

test.each([
	[100, 10, 0],
	[100, 11, 11],
	[1000, 50, 0],
	[1000, 51, 51],
])('of %d known documents, %d are missing, and %d are withheld', (known, gone, withheld) => {
	const compared = { known, gone: ranges(gone), goneFromIndex: gone, changed: ranges(2) };
	const { summary, batches } = planned(compared);
	expect(summary).toMatchObject({ withheld, planned: 2 + gone - withheld });
	expect(batches).toHaveLength(1);
	expect(batches[0].goneFrom).toBe(withheld > 0 ? null : '0a');
	expect(planned(compared, {}, approved(gone)).summary).toMatchObject({
		...{ withheld: 0, planned: 2 + gone },
	});
});

test('documents of which the index has nothing may always be forgotten', () => {
	const { summary } = planned({ gone: ranges(50), goneFromIndex: 0 });
	expect(summary).toMatchObject({ withheld: 0, planned: 50 });
});

test('an empty table deletes everything once it is approved', () => {
	const gone = { rows: 0, gone: ranges(100), goneFromIndex: 100 };
	expect(planned(gone).summary).toMatchObject({ withheld: 100, planned: 0 });
	expect(planned(gone, {}, approved(99)).summary).toMatchObject({ withheld: 100, planned: 0 });
	expect(planned(gone, {}, approved(100)).summary).toMatchObject({
		problem: '',
		planned: 100,
	});
});

test('IDs to push again are passed on as a list of texts', () => {
	const { batches } = planned({ changed: ranges(1) }, { pushAgain: [1, 'b'] });
	expect(batches[0].pushAgain).toBe('["1","b"]');
});

test('all batches together may delete at most as many documents as the settings allow', () => {
	const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 });
	fc.assert(
		fc.property(sizes, sizes, fc.nat(300), (changed, gone, known) => {
			const missing = gone.reduce((sum, count) => sum + count, 0);
			const { summary, batches } = planned({
				...{ known: known + missing, gone: ranges(...gone), goneFromIndex: missing },
				changed: ranges(...changed),
			});
			const most = Math.max(10, Math.floor((known + missing) / 20));
			const allowed = batches.reduce(
				(sum, { mayDelete, missing: here }) => sum + mayDelete + here,
				0,
			);
			expect(allowed).toBeLessThanOrEqual(most);
			expect(summary.withheld).toBe(missing > most ? missing : 0);
			const documents = batches.reduce((sum, batch) => sum + batch.documents, 0);
			expect(documents).toBe(summary.planned);
		}),
	);
});
