import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { submitAction } from '../../nodes/shared/service/outcome-messages';
import { DEMO, type FaultRule } from '../../sandbox';
import { texts, textsOf, useChunkText } from '../../support/chunking';
import { speedUp } from '../../support/fast-clock';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
} from '../../support/sandbox';
import { maybeDone, naming, notDone } from '../../support/wording';

const { sandbox, jobs, chunk, getResults, credentials, requests, submits, polls, fault, answers } =
	useChunkText();

type Fault = Omit<FaultRule, 'route'>;

describe('a transient error of a poll', () => {
	const faults: Array<[string, Fault]> = [
		['429', { status: 429 }],
		['429 with Retry-After', { retryAfter: '0.1' }],
		['503 with an HTML page', { status: 503, html: true }],
		['a truncated response', { truncate: true }],
		['JSON that is not from the service', { status: 200, body: '{"ok":true}' }],
	];

	it.each<[string, Fault]>([...faults, ['404 right after the submission', { status: 404 }]])(
		'is survived: %s',
		async (_case, rule) => {
			fault('results', { ...rule, times: 3 });
			const result = await chunk(texts(2));
			expect(result.status).toBe('success');
			expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
			expect(polls()).toHaveLength(4);
			expect(submits()).toHaveLength(1);
			expect(hintsOf(result)).toEqual([naming('3 times')]);
			expect(result.hints[0].type).toBe('info');
		},
	);
});

describe('a permanent error of a poll', () => {
	it.each([400, 403, 410])(
		'fails the items of its job alone, with the chunking ID: %i',
		async (status) => {
			fault('results', { status, times: 1, body: '{"message":"No such luck"}' });
			const result = await chunk(
				texts(4),
				{ options: { textsPerRequest: 2, concurrency: 1 } },
				CONTINUE,
			);
			const [{ chunkingId }] = jobs();
			expect(pairedIndexes(result)).toEqual(indexes(4));
			const failed = {
				error: naming('"No such luck"', status, chunkingId),
				advice: expect.any(String),
				httpStatus: status,
				chunkingId,
			};
			expect(jsonOf(result.output).slice(0, 2)).toMatchObject(
				[0, 1].map((textPosition) => ({ ...failed, textPosition, textsInRequest: 2 })),
			);
			expect(textsOf(jsonOf(result.output)).slice(2)).toEqual(['text 2', 'text 3']);
			expect(polls()).toHaveLength(2);
		},
	);

	it.each<[string, Fault, string, RegExp]>([
		[
			'an HTML page',
			{ html: true },
			'HTML',
			/^Check 'AI Service URL' in the credential: a proxy or a login page/,
		],
		[
			'another text',
			{ status: 200, body: 'Welcome' },
			'chunking response',
			/'AI Service URL'.*'Results Path'/,
		],
	])(
		'is a response Get Results cannot read, with advice: %s',
		async (_case, rule, message, advice) => {
			fault('results', rule);
			const { error } = await getResults([{ chunkingId: 'c-1' }]);
			expect(error?.message).toEqual(naming(message, 'c-1'));
			expect(error?.description).toMatch(advice);
		},
	);
});

describe('a request that names something unknown', () => {
	it('names the parameters of a submission, which has no chunking ID', async () => {
		fault('submit', { status: 404 });
		const { error } = await chunk(texts(1));
		expect(error?.description).toMatch(/^Check 'Model ID' and 'Chunker' in the node, and 'AI/);
		expect(error?.description).not.toMatch(/chunking ID/i);
	});

	it('names the parameters of Get Results, which has no model', async () => {
		fault('results', { status: 404 });
		const { error } = await getResults([{ chunkingId: 'c-1' }]);
		expect(error?.description).toMatch(/^Check 'Chunking ID'\./);
		expect(error?.description).not.toMatch(/model/i);
	});
});

describe('a submission', () => {
	it('that fails does not affect the others', async () => {
		fault('submit', { status: 409, skip: 1, times: 1 });
		const result = await chunk(
			texts(6),
			{ options: { textsPerRequest: 2, concurrency: 1 } },
			TO_ERROR_OUTPUT,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 4, 5, 2, 3]);
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1', 'text 4', 'text 5']);
		expect(jsonOf(result.errorOutput)[0]).toMatchObject({
			...texts(3)[2],
			httpStatus: 409,
			error: naming(409, notDone(submitAction())),
			advice: expect.any(String),
		});
	});
});

