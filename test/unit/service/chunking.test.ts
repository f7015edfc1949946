import fc from 'fast-check';

import {
	cutTailLength,
	DEFAULT_RESULTS_PATH,
	isDone,
	parseChunkingReply,
	parseResultsPath,
	resultsPath,
	submitBody,
	submitPath,
	type ChunkSettings,
} from '../../../nodes/shared/service/chunking';
import { InputError } from '../../../nodes/shared/service/input-error';
import { anyText, thrownBy } from '../support/text';

const settings: ChunkSettings = {
	scope: 'machinelearning.predict',
	chunker: 'regex-splitter',
	modelId: 'gte-small',
	modelConfig: {},
	useCaseConfig: {},
	chunkerConfig: {},
	additionalFields: {},
};
const body = (changes: Partial<ChunkSettings>, texts = ['one']): unknown =>
	JSON.parse(submitBody({ ...settings, ...changes }, texts));

describe('paths', () => {
	test('chunker and model are one segment each', () => {
		expect(submitPath('regex-splitter', 'gte-small')).toBe(
			'/ai/async-chunking/regex-splitter/gte-small',
		);
		expect(submitPath('a/b', 'c?d')).toBe('/ai/async-chunking/a%2Fb/c%3Fd');
		expect(() => submitPath('..', 'gte-small')).toThrow("'Chunker' must not be");
		expect(() => submitPath('semantic', '')).toThrow("'Model ID' is empty");
	});

	test('the chunking ID is put into the results path as it is', () => {
		expect(resultsPath(DEFAULT_RESULTS_PATH, 'a/b')).toBe('/ai/async-chunking/a%2Fb');
		// No pattern of String.replace is read into it.
		expect(resultsPath('/x/{chunkingId}/y/{chunkingId}', "$&$'")).toBe(
			"/x/%24%26%24'/y/%24%26%24'",
		);
	});

	test.each(['ai/{chunkingId}', '/ai/results', ''])('results path %j is refused', (template) => {
		expect(() => resultsPath(template, 'id')).toThrow(InputError);
	});

	test.each<[unknown, RegExp]>([
		[7, /must be a text$/],
		[undefined, /must be a text$/],
		[['/{chunkingId}'], /must be a text$/],
		['{chunkingId}', /must start with \/ and contain \{chunkingId\}$/],
		['/ai/{chunkingID}', /must start with/],
		['https://a.example/{chunkingId}', /must start with/],
		['/ai/{chunkingId}?full=true', /query or fragment/],
		['/ai/{chunkingId}#top', /query or fragment/],
		['/ai/../{chunkingId}', /segments \. and \.\./],
		['/ai/{chunkingId}/..', /segments \. and \.\./],
		['/ai/./{chunkingId}', /segments \. and \.\./],
		['/ai/%2e%2E/{chunkingId}', /segments \. and \.\./],
		['/ai/.%2e/{chunkingId}', /segments \. and \.\./],
		['/ai\\..\\{chunkingId}', /backslashes/],
		['/ai/.\t./{chunkingId}', /spaces, control characters/],
		['/ai/{chunkingId}\n', /spaces, control characters/],
		['/a b/{chunkingId}', /spaces, control characters/],
	])('results path %j is refused with its reason', (template, message) => {
		const error = thrownBy(() => parseResultsPath(template));
		expect(error).toBeInstanceOf(InputError);
		expect((error as InputError).message).toMatch(message);
		expect((error as InputError).description).toContain(DEFAULT_RESULTS_PATH);
	});

	test('a results path that is accepted stays below the URL of the service', () => {
		const template = fc.array(anyText, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
		fc.assert(
			fc.property(template, fc.nat(3), anyText, (text, at, chunkingId) => {
				const parts = text.split('/');
				parts.splice(at, 0, '{chunkingId}');
				let path: string;
				try {
					path = resultsPath(parts.join('/'), chunkingId);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					return;
				}
				const url = new URL(`https://h.example/base${path}`);
				expect(url.host).toBe('h.example');
				expect(url.search + url.hash).toBe('');
				expect(url.pathname.startsWith('/base/')).toBe(true);
				expect(url.pathname.split('/')).toHaveLength(`/base${path}`.split('/').length);
			}),
			{ numRuns: 2000 },
		);
	});

	test.each(['', '..'])('chunking ID %j is refused', (id) => {
		expect(() => resultsPath(DEFAULT_RESULTS_PATH, id)).toThrow(InputError);
	});
});

describe('submitBody', () => {
	test('what is empty is left out', () => {
		expect(body({}, ['one', 'two'])).toEqual({ batch: [{ text: 'one' }, { text: 'two' }] });
	});

	test('what is set goes into the body under its own name', () => {
		const changes = {
			modelConfig: { dimReductionSize: 256 },
			useCaseConfig: { dataType: 'query' },
			chunkerConfig: { regex: '\\n' },
		};
		expect(body(changes)).toEqual({ batch: [{ text: 'one' }], ...changes });
	});

	test('additional fields add to the body and its configs but replace nothing', () => {
		const sent = body({
			modelConfig: { dimReductionSize: 256 },
			additionalFields: {
				batch: 'mine',
				modelConfig: { dimReductionSize: 1, newer: true },
				tomorrow: [1],
			},
		});
		expect(sent).toEqual({
			batch: [{ text: 'one' }],
			modelConfig: { dimReductionSize: 256, newer: true },
			tomorrow: [1],
		});
	});

	test('a config without members is not sent, wherever it comes from', () => {
		const additionalFields = {
			modelConfig: {},
			useCaseConfig: {},
			chunkerConfig: {},
			other: {},
		};
		expect(body({ additionalFields })).toEqual({ batch: [{ text: 'one' }], other: {} });
	});

	test('a pattern and any text arrive as they were typed', () => {
		fc.assert(
			fc.property(anyText, anyText, (text, regex) => {
				const sent = body({ chunkerConfig: { regex } }, [text]);
				expect(sent).toEqual({ batch: [{ text }], chunkerConfig: { regex } });
			}),
		);
	});
});

describe('parseChunkingReply', () => {
	const vectors = [
		[1, 2],
		[3, 4],
		[5, 6],
	];

	test('a submission is read without results', () => {
		const reply = parseChunkingReply({ chunkingId: 'c1', status: 'SUBMITTED' });
		expect(reply).toEqual({ chunkingId: 'c1', status: 'SUBMITTED' });
	});

	test('the newer shape: vectors and tokens within each entry', () => {
		const reply = parseChunkingReply({
			chunkingId: 'c1',
			status: 'READY',
			message: 'fine',
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
		});
		expect(reply).toEqual({
			chunkingId: 'c1',
			status: 'READY',
			message: 'fine',
			results: [
				[
					{ text: 'a', start: 0, end: 1, tokensUsed: 7, vector: [1, 2] },
					{ text: 'b', start: 1, end: 2, tokensUsed: 8, vector: [3, 4] },
				],
				[{ text: 'c', start: 0, end: 1, vector: [5, 6] }],
			],
		});
		const read = reply?.results?.flat().map((each) => each?.vector) ?? [];
		read.forEach((vector, index) => expect(vector).toBe(vectors[index]));
		expect(read).toHaveLength(3);
	});

	test('the older shape: one list of vectors beside the entries, counted across them', () => {
		const reply = parseChunkingReply({
			status: 'READY',
			chunkedData: [{ chunks: ['a', 'b'] }, { chunks: [] }, { chunks: ['c'] }],
			vector: vectors.map((vector) => ({ vector })),
		});
		expect(reply?.results).toEqual([
			[
				{ text: 'a', vector: [1, 2] },
				{ text: 'b', vector: [3, 4] },
			],
			[],
			[{ text: 'c', vector: [5, 6] }],
		]);
		expect(reply?.results?.[2]?.[0]?.vector).toBe(vectors[2]);
	});

	test('a vector may stand there bare, and tokens as a number', () => {
		const entry = (vectors: unknown) =>
			parseChunkingReply({ status: 'READY', chunkedData: [{ chunks: ['a'], vectors }] });
		expect(entry([[1, 2]])?.results).toEqual([[{ text: 'a', vector: [1, 2] }]]);
		expect(entry([{ tokensUsed: 3 }])?.results).toEqual([[{ text: 'a', tokensUsed: 3 }]]);
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
			[{ text: 'a', vector: [1] }, { text: 'b' }],
		],
		[
			'vectors that are none',
			{ chunks: ['a', 'b'], vectors: [null, { vector: 'x' }] },
			[{ text: 'a' }, { text: 'b' }],
		],
		[
			'chunks that are no texts',
			{ chunks: [{ x: 1 }, 2] },
			[{ text: '{"x":1}' }, { text: '2' }],
		],
		['an empty list of chunks', { chunks: [] }, []],
		['no chunks', { spans: [[0, 1]] }, undefined],
		['chunks that are no list', { chunks: 'a' }, undefined],
		['no entry', null, undefined],
		['a text as entry', 'a', undefined],
	])('an entry with %s is read as far as it goes', (_, entry, chunks) => {
		const reply = parseChunkingReply({ status: 'READY', chunkedData: [entry] });
		expect(reply?.results).toEqual([chunks]);
	});

	test('own vectors of an entry are never mixed with the list beside', () => {
		const reply = parseChunkingReply({
			status: 'READY',
			chunkedData: [{ chunks: ['a'], vectors: [] }],
			vector: [{ vector: [9] }],
		});
		expect(reply?.results).toEqual([[{ text: 'a' }]]);
	});

	test('results without a status count as ready', () => {
		expect(parseChunkingReply({ chunkedData: [] })).toEqual({ status: 'READY', results: [] });
	});

	test.each([
		[null],
		['READY'],
		[[]],
		[{}],
		[{ chunkingId: 'c1' }],
		[{ status: 1 }],
		[undefined],
	])('%j is no such reply', (value) => {
		expect(parseChunkingReply(value)).toBeUndefined();
	});

	test('an id or message that is no text is left out', () => {
		const reply = parseChunkingReply({ status: 'READY', chunkingId: 7, message: { a: 1 } });
		expect(reply).toEqual({ status: 'READY' });
		expect(parseChunkingReply({ status: 'READY', chunkingId: '', message: '' })).toEqual(reply);
	});

	test('never throws, whatever the reply', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (chunkedData, vector) => {
				parseChunkingReply(chunkedData);
				const entries = Array.isArray(chunkedData) ? chunkedData : [chunkedData];
				const reply = parseChunkingReply({ chunkedData: entries, vector });
				expect(reply?.results).toHaveLength(entries.length);
			}),
		);
	});
});

