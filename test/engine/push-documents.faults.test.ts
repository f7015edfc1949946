import { inspect } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { pushAction } from '../../nodes/shared/service/outcome-messages';
import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, type FaultRule } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunResult } from '../../support/engine';
import { speedUp } from '../../support/fast-clock';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
	HANGS,
	stopped,
	useNodes,
} from '../../support/sandbox';
import { maybeDone, naming, notDone } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const push = runnerOf(new PushDocuments());

const URL_AND_TEXT = { description: 'd', url: 'u' };
const documents = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: `Document ${at}`, ...URL_AND_TEXT }));
const fault = (rule: Omit<FaultRule, 'route'>) => sandbox().faults.add({ route: 'push', ...rule });
const indexed = () => sandbox().documents(DEMO.endpoint);
const statuses = () => sandbox().requests.map(({ status }) => status);

describe('a transient error', () => {
	const everyItemIsPushed = (result: RunResult, count: number) => {
		expect(result.status).toBe('success');
		expect(pairedIndexes(result)).toEqual(indexes(count));
		expect(jsonOf(result.output).map(({ pushed }) => pushed)).toEqual(Array(count).fill(true));
		expect(indexed()).toHaveLength(count);
	};

	it.each<[string, Omit<FaultRule, 'route'>]>([
		['503 with an HTML page', { status: 503, html: true }],
		['a reset after the work', { reset: 'afterWork' }],
	])('is repeated: %s', async (_case, rule) => {
		sandbox().settings.pushResponse = 'perDocument';
		fault({ ...rule, times: 2 });
		const result = await push(documents(6), { options: { documentsPerRequest: 2 } });
		everyItemIsPushed(result, 6);
		expect(sandbox().requests).toHaveLength(5);
		expect(hintsOf(result)).toEqual([naming('2 times')]);
		const attempts = jsonOf(result.output).map(({ attempts = 1 }) => attempts as number);
		expect(attempts.reduce((sum, number) => sum + number)).toBe(2 * 5);
	});

	it.each([
		[600_000, true],
		[1000, false],
	])('of a document of %i bytes names its size: %p', async (length, isNamed) => {
		fault({ reset: 'beforeResponse', whenBodyContains: '"d1"' });
		const [first, second] = documents(2);
		const large = { ...second, text: 'a'.repeat(length) };
		const options = { documentsPerRequest: 1, retryForSeconds: 0 };
		const { output } = await push([{ ...first }, large], { options }, CONTINUE);
		const [pushed, failed] = jsonOf(output);
		expect(pushed).toMatchObject({ pushed: true });
		expect(/600,\d+ bytes, and some gateways/.test(failed?.advice as string)).toBe(isNamed);
	});

	it('fails only its own documents if it persists', async () => {
		fault({ status: 503, whenBodyContains: '"d2"', body: '{"message":"Index is busy"}' });
		const result = await push(
			documents(4),
			{ options: { documentsPerRequest: 1, retryForSeconds: 0 } },
			TO_ERROR_OUTPUT,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 3, 2]);
		expect(jsonOf(result.errorOutput)).toMatchObject([
			{
				...documents(4)[2],
				httpStatus: 503,
				error: naming(503, '"Index is busy"', maybeDone(pushAction('d2'))),
				advice: expect.any(String),
			},
		]);
		expect(statuses().filter((status) => status === 503)).toHaveLength(2);
	});
});

it('the message says for how long the node tried to reach a service that is down', async () => {
	const { lucidworksPushApi } = sandboxCredentials(sandbox());
	const undo = speedUp(20);
	const { error } = await runNode({
		node: new PushDocuments(),
		items: documents(1),
		parameters: { options: { retryForSeconds: 2 } },
		credentials: {
			lucidworksPushApi: { ...lucidworksPushApi, pushUrl: 'http://127.0.0.1:9' },
		},
	});
	undo();
	expect(error?.message).toMatch(/\(tried for \d+ s\), so document 'd0' was not pushed$/);
});

describe("n8n's error", () => {
	it.each<[FaultRule['status'], object]>([
		[401, { cause: 'credential-invalid' }],
		[503, { cause: 'temporarily-unavailable' }],
	])('has the cause of status %i', async (status, failure) => {
		fault({ status });
		const { error } = await push(documents(1), { options: { retryForSeconds: 0 } });
		expect(error).toMatchObject({ failure });
	});

	it('has no cause if the cause is unknown', async () => {
		fault({ status: 403 });
		const { error } = await push(documents(1));
		expect(error).toMatchObject({ failure: undefined });
	});
});

