/** Chunk Text: how texts become jobs, how jobs are waited for, and what becomes of each item. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { mostAtOnce, OFTEN, useChunkText } from '../../support/chunking';
import {
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
	useSandbox,
	useShortBackoff,
} from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, getResults, submits, polls, batches, fault, answers, jobsEnded, arrived } =
	useChunkText(sandbox);

const texts = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `i${at}`, text: `text ${at}` }));
const textsOf = (items: IDataObject[]) => items.map(({ text }) => text);
const jobs = () => sandbox().jobs();
const idOf = (path: string) => path.split('/').at(-1);

/** The jobs of further submissions take a minute. */
const slowAfter = (count: number) => {
	fault('submit', { latencyMs: 100, skip: count });
	void arrived('submit', count + 1).then(() => {
		sandbox().settings.chunkDelayMs = 60_000;
	});
};

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

	it('by bytes, as the service counts them', async () => {
		const items = [300, 33, 1, 200, 133].map((count) => ({ text: '漢'.repeat(count) }));
		await chunk(items, {
			operation: 'submit',
			options: { bytesPerRequest: 1000, concurrency: 1 },
		});
		const bytes = batches().map((batch) => batch.map((text) => Buffer.byteLength(text)));
		expect(bytes).toEqual([[900, 99], [3, 600], [399]]);
	});

	it('up to 1 MB by default', async () => {
		const items = [600_000, 400_000, 1].map((size) => ({ text: 'x'.repeat(size) }));
		const { status } = await chunk(items, {
			operation: 'submit',
			options: { concurrency: 1 },
		});
		expect(status).toBe('success');
		expect(jobs().map((job) => job.texts)).toEqual([2, 1]);
	});

	it('except one that is too large: it fails alone, unsent, with its size', async () => {
		const items = [100, 1500, 100].map((size) => ({ text: 'x'.repeat(size) }));
		const result = await chunk(
			items,
			{ options: { bytesPerRequest: 1000, sourceFields: 'none' } },
			{ onError: 'continueRegularOutput' },
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		expect(jsonOf(result.output)[1]).toEqual({
			error: "'Text' has 1,500 bytes, more than the 1,000 a request may have (item 1)",
		});
		expect(batches().flat()).toEqual([items[0].text, items[2].text]);
	});

	it('only if their settings are the same: each is returned with its own item', async () => {
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
				expect(path).toBe(`/ai/async-chunking/dynamic-newline/${item?.model}`);
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

	it('and are split when the service rejects the request as too large', async () => {
		sandbox().settings.chunkTextLimitBytes = 250;
		const items = indexes(9).map((at) => ({ text: String(at).repeat(at === 4 ? 300 : 100) }));
		const result = await chunk(items, {}, { onError: 'continueErrorOutput' });
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 4]);
		expect(jsonOf(result.errorOutput)[0]).toMatchObject({
			httpStatus: 413,
			error: expect.stringMatching(/ status 413.*, so the text was not submitted$/),
		});
		expect(jobs().reduce((sum, job) => sum + job.texts, 0)).toBe(8);
		expect(textsOf(jsonOf(result.output))).toEqual(
			textsOf(items.filter((_item, at) => at !== 4)),
		);
	});

	it('and are split when the service rejects one of them', async () => {
		fault('submit', {
			status: 400,
			whenBodyContains: 'text 3',
			body: '{"message":"Text is no text"}',
		});
		const result = await chunk(texts(6), {}, { onError: 'continueErrorOutput' });
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 4, 5, 3]);
		expect(jsonOf(result.errorOutput)).toEqual([
			{
				...texts(6)[3],
				httpStatus: 400,
				error: 'The AI service answered with status 400, "Text is no text", so the text was not submitted',
			},
		]);
		expect(jobs().reduce((sum, job) => sum + job.texts, 0)).toBe(5);
	});
});

