import comparePage from '../../../examples/src/code/compare-page';
import compareScore from '../../../examples/src/code/compare-score';
import compareTable from '../../../examples/src/code/compare-table';
import compareTexts from '../../../examples/src/code/compare-texts';
import compareVariants from '../../../examples/src/code/compare-variants';
import type {
	ChunkResult,
	ComparedDocument,
	Question,
	Score,
	Variant,
} from '../../../examples/src/parts/compare-types';

const VARIANT: Variant = {
	...{ variant: 'Lines', chunker: 'dynamic-newline', config: { maxChunkSize: 9 } },
	model: 'gte-small',
};

describe('the input', () => {
	const documents = Array.from({ length: 5 }, (_, at) => ({
		id: `d${at}`,
		text: `Text\n ${at}.`,
	}));
	const questions = documents.map(({ id }) => ({ question: `What of ${id}?`, document: id }));
	const [first, ...others] = documents;
	const [asked, ...more] = questions;
	const check = (input: Partial<Parameters<typeof compareVariants>[0]>) => () =>
		compareVariants({ documents, questions, variants: [VARIANT], ...input });

	test('one item per variant', () => {
		const json = { ...VARIANT, variant: 'B', config: '{"maxChunkSize":9}' } as never;
		expect(check({ variants: [VARIANT, json] })()).toEqual([
			{ json: VARIANT },
			{ json: { ...VARIANT, variant: 'B' } },
		]);
		expect(check({ variants: [{ ...VARIANT, config: undefined }] })()).toEqual([
			{ json: { ...VARIANT, config: {} } },
		]);
	});

	test('a phrase may differ in case and white space, and an ID may be a number', () => {
		expect(check({ questions: [{ ...asked, phrase: 'text 0' }, ...more] })).not.toThrow();
		expect(
			check({
				documents: [{ id: 7, text: 'Seven' }, ...others],
				questions: [{ question: 'Seven?', document: '7' }, ...more],
			}),
		).not.toThrow();
	});

	test.each<[string, Partial<Parameters<typeof compareVariants>[0]>]>([
		['Documents returns 4 items, and must return 5 to 50', { documents: others }],
		["Documents, item 0: 'text' is empty", { documents: [{ ...first, text: ' ' }, ...others] }],
		["Documents, item 0: 'id' is empty", { documents: [{ text: 'a' }, ...others] }],
		["'d1' is the ID of two documents", { documents: [{ ...first, id: 'd1' }, ...others] }],
		['Questions returns 51 items', { questions: Array<Question>(51).fill(asked) }],
		["Questions, item 0: 'question' is empty", { questions: [{ document: 'd0' }, ...more] }],
		["Questions, item 0: 'document' is empty", { questions: [{ question: 'a' }, ...more] }],
		[
			"Questions, item 0: there is no document 'x'",
			{ questions: [{ ...asked, document: 'x' }, ...more] },
		],
		[
			"Questions, item 0: document 'd0' does not contain 'Text 1'",
			{ questions: [{ ...asked, phrase: 'Text 1' }, ...more] },
		],
		['Variants returns 0 items', { variants: [] }],
		["'Lines' is the name of two variants", { variants: [VARIANT, VARIANT] }],
		["Variants, item 0: 'variant' is empty", { variants: [{ ...VARIANT, variant: '' }] }],
		["Variants, item 0: 'chunker' is empty", { variants: [{ ...VARIANT, chunker: '' }] }],
		["Variants, item 0: 'model' is empty", { variants: [{ ...VARIANT, model: undefined }] }],
		...(['{', '[]', '1', null, [], 1].map((config) => [
			"'config' must be an object",
			{ variants: [{ ...VARIANT, config: config as never }] },
		]) as Array<[string, Partial<Parameters<typeof compareVariants>[0]>]>),
	])('%s', (message, input) => {
		expect(check(input)).toThrow(message);
	});

	test('says how many problems there are besides the first five', () => {
		const questionsOfOthers = questions.map((question) => ({ ...question, document: 'x' }));
		expect(check({ questions: questionsOfOthers, variants: [] })).toThrow(
			/^Nothing was sent\. Variants .* There are 1 more problems$/,
		);
	});
});

const DOCUMENTS: ComparedDocument[] = [
	{ id: 'a', text: 'One. Two.' },
	{ id: 'b', text: 'Three. Four.' },
];