describe('a request the service rejects as too large', () => {
	it('fails only the one document that is too large, with its size', async () => {
		sandbox().settings.pushBodyLimitBytes = 1000;
		const items = documents(7);
		items[4].text = '漢'.repeat(500);
		const size = Buffer.byteLength(JSON.stringify(items[4])).toLocaleString('en-US');
		const result = await push(items, {}, TO_ERROR_OUTPUT);
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 3, 5, 6, 4]);
		const [{ json, pairedItem }] = result.errorOutput;
		expect(json).toMatchObject({ id: 'd4', httpStatus: 413 });
		expect(json.error).toMatch(new RegExp(`document 'd4' of ${size} bytes was not pushed$`));
		expect(pairedItem).toEqual({ item: 4 });
		expect(indexed().map(({ id }) => id)).toEqual(['d0', 'd1', 'd2', 'd3', 'd5', 'd6']);
	});
});

describe('a request that the service rejects in part', () => {
	it('is split until each rejected document is alone', async () => {
		fault({ status: 400, whenBodyContains: '"d3"', body: '{"message":"Unknown field"}' });
		const result = await push(documents(9), {}, TO_ERROR_OUTPUT);
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 3]);
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({
				id: 'd3',
				httpStatus: 400,
				error: naming(400, '"Unknown field"', notDone(pushAction('d3'))),
			}),
		]);
		expect(indexed()).toHaveLength(8);
	});
});

describe('a refused credential', () => {
	it.each([
		[401, 1],
		[403, 3],
	])('stops all further requests, and every item is returned: %i', async (status, refused) => {
		fault({ status, skip: 2 });
		const result = await push(
			documents(10),
			{ options: { documentsPerRequest: 1, concurrency: 1 } },
			TO_ERROR_OUTPUT,
		);
		expect(statuses()).toEqual([200, 200, ...Array<number>(refused).fill(status)]);
		expect(pairedIndexes(result)).toEqual(indexes(10));
		expect(jsonOf(result.output).map(({ id }) => id)).toEqual(['d0', 'd1']);
		for (const [position, { json }] of result.errorOutput.entries()) {
			expect(json).toMatchObject({
				...documents(10)[position + 2],
				httpStatus: status,
				error: naming(status, notDone(pushAction(`d${position + 2}`))),
			});
		}
	});

	it('is the error of a node that stops, even if stopping also ends a pause', async () => {
		const body = { documents: [{ id: 'd0' }, { id: 'd1', status: 422, error: 'no field' }] };
		fault({ status: 429, retryAfter: '50', whenBodyContains: '"d2"' });
		fault({ latencyMs: 40, whenBodyContains: '"d1"' });
		fault({ status: 200, body: JSON.stringify(body), whenBodyContains: '"d1"' });
		const options = { documentsPerRequest: 2, concurrency: 2 };
		const { error } = await push(documents(4), { options });
		expect(error?.message).toEqual(naming(422, '"no field"'));
	});
});

describe('a node set to stop', () => {
	it('says how many documents had been pushed', async () => {
		fault({ status: 400, skip: 2 });
		const { error, output, status } = await push(documents(9), {
			options: { documentsPerRequest: 2, concurrency: 1 },
		});
		expect(status).toBe('error');
		expect(output).toEqual([]);
		expect(error?.message).toEqual(naming(400, notDone(pushAction('d4'))));
		expect(error?.context).toMatchObject({ itemIndex: 4 });
		expect(statuses()).toEqual([200, 200, 400, 400]);
		expect(error?.description).toMatch(/ 4 of 9 documents/);
		expect(indexed()).toHaveLength(4);
	});
});

describe('Stop in the editor', () => {
	const OPTIONS = { documentsPerRequest: 2, concurrency: 2 };
	const stopAfter = async (
		count: number,
		...[items, parameters, settings]: Parameters<typeof push>
	) => {
		const result = await stopped(
			sandbox(),
			[count],
			async (stop) => await push(items, parameters, { ...settings, ...stop }),
		);
		expect(sandbox().requests).toHaveLength(count);
		return result;
	};

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'ends requests in flight and says how many were pushed: %s',
		async (onError) => {
			fault({ ...HANGS, skip: 2 });
			const { error } = await stopAfter(4, documents(20), { options: OPTIONS }, { onError });
			expect(error?.message).toEqual(naming('canceled', '4 of 20'));
		},
	);
});

