/** Tests how Chunk Text waits for one or more jobs, and what ends the wait. */
import type { IDataObject } from 'n8n-workflow';

import { texts, textsOf, useChunkText } from '../../support/chunking';
import { skipHangs } from '../../support/fast-clock';
import { HANGS, hintsOf, jsonOf, pairedIndexes, stopped } from '../../support/sandbox';
import { naming } from '../../support/wording';

const {
	sandbox,
	jobs,
	chunk,
	getResults,
	submits,
	polls,
	fault,
	answers,
	jobsEnded,
	arrived,
	slowAfter,
} = useChunkText();

describe('a job is polled', () => {
	it('immediately, and only once if it has already finished', async () => {
		await chunk(texts(1));
		expect(polls()).toHaveLength(1);
	});

	it.each<[string, IDataObject]>([
		['READY without data', { status: 'READY' }],
		['READY with data that is no list', { status: 'READY', chunkedData: null }],
		['SUBMITTED', { status: 'SUBMITTED' }],
		['SUBMITTED with empty data', { status: 'SUBMITTED', chunkedData: [] }],
		['a status nobody knows', { status: 'EMBEDDING', progress: 0.5 }],
	])('repeatedly while it is %s, and no longer after its data arrived', async (_case, body) => {
		sandbox().settings.resultsOnce = true;
		answers(body, body, body);
		const result = await chunk(texts(2));
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(polls()).toHaveLength(4);
		expect(hintsOf(result)).toEqual([]);
	});
});

describe('results that the service delivers only once', () => {
	it('are reported as retrieved if the response was cut, and the received part is kept', async () => {
		sandbox().settings.resultsOnce = true;
		fault('results', { truncate: true, times: 1 });
		const { error } = await chunk(texts(1));
		expect(error?.message).toEqual(naming('already retrieved', jobs()[0].chunkingId));
		expect(polls()).toHaveLength(2);
	});
});

describe('when time runs out', () => {
	const options = { textsPerRequest: 1, concurrency: 1, maxWaitSeconds: 1 };

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'finished texts are returned, the others fail with the chunking ID: %s',
		async (onError) => {
			slowAfter(2);
			const result = await chunk(texts(3), { options }, { onError });
			expect(pairedIndexes(result)).toEqual([0, 1, 2]);
			expect(textsOf(jsonOf(result.output)).slice(0, 2)).toEqual(['text 0', 'text 1']);
			const { json } = [...result.output, ...result.errorOutput][2];
			const { chunkingId } = jobs()[2];
			expect(json).toMatchObject({
				...(onError === 'continueErrorOutput' && texts(3)[2]),
				error: naming('1 second', 'SUBMITTED', chunkingId),
				advice: expect.any(String),
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
		expect(error?.message).toEqual(naming('1 second', 'SUBMITTED', other.chunkingId));
		expect(error?.description).toMatch(
			new RegExp(` Unfinished .*${other.chunkingId}\\. Finished, .*${one.chunkingId}\\.$`),
		);
	});

	it('the message contains the error of the final poll', async () => {
		fault('results', { status: 503, body: '{"message":"Back at noon"}' });
		const { error } = await chunk(texts(1), { options });
		expect(error?.message).toEqual(naming('1 second', 'SUBMITTED', '"Back at noon"'));
	});

	it('unfinished texts can be returned with the chunking ID for Get Results', async () => {
		sandbox().settings.resultsOnce = true;
		fault('results', { status: 200, body: '{"status":"SUBMITTED"}' });
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
		expect(hintsOf(late)).toEqual([naming('3 texts', "'Get Results'")]);
		const seen = polls().length;
		sandbox().faults.clear();
		await jobsEnded();
		const fetched = await getResults(jsonOf(late.output));
		expect(textsOf(jsonOf(fetched.output))).toEqual(textsOf(items));
		expect(pairedIndexes(fetched)).toEqual([0, 1, 2]);
		expect(polls()).toHaveLength(seen + 2);
	});
});

describe('an item that is not finished in time', () => {
	it('is returned with a hint that names the first error of its polls', async () => {
		fault('results', { html: true });
		const result = await chunk(texts(1), {
			options: { maxWaitSeconds: 1, whenTimeRunsOut: 'output' },
		});
		expect(jsonOf(result.output)).toMatchObject([{ status: 'SUBMITTED', id: 'i0' }]);
		expect(hintsOf(result)).toContainEqual(naming('poll failed', 'HTML'));
	});

	it('ends after Max Wait if the service hangs', async () => {
		fault('results', HANGS);
		const { limits, undo } = skipHangs(sandbox(), 'results');
		const { error } = await chunk(texts(3), {
			options: { textsPerRequest: 1, concurrency: 2, maxWaitSeconds: 1 },
		});
		undo();
		expect(error?.message).toEqual(naming('1 second'));
		// The last poll has five seconds more.
		expect(limits).not.toEqual([]);
		expect(Math.max(...limits)).toBeLessThanOrEqual(6000);
	});
});

describe('Stop in the editor', () => {
	const stopAfter = async (
		route: 'results' | 'submit',
		count: number,
		...[items, parameters, settings]: Parameters<typeof chunk>
	) =>
		await stopped(
			sandbox(),
			[count, route],
			async (stop) => await chunk(items, parameters, { ...settings, ...stop }),
		);
	const ids = (from: number, to?: number) =>
		jobs()
			.slice(from, to)
			.map(({ chunkingId }) => chunkingId);

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'ends the waiting and says which jobs go on: %s',
		async (onError) => {
			slowAfter(1);
			const options = { textsPerRequest: 1, concurrency: 1 };
			const { error } = await stopAfter('results', 9, texts(2), { options }, { onError });
			expect(jobs()).toHaveLength(2);
			expect(error?.message).toMatch(
				new RegExp(
					`canceled.* Unfinished .*${ids(1).join(', ')}\\. Finished, .*${ids(0, 1).join()}`,
				),
			);
		},
	);

	it('ends a submission that hangs', async () => {
		fault('submit', { ...HANGS, skip: 2 });
		const options = { textsPerRequest: 1, concurrency: 2 };
		const { error } = await stopAfter('submit', 4, texts(9), {
			operation: 'submit',
			options,
		});
		expect(submits()).toHaveLength(4);
		expect(error?.message).toEqual(naming('canceled', 'Unfinished', ids(0, 2).join(', ')));
	});

	it.each(['results', 'submit'] as const)(
		'ends a pause the service asked for: %s',
		async (route) => {
			fault(route, { retryAfter: '50' });
			await stopAfter(route, 1, texts(2));
		},
	);

	it('ends the wait for a token', async () => {
		fault('token', HANGS);
		// Other runs might be waiting for the same token, so the token request itself is not canceled.
		const { status } = await chunk(texts(2), {}, { cancelWhen: arrived('token', 1) });
		expect(status).toBe('canceled');
		expect(submits()).toEqual([]);
	});

	it('is not treated as a failure, so nothing is retried', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		await stopAfter('results', 1, texts(2), {}, settings);
		expect(submits()).toHaveLength(1);
	});
});
