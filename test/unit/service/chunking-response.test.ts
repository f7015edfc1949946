import fc from 'fast-check';

import {
	classify,
	coverage,
	type Chunk,
	type ChunkingResponse,
} from '../../../nodes/shared/service/chunking/chunking';
import { growth, LINEAR } from '../support/timing';

const ready = (members: object) => ({ status: 'READY', ...members });
const data = { chunkedData: [{ chunks: ['a'] }] };
const textsOf = (response: ChunkingResponse) =>
	response.state === 'finished' ? response.texts : undefined;

describe('classify: what a response means', () => {
	test.each<[string, unknown, ChunkingResponse['state'], boolean]>([
		['READY with data', ready(data), 'finished', true],
		['RETRIEVED with data', { status: 'RETRIEVED', ...data }, 'finished', true],
		['ready in small letters', { status: 'ready', ...data }, 'finished', true],
		['Retrieved in mixed letters', { status: ' Retrieved ', ...data }, 'finished', true],
		['data without a status', data, 'finished', true],
		['data with a status that is no text', { status: 200, ...data }, 'finished', true],
		['READY with no text at all', ready({ chunkedData: [] }), 'finished', false],

		['SUBMITTED', { status: 'SUBMITTED' }, 'pending', false],
		[
			'SUBMITTED with an empty list',
			{ status: 'SUBMITTED', chunkedData: [] },
			'pending',
			false,
		],
		[
			'submitted in small letters, empty',
			{ status: 'submitted', chunkedData: [] },
			'pending',
			false,
		],
		['RUNNING with an empty list', { status: 'RUNNING', chunkedData: [] }, 'pending', false],
		['QUEUED with an empty list', { status: 'QUEUED', chunkedData: [] }, 'pending', false],
		['a status nobody knows', { status: 'EMBEDDING', progress: 0.5 }, 'pending', false],
		['an empty status', { status: '', chunkedData: [] }, 'pending', false],
		['SUBMITTED with data', { status: 'SUBMITTED', ...data }, 'pending', true],
		['a status nobody knows with data', { status: 'DONE', ...data }, 'pending', true],
		['READY without data', ready({}), 'pending', false],
		['READY with data that is no list', ready({ chunkedData: null }), 'pending', false],
		['READY with words only', ready({ message: 'soon', chunkingId: 'c' }), 'pending', false],
		['READY with a date', ready({ createdAt: '2026-01-01T00:00:00Z' }), 'pending', false],
		['an empty body', '', 'pending', false],
		['white space', ' \r\n', 'pending', false],
		['no body', undefined, 'pending', false],

		['ERROR', { status: 'ERROR' }, 'failed', false],
		['error in small letters', { status: 'error', message: 'No model' }, 'failed', false],
		['ERROR with words of any shape', { status: 'ERROR', error: { code: 7 } }, 'failed', false],
		['ERROR with data', { status: 'ERROR', ...data }, 'failed', true],
		['ERROR with an empty list', { status: 'ERROR', chunkedData: [] }, 'failed', false],
		['FAILED', { status: 'FAILED' }, 'failed', false],
		['Failure', { status: 'Failure' }, 'failed', false],
		['CANCELLED', { status: 'CANCELLED', chunkedData: [] }, 'failed', false],
		['canceled', { status: 'canceled' }, 'failed', false],
		['ABORTED', { status: 'ABORTED' }, 'failed', false],
		['EXPIRED', { status: 'EXPIRED' }, 'failed', false],
		['Timed-out', { status: 'Timed-out' }, 'failed', false],
		['TIMED_OUT', { status: 'TIMED_OUT' }, 'failed', false],
		['REJECTED', { status: 'REJECTED' }, 'failed', false],

		['RETRIEVED without data', { status: 'RETRIEVED' }, 'alreadyRetrieved', false],
		['retrieved, empty', { status: 'retrieved', chunkedData: [] }, 'alreadyRetrieved', false],

		['READY with another shape', ready({ chunks: [{ text: 'a' }] }), 'unreadable', true],
		['READY with an object as data', ready({ chunkedData: { a: 1 } }), 'unreadable', true],
		[
			'RETRIEVED with a long text',
			{ status: 'RETRIEVED', data: 'x'.repeat(100) },
			'unreadable',
			true,
		],
		['an empty list beside data', ready({ chunkedData: [], results: [1] }), 'unreadable', true],
		['vectors without chunks', ready({ chunkedData: [], vector: [[1]] }), 'unreadable', true],

		['the page of a proxy', '<html>Login</html>', 'invalid', false],
		['null', null, 'invalid', false],
		['a number', 7, 'invalid', false],
		['an empty list', [], 'invalid', false],
		['an empty object', {}, 'invalid', false],
		['an ID alone', { chunkingId: 'c' }, 'invalid', false],
		['a status of another type', { status: 1 }, 'invalid', false],
		['a list of data', [{ chunks: ['a'] }], 'invalid', true],
		['data of another shape', { chunks: ['a'] }, 'invalid', true],
	])('%s', (_, body, state, hasContent) => {
		expect(classify(body)).toMatchObject({ state, hasContent });
	});

	test('passes on the status and the chunking ID as the service wrote them', () => {
		expect(classify({ chunkingId: 'c1', status: 'submitted' })).toEqual({
			state: 'pending',
			status: 'submitted',
			chunkingId: 'c1',
			hasContent: false,
		});
		expect(classify({ status: 'READY', chunkingId: 7 }).chunkingId).toBeUndefined();
		expect(classify({ status: 'READY', chunkingId: '' }).chunkingId).toBeUndefined();
		expect(classify(data).status).toBeUndefined();
	});

	test.each<[string, string, ChunkingResponse['state']]>([
		['the ID that was asked for', 'c-1', 'finished'],
		['the ID in other letter case', 'C-1', 'finished'],
		['another ID', 'c-2', 'foreign'],
	])('a response that names %s', (_, chunkingId, state) => {
		expect(classify(ready({ chunkingId, ...data }), 'c-1').state).toBe(state);
		expect(classify(ready({ chunkingId, ...data })).state).toBe('finished');
	});

	test('also a failure of another request is not taken for this one', () => {
		const body = { chunkingId: 'c-2', status: 'ERROR' };
		expect(classify(body, 'c-1').state).toBe('foreign');
		expect(classify({ status: 'ERROR' }, 'c-1').state).toBe('failed');
	});

	test('only READY and RETRIEVED ever finish a job', () => {
		const status = fc.oneof(
			fc.string(),
			fc.constantFrom('READY', 'ready', 'Retrieved', 'DONE', 'ERROR', 'SUBMITTED', 'READY!'),
		);
		fc.assert(
			fc.property(status, fc.jsonValue(), (word, chunkedData) => {
				const { state } = classify({ status: word, chunkedData });
				const finishes = ['READY', 'RETRIEVED'].includes(word.trim().toUpperCase());
				if (state === 'finished' || state === 'unreadable') expect(finishes).toBe(true);
			}),
		);
	});

	test('never throws, and keeps the position of every entry', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (body, vector) => {
				classify(body, 'c');
				const entries = Array.isArray(body) ? body : [body];
				const response = classify({ chunkedData: entries, vector });
				if (entries.length > 0) expect(textsOf(response)).toHaveLength(entries.length);
			}),
		);
	});

	test('an entry nested 100,000 levels deep fails alone', () => {
		let deep: unknown = 'x';
		for (let level = 0; level < 100_000; level++) deep = [deep];
		const chunkedData = [{ chunks: [deep] }, { chunks: ['b'] }];
		expect(textsOf(classify(ready({ chunkedData })))).toEqual([undefined, [{ text: 'b' }]]);
		expect(classify({ status: 'ERROR', message: deep, data: deep })).toMatchObject({
			state: 'failed',
			hasContent: true,
		});
	});

	test('the time to read chunks grows with their number', () => {
		const bodyOf = (size: number) => {
			const chunks = Array.from({ length: size }, (_, index) => `chunk ${index}`);
			const spans = chunks.map((_, index) => [index, index + 1]);
			const vectors = chunks.map(() => ({ vector: [1], tokensUsed: { inputTokens: 1 } }));
			return ready({ chunkedData: [{ chunks, spans, vectors }] });
		};
		expect(textsOf(classify(bodyOf(40_000)))?.[0]).toHaveLength(40_000);
		expect(growth(bodyOf, 40_000, classify)).toBeLessThan(LINEAR);
	});
});

