/** Tests what Chunk Text does with vectors that an index cannot use. */
import type { INodeParameters } from 'n8n-workflow';

import { useFiles } from '../../support/binary-data';
import { texts, useChunkText } from '../../support/chunking';
import type { RunResult } from '../../support/engine';
import { CONTINUE, hintsOf, jsonOf } from '../../support/sandbox';

const files = useFiles();
const { chunk, getResults, fault, jobsEnded, submits, chunkingIds } = useChunkText();

/** Returns the results of a job as JSON, with one list of vectors for each text. */
const ready = (...vectorsOfTexts: string[][]): string => {
	const entries = vectorsOfTexts.map((vectors) => {
		const chunks = vectors.map((_vector, at) => `"chunk ${at}"`);
		const list = vectors.map((vector) => `{"vector":${vector}}`);
		return `{"chunks":[${chunks.join()}],"vectors":[${list.join()}]}`;
	});
	return `{"status":"READY","chunkedData":[${entries.join()}]}`;
};

const inFile = async (count: number) => {
	const lines = texts(count).map((text) => JSON.stringify(text));
	return [await files.item(lines.join('\n'), 'texts.jsonl')];
};

/** Runs Chunk Text with this many texts in one job. */
type Road = (count: number, results: string) => Promise<RunResult>;

const waiting =
	(parameters: INodeParameters, itemsOf = async (count: number) => texts(count) as never) =>
	async (count: number, results: string) => {
		fault('results', { status: 200, body: results, times: 1 });
		return await chunk(await itemsOf(count), parameters, CONTINUE);
	};

const ROADS: Array<[string, Road]> = [
	['One Item per Chunk', waiting({ output: 'chunks' })],
	['Documents Ready to Push', waiting({ output: 'documents' })],
	['One Item per Document', waiting({ output: 'perDocument' })],
	[
		'records of a file',
		waiting({ output: 'documents', textSource: 'file' }, inFile as () => Promise<never>),
	],
	[
		'Get Results',
		async (count, results) => {
			const submitted = await chunk(texts(count), { operation: 'submit' });
			await jobsEnded();
			fault('results', { status: 200, body: results, times: 1 });
			return await getResults(submitted.output, {}, CONTINUE);
		},
	],
];

/** Returns the vectors and the errors in a node's output. Chunks may be in lists of documents. */
const partsOf = ({ output }: RunResult) => {
	const all = JSON.stringify(jsonOf(output).map(({ response: _response, ...json }) => json));
	return {
		vectors: [...all.matchAll(/"vector":(\[[^\]]*\])/g)].map(([, vector]) => vector),
		// The summary of a file repeats an error in the counts of its failures.
		errors: [...new Set(all.match(/returned [^"]*? for \d+ chunks/g))],
	};
};

describe.each(ROADS)('%s', (_road, run) => {
	it.each([
		['null', '[null,null]'],
		['empty', '[]'],
		['text', '["0.1","0.2"]'],
		['booleans', '[true,false]'],
		['too large for a number', '[1e400,1]'],
		['a list in a list', '[[1,2]]'],
		['partly null', '[1,null]'],
		['an object', '{"0":1,"1":2}'],
	])('a vector that is %s is not returned, and a hint says so', async (_case, vector) => {
		const result = await run(1, ready([vector]));
		expect(partsOf(result)).toEqual({ vectors: [], errors: [] });
		expect(JSON.stringify(jsonOf(result.output))).not.toContain('"vector"');
		expect(hintsOf(result).join()).toMatch(NO_VECTORS);
		expect(submits()).toHaveLength(1);
	});

	it('one unreadable vector among readable ones fails the text, because its chunk would have none', async () => {
		const result = await run(2, ready(['[1,2]', '[null,null]'], ['[3,4]']));
		expect(partsOf(result)).toEqual({
			vectors: ['[3,4]'],
			errors: ['returned 1 vector for 2 chunks'],
		});
	});

	it('a vector of another length than most vectors of the job is unreadable', async () => {
		const result = await run(3, ready(['[1,2]'], ['[3,4,5]'], ['[6,7]', '[8,9]', '[10]']));
		expect(partsOf(result)).toEqual({
			vectors: ['[1,2]'],
			errors: ['returned 2 vectors for 3 chunks'],
		});
		expect(hintsOf(result).join()).toMatch(NO_VECTORS);
	});

	it('if no length is the most frequent one, no vector of the job is readable', async () => {
		const result = await run(2, ready(['[1,2]'], ['[3,4,5]']));
		expect(partsOf(result)).toEqual({ vectors: [], errors: [] });
		expect(hintsOf(result).join()).toMatch(TWO_WITHOUT_VECTORS);
		expect(chunkingIds()).toHaveLength(1);
	});
});

it('the summary of a file counts the records without readable vectors', async () => {
	fault('results', { status: 200, body: ready(['[1]'], ['[]']), times: 1 });
	const parameters = { output: 'documents', textSource: 'file' };
	const { output } = await chunk(await inFile(2), parameters, CONTINUE);
	expect(jsonOf(output).at(-1)?.warnings).toEqual([
		"1 record of 'texts.jsonl' has chunks without readable vectors (line 2: 'i1')",
	]);
});

it.each([
	[['[1,2]', '[3,4]'], false],
	[['[1,2]', '[3,4,5]'], true],
])(
	'vectors of two jobs, %j: a hint says that their lengths differ: %p',
	async (vectors, differ) => {
		for (const vector of vectors)
			fault('results', { status: 200, body: ready([vector]), times: 1 });
		const result = await chunk(texts(2), { options: { textsPerRequest: 1 } });
		expect(partsOf(result).vectors).toHaveLength(2);
		expect(/have different lengths/.test(hintsOf(result).join())).toBe(differ);
	},
);

it('chunks without a text are left out, with their vectors', async () => {
	const body = ready(['[1,2]', '[3,4]', '[5,6]']).replace('"chunk 1"', '" \\n"');
	fault('results', { status: 200, body, times: 1 });
	const result = await chunk(texts(1), { output: 'documents' });
	expect(jsonOf(result.output).map(({ id, text }) => [id, text])).toEqual([
		['i0#0', 'chunk 0'],
		['i0#1', 'chunk 2'],
	]);
	expect(partsOf(result).vectors).toEqual(['[1,2]', '[5,6]']);
});

it('one list of vectors for all texts is checked as well', async () => {
	const body = {
		status: 'READY',
		chunkedData: [{ chunks: ['a'] }, { chunks: ['b'] }, { chunks: ['c'] }],
		vector: [{ vector: [1, 2] }, { vector: ['3', '4'] }, { vector: [5, 6] }],
	};
	fault('results', { status: 200, body: JSON.stringify(body), times: 1 });
	const result = await chunk(texts(3));
	expect(jsonOf(result.output)).toMatchObject([
		{ text: 'a', vector: [1, 2] },
		{ text: 'b' },
		{ text: 'c', vector: [5, 6] },
	]);
	expect(jsonOf(result.output)[1]).not.toHaveProperty('vector');
	expect(hintsOf(result).join()).toMatch(NO_VECTORS);
});

const NO_VECTORS =
	/no readable vectors for 1 text\.|1 record of 'texts.jsonl' has chunks without readable vectors/;
const TWO_WITHOUT_VECTORS =
	/no readable vectors for 2 texts\.|2 records of 'texts.jsonl' have chunks without readable vectors/;