test('questions are sent whole, as queries', () => {
	const questions = [{ question: 'Who?', document: 'a' }];
	const shared = { variant: 'Lines', model: 'gte-small', started: 5 };
	const { chunker, config } = VARIANT;
	expect(compareTexts({ variant: VARIANT, documents: DOCUMENTS, questions, now: 5 })).toEqual(
		[
			{ entry: 0, text: 'One. Two.', dataType: 'passage', chunker, config },
			{ entry: 1, text: 'Three. Four.', dataType: 'passage', chunker, config },
			{
				...{ entry: 2, text: 'Who?', dataType: 'query' },
				...{ chunker: 'regex-splitter', config: { regex: '(?!)' } },
			},
		].map((text) => ({ json: { ...text, ...shared } })),
	);
});

describe('a score', () => {
	type Chunk = [text: string, vector: unknown];

	/** Scores chunks of documents a and b, and questions with their vectors. */
	function score(
		chunks: { a: Chunk[]; b: Chunk[] },
		asked: Array<[Question, vector: unknown]>,
		change: (results: ChunkResult[]) => ChunkResult[] = (results) => results,
	): Score {
		const questions = asked.map(([question]) => question);
		const texts = compareTexts({
			...{ variant: VARIANT, documents: DOCUMENTS, questions, now: 1_000 },
		}).map(({ json }) => json);
		const chunked = (entry: number, of: Chunk[]): ChunkResult[] =>
			of.map(([text, vector], chunkIndex) => ({
				entry,
				chunkIndex,
				text,
				vector,
				tokensUsed: 2,
			}));
		const results = [
			...[...chunked(0, chunks.a), ...chunked(1, chunks.b)],
			...asked.flatMap(([{ question }, vector], at) => chunked(2 + at, [[question, vector]])),
		];
		const inputs = { documents: DOCUMENTS, questions, texts, results: change(results) };
		return compareScore({ ...inputs, now: 3_460 })[0].json;
	}

	const of = (document: string, phrase?: string): Question => ({
		...{ question: 'Who?', document },
		...(phrase !== undefined && { phrase }),
	});
	const X = [1, 0];
	const Y = [0, 1];

	test('counts chunks, characters, tokens and seconds', () => {
		const chunks: { a: Chunk[]; b: Chunk[] } = {
			a: [
				['1', X],
				['😀😀😀', X],
			],
			b: [
				['22', Y],
				['4444', Y],
			],
		};
		expect(score(chunks, [[of('a'), X]])).toEqual({
			...VARIANT,
			...{ meanReciprocalRank: 1, hitAt1: 1, hitAt5: 1, chunks: 4 },
			...{ medianCharacters: 2.5, largestCharacters: 4, phrasesCut: 0 },
			...{ textsSent: 3, charactersSent: 9 + 12 + 4, tokensUsed: 10, seconds: 2.5 },
			...{ missed: [], error: '' },
		});
		const unknown = score(chunks, [[of('a'), X]], (results) =>
			results.map(({ tokensUsed: _, ...result }, at) =>
				at === 1 ? result : { ...result, tokensUsed: 1 },
			),
		);
		expect(unknown.tokensUsed).toBeNull();
	});

	test('the first right chunk counts, and a document may have several', () => {
		// The cosines are a: 0.6, 0.8, 0 and b: 1, 0.28.
		const chunks: { a: Chunk[]; b: Chunk[] } = {
			a: [
				['a0', [3, 4]],
				['a1', [8, 6]],
				['a2', Y],
			],
			b: [
				['b0', [5, 0]],
				['b1', [7, 24]],
			],
		};
		const { missed, ...figures } = score(chunks, [
			[of('a'), X],
			[of('b'), X],
		]);
		expect(figures).toMatchObject({ meanReciprocalRank: 0.75, hitAt1: 0.5, hitAt5: 1 });
		expect(missed).toEqual([
			{
				...{ question: 'Who?', document: 'a', phrase: '', rank: 2 },
				why: 'The first right chunk is number 2',
				found: { document: 'b', chunkIndex: 0, text: 'b0' },
			},
		]);
	});

	test('a chunk must contain the phrase', () => {
		const chunks: { a: Chunk[]; b: Chunk[] } = {
			a: [
				['One is\n not', X],
				['Is One Not two', [3, 4]],
			],
			b: [['one not', [4, 3]]],
		};
		const { missed, meanReciprocalRank } = score(chunks, [[of('a', 'one  NOT'), X]]);
		expect(meanReciprocalRank).toBe(0.333);
		expect(missed[0].found).toEqual({ document: 'a', chunkIndex: 0, text: 'One is\n not' });
	});

	test('a phrase that is split over two chunks is never found', () => {
		const chunks: { a: Chunk[]; b: Chunk[] } = {
			a: [
				['One.', X],
				['Two.', X],
			],
			b: [['Three.', Y]],
		};
		const { missed, ...figures } = score(chunks, [
			[of('a', 'One. Two'), X],
			[of('a', 'Two'), X],
		]);
		expect(figures).toMatchObject({
			phrasesCut: 1,
			meanReciprocalRank: 0.25,
			hitAt1: 0,
			hitAt5: 0.5,
		});
		expect(missed).toMatchObject([
			{ rank: null, why: 'No chunk of the document contains the phrase' },
			{ rank: 2, found: { text: 'One.' } },
		]);
	});

	test('a wrong chunk with the same cosine comes first, in whatever order they are', () => {
		const chunks: { a: Chunk[]; b: Chunk[] } = {
			a: [['a', [1, 1]]],
			b: [
				['b0', [3, 3]],
				['b1', [7, 7]],
			],
		};
		const asked: [Question, unknown][] = [
			[of('a'), [5, 5]],
			[of('b'), [5, 5]],
		];
		expect(score(chunks, asked).missed.map(({ rank }) => rank)).toEqual([3, 2]);
	});

	test('a right chunk on place 5 is a hit at 5, and one on place 6 is not', () => {
		const wrong: Chunk[] = Array.from({ length: 4 }, () => ['b', X]);
		const rightOn = (b: Chunk[]) => score({ a: [['a', [3, 4]]], b }, [[of('a'), X]]);
		expect(rightOn(wrong)).toMatchObject({ hitAt5: 1, meanReciprocalRank: 0.2 });
		expect(rightOn([...wrong, ['b', X]])).toMatchObject({
			hitAt5: 0,
			meanReciprocalRank: 0.167,
		});
	});

	test('a vector of zeros finds nothing and is never found', () => {
		const zeros = [0, 0];
		const chunks: { a: Chunk[]; b: Chunk[] } = { a: [['a', zeros]], b: [['b', [-1, 0]]] };
		const { missed, error, meanReciprocalRank } = score(chunks, [
			[of('a'), X],
			[of('b'), X],
			[of('b'), zeros],
		]);
		expect({ error, meanReciprocalRank }).toEqual({ error: '', meanReciprocalRank: 0.333 });
		expect(missed).toMatchObject([
			{
				...{ rank: null, why: 'The vectors of the right chunks contain only zeros' },
				found: { document: 'b' },
			},
			{ rank: null, why: 'The vector of the question contains only zeros', found: null },
		]);
	});

	const packed = (type: string, numbers: ArrayBufferView) =>
		`${type}:${Buffer.from(numbers.buffer).toString('base64')}`;
	test.each<[string, unknown, unknown, unknown]>([
		[
			'i8',
			...([
				[127, -3],
				[-127, 4],
				[100, 0],
			].map((all) => packed('i8', Int8Array.from(all))) as [string, string, string]),
		],
		[
			'u8',
			...([
				[255, 1],
				[0, 200],
				[200, 0],
			].map((all) => packed('u8', Uint8Array.from(all))) as [string, string, string]),
		],
		[
			'f32',
			...([
				[0.5, 0.1],
				[-0.5, 0.1],
				[1, 0],
			].map((all) => packed('f32', Float32Array.from(all))) as [string, string, string]),
		],
		[
			'f64',
			...([
				[0.5, 0.1],
				[-0.5, 0.1],
				[1, 0],
			].map((all) => packed('f64', Float64Array.from(all))) as [string, string, string]),
		],
	])('reads vectors that are packed as %s', (_, right, wrong, asked) => {
		const result = score({ a: [['a', right]], b: [['b', wrong]] }, [[of('a'), asked]]);
		expect(result).toMatchObject({ error: '', meanReciprocalRank: 1 });
		expect(score({ a: [['a', wrong]], b: [['b', right]] }, [[of('a'), asked]])).toMatchObject({
			...{ error: '', meanReciprocalRank: 0.5 },
		});
	});

	describe('without figures', () => {
		const CHUNKS: { a: Chunk[]; b: Chunk[] } = { a: [['a', X]], b: [['b', Y]] };
		test.each<[string, (results: ChunkResult[]) => ChunkResult[]]>([
			[
				'1 of 3 texts failed: No model.',
				([first, ...others]) => [{ entry: first.entry, error: 'No model.' }, ...others],
			],
			[
				'1 of 3 texts failed: No model.',
				([first, ...others]) => [...others, { ...first, error: { message: 'No model.' } }],
			],
			["Document 'b' has no chunks", ([a, , question]) => [a, { entry: 1 }, question]],
			["Document 'a' has no chunks", ([, b, question]) => [b, question]],
			["'Who?' has not become one chunk", ([a, b]) => [a, b]],
			["'Who?' has not become one chunk", ([a, b, question]) => [a, b, question, question]],
			[
				'There are chunks without a vector that can be read',
				([{ vector: _, ...a }, b, question]) => [a, b, question],
			],
			[
				'There are chunks without a vector that can be read',
				([a, b, question]) => [a, { ...b, vector: 'i9:AAAA' }, question],
			],
			[
				'The vectors have different lengths: 2, 3',
				([a, b, question]) => [a, { ...b, vector: [1, 2, 3] }, question],
			],
		])('%s', (error, change) => {
			expect(score(CHUNKS, [[of('a'), X]], change)).toMatchObject({
				...{ ...VARIANT, error, meanReciprocalRank: null, hitAt1: null, chunks: null },
				...{ textsSent: 3, charactersSent: 25, seconds: 2.5, missed: [] },
			});
		});
	});
});

