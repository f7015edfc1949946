import plannedChanges from '../../../examples/src/code/planned-changes';
import documentsOf from '../../../examples/src/code/documents';
import entriesOf from '../../../examples/src/code/entries';
import batchRow from '../../../examples/src/code/batch-row';
import result from '../../../examples/src/code/result';
import type {
	Batch,
	BatchDocument,
	Entry,
	Fetched,
	Summary,
	Work,
} from '../../../examples/src/parts/types';
import { HISTORY, NOT_APPROVED } from './support/approvals';

const batchOf = (work: Work[], more: Partial<Batch> = {}): Batch => ({
	...{ batch: 1, batches: 1, tableId: 'table', run: 7, snapshot: [], mayDelete: 10, work },
	...{ missing: 10, isApproved: false, history: HISTORY },
	...more,
});

const checksums = new Map<string, string | undefined>();

/** The checksum of a text as the node Documents computes it. */
function sum(text: string): string | undefined {
	if (!checksums.has(text)) {
		const [document] = read([changed('x', text)]);
		checksums.set(text, document.newText);
	}
	return checksums.get(text);
}

function changed(id: string, text: unknown, more: Partial<Work> = {}): Work {
	return { id, version: 'new', chunks: 2, document: { id, name: id, text }, ...more };
}

/** An indexed document whose text changes. */
const replaced = (id: string, text: string, old = `old text of ${id}`): Work =>
	changed(id, text, { text: sum(old) });

const missing = (id: string, chunks = 2): Work => ({ id, version: null, chunks });

function read(
	work: Work[],
	{
		fetched = null,
		isChunked = true,
		...more
	}: Partial<Batch> & { fetched?: Fetched[] | null; isChunked?: boolean } = {},
): BatchDocument[] {
	return documentsOf({ batch: batchOf(work, more), fetched, isChunked }).map(({ json }) => json);
}

const problemsIn = (documents: BatchDocument[]) =>
	documents.filter(({ problem }) => problem).map(({ id }) => id);

const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

