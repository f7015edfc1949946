/**
 * Tests which fields Chunk Text sends and keeps in addition to the texts. Also tests which parameters Chunk Text
 * rejects before it sends anything.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { texts, useChunkText } from '../../support/chunking';
import { jsonOf } from '../../support/sandbox';

const { sandbox, chunk, submits } = useChunkText();

describe('a parameter from an expression', () => {
	it.each<[string, INodeParameters]>([
		['-5', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ -5 }}' } }],
		['2.7', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ 2.7 }}' } }],
		['NaN', { options: { dimReductionSize: '={{ "x" }}' } }],
		['"maybe"', { chunker: 'semantic', chunkerSettings: { approximate: '={{ "maybe" }}' } }],
	])('is refused before any request if it makes no sense: %s', async (_value, parameters) => {
		const { error } = await chunk(texts(1), parameters);
		expect(error?.message).toMatch(/^'.*' /);
		expect(sandbox().requests).toEqual([]);
	});

	it('is converted to the type that the service expects', async () => {
		await chunk(texts(1), {
			chunker: 'semantic',
			chunkerSettings: { approximate: '={{ "false" }}', maxChunkSize: '={{ "128" }}' },
			operation: 'submit',
		});
		expect(submits()[0]?.body).toMatchObject({
			chunkerConfig: { approximate: false, maxChunkSize: 128 },
		});
	});
});

it('a number and a boolean are texts', async () => {
	const items = [{ text: 0 }, { text: -1.5 }, { text: false }];
	const { output } = await chunk(items, { vectors: 'none' });
	expect(jsonOf(output).map(({ text }) => text)).toEqual(['0', '-1.5', 'false']);
});

describe('fields of the source', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['omitted', {}, {}],
		[
			'wanted',
			{ chunkDetails: true },
			{ chunkingId: expect.any(String), chunkCount: 1, start: 0, end: 1, tokensUsed: 2 },
		],
	])('never replace fields of the chunk: details %s', async (_case, options, details) => {
		const measures = { chunkingId: 'c', chunkCount: 9, start: 7, end: 9 };
		const source = { text: 'a', vector: [9, 9], tokensUsed: 99, ...measures, status: 'new' };
		const { output } = await chunk([source], {
			vectors: 'none',
			options: { keepSourceFields: 'all', ...options },
		});
		expect(jsonOf(output)).toEqual([{ chunkIndex: 0, text: 'a', status: 'new', ...details }]);
	});

	it.each(['chunks', 'perDocument'])(
		'begin with no byte order mark, and a clean name wins: %s',
		async (output) => {
			const document = { documentId: 'd', documentName: 'D', text: 'a' };
			const marked = [{ '\uFEFFlang': 'de' }, { '\uFEFFlang': 'x', lang: 'de' }];
			const result = await chunk(marked, {
				output,
				...document,
				options: { keepSourceFields: 'all' },
			});
			expect(jsonOf(result.output).map(({ lang }) => lang)).toEqual(['de', 'de']);
			expect(JSON.stringify(jsonOf(result.output))).not.toContain('\uFEFF');
		},
	);

	it('do not include error, because Retry On Fail would submit everything again', async () => {
		const { output } = await chunk(
			[{ text: 'a', error: 'earlier' }],
			{ operation: 'submit' },
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(submits()).toHaveLength(1);
		expect(jsonOf(output)).toMatchObject([{ text: 'a', status: 'SUBMITTED' }]);
		expect(jsonOf(output)[0]).not.toHaveProperty('error');
	});
});

it('a text that is too large stops the run before anything is sent', async () => {
	const { error } = await chunk([{ text: 'a' }, { text: 'x'.repeat(5000) }], {
		options: { bytesPerRequest: 1000, textsPerRequest: 1, concurrency: 1 },
	});
	expect(error?.message).toBe(
		"'Text' has 5,000 bytes, more than the 1,000 that 'Bytes per Request' allows",
	);
	expect(submits()).toEqual([]);
});

it("n8n's own operation Custom API Call points to the HTTP Request node", async () => {
	const { error } = await chunk(texts(1), { operation: '__CUSTOM_API_CALL__' });
	expect(error?.message).toBe("Unknown operation '__CUSTOM_API_CALL__'");
	expect(error?.description).toContain('HTTP Request node');
});
