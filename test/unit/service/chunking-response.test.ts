import fc from 'fast-check';

import {
	classify,
	coverage,
	type Chunk,
	type ChunkingResponse,
} from '../../../nodes/shared/service/chunking/chunking-response';
import { runs } from '../../../support/runs';

const ready = (members: object) => ({ status: 'READY', ...members });
const data = { chunkedData: [{ chunks: ['a'] }] };
const textsOf = (response: ChunkingResponse) => response.texts.map((text) => text?.chunks);

describe('classify: what a response means', () => {
	test.each<[string, unknown, ChunkingResponse['state'], boolean]>([
		['READY with data', ready(data), 'finished', true],
		['RETRIEVED with data', { status: 'RETRIEVED', ...data }, 'finished', true],
		['ready in small letters', { status: 'ready', ...data }, 'finished', true],
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
		['RUNNING with an empty list', { status: 'RUNNING', chunkedData: [] }, 'pending', false],
		['a status nobody knows', { status: 'EMBEDDING', progress: 0.5 }, 'pending', false],
		['an empty status', { status: '', chunkedData: [] }, 'pending', false],
		['SUBMITTED with data', { status: 'SUBMITTED', ...data }, 'pending', true],
		['a status nobody knows with data', { status: 'DONE', ...data }, 'pending', true],
		['READY without data', ready({}), 'pending', false],
		['READY with data that is no list', ready({ chunkedData: null }), 'pending', false],
		['READY with words only', ready({ message: 'soon', chunkingId: 'c' }), 'pending', false],
		['an empty body', '', 'pending', false],
		['no body', undefined, 'pending', false],

		['ERROR', { status: 'ERROR' }, 'failed', false],
		['error in small letters', { status: 'error', message: 'No model' }, 'failed', false],
		['ERROR with words of any shape', { status: 'ERROR', error: { code: 7 } }, 'failed', false],
		['ERROR with data', { status: 'ERROR', ...data }, 'failed', true],
		['FAILED', { status: 'FAILED' }, 'failed', false],
		['CANCELLED', { status: 'CANCELLED', chunkedData: [] }, 'failed', false],
		['a status of another kind', { status: 'ABORTED' }, 'pending', false],

		['RETRIEVED without data', { status: 'RETRIEVED' }, 'alreadyRetrieved', false],
		['retrieved, empty', { status: 'retrieved', chunkedData: [] }, 'alreadyRetrieved', false],

		['READY with another shape', ready({ chunks: [{ text: 'a' }] }), 'unreadable', true],
		['READY with an object as data', ready({ chunkedData: { a: 1 } }), 'unreadable', true],
		['an empty list beside data', ready({ chunkedData: [], results: [1] }), 'unreadable', true],
		['vectors without chunks', ready({ chunkedData: [], vector: [[1]] }), 'unreadable', true],

		['the page of a proxy', `<html>${'Login '.repeat(20)}</html>`, 'invalid', false],
		['damaged JSON', '{"chunkedData":[{', 'invalid', true],
		['null', null, 'invalid', false],
		['an empty list', [], 'invalid', false],
		['an empty object', {}, 'invalid', false],
		['an ID alone', { chunkingId: 'c' }, 'invalid', false],
		['a status of another type', { status: 1 }, 'invalid', false],
		['a list of data', [['a']], 'invalid', true],
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
			texts: [],
		});
		expect(classify({ status: 'READY', chunkingId: 7 }).chunkingId).toBeUndefined();
		expect(classify({ status: 'READY', chunkingId: '' }).chunkingId).toBeUndefined();
		expect(classify(data).status).toBeUndefined();
	});

	test('only READY and RETRIEVED ever finish a job', () => {
		const status = fc.oneof(
			fc.string(),
			fc.constantFrom('READY', 'ready', 'Retrieved', 'DONE', 'ERROR', 'SUBMITTED', 'READY!'),
		);
		fc.assert(
			fc.property(status, fc.array(fc.jsonValue(), { minLength: 1 }), (word, chunkedData) => {
				const { state } = classify({ status: word, chunkedData });
				const finishes = ['READY', 'RETRIEVED'].includes(word.trim().toUpperCase());
				expect(state === 'finished').toBe(finishes);
				const other = classify({ status: word, chunkedData: { a: chunkedData } }).state;
				expect(other === 'unreadable').toBe(finishes);
			}),
		);
	});

	test('never throws, and keeps the position of every entry', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (body, vector) => {
				classify(body);
				const entries = Array.isArray(body) ? body : [body];
				const response = classify({ chunkedData: entries, vector });
				expect(textsOf(response)).toHaveLength(entries.length);
			}),
		);
	});
});

