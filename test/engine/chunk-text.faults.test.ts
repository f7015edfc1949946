/** Chunk Text while the service or the network fails, and what it never shows. */
import { inspect } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DEMO, type FaultRule } from '../../sandbox';
import { texts, textsOf, useChunkText } from '../../support/chunking';
import { CredentialStore } from '../../support/credential-store';
import { CONTINUE, hintsOf, indexes, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, jobs, chunk, getResults, credentials, submits, polls, fault, answers, jobsEnded } =
	useChunkText();

type Fault = Omit<FaultRule, 'route'>;
const at = (aiUrl: string) => {
	const { lucidworksAiOAuth2Api } = credentials();
	return { lucidworksAiOAuth2Api: { ...lucidworksAiOAuth2Api, aiUrl } };
};

describe('a transient error of a poll', () => {
	const faults: Array<[string, Fault]> = [
		['429', { status: 429 }],
		['429 with Retry-After', { retryAfter: '0.1' }],
		['500', { status: 500 }],
		['502', { status: 502 }],
		['503 with an HTML page', { status: 503, html: true }],
		['504', { status: 504 }],
		['408', { status: 408 }],
		['a reset before the response', { reset: 'beforeResponse' }],
		['a reset in the middle of the response', { reset: 'midBody' }],
		['a reset after the work', { reset: 'afterWork' }],
		['a truncated response', { truncate: true }],
		['an HTML page with status 200', { html: true }],
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
			expect(hintsOf(result)).toEqual(['3 requests sent again after transient errors']);
			expect(result.hints[0].type).toBe('info');
		},
	);

	it.each(faults)('is survived by Get Results that waits: %s', async (_case, rule) => {
		const { output } = await chunk(texts(2), { operation: 'submit' });
		await jobsEnded();
		fault('results', { ...rule, times: 2 });
		const result = await getResults(jsonOf(output), { wait: true });
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(polls()).toHaveLength(3);
	});

	it.each<[string, Fault]>([
		['429', { status: 429 }],
		['503', { status: 503 }],
		['a reset before the response', { reset: 'beforeResponse' }],
	])('is survived by Get Results that asks once: %s', async (_case, rule) => {
		const { output } = await chunk(texts(2), { operation: 'submit' });
		await jobsEnded();
		fault('results', { ...rule, times: 2 });
		const result = await getResults(jsonOf(output));
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(hintsOf(result)).toEqual(['2 requests sent again after transient errors']);
	});

	it('is a poll that takes longer than the timeout', async () => {
		fault('results', { latencyMs: 1500, times: 1 });
		const result = await chunk(texts(1), { options: { timeoutSeconds: 1 } });
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0']);
		expect(polls()).toHaveLength(2);
	});
});

describe('a permanent error of a poll', () => {
	it.each([400, 403, 410])(
		'fails the items of its job alone, with the chunking ID: %i',
		async (status) => {
			fault('results', { status, times: 1, body: '{"message":"No such luck"}' });
			const result = await chunk(
				texts(4),
				{ options: { textsPerRequest: 2, concurrency: 1 } },
				{ onError: 'continueRegularOutput' },
			);
			const [{ chunkingId }] = jobs();
			expect(pairedIndexes(result)).toEqual(indexes(4));
			const failed = {
				error: `"No such luck": the AI service answered with status ${status} (chunking ID ${chunkingId})`,
				httpStatus: status,
				chunkingId,
			};
			expect(jsonOf(result.output).slice(0, 2)).toEqual(
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
			'The AI service answered with an HTML page',
			/^Check 'AI Service URL' in the credential: a proxy or a login page/,
		],
		[
			'another text',
			{ status: 200, body: 'Welcome' },
			'What the AI service returned is not a valid chunking response',
			/'AI Service URL'.*'Results Path'/,
		],
	])(
		'is a response Get Results cannot read, with advice: %s',
		async (_case, rule, message, advice) => {
			fault('results', rule);
			const { error } = await getResults([{ chunkingId: 'c-1' }]);
			expect(error?.message).toBe(`${message} (chunking ID c-1)`);
			expect(error?.description).toMatch(advice);
		},
	);
});

