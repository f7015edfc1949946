/**
 * Tests Chunk Text's messages for failed texts. A message contains the service's reason or the setting to change,
 * and ends with the chunking ID.
 */
import type { IDataObject } from 'n8n-workflow';

import { texts, useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, jobs, chunk, getResults, fault, answers } = useChunkText();

const TEXTS_PER_REQUEST = /'Texts per Request' set to 1/;

async function errorOf(count: number, parameters = {}) {
	const { error } = await chunk(texts(count), { ...parameters });
	return { message: error?.message ?? '', description: error?.description ?? '' };
}

/** Returns a message without the chunking ID at its end. The ID must not occur anywhere else in the message. */
function withoutId(message: string): string {
	const [{ chunkingId }] = jobs();
	const end = ` (chunking ID ${chunkingId})`;
	expect(message.split(chunkingId)).toHaveLength(2);
	expect(message.endsWith(end)).toBe(true);
	return message.slice(0, -end.length);
}

describe('a job that ends in ERROR', () => {
	it('may be the fault of one of its texts', async () => {
		answers({ status: 'ERROR', message: 'Out of memory' });
		const { message, description } = await errorOf(3);
		expect(withoutId(message)).toMatch(/^"Out of memory": .* ERROR .* 3 texts/);
		expect(description).toMatch(TEXTS_PER_REQUEST);
	});
});

describe('other failures of a job', () => {
	it.each<[string, IDataObject, RegExp]>([
		[
			'an error in place of chunks',
			{ status: 'READY', chunkedData: [{ error: 'Overloaded' }] },
			/^"Overloaded": the AI service /,
		],
		[
			'results of a shape that nobody knows',
			{ status: 'READY', passages: ['x'.repeat(200)] },
			/^The AI service reported READY, /,
		],
	])('begin with the words of the service, if it has any: %s', async (_case, body, message) => {
		answers(body);
		expect(withoutId((await errorOf(1)).message)).toMatch(message);
	});

	it.each([
		[1, 2, /^Submit the text again/],
		[3, 2, TEXTS_PER_REQUEST],
	])(
		'advise other requests only for several texts: %i with %i results',
		async (count, results, advice) => {
			answers({ status: 'READY', chunkedData: Array(results).fill({ chunks: ['x'] }) });
			const { description } = await errorOf(count);
			expect(description).toMatch(advice);
			expect(TEXTS_PER_REQUEST.test(description)).toBe(count > 1);
		},
	);
});

it.each([
	[100, []],
	[101, [expect.stringMatching(/^101 texts chunked in \d+ requests, [\d.]+ s$/)]],
])('a hint counts the texts of a run that has many: %i', async (count, expected) => {
	expect(hintsOf(await chunk(texts(count)))).toEqual(expected);
});

it('a hint does not count texts that are not ready or that an earlier run submitted', async () => {
	sandbox().settings.chunkDelayMs = 60_000;
	const unfinished = [expect.stringMatching(/^101 texts are not finished\./)];
	const waited = { maxWaitSeconds: 1, whenTimeRunsOut: 'output' };
	expect(hintsOf(await chunk(texts(101), { options: waited }))).toEqual(unfinished);
	const { output } = await chunk(texts(101), { operation: 'submit' });
	const fetched = await getResults(jsonOf(output), { wait: false });
	expect(hintsOf(fetched)).toEqual(unfinished);
	sandbox().settings.chunkDelayMs = 0;
	const ready = await chunk(texts(101), { operation: 'submit' });
	expect(hintsOf(await getResults(jsonOf(ready.output)))).toEqual([]);
});

describe("the document's ID", () => {
	const documents = { output: 'documents' };
	const item = { id: 'a', name: 'A', text: 'text 0' };

	it.each<[string, IDataObject, IDataObject]>([
		['its text is empty', { ...item, text: '' }, {}],
		['its name is missing', { ...item, name: '' }, {}],
		['a setting of its chunker is no number', item, { chunkerSettings: { maxChunkSize: 'x' } }],
	])('is in the error item if %s', async (_case, json, more) => {
		const result = await chunk(
			[json, { ...item, id: 'b' }],
			{ ...documents, ...more } as never,
			CONTINUE,
		);
		expect(pairedIndexes(result)[0]).toBe(0);
		expect(jsonOf(result.output)[0]).toMatchObject({
			id: 'a',
			error: expect.any(String) as string,
			advice: expect.any(String) as string,
		});
	});

	it.each<[string, () => void]>([
		['the submission fails', () => fault('submit', { status: 400 })],
		['the job fails', () => answers({ status: 'ERROR' })],
		['a poll fails', () => fault('results', { status: 403 })],
		['the time is up', () => answers(...Array<IDataObject>(200).fill({ status: 'SUBMITTED' }))],
	])('is in the error item if %s', async (_case, disturb) => {
		disturb();
		const options = { maxWaitSeconds: 1 };
		const { output } = await chunk([item], { ...documents, options }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ id: 'a', error: expect.any(String) as string }),
		]);
	});
});
