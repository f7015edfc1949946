import fc from 'fast-check';

import batchRow from '../../../examples/src/code/batch-row';
import documentsOf from '../../../examples/src/code/documents';
import known from '../../../examples/src/code/known';
import plan from '../../../examples/src/code/plan';
import planDatabase from '../../../examples/src/code/plan-database';
import plannedChanges from '../../../examples/src/code/planned-changes';
import result from '../../../examples/src/code/result';
import { idProblem, isNeverPushed } from '../../../examples/src/code/shared/document-id';
import { storableText } from '../../../examples/src/code/shared/storable-text';
import type { Batch, Entry, Settings, Work } from '../../../examples/src/parts/types';
import { documentId } from '../../../nodes/shared/service/push/document-id';
import { pathSegment } from '../../../nodes/shared/service/url';
import { HISTORY, LOCK, NOT_APPROVED } from './support/approvals';

const isRefused = (refuse: () => unknown): boolean => {
	try {
		refuse();
		return false;
	} catch {
		return true;
	}
};

/** Texts that are not blank. Plan refuses a list with a blank ID. */
const anyId = fc
	.oneof(
		fc.string({ unit: 'binary' }),
		fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a', '.') }),
		fc.string({ unit: fc.constantFrom('1', '4', '.', ',', 'E', 'e', '+', '0') }),
		fc.constantFrom(
			'.',
			'..',
			'...',
			'%2e',
			'./a',
			'a/..',
			'4.00638E+12',
			'1e+05',
			'\0',
			'a b',
			'🎉',
		),
	)
	.filter((id) => id.trim() !== '');

test('the syncs and the nodes refuse the same IDs', () => {
	const seen = { push: 0, delete: 0, none: 0 };
	fc.assert(
		fc.property(anyId, (id) => {
			const isPushRefused = isRefused(() => documentId(id));
			const isDeleteRefused = isRefused(() => pathSegment(documentId(id), 'ID'));
			expect([id, isNeverPushed(id)]).toEqual([id, isPushRefused]);
			expect([id, idProblem(id) !== '']).toEqual([id, isDeleteRefused]);
			if (isPushRefused) seen.push += 1;
			else if (isDeleteRefused) seen.delete += 1;
			else seen.none += 1;
		}),
		{ numRuns: 2000 },
	);
	expect(Object.values(seen).filter((count) => count < 10)).toEqual([]);
});

const settings: Settings = {
	...{ mostDeletes: 0, mostDeletesPercent: 0, pushAgain: [] },
};

/** One run of a sync whose nodes refuse IDs as the real ones do. */
function run(ids: string[], entries: Entry[], isChunked: boolean) {
	const list = ids.map((id) => ({ id, name: 'N', text: 'T' }));
	const [{ json }] = plan({
		...{ list, versions: ids.map(() => 'v'), settings, lock: LOCK, batchSize: 100 },
		known: { isOwner: true, lockedUntil: '', entries, compactUpTo: 0 },
		...{ isAsked: false, asksForMissing: false, areAddresses: false, approval: NOT_APPROVED },
	});
	const { summary } = json;
	if (!summary) throw new Error('there is no summary');
	if (json.batch === 0) {
		return {
			entries,
			requests: [],
			result: result({
				summary,
				batches: [],
				isChunked,
				howToDelete: '',
				approval: NOT_APPROVED,
			})[0].json,
		};
	}
	const batch = json as Batch;
	const documents = documentsOf({ batch, fetched: null, isChunked }).map((item) => item.json);
	const requests: string[] = [];
	const send = (id: string) => {
		requests.push(id);
		return isRefused(() => pathSegment(documentId(id), 'ID')) ? 'refused' : undefined;
	};
	const texts = documents.map(({ id, text, previousChunkCount }) => {
		const error = isRefused(() => documentId(id)) ? 'refused' : undefined;
		const chunkCount = text ? 1 : 0;
		const removed = previousChunkCount > chunkCount ? [`${id}#0`] : [];
		return {
			id,
			error,
			chunkCount,
			removalsKnown: true,
			documents: text ? [{ id }] : [],
			removedIds: removed,
		};
	});
	const answers = documents.map((document, at) => {
		const { id } = document;
		const pushed = isChunked ? texts[at].documents : document.documents;
		const removed = isChunked ? texts[at].removedIds : document.removedIds;
		const errors = [...pushed.map(() => send(id)), ...removed.map(send)];
		const error = errors.find((each) => each !== undefined);
		return { id, pushed: pushed.length, deleted: removed.length, notFound: 0, error };
	});
	plannedChanges({ batch, documents, texts: isChunked ? texts : null });
	const [row] = batchRow({
		...{ batch, documents, texts: isChunked ? texts : null, pushes: answers, deletes: answers },
	});
	const rows = [
		{ id: 1, run: 1, entries: JSON.stringify(entries) },
		{ id: 2, run: 1, entries: row.json.entries },
	];
	const [after] = known({ rows, lock: { id: 0 }, now: new Date(), mostRows: 9 });
	const [end] = result({
		summary,
		batches: [row.json],
		isChunked,
		howToDelete: 'approve it',
		approval: NOT_APPROVED,
	});
	return { entries: after.json.entries, requests, result: end.json, row: row.json };
}

