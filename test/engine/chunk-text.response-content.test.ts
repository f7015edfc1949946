/** What Chunk Text makes of responses that are valid JSON and still not what they should be. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OFTEN, useChunkText } from '../../support/chunking';
import { hintsOf, indexes, jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, getResults, answers, fault, submits } = useChunkText(sandbox);

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const options = { ...OFTEN, maxWaitSeconds: 1 };
const texts = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `i${at}`, name: `N${at}`, text: `text ${at}` }));
const entry = (text: string, [start, end] = [0, text.length]) => ({
	chunks: [text],
	spans: [[start, end]],
	vectors: [[1, 2]],
});

describe('entries in another order than the texts', () => {
	it.each(['documents', 'chunks', 'texts'])('fail with the response: %s', async (output) => {
		fault('results', { damage: 'otherOrder' });
		const result = await chunk(texts(2), { options, output }, CONTINUE);
		const error = expect.stringMatching(
			/^The service returned chunks that are not in the texts of the request/,
		) as string;
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({
				error,
				textPosition: 0,
				response: expect.objectContaining({ status: 'READY' }) as IDataObject,
			}),
			expect.objectContaining({ error, textPosition: 1 }),
		]);
	});

	it('fail no text whose chunks are certainly its own', async () => {
		fault('results', { damage: 'otherOrder' });
		const { output } = await chunk(texts(3), { options }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ textPosition: 0, error: expect.anything() as string }),
			expect.objectContaining({ text: 'text 1' }),
			expect.objectContaining({ textPosition: 2, error: expect.anything() as string }),
		]);
	});

	it('are noticed if one chunk happens to be part of the other text', async () => {
		answers({ status: 'READY', chunkedData: [entry('ab'), entry('a')] });
		const { output } = await chunk([{ text: 'a' }, { text: 'ab' }], { options }, CONTINUE);
		expect(jsonOf(output).map(({ error }) => typeof error)).toEqual(['string', 'string']);
	});

	it('are not suspected if the service only counts otherwise, such as in bytes', async () => {
		const both = { ...entry('äö'), chunks: ['äö', 'ü'] };
		const spans = [
			[0, 4],
			[5, 7],
		];
		const vectors = [[1], [2]];
		answers({ status: 'READY', chunkedData: [{ ...both, spans, vectors }, entry('b')] });
		const { output } = await chunk([{ text: 'äö ü' }, { text: 'b' }], { options });
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['äö', 'ü', 'b']);
	});

	it('are impossible in a request with one text: changed chunks are returned with a hint', async () => {
		answers({ status: 'READY', chunkedData: [entry('TEXT 0')] });
		const result = await chunk(texts(1), { options });
		expect(jsonOf(result.output)).toMatchObject([{ text: 'TEXT 0' }]);
		expect(hintsOf(result)).toEqual([
			'The chunks of 1 text are not what the text has at their positions. The service may have changed them.',
		]);
	});
});

describe('false in place of success', () => {
	const DENIALS: Array<[string, IDataObject]> = [
		['success', { success: false, message: 'Overloaded' }],
		['ok as text', { ok: 'false', message: 'Overloaded' }],
		['acknowledged', { acknowledged: false, message: 'Overloaded' }],
	];

	it.each(DENIALS)('fails a submission, whose outcome is unknown: %s', async (_case, body) => {
		fault('submit', { status: 200, body: JSON.stringify(body) });
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		const [name] = Object.keys(body);
		expect(jsonOf(output)[0]?.error).toBe(
			`The AI service answered with '${name}: false', "Overloaded", so it is unknown whether the text was submitted. Submitting it again does no harm: at worst it is chunked twice.`,
		);
		expect(submits()).toHaveLength(1);
	});

	it('fails a submission with a chunking ID too', async () => {
		const body = { chunkingId: 'c1', status: 'SUBMITTED', success: false };
		fault('submit', { status: 200, body: JSON.stringify(body) });
		for (const operation of ['submit', 'submitAndWait']) {
			const { output } = await chunk(texts(1), { operation, options }, CONTINUE);
			expect(jsonOf(output)).toMatchObject([
				{
					error: "The AI service answered with 'success: false' (chunking ID c1)",
					chunkingId: 'c1',
				},
			]);
		}
	});

	it.each(DENIALS)('fails a job, and its data is kept: %s', async (_case, body) => {
		const all = { ...body, status: 'READY', chunkedData: [entry('text 0')] };
		answers(all);
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([
			{ error: expect.stringMatching(/: false', "Overloaded"/) as string, response: all },
		]);
	});

	it('is not taken from true, from other values or from within the data', async () => {
		const body = { success: true, ok: null, acknowledged: 0, status: 'READY' };
		answers({ ...body, chunkedData: [{ ...entry('text 0'), success: false }] });
		const { status } = await chunk(texts(1), { options });
		expect(status).toBe('success');
	});
});

describe('an HTML page with status 200', () => {
	it('fails a submission, whose outcome is unknown', async () => {
		fault('submit', { html: true });
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		expect(jsonOf(output)[0]?.error).toBe(
			'The AI service answered with an HTML page, so it is unknown whether the text was submitted. Submitting it again does no harm: at worst it is chunked twice.',
		);
		expect(submits()).toHaveLength(1);
	});

	it('fails what Get Results fetches', async () => {
		fault('results', { html: true });
		const { output } = await getResults([{ chunkingId: 'c-1' }], {}, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{ error: expect.anything() as string }]);
	});
});

describe('vectors in a shape that is not known', () => {
	const hint =
		/^2 texts have no vectors that this node can read\. To see what the service returns/;

	it.each<[string, INodeParameters]>([
		['chunks', { output: 'chunks' }],
		['documents', { output: 'documents' }],
		['texts, compact', { output: 'texts', vectors: 'compact' }],
	])('are named by a hint: %s', async (_case, parameters) => {
		fault('results', { damage: 'otherVectorShape' });
		const result = await chunk(texts(2), { options, ...parameters });
		expect(jsonOf(result.output)).toHaveLength(2);
		expect(hintsOf(result)).toEqual([expect.stringMatching(hint)]);
	});

	it.each<[string, INodeParameters]>([
		['without vectors', { vectors: 'none' }],
		['as Raw', { output: 'raw' }],
	])('are nothing to know about %s', async (_case, parameters) => {
		fault('results', { damage: 'otherVectorShape' });
		expect(hintsOf(await chunk(texts(2), { options, ...parameters }))).toEqual([]);
	});
});

describe('Previous Chunk Count', () => {
	const run = async (count: number, previousChunkCount: number) =>
		await chunk(
			[{ id: 'a', name: 'A', texts: indexes(count).map((at) => `text ${at}`) }],
			{
				textSource: 'list',
				output: 'documents',
				vectors: 'none',
				options: { ...options, previousChunkCount },
			},
			CONTINUE,
		);

	it('has a maximum for all texts of an item together', async () => {
		const { output } = await run(3, 33_334);
		expect(jsonOf(output)).toEqual([
			{
				error: "'Previous Chunk Count' is 33,334 for each of 3 texts, 100,002 in total, more than the maximum of 100,000 (item 0)",
			},
		]);
		expect(sandbox().requests).toEqual([]);
	});

	it('may be used up to the maximum', async () => {
		const { output } = await run(2, 50_000);
		expect(jsonOf(output).filter(({ removed }) => removed)).toHaveLength(99_998);
	});
});