describe('concurrent requests', () => {
	it.each([1, 3])('are limited by Concurrency: %i', async (concurrency) => {
		sandbox().settings.chunkDelayMs = 150;
		fault('submit', { latencyMs: 20 });
		fault('results', { latencyMs: 20 });
		await chunk(texts(9), { options: { textsPerRequest: 1, concurrency, ...OFTEN } });
		expect(mostAtOnce(submits())).toBe(concurrency);
		expect(mostAtOnce(polls())).toBe(concurrency);
	});
});

describe('many jobs', () => {
	it('are all in flight together: 100 of 2 s take a fraction of 200 s', async () => {
		sandbox().settings.chunkDelayMs = 2000;
		const result = await chunk(texts(100), {
			options: { textsPerRequest: 1, concurrency: 16 },
		});
		expect(result.status).toBe('success');
		expect(pairedIndexes(result)).toEqual(indexes(100));
		expect(textsOf(jsonOf(result.output))).toEqual(textsOf(texts(100)));
		const requests = [...submits(), ...polls()];
		expect(submits()).toHaveLength(100);
		const begin = Math.min(...requests.map(({ startedAt }) => startedAt));
		const end = Math.max(...requests.map(({ endedAt }) => endedAt));
		// 2.5 s on an idle machine (unit tests with a virtual clock hold that); 200 s one by one.
		expect(end - begin).toBeLessThan(20_000);
		expect(polls().length).toBeLessThanOrEqual(600);
	});
});

describe('a job is polled', () => {
	const gapsOf = (times: number[]) => times.slice(1).map((time, at) => time - times[at]);

	it('at once, and only once when it is done by then', async () => {
		const begin = Date.now();
		await chunk(texts(1), { options: { firstIntervalSeconds: 9 } });
		expect(polls()).toHaveLength(1);
		expect(Date.now() - begin).toBeLessThan(3000);
	});

	it('at growing intervals up to the longest one', async () => {
		answers(...indexes(6).map(() => ({ status: 'SUBMITTED' })));
		await chunk(texts(1), {
			options: { firstIntervalSeconds: 0.1, longestIntervalSeconds: 0.25 },
		});
		const gaps = gapsOf(polls().map(({ startedAt }) => startedAt));
		expect(gaps).toHaveLength(6);
		const least = [100, 140, 196, 250, 250, 250].map((ms) => ms * 0.9 - 5);
		gaps.forEach((gap, at) => expect(gap).toBeGreaterThanOrEqual(least[at]));
		expect(Math.max(...gaps)).toBeLessThan(1000);
	});

	it('no sooner than Retry-After says', async () => {
		fault('results', { retryAfter: '1', times: 1 });
		const result = await chunk(texts(1), { options: OFTEN });
		const [gap] = gapsOf(polls().map(({ startedAt }) => startedAt));
		expect(gap).toBeGreaterThanOrEqual(990);
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0']);
	});

	it('no sooner than a response without results asks for', async () => {
		const body = '{"status":"SUBMITTED"}';
		fault('results', { status: 200, body, retryAfter: '1', times: 1 });
		const result = await chunk(texts(1), { options: OFTEN });
		const [gap] = gapsOf(polls().map(({ startedAt }) => startedAt));
		expect(gap).toBeGreaterThanOrEqual(990);
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0']);
	});

	it('no sooner than Retry-After says to another job', async () => {
		sandbox().settings.chunkDelayMs = 100;
		fault('results', { retryAfter: '1', times: 1, skip: 1 });
		await chunk(texts(3), { options: { ...OFTEN, textsPerRequest: 1, concurrency: 1 } });
		const [first] = polls().filter(({ status }) => status === 429);
		const after = polls().filter(({ startedAt }) => startedAt > first.endedAt);
		expect(
			Math.min(...after.map(({ startedAt }) => startedAt)) - first.endedAt,
		).toBeGreaterThan(980);
	});

	it('a last time at the deadline', async () => {
		sandbox().settings.chunkDelayMs = 500;
		const { output } = await chunk(texts(1), {
			options: { firstIntervalSeconds: 60, longestIntervalSeconds: 60, maxWaitSeconds: 1 },
		});
		expect(textsOf(jsonOf(output))).toEqual(['text 0']);
		expect(polls()).toHaveLength(2);
	});

	it.each<[string, IDataObject]>([
		['READY without data', { status: 'READY' }],
		['READY with data that is no list', { status: 'READY', chunkedData: null }],
		['SUBMITTED', { status: 'SUBMITTED' }],
		['SUBMITTED with empty data', { status: 'SUBMITTED', chunkedData: [] }],
		['a status nobody knows', { status: 'EMBEDDING', progress: 0.5 }],
	])('again and again while it is %s, and no more once its data came', async (_case, body) => {
		sandbox().settings.resultsOnce = true;
		answers(body, body, body);
		const result = await chunk(texts(2), { options: OFTEN });
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(polls()).toHaveLength(4);
		expect(hintsOf(result)).toEqual([]);
	});

	it('further after an unknown status with data', async () => {
		answers({ status: 'DONE', chunkedData: [{ chunks: ['x'] }] });
		const { output } = await chunk(texts(1), { options: OFTEN });
		expect(textsOf(jsonOf(output))).toEqual(['text 0']);
		expect(polls()).toHaveLength(2);
	});
});

