/** Tests what the body of a response means on every road: pages, and bodies that cannot be read. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { IDataObject } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksBlobApi } from '../../credentials/LucidworksBlobApi.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useChunkText } from '../../support/chunking';
import { runNode, testCredential, type RunResult } from '../../support/engine';
import { useFastClock } from '../../support/fast-clock';
import { response, useRawServer, type RawAnswer, type RawRequest } from '../../support/raw-server';
import { CONTINUE, indexes, jsonOf } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { chunk, getResults, credentials: sandboxData } = useChunkText();
const { requests, url, answers } = useRawServer();

const credentials = (changes: Record<string, IDataObject> = {}, at = url()) => {
	const all = sandboxData();
	return {
		...all,
		lucidworksAiOAuth2Api: { ...all.lucidworksAiOAuth2Api, aiUrl: at, ...changes.ai },
		lucidworksPushApi: { ...all.lucidworksPushApi, pushUrl: at },
		lucidworksBlobApi: { ...all.lucidworksBlobApi, baseUrl: at },
	};
};
const document = { id: 'a', name: 'A', text: 'Pears.' };
const options = { retryForSeconds: 0 };

const push = async (items: IDataObject[] = [document], more: IDataObject = {}, at?: string) =>
	await runNode({
		node: new PushDocuments(),
		items,
		parameters: { options: { ...options, ...more } } as never,
		credentials: credentials({}, at),
		...CONTINUE,
	});
const remove = async (more: IDataObject = {}) =>
	await runNode({
		node: new DeleteDocument(),
		items: [document],
		parameters: { options: { ...options, ...more } } as never,
		credentials: credentials(),
		...CONTINUE,
	});
const migrate = async () =>
	await runNode({
		node: new MigrateBlobs(),
		parameters: { confirm: true },
		credentials: credentials(),
		...CONTINUE,
	});
const chunking = { credentials: credentials, ...CONTINUE };
const submit = async () =>
	await chunk([document], { operation: 'submit', options } as never, {
		...chunking,
		credentials: credentials(),
	});
const poll = async () =>
	await getResults(
		[{ chunkingId: '6f1c0000-0000-0000-0000-000000000000' }],
		{ options: { maxWaitSeconds: 1, ...options } } as never,
		{ ...chunking, credentials: credentials() },
	);
const NODES = { push, delete: remove, migrate, submit, poll };
type Road = keyof typeof NODES;
const ROADS = Object.keys(NODES) as Road[];
const WITHOUT_JSON = ['push', 'delete', 'migrate'] as const;

const TYPES = {
	push: new LucidworksPushApi(),
	blob: new LucidworksBlobApi(),
	ai: new LucidworksAiOAuth2Api(),
};
const press = async (kind: keyof typeof TYPES) => {
	const type = TYPES[kind];
	return await testCredential(type, credentials()[type.name as 'lucidworksPushApi']);
};

const firstError = ({ output }: RunResult) => String(output[0]?.json.error ?? '');
const html = (body: string, type = 'text/html; charset=utf-8') =>
	response(200, { 'Content-Type': type }, body);

const PAGES: Array<[string, string, string?]> = [
	['a script', "<script>window.location='/login'</script>"],
	['a refresh', '<meta http-equiv="refresh" content="0; url=/login">'],
	['a form that sends itself', '<body onload="f()"><form action="https://idp/saml"></form>'],
	['only a form', '\n<FORM method="post"><input type="hidden" name="SAMLRequest"></FORM>'],
	['only a title', '<title>Sign in</title>'],
	['a long comment first', `<!-- ${'x'.repeat(3_000)} --><html>Sign in</html>`],
	['many comments', `${'<!--x-->\n'.repeat(1_000)}<!--[if IE]><p><![endif]--><head>`],
	['an XHTML prolog', '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C"><p>Sign in'],
	['a byte order mark', '\ufeff <!doctype html>Sign in'],
	['any tag, as HTML', '<p>Sign in</p>'],
	['any tag, as XHTML', '<p>Sign in</p>', 'Application/XHTML+XML'],
	['a script, as JSON', "<script src='x'></script>", 'application/json'],
	['a form after other tags', '<div class="a>b"><h1>Hi</h1> you <form>', 'text/plain'],
	['no media type', '<noscript>Turn on scripts</noscript><script>', ''],
];

describe('an HTML page with status 200 is no success', () => {
	test.each(PAGES)('%s', async (...[, body, type]) => {
		answers(html(body, type));
		for (const road of ROADS) {
			const result = await NODES[road]();
			expect([road, firstError(result)]).toEqual([road, naming('HTML page')]);
		}
		for (const kind of ['push', 'blob'] as const) {
			const { ok, message } = await press(kind);
			expect([kind, ok, message]).toEqual([kind, false, naming('This is an HTML page')]);
		}
		expect((await press('ai')).ok).toBe(false);
	});
});

describe('no page', () => {
	test.each<[string, string, string?]>([
		['OK', 'OK'],
		['nothing', ''],
		['an object', '{"html":"<html><script>"}'],
		['a text in JSON', '"<html><script></script></html>"'],
		['text with a tag', 'Pushed <script>'],
		['a tag that is not HTML', '<ok/>', 'text/plain'],
		['XML with a title', '<rss><channel><title>News</title>', 'text/xml'],
		['XML with a prolog', '<?xml version="1.0"?><status code="0"/>', 'application/xml'],
		['a comment', '<!-- pushed -->'],
	])('%s', async (...[, body, type]) => {
		answers(html(body, type));
		for (const road of WITHOUT_JSON) {
			const { output } = await NODES[road]();
			expect([road, output[0]?.json]).toEqual([
				road,
				expect.not.objectContaining({ error: expect.anything() }),
			]);
		}
		for (const kind of ['push', 'blob'] as const)
			expect([kind, (await press(kind)).ok]).toEqual([kind, true]);
	});
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const message = '{"message":"Why?"}';
const GZIP_LABEL = { 'Content-Encoding': 'gzip' };
const broken = (status: number): Array<[string, RawAnswer]> => [
	...['gzip', 'deflate', 'br', 'zstd', 'compress', 'unknown'].map(
		(encoding): [string, RawAnswer] => [
			`labelled ${encoding} without being so`,
			response(
				status,
				{ ...JSON_TYPE, 'Content-Encoding': encoding },
				Buffer.from([0xc3, 0x28, 0x81, 0xff]),
			),
		],
	),
	[
		'shorter than its length',
		response(status, { ...JSON_TYPE, 'Content-Length': '99' }, message),
	],
	[
		'reset within',
		{
			bytes: response(status, { ...JSON_TYPE, 'Content-Length': '99' }, message),
			then: 'reset',
		},
	],
	[
		'with an invalid chunk',
		`HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"mes\r\nZZ\r\n`,
	],
	['cut within a chunk', `HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"mes`],
	[
		'cut within gzip',
		response(
			status,
			{ 'Content-Encoding': 'gzip', 'Content-Length': '9999' },
			gzipSync('x'.repeat(1e5)).subarray(0, 60),
		),
	],
];

/** Bodies of each kind: a wrong encoding, a reset, and gzip that is cut. Two statuses are tested with all bodies. */
const bodiesOf = (status: number) =>
	broken(status).filter((_, at) => [400, 503].includes(status) || at === 0 || at % 5 === 2);

