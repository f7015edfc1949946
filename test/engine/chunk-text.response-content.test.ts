/** What Chunk Text makes of responses that are valid JSON and still not what they should be. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OFTEN, texts, useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, chunkingIds, chunk, getResults, submits, polls, fault, answers } = useChunkText();

const options = { ...OFTEN, maxWaitSeconds: 1 };
const entry = (text: string, [start, end] = [0, text.length]) => ({
	chunks: [text],
	spans: [[start, end]],
	vectors: [[1, 2]],
});

describe('a response of an odd shape', () => {
	it('means not ready if it is empty', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		fault('results', { status: 204, times: 1 });
		const result = await getResults(jsonOf(output));
		expect(jsonOf(result.output)).toMatchObject([{ id: 'i0', status: 'SUBMITTED' }]);
		fault('results', { status: 204, times: 3 });
		const { hints, ...later } = await getResults(jsonOf(output), {
			wait: true,
			options: OFTEN,
		});
		expect(jsonOf(later.output)).toMatchObject([{ text: 'text 0' }]);
		expect(hints).toEqual([]);
	});

	it('fails a text whose entry has no chunks, and removes nothing for it', async () => {
		const chunkedData = [{ error: 'model overloaded' }, { chunks: ['text 1'] }, null];
		answers({ status: 'READY', chunkedData });
		const result = await chunk(
			texts(3),
			{ output: 'documents', options: { ...OFTEN, previousChunkCount: 2 } },
			CONTINUE,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		const request = { chunkingId: chunkingIds()[0], textsInRequest: 3 };
		expect(jsonOf(result.output)).toEqual([
			{
				error: `"model overloaded": the service returned no readable chunks for the text (chunking ID ${chunkingIds()[0]})`,
				...request,
				id: 'i0',
				textPosition: 0,
				response: { status: 'READY', chunkedData },
			},
			// Without spans it is unknown whether these are all chunks, so none is returned as removed.
			expect.objectContaining({ id: 'i1#0', text: 'text 1' }),
			{
				error: `The service returned no readable chunks for the text (chunking ID ${chunkingIds()[0]})`,
				...request,
				id: 'i2',
				textPosition: 2,
			},
		]);
	});

	it('deletes no previous chunks of a text that was cut off', async () => {
		sandbox().settings.maxChunks = 1;
		const text =
			'The first line of three.\nThe second line of three.\nThe third line of three.';
		const { output, hints } = await chunk([{ id: 'd', name: 'D', text }], {
			output: 'documents',
			options: { previousChunkCount: 3 },
		});
		expect(jsonOf(output).map(({ id }) => id)).toEqual(['d#0']);
		expect(hints.map(({ message }) => message).join()).toContain('omitted the end of 1 text');
	});

	it.each(['READY', 'RETRIEVED'])(
		'is returned by Raw with status %s, whatever it contains',
		async (status) => {
			const body = { status, passages: [{ of: 'tomorrow' }] };
			answers(body);
			const { output } = await chunk(texts(1), { output: 'raw', options: OFTEN });
			expect(jsonOf(output)).toEqual([{ chunkingId: chunkingIds()[0], ...body }]);
			expect(polls()).toHaveLength(1);
		},
	);

	it('that never becomes chunks says how to see it', async () => {
		fault('results', { status: 200, body: '{"status":"READY","passages":[]}' });
		const { error } = await chunk(texts(1), { options: { ...OFTEN, maxWaitSeconds: 1 } });
		expect(error?.message).toContain('Not finished after 1 second (status READY)');
		expect(error?.description).toContain("set 'Output' to 'Raw'");
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
			`"Overloaded": the AI service answered with '${name}: false', so it is unknown whether the text was submitted. Submitting it again does no harm: at worst it is chunked twice.`,
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
			{
				error: expect.stringMatching(
					/^"Overloaded": the AI service answered with '.*: false'/,
				) as string,
				response: all,
			},
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

describe('Raw', () => {
	it('never has a top-level field error, since n8n would treat the item as failed', async () => {
		answers({ status: 'READY', chunkedData: [{ chunks: ['a'] }], error: 'none' });
		const { output } = await chunk(texts(1), { output: 'raw' });
		expect(jsonOf(output)[0]).toMatchObject({ responseError: 'none' });
		expect(jsonOf(output)[0]).not.toHaveProperty('error');
	});
});