describe('results that come only once', () => {
	it('are all returned, and no ID is polled again after its data', async () => {
		Object.assign(sandbox().settings, { resultsOnce: true, chunkDelayMs: 200 });
		fault('results', { status: 503, probability: 0.2 });
		const result = await chunk(texts(30), {
			options: { ...OFTEN, textsPerRequest: 2, concurrency: 8 },
		});
		expect(result.status).toBe('success');
		expect(textsOf(jsonOf(result.output))).toEqual(textsOf(texts(30)));
		expect(jobs().map(({ status }) => status)).toEqual(Array(15).fill('RETRIEVED'));
		// Whoever asks again after the data gets RETRIEVED alone, which is a failure of its own.
		const last = new Map(polls().map((look) => [idOf(look.path), look]));
		for (const { status } of last.values()) expect(status).toBe(200);
	});

	it('are reported as retrieved, and what arrived of them is kept, if the response was cut', async () => {
		sandbox().settings.resultsOnce = true;
		fault('results', { truncate: true, times: 1 });
		const { error } = await chunk(texts(1), { options: OFTEN });
		expect(error?.message).toBe(
			`The service counts the chunks as retrieved, but they could not be read: what arrived is not a valid JSON object (chunking ID ${jobs()[0].chunkingId})`,
		);
		expect(polls()).toHaveLength(2);
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
		options: { ...OFTEN, textsPerRequest: 2 },
	};
	const message = (chunkingId: unknown, texts = 1) => {
		const shared =
			texts > 1 ? `, for a request with ${texts} texts, any of which may be the cause` : '';
		return `The AI service reported ERROR, "Model broken-model failed to embed the chunks"${shared} (chunking ID ${String(chunkingId)})`;
	};

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		"fails that job's items alone, with its ID and the words of the service: %s",
		async (onError) => {
			const items = models([1, 4]);
			const options = { ...parameters.options, isolateFailingTexts: false };
			const result = await chunk(items, { ...parameters, options }, { onError });
			expect(pairedIndexes(result).sort()).toEqual(indexes(6));
			const broken = jobs().filter(({ status }) => status === 'ERROR');
			expect(broken).toHaveLength(1);
			const [{ chunkingId }] = broken;
			const failed = { error: message(chunkingId, 2), chunkingId, textsInRequest: 2 };
			const isRegular = onError === 'continueRegularOutput';
			const failures = isRegular ? [result.output[1], result.output[4]] : result.errorOutput;
			expect(failures.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
				[1, 4].map((at, textPosition) => ({
					json: { ...(!isRegular && items[at]), ...failed, textPosition },
					pairedItem: { item: at },
				})),
			);
		},
	);

	it('stops a node set to stop, with the IDs of all jobs', async () => {
		slowAfter(1);
		const { error, status, output } = await chunk(models([0]), {
			...parameters,
			options: { ...OFTEN, textsPerRequest: 1, concurrency: 1 },
		});
		expect(status).toBe('error');
		expect(output).toEqual([]);
		const broken = jobs().find((job) => job.status === 'ERROR');
		expect(error?.message).toBe(message(broken?.chunkingId));
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(error?.description).toContain(`Chunking IDs failed: ${broken?.chunkingId}.`);
		for (const { chunkingId } of jobs()) expect(error?.description).toContain(chunkingId);
	});

	it.each([
		['the status ERROR', 'broken-model', 200],
		['a look that is refused', 'gte-small', 403],
	])(
		'and %s end the waiting for the other jobs of a node set to stop',
		async (_case, model, status) => {
			// Seen after the last submission, which ends after 100 ms.
			sandbox().settings.chunkDelayMs = status === 200 ? 300 : 60_000;
			slowAfter(1);
			if (status !== 200) fault('results', { status, skip: 6, times: 1 });
			const items = texts(2).map((item, at) => ({ ...item, model: at ? 'e5' : model }));
			const begin = Date.now();
			const { error } = await chunk(items, {
				...parameters,
				options: { ...OFTEN, textsPerRequest: 1, concurrency: 1 },
			});
			expect(error?.message).toMatch(/ \(chunking ID [-0-9a-f]{36}\)$/);
			expect(error?.description).toContain(jobs()[1].chunkingId);
			expect(Date.now() - begin).toBeLessThan(5000);
		},
	);

	it.each([false, true])('fails an item of Get Results, wait: %s', async (wait) => {
		const { output } = await chunk(models([0, 1, 2]), { ...parameters, operation: 'submit' });
		await jobsEnded();
		const items = jsonOf(output);
		const result = await getResults(items, { wait }, { onError: 'continueErrorOutput' });
		expect(pairedIndexes(result)).toEqual([3, 4, 5, 0, 1, 2]);
		expect(jsonOf(result.errorOutput)).toEqual(
			items.slice(0, 3).map((item) => ({
				...item,
				error: message(item.chunkingId, Number(item.textsInRequest)),
			})),
		);
		expect(polls()).toHaveLength(4);
	});

	it('may come without words', async () => {
		answers({ status: 'ERROR' });
		const { error } = await chunk(texts(1));
		expect(error?.message).toBe(
			`The AI service reported ERROR (chunking ID ${jobs()[0].chunkingId})`,
		);
	});
});