describe.each([429, 503])('Retry-After counts with status %i', (status) => {
	useFastClock(1000);
	const PAUSE_MS = 40_000;
	const asked = { 'Retry-After': String(PAUSE_MS / 1000) };
	const cut = response(status, { ...asked, ...JSON_TYPE, 'Content-Length': '99' }, message);

	test.each<[string, RawAnswer]>([
		['as it should be', response(status, { ...asked, ...JSON_TYPE }, message)],
		['labelled gzip without being so', response(status, { ...asked, ...GZIP_LABEL }, 'no')],
		['shorter than its length', cut],
		['reset within', { bytes: cut, then: 'reset' }],
	])('if its body is %s', async (_what, bytes) => {
		for (const road of ['push', 'delete', 'submit'] as const) {
			const times: number[] = [];
			answers(({ index }) => {
				times.push(performance.now());
				return index === 0 ? bytes : response(418);
			});
			requests.length = 0;
			await NODES[road]();
			const [first = 0, second = 0] = times;
			expect([road, second - first >= PAUSE_MS]).toEqual([road, true]);
		}
	});
});

describe.each([400, 401, 403, 404, 413, 422, 429, 500, 503])('status %i counts', (status) => {
	// After each 401, the run pauses, so that another worker can store a new token.
	if (status === 401) useFastClock(100);

	test.each(bodiesOf(status))('if its body is %s', async (_what, bytes) => {
		for (const road of ROADS) {
			// A 429 is repeated without limit, so only the first response has this status.
			answers(({ index }) => (status === 429 && index > 0 ? response(418) : bytes));
			requests.length = 0;
			const { output } = await NODES[road]();
			const expected = status === 429 ? 418 : status;
			if (road === 'poll' && status === 404) continue;
			expect([road, output[0]?.json.httpStatus]).toEqual([road, expected]);
			expect([road, output[0]?.json.error]).toEqual([
				road,
				expect.not.stringContaining('closed'),
			]);
			if ([400, 403, 404, 413, 422].includes(status))
				expect([road, requests.length]).toEqual([road, 1]);
		}
	});
});