describe('where it sends', () => {
	it('follows no redirect, so that the key reaches no other host', async () => {
		fault({ status: 307, redirectTo: `${sandbox().url}/elsewhere` });
		const result = await push(
			documents(3),
			{ options: { documentsPerRequest: 1, concurrency: 1 } },
			CONTINUE,
		);
		expect(sandbox().requests.map(({ route }) => route)).toEqual(['push']);
		expect(jsonOf(result.output)).toMatchObject(
			indexes(3).map((index) => ({
				id: `d${index}`,
				httpStatus: 307,
				error: naming(307, notDone(pushAction(`d${index}`))),
				advice: expect.any(String),
			})),
		);
		const { error } = await push(documents(1));
		expect(error?.description).toMatch(/^The URL has moved\..*'Push Service URL'/);
	});

	it.each([
		[{ pushUrl: '' }, /^'Push Service URL' is empty$/],
		[{ endpoint: '..' }, /^'Endpoint Identifier' must not be "\.\."$/],
	])('is checked before any request: %j', async (changes, message) => {
		const { lucidworksPushApi } = sandboxCredentials(sandbox());
		const credentials = { lucidworksPushApi: { ...lucidworksPushApi, ...changes } };
		const { error } = await push(documents(2), {}, { credentials });
		expect(error).toMatchObject({ name: 'NodeOperationError' });
		expect(error?.message).toMatch(message);
		expect(error?.description).toBeTruthy();

		const onError = 'continueErrorOutput';
		const result = await push(documents(2), {}, { credentials, onError });
		expect(pairedIndexes(result)).toEqual([0, 1]);
		expect(jsonOf(result.errorOutput)[1]).toMatchObject({ id: 'd1' });
		expect(jsonOf(result.errorOutput)[1].error).toMatch(message);
		expect(sandbox().requests).toEqual([]);
	});

	it('is the URL with its prefix, and an encoded endpoint', async () => {
		const credentials = {
			lucidworksPushApi: {
				pushUrl: ` ${sandbox().url}/my%20site/ `,
				endpoint: ' a/b ',
				apiKey: 'k',
			},
		};
		await push(documents(1), {}, { credentials });
		expect(sandbox().requests.map(({ path }) => path)).toEqual([
			`/my%20site${PATHS.push}/a%2Fb`,
		]);
	});
});

describe('the text of an error', () => {
	it.each<[string, IDataObject, Omit<FaultRule, 'route'>, string[]]>([
		['a known status', {}, { status: 404 }, ['404']],
		['a code in the ID', { id: 'preexisting' }, { status: 400 }, ['400']],
		[
			'a code in the reply',
			{},
			{ status: 500, body: '{"message":"ENOENT: no such core"}' },
			['500', '"ENOENT: no such core"'],
		],
		['a lost connection', {}, { reset: 'beforeResponse' }, ['closed']],
	])('are not replaced by n8n: %s', async (_case, changes, rule, facts) => {
		fault({ contentType: 'application/json', ...rule });
		const item = { ...documents(1)[0], ...changes };
		const parameters = { options: { retryForSeconds: 0 } };
		const message = naming(...facts, `document '${String(item.id)}'`);
		const { error } = await push([item], parameters);
		expect(error?.message).toEqual(message);
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const { output, errorOutput } = await push([item], parameters, { onError });
			const [said] = jsonOf([...output, ...errorOutput]).map((json) => String(json.error));
			expect(said).toEqual(message);
		}
	});
});

describe('the text of an error about the input', () => {
	it.each<[string, INodeParameters, IDataObject, string]>([
		['a document', {}, { id: 'preexisting', name: '' }, "document 'preexisting'"],
		['a field', { nameField: 'preexisting' }, { id: 'a' }, "'preexisting'"],
		['a parameter', { options: { bytesPerRequest: 'ENOENT' } }, {}, "'ENOENT'"],
	])('is not replaced by n8n: %s', async (_case, parameters, item, name) => {
		const { error } = await push([item], parameters);
		expect(error?.message).toContain(name.slice(1, -1));
		const { output } = await push([item], parameters, CONTINUE);
		expect(jsonOf(output).map((json) => json.error ?? name)).toEqual([
			expect.stringContaining(name.slice(1, -1)),
		]);
	});
});