const scored = (variant: string, figures: Partial<Score>): Score => ({
	...{ ...VARIANT, variant },
	...{ meanReciprocalRank: 0.5, hitAt1: 0.5, hitAt5: 0.5, chunks: 1, medianCharacters: 1 },
	...{ largestCharacters: 1, phrasesCut: 0, textsSent: 1, charactersSent: 1, tokensUsed: 1 },
	...{ seconds: 1, missed: [], error: '', ...figures },
});

describe('the table', () => {
	const ranks = (scores: Score[]) =>
		compareTable({ scores }).map(({ json: { rank, variant } }) => `${rank} ${variant}`);

	test('is sorted by the mean reciprocal rank, and then by the hits', () => {
		expect(
			ranks([
				scored('failed', { meanReciprocalRank: null, hitAt1: null, error: 'No model.' }),
				scored('same', {}),
				scored('also', {}),
				scored('worst', { meanReciprocalRank: 0.4, hitAt1: 1, hitAt5: 1 }),
				scored('best', { meanReciprocalRank: 0.6, hitAt1: 0 }),
				scored('second', { hitAt1: 0.6, hitAt5: 0 }),
				scored('third', { hitAt5: 0.6 }),
			]),
		).toEqual(['1 best', '2 second', '3 third', '4 same', '4 also', '6 worst', 'null failed']);
	});

	test('without any figures, the run fails and says why', () => {
		const scores = [scored('A', { error: 'No model.' }), scored('B', { error: 'Down.' })];
		expect(() => compareTable({ scores })).toThrow(
			'No variant could be compared. A: No model.; B: Down.',
		);
	});
});