describe('when time runs out', () => {
	const options = { ...OFTEN, textsPerRequest: 1, concurrency: 1, maxWaitSeconds: 1 };

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'finished texts are returned, the others fail with the chunking ID: %s',
		async (onError) => {
			slowAfter(2);
			const result = await chunk(texts(3), { options }, { onError });
			expect(pairedIndexes(result)).toEqual([0, 1, 2]);
			expect(textsOf(jsonOf(result.output)).slice(0, 2)).toEqual(['text 0', 'text 1']);
			const { json } = [...result.output, ...result.errorOutput][2];
			const { chunkingId } = jobs()[2];
			expect(json).toEqual({
				...(onError === 'continueErrorOutput' && texts(3)[2]),
				error: `Not finished after 1 second (status SUBMITTED) (chunking ID ${chunkingId})`,
				chunkingId,
				textPosition: 0,
				textsInRequest: 1,
			});
		},
	);

	it('a node set to stop says which jobs are finished and which are not', async () => {
		slowAfter(1);
		const { error, status } = await chunk(texts(2), { options });
		const [one, other] = jobs();
		expect(status).toBe('error');
		expect(error?.message).toBe(
			`Not finished after 1 second (status SUBMITTED) (chunking ID ${other.chunkingId})`,
		);
		expect(error?.description).toMatch(
			new RegExp(
				`^The service may still be working on it\\. .* Chunking IDs not finished: ${other.chunkingId}\\. Chunking IDs finished, but not returned: ${one.chunkingId}\\.$`,
			),
		);
	});

	it('the message has the error of the final poll', async () => {
		fault('results', { status: 503, body: '{"message":"Back at noon"}' });
		const { error } = await chunk(texts(1), { options });
		expect(error?.message).toMatch(
			/^Not finished after 1 second \(status SUBMITTED\)\. The final poll failed: .*"Back at noon"/,
		);
		expect(error?.description).toMatch(/^The service may still be working on it\./);
	});

	it('the advice is the same for a status that the service has in between', async () => {
		fault('results', { status: 200, body: '{"status":"PROCESSING"}' });
		const { error } = await chunk(texts(1), { options });
		expect(error?.message).toMatch(/^Not finished after 1 second \(status PROCESSING\)/);
		expect(error?.description).toMatch(/^The service may still be working on it\./);
	});

	it('the rest may be returned with the chunking ID, for Get Results', async () => {
		Object.assign(sandbox().settings, { resultsOnce: true, chunkDelayMs: 1600 });
		const items = texts(3);
		const late = await chunk(items, {
			options: { ...options, textsPerRequest: 2, whenTimeRunsOut: 'output' },
		});
		const [one, other] = jobs();
		expect(late.status).toBe('success');
		expect(late.output).toEqual(
			[one, one, other].map(({ chunkingId, texts: textsInRequest }, at) => ({
				json: {
					...items[at],
					chunkingId,
					status: 'SUBMITTED',
					textPosition: at % 2,
					textsInRequest,
				},
				pairedItem: { item: at },
			})),
		);
		expect(hintsOf(late)).toEqual([
			"3 texts not finished. Fetch the chunks later with the operation 'Get Results'.",
		]);
		const seen = polls().length;
		await jobsEnded();
		const fetched = await getResults(jsonOf(late.output));
		expect(textsOf(jsonOf(fetched.output))).toEqual(textsOf(items));
		expect(pairedIndexes(fetched)).toEqual([0, 1, 2]);
		expect(polls()).toHaveLength(seen + 2);
	});

	it('Get Results that waits gives up as well', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const { output } = await chunk(texts(1), { operation: 'submit' });
		const { error } = await getResults(jsonOf(output), { wait: true, options });
		expect(error?.message).toBe(
			`Not finished after 1 second (status SUBMITTED) (chunking ID ${jobs()[0].chunkingId})`,
		);
	});
});