describe('the message says what is known of a document', () => {
	const UNKNOWN = maybeDone(pushAction('d0'));

	it('after a clear rejection if an earlier attempt may have taken effect', async () => {
		fault({ reset: 'afterWork', times: 1 });
		fault({ status: 429, retryAfter: '300' });
		const options = { retryForSeconds: 0 };
		const { error } = await push(documents(1), { options });
		expect(statuses().at(-1)).toBe(429);
		expect(error?.message.endsWith(UNKNOWN)).toBe(true);
	});

	it('if it was never sent because another document had ended the run', async () => {
		fault({ status: 503, times: 1 });
		fault({ status: 401 });
		const result = await push(
			documents(2),
			{ options: { documentsPerRequest: 1, concurrency: 1 } },
			CONTINUE,
		);
		expect(statuses()).toEqual([503, 401]);
		const [first, second] = jsonOf(result.output).map(({ error }) => String(error));
		expect(first.endsWith(UNKNOWN)).toBe(true);
		expect(second).toContain(notDone(pushAction('d1')));
	});
});

describe('the key', () => {
	it.each<[string, Omit<FaultRule, 'route'>]>([
		[
			'a reply that repeats it',
			{ status: 401, body: `{"message":"Unknown key ${DEMO.pushKey}"}` },
		],
		[
			'a success that repeats it',
			{
				status: 200,
				body: `{"took":3,"by":"${DEMO.pushKey}","log":["key ${DEMO.pushKey}"]}`,
			},
		],
		[
			'a refusal of a document that repeats it',
			{ status: 200, body: `[{"id":"d0","error":"${DEMO.pushKey} may not"},{"id":"d1"}]` },
		],
	])('is visible nowhere in a run: %s', async (_case, rule) => {
		fault(rule);
		const parameters = { options: { retryForSeconds: 0 } };
		for (const onError of [
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		] as const) {
			const { run } = await push(documents(2), parameters, { onError });
			const whole = inspect(run, {
				depth: Infinity,
				showHidden: true,
				maxArrayLength: null,
				maxStringLength: null,
			});
			expect(whole).toContain('d0');
			expect(whole).not.toContain(DEMO.pushKey);
		}
	});
});

it('says that a firewall may be rejecting a single document with status 403', async () => {
	fault({ status: 403, body: 'Forbidden', whenBodyContains: '"d2"' });
	const { error } = await push(documents(4));
	expect(error?.message).toEqual(naming(403, notDone(pushAction('d2'))));
	expect(error?.description).toMatch(/^If other documents are accepted, a firewall may reject/);
});

describe.each<[string, Omit<FaultRule, 'route'>]>([
	['status 500', { status: 500 }],
	['a reset', { reset: 'beforeResponse' }],
	['a reset within the response', { reset: 'midBody' }],
])('a single document that always receives %s', (_failure, rule) => {
	it.each([
		['in a batch', 4],
		['in a request of its own', 1],
	])('is named as the cause: %s', async (_case, documentsPerRequest) => {
		fault({ ...rule, whenBodyContains: '"d3"' });
		const options = { documentsPerRequest, concurrency: 2, retryForSeconds: 1 };
		const { errorOutput } = await push(documents(40), { options }, TO_ERROR_OUTPUT);
		expect(jsonOf(errorOutput)).toEqual([
			expect.objectContaining({
				id: 'd3',
				advice: expect.stringMatching(
					/^Requests without this document succeed, .*leave it out/,
				),
			}),
		]);
		const others = indexed().filter(({ id }) => id !== 'd3');
		expect(others).toHaveLength(39);
	});
});

it('a refused connection never says that a document is the cause', async () => {
	fault({ status: 503, whenBodyContains: '"d3"', times: 1 });
	const parameters = { options: { retryForSeconds: 1 } };
	const settings = { ...CONTINUE, credentials: { ...sandboxCredentials(sandbox()) } };
	Object.assign(settings.credentials.lucidworksPushApi ?? {}, {
		pushUrl: 'http://127.0.0.1:9/site',
	});
	const { output } = await push(documents(2), parameters, settings);
	expect(jsonOf(output)[0]?.advice).toMatch(/^Check 'Push Service URL'/);
});