describe.each([
	['half an emoji', 'a\ud83d'],
	['a dot', '.'],
	['two dots', '..'],
	['a number that a spreadsheet has shortened', '4.1E+12'],
])('%s as ID', (_what, bad) => {
	test.each([true, false])(
		'is named while it is in the list, then forgotten (chunks: %s)',
		(isChunked) => {
			const first = run(['good', bad], [], isChunked);
			expect(first.requests).toEqual(['good']);
			expect(first.result).toMatchObject({
				status: 500,
				pushed: 1,
				unreadable: 1,
				failed: 0,
			});
			expect(first.result.problems).toEqual([
				expect.stringContaining(`'${bad.toWellFormed()}' has an ID`),
			]);
			expect(String(first.result.error).isWellFormed()).toBe(true);
			expect(first.row?.problems.isWellFormed()).toBe(true);

			const second = run(['good', bad], first.entries, isChunked);
			expect(second.requests).toEqual([]);
			expect(second.result).toMatchObject({ status: 500, unchanged: 1, unreadable: 1 });

			const third = run(['good'], second.entries, isChunked);
			expect(third.requests).toEqual([]);
			expect(third.result).toMatchObject({ status: 200, error: '', withheld: 0, deleted: 0 });
			expect(third.entries.map(([id]) => id)).toEqual(['good']);
		},
	);
});

test.each([true, false])(
	'half an emoji of an older version is forgotten as well (chunks: %s)',
	(isChunked) => {
		const entries: Entry[] = [['a\ud83d', '', 1]];
		const after = run(['good'], [...entries, ['good', 'v', 1]], isChunked);
		expect(after.requests).toEqual([]);
		expect(after.result).toMatchObject({ status: 200, error: '', withheld: 0 });
		expect(after.entries.map(([id]) => id)).toEqual(['good']);
	},
);

test('in a database sync, the same rule holds', () => {
	const work: Work[] = [
		{ id: '..', version: 'v', chunks: 0, document: { id: '..', name: 'N', text: 'T' } },
	];
	const compared = {
		...{
			settings: 's',
			isOwner: true,
			lockedUntil: null,
			rows: 1,
			rowsWithoutId: 0,
			repeatedId: null,
		},
		...{ known: 0, unchanged: 0, goneFromIndex: 0, unreadable: 0, problems: [] },
		...{ changed: [{ from: '1', to: '1', documents: 1 }], gone: [] },
	};
	const [planned] = planDatabase({
		compared,
		query: 'Q',
		ignored: '[]',
		settings,
		...{ lock: LOCK, isChunked: true, owner: 'w', approval: NOT_APPROVED },
	});
	const batch = { ...planned.json, work } as unknown as Batch;
	for (const isChunked of [true, false]) {
		const [{ json }] = documentsOf({ batch, fetched: null, isChunked });
		expect(json).toMatchObject({ documents: [], removedIds: [], isTransient: false });
		expect(json.problem).toMatch(/could never be deleted/);
	}
});

test('a stored text has no NUL and no half of a surrogate pair, wherever it is cut', () => {
	fc.assert(
		fc.property(
			fc.string({ unit: fc.constantFrom('\0', '\ud83d', '\ude00', '🎉', 'a') }),
			fc.nat(20),
			(text, most) => {
				const stored = storableText(text, most);
				expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
				expect(stored.length).toBeLessThanOrEqual(most);
			},
		),
	);
	expect(storableText('a🎉b', 2)).toBe('a');
	expect(storableText('a🎉b', 3)).toBe('a🎉');
	expect(storableText('a\0b')).toBe('ab');
});