describe('Stop in the editor', () => {
	/** Presses Stop after so many polls or submissions; nothing may come after that. */
	const stopAfter = async (
		[route, count]: ['results' | 'submit', number],
		...[items, parameters, settings]: Parameters<typeof chunk>
	) => {
		const cancelWhen = arrived(route, count).then(() => Date.now());
		const result = await chunk(items, parameters, { ...settings, cancelWhen });
		expect(Date.now() - (await cancelWhen)).toBeLessThan(1000);
		expect(result.status).toBe('canceled');
		const all = [...result.output, ...result.errorOutput];
		expect(all.filter(({ json, error }) => error ?? json.error)).toEqual([]);
		const seen = sandbox().requests.length;
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(sandbox().requests).toHaveLength(seen);
		return result;
	};
	const ids = (from: number, to?: number) =>
		jobs()
			.slice(from, to)
			.map(({ chunkingId }) => chunkingId);

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'ends the waiting within a second and says which jobs go on: %s',
		async (onError) => {
			slowAfter(1);
			const options = { textsPerRequest: 1, concurrency: 1, firstIntervalSeconds: 30 };
			const { error } = await stopAfter(['results', 4], texts(4), { options }, { onError });
			expect(jobs()).toHaveLength(4);
			expect(error?.message).toBe(
				`The execution was canceled. Chunking IDs not finished: ${ids(1).join(', ')}. Chunking IDs finished, but not returned: ${ids(0, 1).join()}.`,
			);
		},
	);

	it('ends a poll that hangs', async () => {
		fault('results', { latencyMs: 8000 });
		const { error } = await stopAfter(['results', 1], texts(2));
		expect(error?.message).toBe(
			`The execution was canceled. Chunking IDs not finished: ${ids(0).join()}.`,
		);
	});

	it('ends a submission that hangs', async () => {
		fault('submit', { latencyMs: 8000, skip: 2 });
		const options = { textsPerRequest: 1, concurrency: 1 };
		const { error } = await stopAfter(['submit', 3], texts(9), {
			operation: 'submit',
			options,
		});
		expect(error?.message).toBe(
			`The execution was canceled. Chunking IDs not finished: ${ids(0, 2).join(', ')}. Requests in flight may have taken effect.`,
		);
	});

	it.each(['results', 'submit'] as const)(
		'ends a pause the service asked for: %s',
		async (route) => {
			fault(route, { retryAfter: '30' });
			await stopAfter([route, 1], texts(2));
		},
	);

	it('is not taken for a failure to be retried', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		await stopAfter(['results', 1], texts(2), {}, settings);
		expect(submits()).toHaveLength(1);
	});
});

