/** Tests that texts share requests, and that a faulty text does not make other texts fail. */
import type { INodeParameters } from 'n8n-workflow';

import { submitPath } from '../../nodes/shared/service/chunking/chunking';
import { submitAction } from '../../nodes/shared/service/outcome-messages';
import { texts, textsOf, useChunkText } from '../../support/chunking';
import { useFastClock } from '../../support/fast-clock';
import { TO_ERROR_OUTPUT, CONTINUE, indexes, jsonOf, pairedIndexes } from '../../support/sandbox';
import { naming, notDone } from '../../support/wording';

const { jobs, chunk, getResults, submits, polls, batches, fault, answers, jobsEnded, slowAfter } =
	useChunkText();

describe('texts share a request', () => {
	it.each<[number, INodeParameters, number[]]>([
		[12, {}, [10, 2]],
		[5, { textsPerRequest: 2 }, [2, 2, 1]],
		[3, { textsPerRequest: 1 }, [1, 1, 1]],
	])('by count: %i texts with %j', async (count, options, sizes) => {
		const result = await chunk(texts(count), { options: { concurrency: 1, ...options } });
		expect(batches().map((batch) => batch.length)).toEqual(sizes);
		expect(batches().flat()).toEqual(textsOf(texts(count)));
		expect(jsonOf(result.output).map(({ text }) => text)).toEqual(textsOf(texts(count)));
		expect(pairedIndexes(result)).toEqual(indexes(count));
	});

	it('up to the size limit in bytes, as the service counts them', async () => {
		const items = [300, 33, 1, 200, 133].map((count) => ({ text: '漢'.repeat(count) }));
		await chunk(items, {
			operation: 'submit',
			options: { bytesPerRequest: 1000, concurrency: 1 },
		});
		const bytes = batches().map((batch) => batch.map((text) => Buffer.byteLength(text)));
		expect(bytes).toEqual([[900, 99], [3, 600], [399]]);
	});

	it('but a text that is too large is not sent, and its error contains its size', async () => {
		const items = [100, 1500, 100].map((size) => ({ text: 'x'.repeat(size) }));
		const result = await chunk(
			items,
			{ options: { bytesPerRequest: 1000, keepSourceFields: 'none' } },
			CONTINUE,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		expect(jsonOf(result.output)[1]).toMatchObject({
			error: naming("'Text'", '1,500', "1,000 that 'Bytes per Request'", 'item 1'),
			advice: expect.any(String),
		});
		expect(batches().flat()).toEqual([items[0].text, items[2].text]);
	});

	it('only if their settings are the same, and each is returned with its own item', async () => {
		const settings = (at: number) => ({
			model: ['gte-small', 'e5-small-v2'][at % 2],
			size: [1, 8][Math.floor(at / 2) % 2],
		});
		const items = indexes(12).map((at) => ({ ...settings(at), text: `a${at}\nb${at}` }));
		const result = await chunk(items, {
			modelId: '={{ $json.model }}',
			chunkerSettings: { maxChunkSize: '={{ $json.size }}' },
			options: { textsPerRequest: 2 },
		});
		for (const { path, body } of submits()) {
			const { batch, chunkerConfig } = body as {
				batch: Array<{ text: string }>;
				chunkerConfig: { maxChunkSize: number };
			};
			for (const { text } of batch) {
				const item = items.find((one) => one.text === text);
				expect(path).toBe(submitPath('dynamic-newline', String(item?.model)));
				expect(chunkerConfig.maxChunkSize).toBe(item?.size);
			}
		}
		expect(submits()).toHaveLength(8);
		const expected = items.flatMap(({ text, size }, at) =>
			(size === 1 ? text.split('\n') : [text]).map((chunkText) => [at, chunkText]),
		);
		expect(
			result.output.map(({ json, pairedItem }) => [
				(pairedItem as { item: number }).item,
				json.text,
			]),
		).toEqual(expected);
	});

	it('and are split when the service rejects one of them', async () => {
		fault('submit', {
			status: 400,
			whenBodyContains: 'text 3',
			body: '{"message":"Text is no text"}',
		});
		const result = await chunk(texts(6), {}, TO_ERROR_OUTPUT);
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 4, 5, 3]);
		expect(jsonOf(result.errorOutput)).toMatchObject([
			{
				...texts(6)[3],
				httpStatus: 400,
				error: naming('"Text is no text"', 400, notDone(submitAction())),
				advice: expect.any(String),
			},
		]);
		expect(jobs().reduce((sum, job) => sum + job.texts, 0)).toBe(5);
	});
});