test('no message of a service reaches a row of the table with such characters', () => {
	const work: Work[] = [
		{ id: 'a', version: 'v', chunks: 0, document: { id: 'a', name: 'N', text: 'T' } },
	];
	const batch: Batch = {
		batch: 1,
		batches: 1,
		tableId: 't',
		run: 1,
		snapshot: [],
		mayDelete: 0,
		...{ missing: 9, isApproved: false, history: HISTORY },
		work,
	};
	const [{ json }] = documentsOf({ batch, fetched: null, isChunked: false });
	const bad = `The service says \0 and \ud83d ${'🎉'.repeat(2000)}`;
	const [row] = batchRow({
		batch,
		documents: [json],
		texts: null,
		pushes: [{ id: 'a', error: bad }],
		deletes: [],
	});
	for (const text of [row.json.error, row.json.problems, row.json.entries]) {
		expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
	}
	expect(row.json.problems).toMatch(/^Failed: 'a': The service says/);
	const fetched = [{ id: 'a', error: bad }];
	const [read] = documentsOf({ batch, fetched, isChunked: true });
	expect(read.json.problem.isWellFormed() && !read.json.problem.includes('\0')).toBe(true);
	expect(read.json.problem.length).toBeLessThan(400);
});

test('an empty list of pages is a problem, and the index keeps what it has', () => {
	const work: Work[] = [{ id: 'a', version: 'v', chunks: 12, document: { id: 'a' } }];
	const batch: Batch = {
		...{ batch: 1, batches: 1, tableId: 't', run: 1, snapshot: [], mayDelete: 10, work },
		...{ missing: 9, isApproved: false, history: HISTORY },
	};
	const [{ json }] = documentsOf({ batch, fetched: [{ id: 'a', pages: [] }], isChunked: true });
	expect(json).toMatchObject({ problem: 'has no pages', removedIds: [], previousChunkCount: 0 });
	expect(json.isDeleted).toBe(false);
});

test('documents that failed and that were read in part are named, after those that could not be read', () => {
	const ids = ['failed', 'part', 'unread', 'good'];
	const work: Work[] = ids.map((id) => ({ id, version: 'v', chunks: 0, document: { id } }));
	const batch: Batch = {
		batch: 1,
		batches: 1,
		tableId: 't',
		run: 1,
		snapshot: [],
		mayDelete: 0,
		...{ missing: 9, isApproved: false, history: HISTORY },
		work,
	};
	const fetched = [
		...[
			{ id: 'failed', text: 'T' },
			{ id: 'good', text: 'U' },
			{ id: 'unread', problem: 'is a scan' },
		],
		{ id: 'part', pages: ['P', '', '', '', 'P', ''], pagesWithoutText: [2, 3, 4, 6] },
	];
	const documents = documentsOf({ batch, fetched, isChunked: true }).map((item) => item.json);
	const texts = documents.map(({ id, text }) => ({
		...{
			id,
			chunkCount: text ? 1 : 0,
			removalsKnown: true,
			documents: text ? [1] : [],
			removedIds: [],
		},
	}));
	const pushes = ids.map((id) =>
		id === 'failed' ? { id, error: 'Rejected\nby it.' } : { id, pushed: 1 },
	);
	const [row] = batchRow({ batch, documents, texts, pushes, deletes: [] });
	expect(row.json.problems.split('\n')).toEqual([
		"'unread' is a scan",
		"Failed: 'failed': Rejected by it.",
		"Read in part: 'part' has no text on page 2-4, 6",
	]);
	const summary = {
		...{
			status: 200,
			problem: '',
			known: 0,
			unchanged: 0,
			missing: 0,
			withheld: 0,
			mostDeletes: 10,
			unreadable: 1,
		},
		...{ problems: ["'old' is encrypted"], planned: 4, compactUpTo: 0 },
	};
	const [{ json }] = result({
		summary,
		batches: [row.json],
		isChunked: true,
		howToDelete: '',
		approval: NOT_APPROVED,
	});
	expect(json).toMatchObject({ pagesWithoutText: 1, failed: 1, unreadable: 2, pushed: 2 });
	expect(json.problems).toEqual([
		"'unread' is a scan",
		"'old' is encrypted",
		"Failed: 'failed': Rejected by it.",
		"Read in part: 'part' has no text on page 2-4, 6",
	]);
	expect(json.error).toMatch(/The first one: 'unread' is a scan\. The next run tries/);
});