describe('Resume Chunking ID', () => {
	const resume = { ...OFTEN, resumeChunkingId: '={{ $json.chunkingId }}' };

	it('fetches the items that have one, submits the others, and mixes none of them up', async () => {
		sandbox().settings.resultsOnce = true;
		const before = await chunk(texts(3), {
			operation: 'submit',
			options: { textsPerRequest: 2, concurrency: 1 },
		});
		const [a, b, c] = jsonOf(before.output);
		const items = [{ text: 'new 0' }, b, { text: 'new 2', chunkingId: null }, c, a];
		const result = await chunk(items, { options: resume });
		expect(batches()).toEqual([['text 0', 'text 1'], ['text 2'], ['new 0', 'new 2']]);
		expect(textsOf(jsonOf(result.output))).toEqual([
			'new 0',
			'text 1',
			'new 2',
			'text 2',
			'text 0',
		]);
		expect(pairedIndexes(result)).toEqual(indexes(5));
		expect(polls()).toHaveLength(3);
	});

	it('takes what the same node returned when time ran out', async () => {
		Object.assign(sandbox().settings, { resultsOnce: true, chunkDelayMs: 1300 });
		const options = { ...resume, maxWaitSeconds: 1, whenTimeRunsOut: 'output' };
		const late = await chunk(texts(2), { options });
		const result = await chunk(jsonOf(late.output), { options });
		expect(submits()).toHaveLength(1);
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
	});

	it('is off unless the option is set', async () => {
		await chunk([{ text: 'a', chunkingId: 'b' }]);
		expect(batches()).toEqual([['a']]);
	});
});