describe('classify: chunks', () => {
	const vectors = [
		[1, 2],
		[3, 4],
		[5, 6],
	];

	test('the newer shape: vectors and tokens within each entry', () => {
		const response = classify(
			ready({
				chunkingId: 'c1',
				chunkedData: [
					{
						chunks: ['a', 'b'],
						spans: [
							[0, 1],
							[1, 2],
						],
						vectors: [
							{ tokensUsed: { inputTokens: 7 }, vector: vectors[0] },
							{ tokensUsed: { inputTokens: 8 }, vector: vectors[1] },
						],
					},
					{ chunks: ['c'], spans: [[0, 1]], vectors: [{ vector: vectors[2] }] },
				],
			}),
		);
		expect(textsOf(response)).toEqual([
			[
				{ text: 'a', start: 0, end: 1, tokensUsed: 7, vector: [1, 2] },
				{ text: 'b', start: 1, end: 2, tokensUsed: 8, vector: [3, 4] },
			],
			[{ text: 'c', start: 0, end: 1, vector: [5, 6] }],
		]);
		const read = textsOf(response)?.flat() ?? [];
		read.forEach((chunk, index) => expect(chunk?.vector).toBe(vectors[index]));
		expect(read).toHaveLength(3);
	});

	/** The older shape: one list of vectors beside the entries. */
	const older = (chunkedData: unknown[], count = 3) =>
		textsOf(
			classify(
				ready({
					chunkedData,
					vector: vectors.slice(0, count).map((vector) => ({ vector })),
				}),
			),
		);

	test('the older shape: one list of vectors beside the entries, counted across them', () => {
		const texts = older([{ chunks: ['a', 'b'] }, { chunks: [] }, { chunks: ['c'] }]);
		expect(texts).toEqual([
			[
				{ text: 'a', vector: [1, 2] },
				{ text: 'b', vector: [3, 4] },
			],
			[],
			[{ text: 'c', vector: [5, 6] }],
		]);
		expect(texts?.[2]?.[0]?.vector).toBe(vectors[2]);
	});

	const a = [{ text: 'a', vector: [1, 2] }];
	const c = [{ text: 'c', vector: [5, 6] }];
	test.each<[string, unknown[], number, unknown]>([
		[
			'an entry that is none',
			[{ chunks: ['a'] }, null, { chunks: ['c'] }],
			3,
			[a, undefined, c],
		],
		[
			'one without chunks',
			[{ chunks: ['a'] }, { error: 'x' }, { chunks: ['c'] }],
			3,
			[a, undefined, c],
		],
		[
			'one with a null chunk',
			[{ chunks: ['a'] }, { chunks: [null] }, { chunks: ['c'] }],
			3,
			[a, undefined, c],
		],
		['an unreadable first one', [null, { chunks: ['c'] }], 3, [undefined, c]],
		['an unreadable last one', [{ chunks: ['a'] }, null], 3, [a, undefined]],
		[
			'two, with one between',
			[null, { chunks: ['b'] }, null, { chunks: ['c'] }],
			3,
			[undefined, [{ text: 'b' }], undefined, c],
		],
		[
			'too few vectors',
			[{ chunks: ['a'] }, null, { chunks: ['c'] }],
			1,
			[[{ text: 'a' }], undefined, [{ text: 'c' }]],
		],
		[
			'no vectors',
			[{ chunks: ['a'] }, null, { chunks: ['c'] }],
			0,
			[[{ text: 'a' }], undefined, [{ text: 'c' }]],
		],
	])('the older shape keeps vectors with their texts: %s', (_, chunkedData, count, texts) => {
		expect(older(chunkedData, count)).toEqual(texts);
	});

	const mismatchesOf = (response: ChunkingResponse) =>
		response.state === 'finished' ? response.mismatches : [];

	test.each<[string, object, unknown[]]>([
		[
			'a list with fewer vectors than all chunks',
			{ chunkedData: [{ chunks: ['a', 'b'] }, { chunks: [] }], vector: [[1]] },
			[{ vectors: 1, chunks: 2 }, undefined],
		],
		[
			'a list with more',
			{ chunkedData: [{ chunks: ['a'] }, { chunks: ['b'] }], vector: [[1], [2], [3]] },
			[
				{ vectors: 3, chunks: 2 },
				{ vectors: 3, chunks: 2 },
			],
		],
		[
			'a text between two that cannot be read',
			{ chunkedData: [null, { chunks: ['b'] }, null, { chunks: ['c'] }], vector: vectors },
			[undefined, { vectors: 3, chunks: 2 }, undefined, undefined],
		],
		[
			'an entry with fewer vectors than chunks',
			{
				chunkedData: [
					{ chunks: ['a', 'b'], vectors: [[1]] },
					{ chunks: ['c'], vectors: [[2]] },
				],
			},
			[{ vectors: 1, chunks: 2 }, undefined],
		],
		[
			'one of two vectors in an unknown shape',
			{ chunkedData: [{ chunks: ['a', 'b'], vectors: [[1], 'x'] }] },
			[{ vectors: 1, chunks: 2 }],
		],
		['no vectors at all', { chunkedData: [{ chunks: ['a'] }], vector: [] }, [undefined]],
		[
			'only vectors in an unknown shape',
			{ chunkedData: [{ chunks: ['a', 'b'], vectors: ['x', 'y'] }] },
			[undefined],
		],
		['as many as chunks', { chunkedData: [{ chunks: ['a'], vectors: [[1]] }] }, [undefined]],
	])('counts vectors before it assigns them: %s', (_, members, mismatches) => {
		expect(mismatchesOf(classify(ready(members)))).toEqual(mismatches);
	});

	test('no text ever gets the vector of another one', () => {
		const entry = fc.oneof(
			fc.array(fc.constant('x'), { maxLength: 3 }).map((chunks) => ({ chunks })),
			fc.nat(3).map((hidden) => ({ hidden })),
			fc.nat(3).map((hidden) => ({ chunks: Array<null>(hidden).fill(null), hidden })),
		);
		fc.assert(
			fc.property(fc.array(entry), (entries) => {
				const sizes = entries.map((each) =>
					'hidden' in each ? each.hidden : each.chunks.length,
				);
				const vector = sizes.flatMap((size, text) =>
					Array.from({ length: size }, (_, at) => ({ vector: [text, at] })),
				);
				const texts = textsOf(classify(ready({ chunkedData: entries, vector }))) ?? [];
				texts.forEach((chunks, text) =>
					chunks?.forEach((chunk, at) => {
						if (chunk.vector) expect(chunk.vector).toEqual([text, at]);
					}),
				);
			}),
			{ numRuns: 1000 },
		);
	});

	test('a vector may stand there bare, and tokens as a number', () => {
		const entry = (own: unknown) =>
			textsOf(classify(ready({ chunkedData: [{ chunks: ['a'], vectors: own }] })));
		expect(entry([[1, 2]])).toEqual([[{ text: 'a', vector: [1, 2] }]]);
		expect(entry([{ tokensUsed: 3 }])).toEqual([[{ text: 'a', tokensUsed: 3 }]]);
	});

	test.each<[string, unknown, unknown]>([
		['no spans and vectors', { chunks: ['a'] }, [{ text: 'a' }]],
		[
			'fewer spans than chunks',
			{ chunks: ['a', 'b'], spans: [[0, 1]] },
			[{ text: 'a', start: 0, end: 1 }, { text: 'b' }],
		],
		[
			'more spans than chunks',
			{
				chunks: ['a'],
				spans: [
					[0, 1],
					[1, 2],
				],
			},
			[{ text: 'a', start: 0, end: 1 }],
		],
		[
			'spans that are none',
			{ chunks: ['a', 'b', 'c'], spans: [null, [0], ['0', '1']] },
			[{ text: 'a' }, { text: 'b' }, { text: 'c' }],
		],
		[
			'fewer vectors than chunks',
			{ chunks: ['a', 'b'], vectors: [{ vector: [1] }] },
			[{ text: 'a' }, { text: 'b' }],
		],
		[
			'vectors that are none',
			{ chunks: ['a', 'b'], vectors: [null, { vector: 'x' }] },
			[{ text: 'a' }, { text: 'b' }],
		],
		[
			'chunks that are no texts',
			{ chunks: [{ x: 1 }, 2, 'null'] },
			[{ text: '{"x":1}' }, { text: '2' }, { text: 'null' }],
		],
		['an empty list of chunks', { chunks: [] }, []],
		['a null chunk', { chunks: ['a', null] }, undefined],
		['no chunks', { spans: [[0, 1]] }, undefined],
		['chunks that are no list', { chunks: 'a' }, undefined],
		['no entry', null, undefined],
		['a text as entry', 'a', undefined],
	])('an entry with %s is read as far as it goes', (_, entry, chunks) => {
		expect(textsOf(classify(ready({ chunkedData: [entry] })))).toEqual([chunks]);
	});

	test('vectors of an entry are never mixed with the shared list', () => {
		const body = ready({
			chunkedData: [{ chunks: ['a'], vectors: [] }],
			vector: [{ vector: [9] }],
		});
		expect(textsOf(classify(body))).toEqual([[{ text: 'a' }]]);
	});
});