describe('Documents', () => {
	test('whole documents are pushed as they are, whatever their fields are called', () => {
		const document = { id: 'a', problem: 'squeaks', gone: true, error: 'E7', pages: 12 };
		const work = { id: 'a', version: 'new', chunks: 1, document };
		const [{ documents, removedIds, problem }] = read([work], { isChunked: false });
		expect({ documents, removedIds, problem }).toEqual({
			...{ documents: [document], removedIds: [], problem: '' },
		});
	});

	test('the fields of the list and of Fetch are fields of each chunk, and a description is its description', () => {
		const fields = { category: 'Ladders', price: 0, empty: '', description: 'Short' };
		const work = { ...changed('a', 'A'), document: { id: 'a', name: 'a', text: 'A', fields } };
		expect(read([work])[0]).toMatchObject({
			fields: { category: 'Ladders', price: 0 },
			description: 'Short',
		});
		expect(read([work])[0].fields).not.toHaveProperty('empty');
		const fetched = [{ id: 'a', text: 'A', fields: { category: 'Tools', lang: 'en' } }];
		expect(read([work], { fetched })[0].fields).toEqual({
			...{ category: 'Tools', price: 0, lang: 'en' },
		});
		const [gone] = read([{ ...work, document: undefined }], { fetched });
		expect(gone).toMatchObject({ isDeleted: true, fields: {} });
		expect(read([work], { isChunked: false })[0]).not.toHaveProperty('fields');
	});

	test('all other members of a row are fields', () => {
		const row = {
			id: 'a',
			name: 'N',
			url: 'https://a',
			text: 'A',
			category: 'Ladders',
			x: null,
		};
		const rows = (document: object) =>
			documentsOf({
				batch: batchOf([{ ...changed('a', 'A'), document: { id: 'a', ...document } }]),
				...{ fetched: null, isChunked: true, isRow: true },
			})[0].json;
		expect(rows(row)).toMatchObject({ name: 'N', text: 'A', problem: '' });
		expect(rows(row).fields).toEqual({ category: 'Ladders' });
		const hidden = rows({ ...row, page: 3 });
		expect(hidden.problem).toMatch(/^has a field 'page', .* chunkIndex, page, pageEnd/);
		expect(hidden).toMatchObject({ fields: {}, text: '', isTransient: false });
		expect(rows({ ...row, page: null }).problem).toBe('');
	});

	test('a missing document is deleted if the index may contain it', () => {
		const [indexed, never] = read([missing('a', 1), missing('b', 0)], { isChunked: false });
		expect(indexed.removedIds).toEqual(['a']);
		expect(never.removedIds).toEqual([]);
		const [chunks] = read([missing('a', 3)]);
		expect(chunks).toMatchObject({ text: '', previousChunkCount: 3, isDeleted: true });
	});

	test('what Push Documents refuses was never pushed, whatever an earlier version has noted', () => {
		const [never] = read([missing('1E+05', 2)]);
		expect(never).toMatchObject({ isDeleted: true, previousChunkCount: 0, removedIds: [] });
	});

	test.each<[what: string, text: unknown, more: object, problem: RegExp]>([
		['no text', undefined, {}, /^has no text$/],
		['a text that is an object', { html: 'A' }, {}, /has no text, only \{"html":"A"\}/],
		['a list with other things than texts', ['A', 1], {}, /has no text/],
		['a name that is an object', 'A', { name: { en: 'a' } }, /a name, a URL or a description/],
		['a URL that is a list', 'A', { url: ['a'] }, /a name, a URL or a description/],
		['a problem that the list knows', undefined, { problem: 'is encrypted' }, /^is encrypted$/],
	])('%s is a problem of one document', (_what, text, more, problem) => {
		const work = changed('a', text);
		const document = { id: 'a', name: 'a', text, ...more };
		const [bad, good] = read([{ ...work, document }, changed('b', 'B')]);
		expect(bad.problem).toMatch(problem);
		expect(bad).toMatchObject({
			text: '',
			previousChunkCount: 0,
			documents: [],
			isTransient: false,
		});
		expect(good).toMatchObject({ problem: '', text: 'B', previousChunkCount: 2 });
	});

	test('a text with headings is chunked at them, from whatever source it is', () => {
		const text = '# A\n\n## B\n\nText.';
		const expected = { text: '# A\n\n ## B\n\nText.', isByHeading: true };
		const [listed] = read([changed('a', text)]);
		expect(listed).toMatchObject({ ...expected, newText: sum(text) });
		const entry = { ...changed('a', undefined), document: { id: 'a', name: 'A' } };
		expect(read([entry], { fetched: [{ id: 'a', text }] })[0]).toMatchObject(expected);
		const others = [
			{ id: 'a', text, isPlain: true },
			{ id: 'a', text: [text] },
			{ id: 'a', text: 'Text.' },
		];
		for (const other of others) {
			expect(read([entry], { fetched: [other] })[0]).toMatchObject({
				...{ text: other.text, isByHeading: false },
			});
		}
	});

	test('pages are one text', () => {
		const [document] = read([changed('a', ['One', 'Two'])]);
		expect(document).toMatchObject({ problem: '', text: ['One', 'Two'] });
		expect(document.newText).toBe(sum('One\n\nTwo'));
	});

	test('a sign-in page for more than half and at least three is not pushed', () => {
		const signIn = ['a', 'b', 'c'].map((id) => replaced(id, 'Sign in'));
		expect(problemsIn(read([...signIn, replaced('d', 'D'), replaced('e', 'E')]))).toEqual([
			'a',
			'b',
			'c',
		]);
		expect(
			problemsIn(read([...signIn, ...['d', 'e', 'f'].map((id) => replaced(id, id))])),
		).toEqual([]);
		expect(problemsIn(read(signIn.slice(1)))).toEqual([]);
		const [first] = read(signIn);
		expect(first).toMatchObject({ isTransient: true, text: '', previousChunkCount: 0 });
	});

	test('a sign-in page for more than ten and more than 5% is not pushed', () => {
		const texts = (same: number, all: number) =>
			read(many(all).map((id, at) => replaced(id, at < same ? 'Sign in' : `Text ${id}`)));
		expect(problemsIn(texts(11, 200))).toHaveLength(11);
		expect(problemsIn(texts(10, 100))).toEqual([]);
		expect(problemsIn(texts(11, 220))).toEqual([]);
	});

	describe('texts that differ only in numbers', () => {
		const hex = (number: number) => (number * 7919 + 1_000_000).toString(16);
		const unlike = (at: number) => `About ${'abcdefghij'[at % 10].repeat(9)} ${'xyz'[at % 3]}`;
		const product = (at: number) => `Ladder ${at}, ${at * 9} steps, only ${at * 10}.99 Euro`;
		/** Which of so many documents are kept, if their texts change. */
		const kept = (
			before: (at: number) => string,
			after: (at: number) => string,
			count = 100,
			more: (at: number) => Partial<Work> = () => ({}),
		) =>
			problemsIn(
				read(
					many(count).map((id, at) => ({
						...replaced(id, after(at), before(at)),
						...more(at),
					})),
				),
			).length;

		test.each<[what: string, after: (at: number) => string]>([
			['an error with an ID', (at) => `Something went wrong. Request ID: ${hex(at)}`],
			[
				'a sign-in page with the time',
				(at) => `Please sign in. It is 09:${10 + (at % 50)}:${10 + (at % 49)} AM`,
			],
			[
				'an error with a long ID',
				(at) => `Try again later (01HV${at}Z-${hex(at)}-dead${at})`,
			],
			[
				'words in hexadecimal',
				(at) => `Error ${at % 2 ? 'deadbeef' : 'cafebabe'} number ${at}`,
			],
		])('%s in place of different texts is kept and named', (_what, after) => {
			expect(kept(unlike, after)).toBe(100);
		});

		test('the problem says how to index them nevertheless', () => {
			const work = many(5).map((id, at) => replaced(id, `Sold out: ${at}`, unlike(at)));
			const [{ problem }] = read(work);
			expect(problem).toMatch(/sign-in page or an error: .* enter its ID in 'pushAgain'$/);
			const confirmed = work.map((one) => ({ ...one, isConfirmed: true }));
			expect(problemsIn(read(confirmed))).toEqual([]);
		});

		test('a page may name its own address', () => {
			const work = many(20).map((id, at) => {
				const url = `https://a.example/caf%C3%A9/${'abcdefghij'[at % 10]}${'kl'[at % 2]}/page`;
				const text = `${decodeURI(url)} is closed. Go to /enter?to=${encodeURIComponent(url)}`;
				const document = { id, name: id, url, text };
				return { ...replaced(id, text, unlike(at)), document };
			});
			const [{ problem }, ...others] = read(work);
			expect(problem).toMatch(
				/^has got nearly the same text as 19 other documents, so it may/,
			);
			expect(problemsIn(others)).toHaveLength(19);
		});

		test('the products of a shop may change all at once', () => {
			expect(kept(product, (at) => `${product(at)}, now with free delivery`)).toBe(0);
			expect(kept(product, (at) => product(at * 2 + 1))).toBe(0);
		});

		test('of which one was different before', () => {
			const before = (at: number) => (at === 7 ? 'A special ladder' : product(at));
			expect(kept(before, (at) => `${product(at)}, free delivery`)).toBe(0);
		});

		test('entries of an earlier version count by the exact rule', () => {
			const old = (at: number) => ({ text: sum(unlike(at))?.split(' ')[0] });
			const error = (at: number) => `Something went wrong. Request ID: ${hex(at)}`;
			expect(kept(unlike, error, 100, old)).toBe(0);
			expect(kept(unlike, () => 'Please sign in.', 100, old)).toBe(100);
			// The text has not changed, so nothing was replaced.
			const same = (at: number) => ({ text: sum(product(at))?.split(' ')[0] });
			expect(kept(product, product, 100, same)).toBe(0);
		});

		test('texts of nothing but numbers have only one checksum', () => {
			expect(sum('12 34')).toMatch(/^\w+$/);
			expect(sum('A 12')).toMatch(/^\w+ \w+$/);
			expect(kept(unlike, (at) => `${at} 1`)).toBe(0);
		});
	});

	test('new documents, unchanged texts and confirmed ones may have the same text, unless it replaces others', () => {
		const ids = many(60);
		const none = 'No description';
		expect(problemsIn(read(ids.map((id) => changed(id, none, { chunks: 0 }))))).toEqual([]);
		expect(problemsIn(read(ids.map((id) => replaced(id, none, none))))).toEqual([]);
		const confirmed = ids.map((id) => ({ ...replaced(id, none), isConfirmed: true }));
		expect(problemsIn(read(confirmed))).toEqual([]);
		expect(
			problemsIn(
				read([
					...ids.map((id) => changed(id, 'Sign in')),
					...['a', 'b', 'c'].map((id) => replaced(id, 'Sign in')),
				]),
			),
		).toEqual([...ids, 'a', 'b', 'c']);
	});

	test('a new document with the text of a sign-in page fails with the others', () => {
		const [page, other] = ['Sign in', 'Another text'].map((text) =>
			changed(text, text, { chunks: 0 }),
		);
		const others = ['a', 'b', 'c'].map((id) => replaced(id, 'Sign in'));
		const all = read([page, other, ...others]);
		expect(problemsIn(all)).toEqual(['Sign in', 'a', 'b', 'c']);
		expect(all[0].problem).toMatch(/^has got the same text as 3 other documents/);
	});

	test('one document may contain U+FFFD, several may not', () => {
		expect(problemsIn(read([changed('a', 'K\ufffdche'), changed('b', 'B')]))).toEqual([]);
		const two = [changed('a', 'K\ufffdche'), changed('b', 'B'), changed('c', 'Gr\ufffdn')];
		expect(problemsIn(read(two))).toEqual(['a', 'c']);
		expect(problemsIn(read(two, { isChunked: false }))).toEqual(['a', 'c']);
		expect(problemsIn(read(two.map((work) => ({ ...work, isConfirmed: true }))))).toEqual([]);
	});

	test('too many emptied texts are withheld', () => {
		const emptied = many(3).map((id) => changed(id, ' '));
		const withheld = read(emptied, { mayDelete: 2 });
		expect(withheld.map(({ isWithheld }) => isWithheld)).toEqual([true, true, true]);
		expect(withheld[0]).toMatchObject({ text: '', previousChunkCount: 0 });
		const deleted = read(emptied, { mayDelete: 3 });
		expect(deleted[0]).toMatchObject({ isWithheld: false, text: '', previousChunkCount: 2 });
		expect(read([changed('new', '', { chunks: 0 })], { mayDelete: 0 })[0].isWithheld).toBe(
			false,
		);
	});

	describe('with Fetch', () => {
		const listed = (id: string, more: Partial<Work> = {}): Work => ({
			...{
				id,
				version: 'new',
				chunks: 2,
				document: { id, name: `Name of ${id}`, version: 1 },
			},
			...more,
		});

		test('an entry has its fields, a missing one only its ID', () => {
			const work = [listed('a'), missing('b')];
			expect(entriesOf({ batch: batchOf(work) }).map(({ json }) => json)).toEqual([
				{ id: 'a', name: 'Name of a', version: 1, isMissing: false },
				{ id: 'b', isMissing: true },
			]);
		});

		test.each<[what: string, answer: Fetched[], expected: Partial<BatchDocument>]>([
			['a text', [{ id: 'a', text: 'A' }], { text: 'A', name: 'Name of a' }],
			['pages', [{ id: 'a', pages: ['A', 'B'] }], { text: ['A', 'B'] }],
			['a better name', [{ id: 'a', text: 'A', name: 'Title' }], { name: 'Title' }],
			[
				'an empty text',
				[{ id: 'a', text: '' }],
				{ text: '', previousChunkCount: 2, problem: '' },
			],
			[
				'a problem',
				[{ id: 'a', problem: 'is a scan' }],
				{ problem: 'is a scan', isTransient: false },
			],
			[
				'an error',
				[{ id: 'a', error: { message: '503' } }],
				{ problem: 'could not be read: 503', isTransient: true },
			],
			['nothing', [], { problem: 'could not be read: was not fetched', isTransient: true }],
			['neither text nor problem', [{ id: 'a' }], { problem: 'has no text' }],
			[
				'gone',
				[{ id: 'a', gone: true }],
				{ text: '', previousChunkCount: 2, isDeleted: true },
			],
		])('a listed entry may return %s', (_what, fetched, expected) => {
			expect(read([listed('a')], { fetched })[0]).toMatchObject(expected);
		});

		test('a missing document that the source refuses is withheld until an approval', () => {
			const fetched = [{ id: 'a', refused: 'the website refuses it' }];
			const [withheld] = read([missing('a')], { fetched });
			expect(withheld).toMatchObject({
				...{ isWithheld: true, text: '', previousChunkCount: 0 },
				problem: 'is missing from the list, and the website refuses it',
			});
			const [approved] = read([missing('a')], { fetched, isApproved: true });
			expect(approved).toMatchObject({ isWithheld: false, isDeleted: true, problem: '' });
			// The index has nothing of it, so it is forgotten.
			const [nothing] = read([missing('a', 0)], { fetched });
			expect(nothing).toMatchObject({ isWithheld: false, isDeleted: true });
			// It does not count for the others.
			const both = [...fetched, { id: 'b', text: '' }];
			const work = [missing('a'), missing('b')];
			const [, other] = read(work, { fetched: both, mayDelete: 1 });
			expect(other).toMatchObject({ isWithheld: false, isDeleted: true });
		});

		test('an entry says that it is excluded', () => {
			const [{ json }] = entriesOf({
				batch: batchOf([{ ...missing('a'), isExcluded: true }]),
			});
			expect(json).toEqual({ id: 'a', isMissing: true, isExcluded: true });
		});

		test('an ID may be a number', () => {
			expect(read([listed('1')], { fetched: [{ id: 1, text: 'A' }] })[0].text).toBe('A');
		});

		test('a missing document is deleted unless the source cannot say, but never more than were planned', () => {
			const work = ['gone', 'there', 'busy', 'broken'].map((id) => missing(id));
			const fetched = [
				{ id: 'gone', gone: true },
				{ id: 'there', text: 'A' },
				{ id: 'busy', error: '503' },
				{ id: 'broken', problem: 'is encrypted' },
			];
			const seen = (most: number) =>
				read(work, { fetched, missing: most, mayDelete: 0 }).map(
					({ problem, isWithheld }) => problem || (isWithheld ? 'withheld' : 'deleted'),
				);
			const kept = ['could not be read: 503', 'is encrypted'];
			expect(seen(2)).toEqual(['deleted', 'deleted', ...kept]);
			expect(seen(1)).toEqual(['withheld', 'withheld', ...kept]);
		});

		test('a listed document says why it is left out, and a missing one does not', () => {
			const fetched = [
				{ id: 'a', gone: 'noindex' },
				{ id: 'b', gone: 'noindex' },
			];
			const [one, other] = read([listed('a'), missing('b')], { fetched });
			expect(one).toMatchObject({ isDeleted: true, leftOut: 'noindex' });
			expect(other.leftOut).toBeUndefined();
		});

		test('a listed document whose address says gone counts under the limits', () => {
			const fetched = [{ id: 'a', gone: true }];
			expect(read([listed('a')], { fetched, mayDelete: 0 })[0].isWithheld).toBe(true);
			expect(
				read([listed('a', { chunks: 0 })], { fetched, mayDelete: 0 })[0].isWithheld,
			).toBe(false);
		});
	});
});