describe('the status ERROR', () => {
	const models = (broken: number[]) =>
		texts(6).map((item, at) => ({
			...item,
			model: broken.includes(at) ? 'broken-model' : 'gte-small',
		}));
	const parameters = {
		modelId: '={{ $json.model }}',
		options: { textsPerRequest: 2 },
	};
	const message = (chunkingId: unknown, texts = 1) =>
		naming(
			'"Model broken-model failed to embed the chunks"',
			texts > 1 ? `${texts} texts` : 'ERROR',
			String(chunkingId),
		);

	it.each([1, 2])('stops a node, with the IDs of all jobs: %i texts', async (size) => {
		slowAfter(1);
		const { error, status, output } = await chunk(models(indexes(size)), {
			...parameters,
			options: { textsPerRequest: size, concurrency: 1 },
		});
		expect(status).toBe('error');
		expect(output).toEqual([]);
		const broken = jobs().find((job) => job.status === 'ERROR');
		expect(error?.message).toEqual(message(broken?.chunkingId, size));
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(error?.description).toContain(`Failed chunking IDs: ${broken?.chunkingId}.`);
		for (const { chunkingId } of jobs()) expect(error?.description).toContain(chunkingId);
	});

	it.each([false, true])('fails an item of Get Results, wait: %s', async (wait) => {
		const { output } = await chunk(models([0, 1, 2]), { ...parameters, operation: 'submit' });
		await jobsEnded();
		const items = jsonOf(output);
		const result = await getResults(items, { wait }, TO_ERROR_OUTPUT);
		expect(pairedIndexes(result)).toEqual([3, 4, 5, 0, 1, 2]);
		expect(jsonOf(result.errorOutput)).toMatchObject(
			items.slice(0, 3).map((item) => ({
				...item,
				error: message(item.chunkingId, Number(item.textsInRequest)),
				advice: expect.any(String),
			})),
		);
		expect(polls()).toHaveLength(4);
	});
});

describe('a request that ends in ERROR', () => {
	const options = { textsPerRequest: 2 };
	const items = texts(4).map((item, at) => ({
		...item,
		model: at > 1 ? 'broken-model' : 'gte-small',
	}));
	const parameters = { modelId: '={{ $json.model }}', options };

	it('leads to new submissions with one text each, so that only the bad text fails', async () => {
		const { output } = await chunk(items, parameters, CONTINUE);
		expect(batches().map(({ length }) => length)).toEqual([2, 2, 1, 1]);
		expect(jsonOf(output).map(({ error }) => error !== undefined)).toEqual([
			false,
			false,
			true,
			true,
		]);
		expect(jsonOf(output)[3]).toMatchObject({ textsInRequest: 1, textPosition: 0 });
	});

	it('is not repeated until another request has succeeded', async () => {
		const { output } = await chunk(items.slice(2), parameters, CONTINUE);
		expect(submits()).toHaveLength(1);
		expect(jsonOf(output)[0]?.error).toMatch(/for a request with 2 texts, any of which/);
	});
});

describe('a job that the service no longer knows', () => {
	// A 404 counts only if it arrives more than 30 s after the submission. With this clock, it arrives after 45 s.
	const unknown = { status: 404, body: '{"message":"unknown chunkingId"}', latencyMs: 150 };
	const submitted = { status: 'SUBMITTED' };
	useFastClock(300);

	it.each([
		['continues', CONTINUE],
		['stops', {}],
	])(
		'has its texts submitted again, once, where the node %s on errors',
		async (_case, settings) => {
			answers(submitted, submitted);
			fault('results', { ...unknown, times: 1 });
			const { output } = await chunk(texts(3), {}, settings);
			expect(textsOf(jsonOf(output))).toEqual(['text 0', 'text 1', 'text 2']);
			expect(batches().map(({ length }) => length)).toEqual([3, 3]);
		},
	);

	it('is submitted again although none of its polls was answered, if a poll for another job was', async () => {
		fault('results', { ...unknown, skip: 1, times: 1 });
		const options = { textsPerRequest: 1, concurrency: 1 };
		const { output } = await chunk(texts(2), { options });
		// Each job was polled once, so no poll of the lost one was answered.
		expect(new Set(polls().map(({ path }) => path)).size).toBe(3);
		expect(polls()).toHaveLength(3);
		expect(textsOf(jsonOf(output)).sort()).toEqual(['text 0', 'text 1']);
		// A poll for the other job was answered, so the results path is correct and this job is really lost. Therefore,
		// the node submits this job's text again.
		expect(submits()).toHaveLength(3);
	});

	it('fails if it is lost again', async () => {
		answers(submitted, submitted);
		fault('results', unknown);
		const { output } = await chunk(texts(2), {}, CONTINUE);
		expect(submits()).toHaveLength(2);
		expect(jsonOf(output)).toMatchObject([{ httpStatus: 404 }, { httpStatus: 404 }]);
	});

	it('fails its texts if no job was ever known, because the results path may be wrong', async () => {
		fault('results', unknown);
		const { error } = await chunk(texts(2));
		expect(error?.message).toContain('404');
		expect(error?.description).toContain('submit the text again');
		expect(submits()).toHaveLength(1);
	});
});

it('an expression that fails for one item fails that item alone', async () => {
	const result = await chunk(
		[{ text: 'a' }, { text: 'b', x: 1 }, { text: 'c' }],
		{ options: { dataType: '={{ $json.x === 1 ? $("nope").item.json.id : "" }}' } },
		CONTINUE,
	);
	expect(pairedIndexes(result)).toEqual([0, 1, 2]);
	expect(jsonOf(result.output).map(({ text }) => text)).toEqual(['a', undefined, 'c']);
});