describe('classify: chunks', () => {
	const vectors = [
		[1, 2],
		[3, 4],
		[5, 6],
	];

	test('the newer format: vectors and tokens within each entry', () => {
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
					{
						chunks: ['c'],
						spans: [[0, 1]],
						vectors: [{ tokensUsed: { inputTokens: '9' }, vector: vectors[2] }],
					},
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
		const read = textsOf(response).flat();
		read.forEach((chunk, index) => expect(chunk?.vector).toBe(vectors[index]));
		expect(read).toHaveLength(3);
	});

	/** Builds a response in the older format, which contains one list of vectors alongside the entries. */
	const older = (chunkedData: unknown[], count = 3) =>
		textsOf(
			classify(
				ready({
					chunkedData,
					vector: vectors.slice(0, count).map((vector) => ({ vector })),
				}),
			),
		);

	test('the older format: one list of vectors beside the entries, counted across them', () => {
		const texts = older([{ chunks: ['a', 'b'] }, { chunks: [] }, { chunks: ['c'] }]);
		expect(texts).toEqual([
			[
				{ text: 'a', vector: [1, 2] },
				{ text: 'b', vector: [3, 4] },
			],
			[],
			[{ text: 'c', vector: [5, 6] }],
		]);
		expect(texts[2]?.[0]?.vector).toBe(vectors[2]);
	});

	test('after an unreadable entry it is unknown to which texts the vectors of a shared list belong', () => {
		const chunkedData = [{ chunks: ['a'] }, null, { chunks: ['c'] }];
		expect(older(chunkedData)).toEqual([[{ text: 'a' }], undefined, [{ text: 'c' }]]);
	});

	const one = { vector: [1] };
	const all = vectors.map((vector) => ({ vector }));
	const mismatchesOf = (response: ChunkingResponse) =>
		response.texts.map((text) => text?.mismatch);

	test.each<[string, object, unknown[]]>([
		[
			'a list with fewer vectors than all chunks',
			{ chunkedData: [{ chunks: ['a', 'b'] }, { chunks: [] }], vector: [one] },
			[{ vectors: 1, chunks: 2 }, undefined],
		],
		[
			'a list with more',
			{ chunkedData: [{ chunks: ['a'] }, { chunks: ['b'] }], vector: all },
			[
				{ vectors: 3, chunks: 2 },
				{ vectors: 3, chunks: 2 },
			],
		],
		[
			'a text between two that cannot be read',
			{ chunkedData: [null, { chunks: ['b'] }, null, { chunks: ['c'] }], vector: all },
			[undefined, { vectors: 3, chunks: 2 }, undefined, { vectors: 3, chunks: 2 }],
		],
		[
			'an entry with fewer vectors than chunks',
			{
				chunkedData: [
					{ chunks: ['a', 'b'], vectors: [one] },
					{ chunks: ['c'], vectors: [one] },
				],
			},
			[{ vectors: 1, chunks: 2 }, undefined],
		],
		[
			'an entry with a vector for one of two chunks',
			{ chunkedData: [{ chunks: ['a', 'b'], vectors: [{}, one] }] },
			[{ vectors: 1, chunks: 2 }],
		],
		[
			'an entry with vectors for all chunks and one that cannot be read',
			{ chunkedData: [{ chunks: ['a', 'b'], vectors: [one, null, one] }] },
			[{ vectors: 3, chunks: 2 }],
		],
		[
			'an entry with no vector that can be read',
			{ chunkedData: [{ chunks: ['a'], vectors: [{ vector: null }] }] },
			[undefined],
		],
		['no vectors at all', { chunkedData: [{ chunks: ['a'] }], vector: [] }, [undefined]],
		['as many as chunks', { chunkedData: [{ chunks: ['a'], vectors: [one] }] }, [undefined]],
	])('counts vectors before it assigns them: %s', (_, members, mismatches) => {
		expect(mismatchesOf(classify(ready(members)))).toEqual(mismatches);
	});

	test("no text ever receives another text's vector", () => {
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
				const texts = textsOf(classify(ready({ chunkedData: entries, vector })));
				texts.forEach((chunks, text) =>
					chunks?.forEach((chunk, at) => {
						if (chunk.vector) expect(chunk.vector).toEqual([text, at]);
					}),
				);
			}),
			{ numRuns: runs(1000) },
		);
	});

	test.each<[string, unknown, unknown]>([
		['no spans and vectors', { chunks: ['a'] }, [{ text: 'a' }]],
		[
			'fewer spans than chunks',
			{ chunks: ['a', 'b'], spans: [[0, 1]] },
			[{ text: 'a', start: 0, end: 1 }, { text: 'b' }],
		],
		['chunks that are no texts', { chunks: [{ x: 1 }, 2, 'null'] }, undefined],
		['an empty list of chunks', { chunks: [] }, []],
		['words beside its chunks', { chunks: ['a'], message: 'OK' }, [{ text: 'a' }]],
		['words in place of chunks', { chunks: [], error: 'Overloaded' }, undefined],
		[
			'spans that are no pair of numbers',
			{ chunks: ['a', 'b'], spans: [[0], [null, 1]] },
			[{ text: 'a' }, { text: 'b' }],
		],
		['a null chunk', { chunks: ['a', null] }, undefined],
		['no chunks', { spans: [[0, 1]] }, undefined],
		['chunks that are no list', { chunks: 'a' }, undefined],
		['no entry', null, undefined],
	])('the readable part of an entry with %s is read', (_, entry, chunks) => {
		expect(textsOf(classify(ready({ chunkedData: [entry] })))).toEqual([chunks]);
	});

	test("an entry's own vectors are never mixed with the shared list", () => {
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
		['a full stop follows, which may separate chunks', 'Hello.', upTo(5), unknown],
	])('%s', (_, text, chunks, expected) => {
		expect(coverage(text, chunks)).toEqual(expected);
	});
});
