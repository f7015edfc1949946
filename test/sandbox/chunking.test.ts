import { PATHS } from '../../nodes/shared/service/url';
import { useSandbox } from '../../support/sandbox';
import { bearer, chunk, http } from '../../support/sandbox-client';

const sandbox = useSandbox();

const CHUNKERS = [
	'regex-splitter',
	'dynamic-newline',
	'dynamic-sentence',
	'sentence',
	'semantic',
] as const;
const TEXT =
	'The fox runs. The fox jumps over the dog! Rain is expected 😀 today.\nA new line starts here? ' +
	'Rain is expected today again.\n\nThe end, Żółć.';

const small = { modelConfig: { dimReductionSize: 4 } };
const split = async (chunker: string, text: string, chunkerConfig: Record<string, unknown> = {}) =>
	(await chunk(sandbox(), chunker, [text], { ...small, chunkerConfig })).chunkedData?.[0].chunks;

describe('regex-splitter', () => {
	test.each<[string, string, string | undefined, string[]]>([
		['the default', 'a\nb\n\nc\n', undefined, ['a', 'b', 'c']],
		['a named group', 'a\nb', '(?P<x>\\n)', ['a', 'b']],
		['an inline flag', 'aXbxc', '(?i)x', ['a', 'b', 'c']],
		['an empty match', 'abc', '(?=b)', ['a', 'bc']],
		['a doubled escape', 'a\\nb\nc', '\\\\n', ['a', 'b\nc']],
		['\\Z', 'ab\n', '\\n\\Z', ['ab']],
		['no match', 'abc', 'x', ['abc']],
		['nothing left', '\n\n', '\\n', []],
		['an empty text', '', '\\n', []],
	])('%s', async (_, text, regex, chunks) => {
		expect(await split('regex-splitter', text, regex === undefined ? {} : { regex })).toEqual(
			chunks,
		);
	});

	test.each([
		['(', /^Invalid regular expression: /],
		['a/**', /^Invalid regular expression: /],
		['\\q', /bad escape \\q at position 0/],
		['(?<x>a)', /unknown extension \?<x at position 1/],
	])('a pattern that Python refuses: %s', async (regex, message) => {
		const results = await chunk(sandbox(), 'regex-splitter', ['a'], {
			chunkerConfig: { regex },
		});
		expect(results).toEqual({
			chunkingId: expect.any(String),
			status: 'ERROR',
			message: expect.stringMatching(message),
		});
		expect(sandbox().jobs()[0].status).toBe('ERROR');
	});
});

test.each<[(typeof CHUNKERS)[number], Record<string, unknown>, string[]]>([
	['dynamic-newline', { maxChunkSize: 5 }, ['a b\nc', 'd e f', 'g']],
	['dynamic-newline', {}, ['a b\nc\n\nd e f\ng']],
])('%s %j', async (chunker, config, chunks) => {
	expect(await split(chunker, 'a b\nc\n\nd e f\ng\n', config)).toEqual(chunks);
});

const SENTENCES = 'One. Two. Three. Four. Five. Six. Seven.';
test.each<[string, Record<string, unknown>, string[]]>([
	['sentence', {}, ['One. Two. Three. Four. Five.', 'Six. Seven.']],
	[
		'sentence',
		{ chunkSize: 3, overlapSize: 1 },
		['One. Two. Three.', 'Three. Four. Five.', 'Five. Six. Seven.'],
	],
	[
		'dynamic-sentence',
		{ maxChunkSize: 6, overlapSize: 1 },
		['One. Two. Three.', 'Three. Four. Five.', 'Five. Six. Seven.'],
	],
	[
		'dynamic-sentence',
		{ maxChunkSize: 6, overlapSize: 0 },
		['One. Two. Three.', 'Four. Five. Six.', 'Seven.'],
	],
	[
		'semantic',
		{ cosineThreshold: -1, maxChunkSize: 6, overlapSize: 0 },
		['One. Two. Three.', 'Four. Five. Six.', 'Seven.'],
	],
])('%s %j', async (chunker, config, chunks) => {
	expect(await split(chunker, SENTENCES, config)).toEqual(chunks);
});