test.each<[string, boolean, boolean]>([
	['READY', true, true],
	['RETRIEVED', true, true],
	['SOMETHING_NEW', true, true],
	['READY', false, false],
	['SUBMITTED', true, false],
	['ERROR', true, false],
	['ERROR', false, false],
])('status %s, with results: %s, is done: %s', (status, withResults, done) => {
	expect(isDone({ status, ...(withResults && { results: [] }) })).toBe(done);
});

describe('cutTailLength', () => {
	const upTo = (end?: number) => [{ text: '', ...(end !== undefined && { start: 0, end }) }];

	test.each<[string, string, ReturnType<typeof upTo>, number]>([
		['nothing where the last span reaches the end', 'x'.repeat(50), upTo(50), 0],
		['nothing where it reaches beyond', 'x'.repeat(50), upTo(60), 0],
		['what no chunk covers', 'x'.repeat(50), upTo(20), 30],
		['nothing where there are no spans', 'x'.repeat(50), upTo(), 0],
		['nothing where there are no chunks', 'x'.repeat(50), [], 0],
		['nothing for a short remainder, likely a separator', 'x'.repeat(50), upTo(35), 0],
		['a remainder of 16 characters', 'x'.repeat(50), upTo(34), 16],
		['nothing for any amount of white space', 'x' + ' \n'.repeat(100), upTo(1), 0],
		// 40 pairs are 80 in JavaScript and 40 where the service counts.
		['nothing of character pairs that are covered', '😀'.repeat(40), upTo(40), 0],
		['character pairs as one each', '😀'.repeat(40), upTo(10), 30],
	])('is %s', (_, text, chunks, expected) => {
		expect(cutTailLength(text, chunks)).toBe(expected);
	});

	test('only the last span counts', () => {
		const chunks = [
			{ text: '', start: 0, end: 50 },
			{ text: '', start: 10, end: 20 },
		];
		expect(cutTailLength('x'.repeat(50), chunks)).toBe(30);
	});
});