it('a submission is known not to have happened if the service was down all the time', async () => {
	// Each request takes 6 s, so the service has been down for more than 10 s when the second text fails.
	fault('submit', { status: 503, latencyMs: 60 });
	const undo = speedUp(100);
	const options = { textsPerRequest: 1, concurrency: 1, retryForSeconds: 0 };
	const { output } = await chunk(texts(4), { options }, CONTINUE);
	undo();
	const [first, , , last] = jsonOf(output).map(({ error }) => error);
	expect(first).toContain(maybeDone(submitAction()));
	expect(last).toContain(notDone(submitAction()));
});

it('submissions that fail end the run, even if polls for an earlier job succeed', async () => {
	sandbox().settings.chunkDelayMs = 60_000;
	fault('submit', { status: 500, skip: 1 });
	const options = { textsPerRequest: 1, concurrency: 2, retryForSeconds: 1, maxWaitSeconds: 60 };
	const { output } = await chunk(texts(20), { options }, CONTINUE);
	expect(jobs()).toHaveLength(1);
	expect(jsonOf(output).map(({ error }) => error)).toEqual(
		indexes(20).map(() => naming('status 500')),
	);
});

it('Get Results does not ask a token server again that rejects its client', async () => {
	const options = { textsPerRequest: 1 };
	const submitted = await chunk(texts(6), { operation: 'submit', options });
	fault('results', { status: 401 });
	fault('token', { status: 401 });
	const before = requests('token').length;
	const results = await getResults(
		jsonOf(submitted.output),
		{ options: { concurrency: 1 } },
		CONTINUE,
	);
	expect(requests('token')).toHaveLength(before + 1);
	expect(jsonOf(results.output).map(({ error }) => error)).toEqual(
		indexes(6).map(() => naming('the token server answered with status 401')),
	);
});

describe('a response that repeats a secret', () => {
	it.each<[string, INodeParameters, IDataObject]>([
		['with a failed item', {}, { status: 'ERROR', passages: [{ of: 'tomorrow' }] }],
		['with an unfinished item', {}, { status: 'SUBMITTED', passages: [{ of: 'tomorrow' }] }],
	])('is returned without it: %s', async (_case, parameters, body) => {
		const { clientSecret } = credentials().lucidworksAiOAuth2Api ?? {};
		const said = { ...body, note: `for ${String(clientSecret)}`, more: [[clientSecret]] };
		fault('results', { status: 200, body: JSON.stringify(said) });
		const options = { maxWaitSeconds: 1, whenTimeRunsOut: 'output' };
		const { output } = await chunk(texts(1), { ...parameters, options }, CONTINUE);
		const text = JSON.stringify(jsonOf(output));
		expect(text).toContain('for ***');
		expect(text).not.toContain(String(clientSecret));
	});
});

describe('what the service says', () => {
	it('shows the words of a response with ERROR in one line, without a secret', async () => {
		const message = `${DEMO.clientSecret} lacks\nquota ${'x'.repeat(5000)}`;
		answers({ status: 'ERROR', message });
		const { error } = await chunk(texts(1));
		expect(error?.message).toMatch(/^"\*\*\* lacks quota x{400,500}…"/);
	});
});

it.each<[string, Fault]>([
	['status 500', { status: 500 }],
	['a reset', { reset: 'beforeResponse' }],
	['a reset within the response', { reset: 'midBody' }],
])('a single text that always receives %s is named as the cause', async (_failure, rule) => {
	fault('submit', { ...rule, whenBodyContains: '"text 3"' });
	const options = { textsPerRequest: 2, concurrency: 2 };
	const { output, errorOutput } = await chunk(texts(40), { options }, TO_ERROR_OUTPUT);
	expect(errorOutput.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 3 }]);
	expect(jsonOf(errorOutput)).toEqual([
		expect.objectContaining({
			advice: expect.stringMatching(/^Requests without this text succeed, .*leave it out/),
		}),
	]);
	const others = indexes(40).filter((at) => at !== 3);
	expect(textsOf(jsonOf(output))).toEqual(others.map((at) => `text ${at}`));
});