test('a status counts if its body never ends', async () => {
	const bytes = response(400, { ...JSON_TYPE, 'Content-Length': '99' }, message);
	answers({ bytes, then: 'hang' });
	const { output } = await push([document], { timeoutSeconds: 1 });
	expect(output[0]?.json).toMatchObject({
		httpStatus: 400,
		error: naming('status 400', 'was not pushed'),
	});
});

test('no document is lost amid 429s with bodies that cannot be read', async () => {
	answers(({ index }) =>
		index % 10 === 9
			? response(429, { ...GZIP_LABEL, 'Retry-After': '0' }, 'no gzip')
			: response(200),
	);
	const documents = indexes(40).map((at) => ({ id: `d${at}`, name: 'A' }));
	const { output } = await push(documents, { documentsPerRequest: 1, concurrency: 4 });
	expect(jsonOf(output).filter(({ error }) => error)).toEqual([]);
	expect(output).toHaveLength(40);
});

test('Ignore Not Found applies to a 404 whose body cannot be read', async () => {
	answers(response(404, GZIP_LABEL, 'no gzip'));
	const { output } = await remove({ ignoreNotFound: true });
	expect(output[0]?.json).toMatchObject({ id: 'a', deleted: false });
});

test('a migration that is refused was not started, even if the body cannot be read', async () => {
	answers(response(400, GZIP_LABEL, 'no gzip'));
	const { output } = await migrate();
	expect(output[0]?.json.error).toEqual(naming('status 400', 'were not migrated'));
});

test('a revoked token is renewed after a 401 whose body cannot be read', async () => {
	const submitted = response(200, JSON_TYPE, '{"chunkingId":"6f1c","status":"SUBMITTED"}');
	let revoked: string | undefined;
	answers(({ headers: { authorization } }) => {
		revoked ??= authorization;
		return authorization === revoked ? response(401, GZIP_LABEL, 'no gzip') : submitted;
	});
	const { output } = await submit();
	expect(output[0]?.json).toMatchObject({ chunkingId: '6f1c' });
});