test('List Planned Changes lists what may change, with the larger number of chunks and the snapshot', () => {
	const snapshot: Entry[] = [['z', 'old', 1]];
	const documents = read([
		changed('a', 'A', { text: 'sum' }),
		changed('b', undefined),
		missing('c', 4),
	]);
	// Chunk Text returns no item for 'b', and the items in another order.
	const texts = [{ id: 'c' }, { id: 'a', chunkCount: 5 }];
	const [{ json }] = plannedChanges({ batch: batchOf([], { snapshot }), documents, texts });
	expect(json).toEqual({
		...{ run: 7, size: 3 },
		entries: JSON.stringify([...snapshot, ['a', '', 5, 'sum'], ['c', '', 4, null]]),
	});
});

describe('Sum Up the Batch', () => {
	const ok = { id: 'a', chunkCount: 2, removalsKnown: true, missingCharacters: 0 };
	const chunked = { ...ok, documents: [1, 2], removedIds: ['a#2'] };
	const [document] = read([changed('a', 'A', { chunks: 3, text: 'old' })]);
	const run = (
		texts: object[] | null = [chunked],
		pushes: object[] = [{ pushed: 2 }],
		deletes: object[] = [{ deleted: 1 }],
		documents = [document],
	) => {
		const withIds = (answers: object[]) =>
			answers.map((answer, at) => ({ id: documents[at].id, ...answer }));
		const [{ json }] = batchRow({
			...{ batch: batchOf([]), documents, texts: texts && withIds(texts) },
			...{ pushes: withIds(pushes), deletes: withIds(deletes) },
		});
		return { ...json, entries: JSON.parse(json.entries) as Entry[] };
	};

	test('a confirmed document has its version, its chunks and its text', () => {
		expect(run()).toMatchObject({
			...{ run: 7, pushed: 1, deleted: 0, chunksDeleted: 1, failed: 0, error: '', size: 1 },
			entries: [['a', 'new', 2, sum('A')]],
		});
		const uncertain = [{ ...chunked, removalsKnown: false, removedIds: [] }];
		expect(run(uncertain, [{ pushed: 2 }], [{}]).entries).toEqual([['a', 'new', 3, sum('A')]]);
		expect(run([chunked], [{ pushed: 1, skipped: 1 }]).failed).toBe(0);
		expect(run([chunked], [{ pushed: 2 }], [{ notFound: 1 }]).failed).toBe(0);
	});

	test('a batch says if all its documents failed because of the service', () => {
		const two = ['a', 'b'].map((id) => ({ ...read([changed(id, 'A')])[0], id }));
		const rowOf = (errors: Array<string | undefined>) =>
			batchRow({
				...{ batch: batchOf([]), documents: two },
				texts: errors.map((error, at) => ({ ...chunked, id: two[at].id, error })),
				pushes: two.map(({ id }) => ({ id, pushed: 2 })),
				deletes: two.map(({ id }) => ({ id, deleted: 1 })),
			})[0].json.error;
		const down = 'The AI service answered with status 503, so the text was not submitted';
		const others = [
			'The push service could not be reached: the connection was refused',
			'The AI service did not answer within 60 s',
			'The connection to the push service closed before the response was complete',
		];
		for (const other of others) {
			expect(rowOf([down, other])).toBe(`No request succeeded: ${down}`);
		}
		expect(rowOf([down, undefined])).toBe(down);
		for (const own of ['The AI service answered with status 400', 'The text is too long.']) {
			expect(rowOf([down, own])).toBe(down);
			expect(rowOf([own, down])).toBe(own);
		}
		expect(rowOf([undefined, undefined])).toBe('');
	});

	test.each<[what: string, texts: object[], pushes: object[], deletes: object[], error: RegExp]>([
		['a text that failed', [{ error: 'Rejected.' }], [{}], [{}], /^Rejected\.$/],
		['an error object', [{ error: { message: 'Rejected.' } }], [{}], [{}], /^Rejected\.$/],
		['a push that failed', [chunked], [{ error: 'No.' }], [{}], /^No\.$/],
		['a delete that failed', [chunked], [{ pushed: 2 }], [{ error: 'No.' }], /^No\.$/],
		['a push that is missing', [chunked], [], [], /was not confirmed/],
		[
			'an input that came back',
			[chunked],
			[{ ...chunked }],
			[{ ...chunked }],
			/was not confirmed/,
		],
		['a text that came back', [{ text: 'A' }], [{}], [{}], /was not confirmed/],
		['too few pushes', [chunked], [{ pushed: 1 }], [{ deleted: 1 }], /was not confirmed/],
		['too few deletes', [chunked], [{ pushed: 2 }], [{ deleted: 0 }], /was not confirmed/],
		[
			'missing characters',
			[{ ...chunked, missingCharacters: 9 }],
			[{ pushed: 2 }],
			[{ deleted: 1 }],
			/last 9 characters/,
		],
		[
			'no chunks',
			[{ ...ok, chunkCount: 0, removalsKnown: false }],
			[{}],
			[{}],
			/returned no chunks for/,
		],
	])('%s fails the document', (_what, texts, pushes, deletes, error) => {
		const row = run(texts, pushes, deletes);
		expect(row).toMatchObject({ pushed: 0, failed: 1 });
		expect(row.error).toMatch(error);
		expect(row.entries).toEqual([['a', '', 3, 'old']]);
	});

	test('results are found by the ID of their document, whatever their order', () => {
		const documents = read(['a', 'b', 'c'].map((id) => changed(id, id)));
		const texts = documents.map(({ id }) => ({ ...chunked, id, removedIds: [`${id}#2`] }));
		const pushes = documents.map(({ id }) => ({ id, pushed: id === 'b' ? 1 : 2 }));
		const deletes = documents.map(({ id }) => ({ id, deleted: 1 }));
		const ordered = run(texts, pushes, deletes, documents);
		expect(ordered).toMatchObject({ pushed: 2, failed: 1, chunksDeleted: 3 });
		expect(ordered.entries.map(([id, version]) => [id, version])).toEqual([
			['a', 'new'],
			['b', ''],
			['c', 'new'],
		]);
		for (const answers of [texts, pushes, deletes]) {
			answers.reverse();
			expect(run(texts, pushes, deletes, documents)).toEqual(ordered);
		}
		expect(run(texts, pushes.slice(1), deletes, documents)).toMatchObject({ failed: 2 });
	});

	test('an error without an ID is about all documents, and counts without an ID about none', () => {
		const lost = { id: undefined };
		const failed = run([chunked], [{ ...lost, error: 'No credential.' }], [{}]);
		expect(failed).toMatchObject({ pushed: 0, failed: 1, error: 'No credential.' });
		const uncounted = run([chunked], [{ ...lost, pushed: 2 }], [{ ...lost, deleted: 1 }]);
		expect(uncounted).toMatchObject({ pushed: 0, failed: 1 });
		expect(uncounted.error).toMatch(/was not confirmed/);
		expect(run([{ ...lost, error: 'No model.' }], [{}], [{}]).error).toBe('No model.');
	});

	test('a failed push may have left more chunks than before', () => {
		const longer = [{ ...chunked, chunkCount: 9 }];
		expect(run(longer, [{ error: 'No.' }], [{}]).entries).toEqual([['a', '', 9, 'old']]);
	});

	test('404 for each delete confirms nothing, unless another request was answered', () => {
		const gone = read([missing('a', 1), missing('b', 1)], { isChunked: false });
		const notFound = [{ notFound: 1 }, { notFound: 1 }];
		const alone = run(null, [{}, {}], notFound, gone);
		expect(alone).toMatchObject({ deleted: 0, failed: 2 });
		expect(alone.error).toMatch(/status 404 to each delete/);
		const proven = run(null, [{}, {}], [{ deleted: 1 }, { notFound: 1 }], gone);
		expect(proven).toMatchObject({
			deleted: 2,
			failed: 0,
			entries: [
				['a', null],
				['b', null],
			],
		});
	});

	test('a document without a text is deleted only if the index may have it', () => {
		const empty = [changed('a', '', { chunks: 1 }), changed('b', '', { chunks: 0 })];
		const documents = read([...empty, missing('c', 0)]);
		const texts = documents.map(({ previousChunkCount }) => ({
			...{ chunkCount: 0, removalsKnown: true, documents: [] },
			removedIds: previousChunkCount > 0 ? ['a#0'] : [],
		}));
		expect(run(texts, [{}, {}, {}], [{ deleted: 1 }, {}, {}], documents)).toMatchObject({
			...{ pushed: 0, deleted: 1, notIndexed: 2, failed: 0 },
			entries: [
				['a', 'new', 0, null],
				['b', 'new', 0, null],
				['c', null],
			],
		});
	});

	test('what could not be read is remembered for its version, unless it is read again', () => {
		const [bad] = read([changed('a', undefined, { text: 'old' })]);
		const row = run(null, [{}], [{}], [bad]);
		expect(row).toMatchObject({ unreadable: 1, failed: 0, problems: "'a' has no text" });
		expect(row.entries).toEqual([['a', 'new', 2, 'old', 'has no text']]);
		const busy = { ...bad, isTransient: true };
		expect(run(null, [{}], [{}], [busy])).toMatchObject({ unreadable: 1, entries: [] });
		const absent = { ...bad, version: null };
		expect(run(null, [{}], [{}], [absent])).toMatchObject({ unreadable: 1, entries: [] });
	});

	test('a document that is left out is noted with the reason, and named after all others', () => {
		const nothing = { ...document, chunks: 0, isDeleted: true, leftOut: 'noindex' };
		const failed = { ...document, id: 'b' };
		const [{ json }] = batchRow({
			...{ batch: batchOf([]), documents: [nothing, failed], texts: null },
			...{ pushes: [{ id: 'b', error: 'No.' }], deletes: [] },
		});
		expect(json).toMatchObject({ notIndexed: 1, problems: expect.any(String) as string });
		expect(json.problems.split('\n')).toEqual(["Failed: 'b': No.", "Left out: 'a', noindex"]);
		expect((JSON.parse(json.entries) as Entry[])[0].slice(4)).toEqual([null, 'noindex']);
	});

	test('what is withheld keeps its entry', () => {
		const withheld = { ...document, isWithheld: true };
		const row = run([chunked], [{}], [{}], [withheld]);
		expect(row).toMatchObject({ withheld: 1, entries: [], problems: '' });
		for (const why of [{ problem: 'is refused' }, { leftOut: 'status 404' }])
			expect(run([chunked], [{}], [{}], [{ ...withheld, ...why }])).toMatchObject({
				withheld: 1,
				problems: `Withheld: 'a': ${Object.values(why)[0]}`,
			});
	});
});