describe('the page', () => {
	const EVIL = `<script>"'&</script>`;
	const pageOf = (scores: Score[]) => {
		const rows = compareTable({ scores }).map(({ json }) => json);
		const [{ json, binary }] = comparePage({ rows, documents: 5, questions: 4 });
		expect(json.fileName).toBe(binary.data.fileName);
		return Buffer.from(binary.data.data, 'base64').toString('utf8');
	};

	test('escapes everything that comes from outside', () => {
		const missed = {
			...{ question: EVIL, document: EVIL, phrase: EVIL, rank: 2, why: EVIL },
			found: { document: EVIL, chunkIndex: 0, text: EVIL },
		};
		const evil = { chunker: EVIL, model: EVIL, config: { regex: EVIL } };
		const html = pageOf([
			scored(EVIL, { ...evil, missed: [missed] }),
			scored(`${EVIL}2`, { error: EVIL }),
		]);
		expect(html).not.toMatch(/<script/i);
		const values =
			html.replace(/<style>[^]*?<\/style>/, '').match(/&#60;script&#62;[^<]*/g) ?? [];
		expect(values.length).toBe(9);
		for (const value of values) expect(value).not.toMatch(/["']|&(?!#\d+;)/);
	});

	test('draws a bar for each figure, and lists what was missed and what failed', () => {
		const html = pageOf([
			scored('Good', { meanReciprocalRank: 1, hitAt1: 0.5, hitAt5: 0 }),
			scored('Bad', { error: 'No model.' }),
		]);
		const bars = [...html.matchAll(/<rect class="(\w+)"[^>]* width="(\d+)"/g)];
		expect(bars.map(([, kind, width]) => `${kind} ${width}`)).toEqual([
			...['mean 500', 'one 250', 'five 0'],
		]);
		expect(html).toContain('Good: <span class="weak">0 of 4</span>');
		expect(html).toContain('<li>Bad: No model.</li>');
		expect(html).toContain('prefers-color-scheme: dark');
	});

	test('a long name and a long chunk are shortened between characters', () => {
		const missed = {
			...{ question: 'Q', document: 'a', phrase: '', rank: 2, why: 'W' },
			found: { document: 'b', chunkIndex: 3, text: '😀'.repeat(300) },
		};
		const html = pageOf([scored('😀'.repeat(40), { missed: [missed] })]);
		expect(html).toContain(`>${'😀'.repeat(29)}…</text>`);
		expect(html).toContain(`<td>b#3: ${'😀'.repeat(199)}…</td>`);
	});
});