describe.each<[string, RawAnswer]>([
	['labelled gzip', response(401, GZIP_LABEL, 'no gzip')],
	['that breaks off', response(401, { 'Content-Length': '99' }, '{"error":')],
])('a 401 of the token server with a body %s', (_what, bytes) => {
	test('names the client', async () => {
		answers(bytes);
		const all = credentials({ ai: { authUrl: url() } });
		const { output } = await chunk([document], { operation: 'submit', options } as never, {
			...CONTINUE,
			credentials: all,
		});
		expect(output[0]?.json).toMatchObject({
			error: naming('the token server answered with status 401'),
			advice: naming("Check 'Client ID' and 'Client Secret' in the credential"),
		});
		expect(requests).toHaveLength(1);
		const { ok, message: shown } = await testCredential(TYPES.ai, all.lucidworksAiOAuth2Api);
		expect([ok, shown]).toEqual([false, naming('status 401', "'Client ID'")]);
	});
});

describe('a success that cannot be read', () => {
	const UNREADABLE = 'The response of the push service cannot be read: ';
	test.each<[string, RawAnswer, string]>([
		['labelled gzip', response(200, GZIP_LABEL, 'no gzip'), 'compressed'],
		[
			'labelled br',
			response(200, { 'Content-Encoding': 'br' }, 'no brotli at all'),
			'compressed',
		],
		[
			'labelled deflate',
			response(200, { 'Content-Encoding': 'deflate' }, 'no deflate'),
			'compressed',
		],
		[
			'in an encoding that n8n cannot decode',
			response(200, { 'Content-Encoding': 'unknown' }, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])),
			'compressed',
		],
		[
			'with long headers',
			response(200, { 'X-Long': 'x'.repeat(20_000) }),
			'its headers are too long',
		],
		['that is not HTTP', '220 mail.example.com ESMTP\r\n', 'it is not valid HTTP'],
		[
			'with an invalid header',
			'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
			'it is not valid HTTP',
		],
	])('%s says so', async (_what, bytes, why) => {
		answers(bytes);
		const { output } = await push();
		expect(output[0]?.json.error).toEqual(naming(UNREADABLE, why, 'it is unknown whether'));
		expect(output[0]?.json.error).not.toContain('closed');
		expect((await press('push')).message).toEqual(naming(UNREADABLE, why));
	});

	test.each<[string, Buffer]>([
		['gzip', response(200, GZIP_LABEL, gzipSync('OK'))],
		['deflate', response(200, { 'Content-Encoding': 'deflate' }, deflateSync('OK'))],
		['br', response(200, { 'Content-Encoding': 'br' }, brotliCompressSync('OK'))],
		[
			'identity',
			response(200, { 'Content-Encoding': 'identity' }, Buffer.from('gel\xf6scht', 'latin1')),
		],
		[
			'a label that is no compression',
			response(200, { 'Content-Encoding': 'utf-8' }, 'gelöscht'),
		],
		[
			'early hints first',
			Buffer.concat([Buffer.from('HTTP/1.1 103 X\r\n\r\n'), response(200)]),
		],
	])('but not: %s', async (_what, bytes) => {
		answers(bytes);
		const { output } = await push();
		expect(output[0]?.json).toMatchObject({ pushed: true });
	});

	test('a server without TLS says so', async () => {
		const { output } = await push([document], {}, url('https'));
		expect(output[0]?.json.error).toEqual(naming('it may not use TLS', 'was not pushed'));
	});
});

describe('one document that fails alone', () => {
	const reset = ({ body }: RawRequest): RawAnswer =>
		body.includes('"bad"') ? { bytes: '', then: 'reset' } : response(200);
	const documents = [
		{ id: 'bad', name: 'A' },
		...indexes(12).map((at) => ({ id: `d${at}`, name: 'A' })),
	];

	test.each([1, 5])(
		'is told so after a reset, with %i documents per request',
		async (documentsPerRequest) => {
			answers(reset);
			const { output } = await push(documents, {
				documentsPerRequest,
				concurrency: 2,
				retryForSeconds: 20,
			});
			const failed = jsonOf(output).filter(({ error }) => error);
			expect(failed).toMatchObject([
				{
					id: 'bad',
					advice: naming('Requests without this document succeed', 'ECONNRESET'),
				},
			]);
		},
	);
});