describe('a submission', () => {
	it.each<[string, Fault]>([
		['429', { status: 429 }],
		['429 with Retry-After', { retryAfter: '0.1' }],
		['401, which a new token cures', { status: 401 }],
		['503', { status: 503 }],
	])('is sent again: %s', async (_case, rule) => {
		fault('submit', { ...rule, times: 1 });
		const result = await chunk(texts(2));
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(submits()).toHaveLength(2);
		expect(jobs()).toHaveLength(1);
	});

	it('is sent again if its response was lost, although its texts may be chunked twice', async () => {
		fault('submit', { reset: 'afterWork', times: 1 });
		const result = await chunk(texts(2));
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1']);
		expect(jobs()).toHaveLength(2);
	});

	it('is sent again after Retry-After', async () => {
		fault('submit', { retryAfter: '1', times: 1 });
		const result = await chunk(texts(1));
		const [first, second] = submits();
		expect(second.startedAt - first.endedAt).toBeGreaterThanOrEqual(990);
		expect(hintsOf(result)).toEqual(['1 request sent again after transient errors']);
	});

	it('is sent again, for Retry For, if the connection is refused', async () => {
		const result = await chunk(
			texts(2),
			{ options: { retryForSeconds: 0 } },
			{ credentials: at('http://127.0.0.1:1'), onError: 'continueRegularOutput' },
		);
		expect(hintsOf(result)).toEqual([
			"2 of 2 texts failed. The field 'error' of their items says why.",
			expect.stringMatching(/sent again after transient errors/),
		]);
		expect(jsonOf(result.output)).toEqual(
			indexes(2).map(() => ({
				error: 'The AI service could not be reached: the connection was refused, so the text was not submitted',
			})),
		);
	});

	it('that fails leaves the other ones alone', async () => {
		fault('submit', { status: 409, skip: 1, times: 1 });
		const result = await chunk(
			texts(6),
			{ options: { textsPerRequest: 2, concurrency: 1 } },
			{ onError: 'continueErrorOutput' },
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 4, 5, 2, 3]);
		expect(textsOf(jsonOf(result.output))).toEqual(['text 0', 'text 1', 'text 4', 'text 5']);
		expect(jsonOf(result.errorOutput)[0]).toEqual({
			...texts(3)[2],
			httpStatus: 409,
			error: '"Injected fault: HTTP 409": the AI service answered with status 409, so the text was not submitted',
		});
	});

	it('that fails stops a node set to stop, which then names the unfinished jobs', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		fault('submit', { status: 409, skip: 2 });
		const { error, status } = await chunk(texts(9), {
			options: { textsPerRequest: 1, concurrency: 1, retryForSeconds: 0 },
		});
		expect(status).toBe('error');
		expect(submits()).toHaveLength(3);
		expect(error?.message).toMatch(/ status 409, so the text was not submitted$/);
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		const ids = jobs().map(({ chunkingId }) => chunkingId);
		expect(ids).toHaveLength(2);
		expect(error?.description).toMatch(
			new RegExp(`Chunking IDs not finished: ${ids.join(', ')}\\.$`),
		);
	});

	it('refused for its credential ends the run after three texts', async () => {
		fault('submit', { status: 403 });
		const result = await chunk(
			texts(9),
			{ options: { textsPerRequest: 1, concurrency: 1 } },
			{ onError: 'continueErrorOutput' },
		);
		expect(submits()).toHaveLength(3);
		expect(pairedIndexes(result)).toEqual(indexes(9));
	});

	it.each([
		['ai.example.com', /^'AI Service URL' must start with https:\/\/ or http:\/\/$/],
		['', /^'AI Service URL' is empty$/],
		['https://a.example/?x=1', /^'AI Service URL' must not have a query/],
	])('is not sent to an unusable URL: "%s"', async (aiUrl, message) => {
		const result = await chunk(
			texts(2),
			{},
			{ credentials: at(aiUrl), onError: 'continueRegularOutput' },
		);
		expect(pairedIndexes(result)).toEqual([0, 1]);
		for (const { json } of result.output) expect(json.error).toMatch(message);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('client secret and access token', () => {
	const echo = (secret: string) => `{"message":"Unknown client ${secret}"}`;

	it.each<[string, FaultRule['route'], Fault]>([
		['success', 'results', { latencyMs: 1 }],
		['a submission that is refused', 'submit', { status: 400 }],
		[
			'a submission whose response repeats the secret',
			'submit',
			{ status: 400, body: echo(DEMO.clientSecret) },
		],
		['a submission that is lost', 'submit', { reset: 'afterWork' }],
		['a submission that gets no chunking ID', 'submit', { html: true }],
		['a look that is refused', 'results', { status: 403 }],
		['polls that are lost until time runs out', 'results', { reset: 'beforeResponse' }],
		['a token that is refused', 'token', { status: 401, body: echo(DEMO.clientSecret) }],
		['a token server that breaks off', 'token', { reset: 'beforeResponse' }],
	])('show nowhere in a run: %s', async (_case, route, rule) => {
		fault(route, rule);
		const store = new CredentialStore(credentials());
		const onErrors = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
		const options = { retryForSeconds: 1, maxWaitSeconds: 1 };
		for (const onError of onErrors) {
			const { run } = await chunk(texts(2), { options }, { onError, store });
			const whole = inspect(run, {
				depth: Infinity,
				showHidden: true,
				maxArrayLength: null,
				maxStringLength: null,
			});
			expect(whole).toContain('text 0');
			expect(whole.includes(DEMO.clientSecret)).toBe(false);
			expect(whole).not.toMatch(/eyJ[-\w]{20,}\./);
			const tokens = String(store.get('lucidworksAiOAuth2Api').accessTokens ?? '');
			for (const [token] of tokens.matchAll(/eyJ[-\w.]+/g)) {
				expect(whole.includes(token)).toBe(false);
			}
		}
		if (route !== 'token') {
			expect(sandbox().requests.map((request) => request.route)).toContain('submit');
		}
	});
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
	it('shows a status in one line, without a secret', async () => {
		const status = `waiting\nfor ${DEMO.clientSecret}`;
		fault('results', { status: 200, body: JSON.stringify({ status }) });
		const { error } = await chunk(texts(1), { options: { maxWaitSeconds: 1 } });
		expect(error?.message).toContain('Not finished after 1 second (status waiting for ***)');
	});

	it('shows the words of a response with ERROR in one line, without a secret', async () => {
		const message = `${DEMO.clientSecret} lacks\nquota ${'x'.repeat(5000)}`;
		answers({ status: 'ERROR', message });
		const { error } = await chunk(texts(1));
		expect(error?.message).toMatch(
			/^"\*\*\* lacks quota x{400,500}…": the AI service reported ERROR \(chunking ID [-0-9a-f]{36}\)$/,
		);
	});
});
