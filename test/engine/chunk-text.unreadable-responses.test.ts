/** Tests that results are kept even if they are not valid JSON, because the service might deliver them only once. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox';
import { texts, useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, chunk, credentials, polls, submits, fault, answers } = useChunkText({
	resultsOnce: true,
});

it.each([1, 2])(
	'if a job of %i texts delivers chunks and then fails, they are kept, and nothing is submitted again',
	async (count) => {
		const early = { status: 'RUNNING', chunkedData: [{ chunks: ['text'] }] };
		// The first poll of each of the two jobs. Only the second job finishes.
		fault('results', { status: 200, body: JSON.stringify(early), times: 2 });
		const items = texts(count + 1).map((item, at) => ({
			...item,
			model: at < count ? 'broken-model' : 'gte-small',
		}));
		const { output } = await chunk(
			items,
			{ modelId: '={{ $json.model }}', options: { keepSourceFields: 'none' } },
			CONTINUE,
		);
		const [first, ...others] = jsonOf(output);
		expect(first).toMatchObject({ error: naming('ERROR'), response: early });
		expect(others).toHaveLength(count);
		expect(others.at(-1)).toMatchObject({ text: `text ${count}` });
		expect(submits()).toHaveLength(2);
	},
);

describe('results that are not valid JSON', () => {
	const DAMAGES: Array<[string, Omit<FaultRule, 'route'>]> = [
		['truncated', { truncate: true }],
		['followed by other bytes', { damage: 'trailingBytes' }],
		['with a control character', { damage: 'controlCharacter' }],
		['as JSON in a JSON string', { damage: 'jsonInString' }],
	];

	it.each(DAMAGES)('are returned with the failed item: %s', async (_case, rule) => {
		fault('results', { ...rule, times: 1 });
		const { output } = await chunk(texts(2), {}, CONTINUE);
		const [first, second] = jsonOf(output);
		expect(first).toMatchObject({
			error: naming('already retrieved'),
			response: expect.stringMatching(/"chunks":\["./) as string,
		});
		expect(second).toMatchObject({ textPosition: 1, error: first?.error });
		expect(second).not.toHaveProperty('response');
	});

	it('are dropped after a later poll returns valid ones', async () => {
		sandbox().settings.resultsOnce = false;
		fault('results', { truncate: true, times: 1 });
		const result = await chunk(texts(1));
		expect(jsonOf(result.output)).toMatchObject([{ text: 'text 0' }]);
		expect(hintsOf(result)).toEqual([naming('repeated')]);
	});

	it('are returned without secrets, in a text of any length', async () => {
		const { clientSecret } = credentials().lucidworksAiOAuth2Api ?? {};
		const long = Array.from({ length: 30_000 }, (_, at) => `chunk number ${at} of the text`);
		const body = JSON.stringify({ status: 'READY', chunkedData: [{ chunks: long }] });
		const secret = encodeURIComponent(String(clientSecret));
		answers({ status: 'SUBMITTED' });
		fault('results', { status: 200, body: `${body} ${secret} ${body.slice(0, -2)}` });
		const { output } = await chunk(texts(1), { options: { maxWaitSeconds: 1 } }, CONTINUE);
		const response = String(jsonOf(output)[0]?.response);
		expect(response.length).toBeGreaterThan(1.5 * body.length);
		expect(response).toContain('chunk number 29999 of the text');
		expect(response).not.toContain(secret);
		expect(response).toContain('***');
	});
});

describe('what the service delivers only once is never lost', () => {
	it.each<[string, IDataObject]>([
		['READY in a shape nobody knows', { status: 'READY', passages: [{ of: 'tomorrow' }] }],
		['ERROR with data', { status: 'ERROR', chunkedData: [{ chunks: ['half'] }] }],
		['FAILED with data', { status: 'failed', chunkedData: [{ chunks: ['half'] }] }],
	])('%s comes with the failed item', async (_case, body) => {
		answers(body);
		const { output } = await chunk(texts(2), {}, CONTINUE);
		expect(jsonOf(output)[0]?.response).toEqual(body);
		expect(jsonOf(output)[1]).not.toHaveProperty('response');
	});

	it.each(['fail', 'output'])(
		'data that come with SUBMITTED are returned at the end: %s',
		async (mode) => {
			const body = { status: 'SUBMITTED', chunkedData: [{ chunks: ['half'] }] };
			fault('results', { status: 200, body: JSON.stringify(body) });
			const late = { maxWaitSeconds: 5, whenTimeRunsOut: mode };
			const { output } = await chunk(texts(1), { options: late }, CONTINUE);
			expect(jsonOf(output)).toMatchObject([{ response: body, textPosition: 0 }]);
			expect(polls().length).toBeGreaterThan(1);
		},
	);
});