describe('coverage', () => {
	const spans = (...all: Array<[number, number]>): Chunk[] =>
		all.map(([start, end]) => ({ text: '', start, end }));
	/** A chunk with the text at its span. */
	const filled = (chunk: Chunk, text: string): Chunk => ({
		...chunk,
		text: chunk.text || Array.from(text).slice(chunk.start, chunk.end).join(''),
	});
	const upTo = (end: number) => spans([0, end]);
	const unknown = { missing: 0, isComplete: false };
	const complete = { missing: 0, isComplete: true };
	const fifty = 'x'.repeat(50);

	test.each<[string, string | undefined, Chunk[], Partial<ReturnType<typeof coverage>>]>([
		['the last span reaches the end', fifty, upTo(50), complete],
		['white space follows', 'x' + ' \n'.repeat(100), upTo(1), complete],
		['the last span ends before', fifty, upTo(20), { missing: 30, isComplete: false }],
		['16 characters follow', fifty, upTo(34), { missing: 16, isComplete: false }],
		['15 characters follow', fifty, upTo(35), unknown],
		['it counts beyond the end, as bytes', 'ä'.repeat(50), upTo(60), unknown],
		['the text is unknown', undefined, upTo(50), unknown],
		['the text is unknown and there are no chunks', undefined, [], unknown],
		['there are no spans', fifty, [{ text: fifty }], unknown],
		['only the last span is missing', fifty, [...upTo(50), { text: 'x' }], unknown],
		['a text gave no chunks', fifty, [], unknown],
		['an empty text gave no chunks', '', [], complete],
		['a blank text gave no chunks', ' \n', [], complete],
		[
			'only the last span counts',
			fifty,
			spans([0, 50], [10, 20]),
			{ missing: 30, isComplete: false },
		],
		['40 character pairs are covered', '😀'.repeat(40), upTo(40), complete],
		['character pairs are counted as two', '😀'.repeat(40), upTo(80), complete],
		['it is between the two ways of counting', '😀'.repeat(40), upTo(60), unknown],
		['character pairs follow', '😀'.repeat(40), upTo(10), { missing: 30, isComplete: false }],
		['the mark that separates the chunks follows', 'a--b--', spans([0, 1], [3, 4]), complete],
		['a mark follows that separates nothing', 'a--b==', spans([0, 1], [3, 4]), unknown],
		['words follow that could be a chunk', 'a--b--c', spans([0, 1], [3, 4]), unknown],
		['a full stop follows the only chunk', 'Hello.', upTo(5), complete],
		['a letter follows the only chunk', 'Hello!a', upTo(6), unknown],
		['a separator between pairs follows', '😀--😀--', spans([0, 1], [3, 4]), complete],
		['a word separates the chunks and follows', 'a AND b AND', spans([0, 1], [6, 7]), complete],
	])('%s', (_, text, chunks, expected) => {
		const own = chunks.map((chunk) => filled(chunk, text ?? ''));
		expect(coverage(text, own)).toMatchObject(expected);
	});

	test('chunks of another text say nothing about this one', () => {
		const chunks = [{ text: 'another text', start: 0, end: 12 }];
		expect(coverage('twelve signs', chunks)).toMatchObject({ isComplete: false, isOwn: false });
		expect(
			coverage('another  \ntext', [{ text: 'another text', start: 0, end: 14 }]),
		).toMatchObject({ isOwn: true });
	});

	test('a text truncated anywhere between its chunks never counts as complete', () => {
		const word = fc.stringMatching(/^[a-zA-Z0-9😀]{2,12}$/u);
		const separator = fc.constantFrom(' ', '. ', '\n', '--', ' | ', '');
		fc.assert(
			fc.property(
				fc.array(word, { minLength: 2 }),
				separator,
				fc.nat(),
				(words, mark, cut) => {
					const text = words.join(mark);
					let offset = 0;
					const all = words.map((each): Chunk => {
						const start = offset;
						const end = start + Array.from(each).length;
						offset = end + mark.length;
						return { text: each, start, end };
					});
					expect(coverage(text, all).isComplete).toBe(true);
					const some = all.slice(0, cut % all.length);
					expect(coverage(text, some).isComplete).toBe(false);
				},
			),
			{ numRuns: 1000 },
		);
	});

	test('the time to judge a text grows with its length', () => {
		const input = (size: number) => {
			const words = Array.from({ length: size }, () => 'abcdefghij 😀 klmnopqrstu');
			const chunks = words.map((word, index) => ({
				text: word,
				start: index * 25,
				end: index * 25 + 24,
			}));
			return { text: `${words.join('-')}==`, chunks };
		};
		const { text, chunks } = input(40_000);
		expect(coverage(text, chunks).isComplete).toBe(false);
		const judged = growth(input, 40_000, (each) => coverage(each.text, each.chunks));
		expect(judged).toBeLessThan(LINEAR);
	});
});