test.each(CHUNKERS)('%s: spans are code points of the text', async (chunker) => {
	const texts = [TEXT, '', '😀\n😀😀', TEXT.repeat(20)];
	const { chunkedData = [] } = await chunk(sandbox(), chunker, texts, small);
	expect(chunkedData).toHaveLength(texts.length);
	for (const [at, { chunks, spans, vectors }] of chunkedData.entries()) {
		const points = Array.from(texts[at]);
		expect(spans.map(([start, end]) => points.slice(start, end).join(''))).toEqual(chunks);
		expect(vectors).toHaveLength(chunks.length);
	}
});

describe('vectors', () => {
	const vectorsOf = async (modelConfig: Record<string, unknown>, model = 'gte-small') => {
		const { chunkedData } = await chunk(
			sandbox(),
			'sentence',
			['Hello you.'],
			{ modelConfig },
			model,
		);
		return chunkedData?.[0].vectors[0] as { vector: number[]; tokensUsed: unknown };
	};

	test('floats, min-max and max-scale stay in their ranges and are reproducible', async () => {
		const floats = await vectorsOf({});
		expect(floats.tokensUsed).toEqual({ inputTokens: 3 });
		expect(floats.vector.every((value) => Math.abs(value) <= 1)).toBe(true);
		expect(floats.vector.every((value) => Math.fround(value) === value)).toBe(true);
		expect(floats.vector.some((value) => !Number.isInteger(value))).toBe(true);
		const minMax = (await vectorsOf({ vectorQuantizationMethod: 'min-max' })).vector;
		expect([Math.min(...minMax), Math.max(...minMax)]).toEqual([0, 255]);
		const maxScale = (await vectorsOf({ vectorQuantizationMethod: 'max-scale' })).vector;
		expect(Math.max(...maxScale.map(Math.abs))).toBe(127);
		expect([...minMax, ...maxScale].every(Number.isInteger)).toBe(true);
		expect((await vectorsOf({})).vector).toEqual(floats.vector);
		expect((await vectorsOf({ dimReductionSize: 3 })).vector).toEqual(
			floats.vector.slice(0, 3),
		);
	});
});

describe('vectors from words', () => {
	const QUERY = 'When does the WAREHOUSE ship an order?';
	const NEAR = 'Our warehouse packs each order, then ships it.';
	const FAR = 'Descale your kettle with vinegar every month.';

	const vectorsOf = async (
		texts: string[],
		modelConfig: Record<string, unknown> = {},
	): Promise<number[][]> => {
		const body = { modelConfig, chunkerConfig: { regex: '(?!)' } };
		const { chunkedData = [] } = await chunk(sandbox(), 'regex-splitter', texts, body);
		return chunkedData.map(({ vectors }) => (vectors[0] as { vector: number[] }).vector);
	};
	const cosine = (one: number[], other: number[]) => {
		const dot = (a: number[], b: number[]) =>
			a.reduce((sum, value, at) => sum + value * b[at], 0);
		return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
	};
	const cosines = async (modelConfig?: Record<string, unknown>) => {
		const [query, near, far] = await vectorsOf([QUERY, NEAR, FAR], modelConfig);
		return { near: cosine(query, near), far: cosine(query, far) };
	};

	test('by default, common words do not count', async () => {
		const { near, far } = await cosines();
		expect(Math.abs(near)).toBeLessThan(0.2);
		expect(Math.abs(far)).toBeLessThan(0.2);
	});

	describe('if the setting is on', () => {
		beforeEach(() => {
			sandbox().settings.vectorsFromWords = true;
		});

		test.each([
			{},
			{ dimReductionSize: 256 },
			{ vectorQuantizationMethod: 'max-scale' },
			{ dimReductionSize: 256, vectorQuantizationMethod: 'max-scale' },
		])('the cosine follows common words: %j', async (modelConfig) => {
			const { near, far } = await cosines(modelConfig);
			expect(near).toBeGreaterThan(0.4);
			expect(Math.abs(far)).toBeLessThan(0.25);
		});

		test('min-max keeps the order, although it moves all cosines', async () => {
			const { near, far } = await cosines({ vectorQuantizationMethod: 'min-max' });
			expect(near).toBeGreaterThan(far);
		});

		test('only the words count, and a text without words has a vector too', async () => {
			const [one, same, marks, others] = await vectorsOf([
				'Żółć, the fox!',
				'the żółć\n(fox) THE',
				'***',
				'---',
			]);
			expect(cosine(one, same)).toBeCloseTo(1, 5);
			expect(Math.hypot(...one)).toBeCloseTo(1, 5);
			expect(Math.hypot(...marks)).toBeGreaterThan(1);
			expect(cosine(marks, others)).toBeLessThan(0.9);
		});
	});
});