describe('a response with another number of results than texts were sent', () => {
	const reply = {
		status: 'READY',
		chunkedData: [{ chunks: ['x'] }, { chunks: ['y'] }],
		more: 'kept',
	};

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'fails their items, with the chunking ID and the response: %s',
		async (onError) => {
			answers(reply);
			const result = await chunk(texts(3), {}, { onError });
			const [{ chunkingId }] = jobs();
			const isRegular = onError === 'continueRegularOutput';
			const items = isRegular ? result.output : result.errorOutput;
			const failed = {
				error: `The service returned 2 results for 3 texts, so it is unknown which belongs to which (chunking ID ${chunkingId})`,
				chunkingId,
			};
			expect(jsonOf(items)).toEqual(
				texts(3).map((item, at) => ({
					...(!isRegular && item),
					...failed,
					textPosition: at,
					textsInRequest: 3,
					...(at === 0 && { response: reply }),
				})),
			);
			expect(pairedIndexes(result)).toEqual([0, 1, 2]);
			expect(polls()).toHaveLength(1);
		},
	);

	it('is not a failure if the output is raw', async () => {
		answers(reply);
		const result = await chunk(texts(3), { output: 'raw' });
		expect(result.output).toEqual([
			{
				json: { chunkingId: jobs()[0].chunkingId, ...reply },
				pairedItem: indexes(3).map((item) => ({ item })),
			},
		]);
	});

	it('is reported if it came with the submission', async () => {
		const body = { chunkingId: 'c-1', ...reply };
		fault('submit', { status: 200, body: JSON.stringify(body) });
		const { output } = await chunk(texts(1), {}, { onError: 'continueRegularOutput' });
		expect(jsonOf(output)).toEqual([
			{
				error: 'The service returned 2 results for 1 text, so it is unknown which belongs to which (chunking ID c-1)',
				chunkingId: 'c-1',
				textPosition: 0,
				textsInRequest: 1,
				response: body,
			},
		]);
	});
});

describe('each item is returned once', () => {
	/** Whatever happens to an item, by its number. */
	const items = indexes(40).map((at): IDataObject => {
		const lists = [`a${at}\nb${at}`, `c${at}`];
		if (at % 10 === 3) return { at, texts: [] };
		if (at % 10 === 5) return { at, texts: [`refused ${at}`] };
		return { at, texts: lists, model: at % 4 === 1 ? 'broken-model' : 'gte-small' };
	});
	const isGood = (at: number) => at % 10 !== 3 && at % 10 !== 5 && at % 4 !== 1;
	const parameters = {
		textSource: 'list',
		modelId: '={{ $json.model || "gte-small" }}',
		options: { ...OFTEN, textsPerRequest: 3, concurrency: 4 },
	};

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'as its chunks or as its error, while all kinds of faults occur: %s',
		async (onError) => {
			sandbox().settings.chunkDelayMs = 50;
			fault('submit', { status: 400, whenBodyContains: 'refused' });
			fault('submit', { status: 429, probability: 0.2 });
			fault('results', { status: 503, probability: 0.2 });
			fault('results', { reset: 'midBody', probability: 0.2 });
			fault('results', { html: true, probability: 0.2 });
			const result = await chunk(items, parameters, { onError });
			const all = [...result.output, ...result.errorOutput].map(({ json, pairedItem }) => ({
				json,
				item: (pairedItem as { item: number }).item,
			}));
			for (const at of indexes(40)) {
				const mine = all.filter(({ item }) => item === at).map(({ json }) => json);
				if (isGood(at)) expect(textsOf(mine)).toEqual([`a${at}`, `b${at}`, `c${at}`]);
				else expect(mine).toEqual([expect.objectContaining({ error: expect.anything() })]);
			}
			expect(result.errorOutput.length).toBe(
				onError === 'continueErrorOutput'
					? indexes(40).filter((at) => !isGood(at)).length
					: 0,
			);
		},
	);

	it('as one error that says so, if two of its texts fail', async () => {
		const [item] = items.filter(({ model }) => model === 'broken-model');
		const { output } = await chunk([item], parameters, { onError: 'continueRegularOutput' });
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ chunkingId: jobs()[0].chunkingId }),
		]);
		const { error } = await chunk([item], parameters);
		expect(error?.description).toMatch(/1 more text of this item failed too\./);
	});

	it('as the chunks of the others and one error, if one of its texts fails', async () => {
		fault('submit', { status: 400, whenBodyContains: 'bad' });
		const result = await chunk(
			[{ texts: ['a', 'bad', 'c'] }],
			{ textSource: 'list' },
			{ onError: 'continueErrorOutput' },
		);
		expect(textsOf(jsonOf(result.output))).toEqual(['a', 'c']);
		expect(result.errorOutput).toHaveLength(1);
	});
});