describe('Result', () => {
	const summary: Summary = {
		...{ status: 200, problem: '', known: 20, unchanged: 9, missing: 0, withheld: 0 },
		...{ mostDeletes: 10 },
		...{ unreadable: 0, problems: [], planned: 3, compactUpTo: 0 },
	};
	const row = { run: 7, pushed: 2, deleted: 1, chunksDeleted: 4, failed: 0, error: '' };
	const run = (more: Partial<Summary>, batches: object[] = [row], isChunked = false) =>
		result({
			summary: { ...summary, ...more },
			batches,
			isChunked,
			...{ howToDelete: 'approve it', approval: NOT_APPROVED },
		})[0].json;

	test('a run that leaves documents for later is not complete', () => {
		expect(run({ planned: 3, later: 5 })).toMatchObject({
			...{ later: 5, outcome: 'incomplete: 5 documents wait for a later run', error: '' },
		});
		expect(run({ planned: 3 })).not.toHaveProperty('outcome');
	});

	test('a first run that pushes nothing is red', () => {
		const nothing = [{ ...row, pushed: 0, deleted: 0, notIndexed: 3 }];
		expect(run({ known: 0, planned: 3 }, nothing, true).error).toMatch(
			/^Documents: 0 pushed, 3 without text. Nothing was pushed: all 3 documents are empty, or the source says that they are gone\. Look at/,
		);
		expect(run({ known: 3, planned: 3 }, nothing, true).error).toBe('');
		expect(run({ known: 0, planned: 3 }, [row], true).error).toBe('');
	});

	test('adds up the batches', () => {
		const withEmpty = { ...row, notIndexed: 1 };
		expect(run({ planned: 7 }, [withEmpty, row], true)).toEqual({
			...{ status: 200, pushed: 4, deleted: 2, chunksDeleted: 8, unchanged: 9, failed: 0 },
			...{ notIndexed: 1, withheld: 0, unreadable: 0, problems: [], error: '' },
		});
		expect(run({})).not.toHaveProperty('chunksDeleted');
		expect(run({ planned: 0 }, [])).toMatchObject({ status: 200, pushed: 0, error: '' });
	});

	test('what is left out is counted by its reasons, and the run stays green', () => {
		const leftOut = (...reasons: string[]) => ({
			...row,
			entries: JSON.stringify(
				reasons.map((reason, at) => [`${at}`, 'v', 0, null, null, reason]),
			),
			problems: reasons.map((reason, at) => `Left out: '${at}', ${reason}`).join('\n'),
		});
		const batches = [leftOut('moved: https://a/b', 'noindex'), leftOut('moved: https://a/c')];
		const end = run({ planned: 6 }, batches, true);
		expect(end).toMatchObject({
			...{ error: '', leftOut: { moved: 2, noindex: 1 } },
			problems: expect.arrayContaining(["Left out: '1', noindex"]) as string[],
		});
	});

	test.each<[what: string, batch: object, reason: RegExp]>([
		['was stopped', {}, / 3 of 6 documents failed.*this run has lost its lock/],
		['has failed', { error: 'No table.' }, / 3 of 6 documents failed.*No table\./],
		['has failed with an object', { error: { message: 'No table.' } }, /No table\./],
		[
			'has failures',
			{ ...row, pushed: 0, failed: 2, error: 'No.' },
			/ 2 of 6 documents failed.*: No\./,
		],
	])('a batch that %s is red', (_what, batch, reason) => {
		const end = run({ planned: 6 }, [row, batch]);
		expect(end.status).toBe(500);
		expect(end.error).toMatch(reason);
	});

	test('withheld deletes and unreadable documents are red, each with what to do', () => {
		expect(run({ withheld: 12 })).toMatchObject({
			...{ status: 500, withheld: 12 },
			error: expect.stringMatching(
				/^Documents: 2 pushed, 1 deleted, 12 withheld\. 12 of 20 documents would be deleted.*If the deletes are right, approve it\.$/,
			),
		});
		const end = run({ unreadable: 1, problems: ["'x' is a scan"], planned: 4 }, [
			{ ...row, unreadable: 1, problems: "'y' is encrypted" },
		]);
		expect(end).toMatchObject({
			...{
				status: 500,
				unreadable: 2,
				failed: 0,
				problems: ["'y' is encrypted", "'x' is a scan"],
			},
			error: expect.stringMatching(
				/^Documents: 2 pushed, 1 deleted, 2 unreadable\. 2 documents could not be read.*'y' is encrypted\.$/,
			),
		});
	});

	test('nothing was changed', () => {
		const end = run({ status: 409, problem: 'another run', planned: 0 }, []);
		expect(end).toMatchObject({ status: 409, error: 'Nothing was changed: another run.' });
	});
});