describe('refuses a body', () => {
	const batch = [{ text: 'a' }];
	test.each<[string, unknown, RegExp]>([
		['that is an array', [], /object/],
		['without batch', {}, /batch/],
		['with an empty batch', { batch: [] }, /batch/],
		['with a text that is no string', { batch: [{ text: 'a' }, { text: 1 }] }, /batch\[1\]/],
		['with modelConfig no object', { batch, modelConfig: 'x' }, /modelConfig/],
		['with useCaseConfig no object', { batch, useCaseConfig: [] }, /useCaseConfig/],
		['with chunkerConfig no object', { batch, chunkerConfig: 1 }, /chunkerConfig/],
		['dimension 0', { batch, modelConfig: { dimReductionSize: 0 } }, /dimReductionSize/],
		['dimension 1.5', { batch, modelConfig: { dimReductionSize: 1.5 } }, /dimReductionSize/],
		['dimension 385', { batch, modelConfig: { dimReductionSize: 385 } }, /384/],
		['dimension "4"', { batch, modelConfig: { dimReductionSize: '4' } }, /dimReductionSize/],
		['quantization', { batch, modelConfig: { vectorQuantizationMethod: 'x' } }, /min-max/],
		['data type', { batch, useCaseConfig: { dataType: 'x' } }, /passage/],
		['regex', { batch, chunkerConfig: { regex: 1 } }, /regex/],
	])('%s', async (_, body, message) => {
		const headers = await bearer(sandbox());
		const url = `${sandbox().url}${PATHS.chunking}/regex-splitter/gte-small`;
		const { status, data } = await http.post(url, body, { headers });
		expect(status).toBe(400);
		expect(data.message).toMatch(message);
		expect(sandbox().jobs()).toEqual([]);
	});

	test.each<[string, Record<string, unknown>]>([
		['dynamic-newline', { maxChunkSize: 0 }],
		['dynamic-sentence', { overlapSize: -1 }],
		['sentence', { chunkSize: '5' }],
		['semantic', { cosineThreshold: 2 }],
		['semantic', { approximate: 1 }],
	])('%s %j', async (chunker, chunkerConfig) => {
		const body = { batch, chunkerConfig };
		const headers = await bearer(sandbox());
		const url = `${sandbox().url}${PATHS.chunking}/${chunker}/gte-small`;
		expect((await http.post(url, body, { headers })).status).toBe(400);
	});

	test('answers 404 for an unknown chunker or model, 415 for a wrong content type, 400 for broken JSON, 413 for too much text', async () => {
		const headers = await bearer(sandbox());
		const url = `${sandbox().url}${PATHS.chunking}`;
		const body = JSON.stringify({ batch: [{ text: 'é'.repeat(50) }, { text: 'x' }] });
		const json = { ...headers, 'Content-Type': 'application/json' };
		const text = { ...headers, 'Content-Type': 'text/plain' };
		const post = async (path: string, data: string, withHeaders: Record<string, string>) =>
			(await http.post(`${url}/${path}`, data, { headers: withHeaders })).status;
		expect(await post('toString/m', body, json)).toBe(404);
		expect(await post('sentence/m', body, text)).toBe(415);
		expect(await post('sentence/m', '{', json)).toBe(400);
		const large = JSON.stringify({ batch: [{ text: 'é'.repeat(500_000) }, { text: 'x' }] });
		expect(await post('sentence/m', large, json)).toBe(413);
		expect(await post('sentence/m', body, json)).toBe(200);
		sandbox().settings.models = ['gte-small'];
		expect(await post('sentence/m', body, json)).toBe(404);
		expect(await post('sentence/gte-small', body, json)).toBe(200);
		sandbox().settings.models = undefined;
	});
});
