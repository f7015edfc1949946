/**
 * Tests that no person or model can see a secret. This must be true even if a service repeats the secret anywhere in a
 * response.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { Run } from '../../nodes/shared/run/run';
import { packageCredentialType } from '../../support/credential-types';
import { runNode, testCredential, type CredentialData } from '../../support/engine';

type Answer = [status: number, body: unknown];

type Echoing = 'token' | 'push' | 'delete' | 'submit' | 'results' | 'blobs';

const LOGIN = { user: 'somebody', password: 'pass word+of/somebody' };
const CLIENT = { clientId: 'some-client', clientSecret: 'client+secret/of us' };
const API_KEY = 'push+key/of us';

/** The lifetime of a token. */
const LIFETIME_SECONDS = 3600;

let server: Server;
let url: string;
/** The kind of request whose response repeats the secret. `answer` creates the response. */
let echoing: Echoing;
let answer: (secret: string) => Answer;
let refusals: number;
/** Number of requests whose connection is lost before their response. After that, their token has expired. */
let losses: number;
/** Number of milliseconds by which the clock of the tokens has been moved forward. */
let skippedMs: number;
let tokens: string[];
let repeated: Set<string>;

/** Returns the secrets of a request, both as sent and decoded. */
function secretsIn({ headers }: IncomingMessage): string[] {
	const [scheme, sent = ''] = (headers.authorization ?? '').split(' ');
	const login = Buffer.from(sent, 'base64').toString();
	const all = scheme === 'Basic' ? [sent, login.slice(login.indexOf(':') + 1)] : [sent];
	return [...all, String(headers['x-api-key'] ?? '')].filter((secret) => secret !== '');
}

function routeOf({ method, url: path = '' }: IncomingMessage): Echoing {
	if (path.includes('/token')) return 'token';
	if (path.includes('/async-chunking/')) return method === 'POST' ? 'submit' : 'results';
	if (path.includes('/push')) return method === 'POST' ? 'push' : 'delete';
	return 'blobs';
}

function respond(request: IncomingMessage): Answer {
	const route = routeOf(request);
	const secrets = secretsIn(request);
	if (route !== 'token' && request.headers.authorization?.startsWith('Bearer')) {
		if (refusals > tokens.length - 1) return [401, { message: `Revoked: ${secrets.join()}` }];
	}
	if (route === echoing) {
		for (const secret of secrets) repeated.add(secret);
		// The secret is also repeated in URL-encoded form, as in a form body or a path.
		return answer([...repeated, ...[...repeated].map(encodeURIComponent)].join(' '));
	}
	if (route === 'submit') return [200, { chunkingId: 'job-1', status: 'SUBMITTED' }];
	if (route !== 'token') return [200, {}];
	tokens.push(`token-${tokens.length}-of-${'x'.repeat(20)}`);
	const token = { token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
	return [200, { ...token, access_token: tokens.at(-1) }];
}

beforeAll(async () => {
	server = createServer((request, response) => {
		request.resume();
		request.on('end', () => {
			if (losses > 0 && routeOf(request) === echoing) {
				losses--;
				for (const secret of secretsIn(request)) repeated.add(secret);
				skippedMs += 1000 * LIFETIME_SECONDS;
				request.socket.destroy();
				return;
			}
			const [status, body] = respond(request);
			const isText = typeof body === 'string';
			response.writeHead(status, {
				'Content-Type': isText ? 'text/plain' : 'application/json',
				'X-Echo': [...repeated].map(encodeURIComponent).join(),
			});
			response.end(isText ? body : JSON.stringify(body));
		});
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
	const { sleep } = Run.prototype;
	jest.spyOn(Run.prototype, 'sleep').mockImplementation(async function (this: Run, ms, wake) {
		await sleep.call(this, ms / 100, wake);
	});
	const now = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => now() + skippedMs);
	refusals = 0;
	losses = 0;
	skippedMs = 0;
	tokens = [];
	repeated = new Set();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((closed) => server.close(closed));
});

const credentials = (): CredentialData => ({
	lucidworksAiOAuth2Api: {
		...CLIENT,
		authUrl: url,
		authorizationServerId: 'server',
		aiUrl: url,
		scope: 'machinelearning.predict',
	},
	lucidworksPushApi: { pushUrl: url, endpoint: 'docs', apiKey: API_KEY },
	lucidworksBlobApi: { ...LOGIN, baseUrl: url, authentication: 'basic' },
});

/** Returns everything in a value as one string, including non-enumerable properties and causes. */
const allOf = (seen: unknown): string =>
	inspect(seen, { depth: Infinity, showHidden: true, maxStringLength: Infinity });

/** Checks that no secret is visible. Returns true if `***`, which replaces a secret, is visible. */
function expectNoSecret(seen: unknown): boolean {
	expect(repeated.size).toBeGreaterThan(0);
	const text = allOf(seen) + JSON.stringify(seen);
	const forms = [...repeated, ...tokens].flatMap((one) => [one, encodeURIComponent(one)]);
	for (const secret of forms) expect(text).not.toContain(secret);
	return text.includes('***');
}

/** The parts of a response that the nodes show, regardless of its status. */
const PLACES: Record<string, (secret: string) => unknown> = {
	'JSON in an error': (secret) => ({ error: { errors: [{ message: `No: ${secret}` }] } }),
	text: (secret) => `No: ${secret}`,
};
const RETURNED: Record<string, (secret: string) => unknown> = {
	'nested JSON': (secret) => ({ request: { headers: [{ value: secret }] } }),
	'a name of a member': (secret) => ({ seen: { [secret]: 1 } }),
	'a text': (secret) => `Done with ${secret}`,
	'an entry that is rejected': (secret) => ({ errors: [{ id: 'a', message: `No: ${secret}` }] }),
};

const CHUNK: INodeParameters = {
	output: 'chunks',
	modelId: { __rl: true, mode: 'id', value: 'm' },
	chunker: 'sentence',
};
const OPTIONS = { retryForSeconds: 0 };

interface Row {
	node: INodeType;
	parameters?: INodeParameters;
	route: Echoing;
	status: number;
	body: (secret: string) => unknown;
}

const rows: Record<string, Row> = {};
for (const [place, body] of Object.entries(PLACES)) {
	for (const status of [400, 401, 500]) {
		const add = (name: string, row: Omit<Row, 'status' | 'body'>) =>
			(rows[`${name}, status ${status}, ${place}`] = { ...row, status, body });
		add('push', { node: new PushDocuments(), route: 'push' });
		add('delete', { node: new DeleteDocument(), route: 'delete' });
		add('migration', {
			node: new MigrateBlobs(),
			parameters: { confirm: true },
			route: 'blobs',
		});
		add('token', { node: new ChunkText(), parameters: CHUNK, route: 'token' });
		// If a token is rejected with 401, the node renews it. A later test covers this case.
		if (status === 401) continue;
		add('submission', { node: new ChunkText(), parameters: CHUNK, route: 'submit' });
		const get = { ...CHUNK, operation: 'getResults', chunkingId: 'job-1' };
		add('poll', { node: new ChunkText(), parameters: get, route: 'results' });
	}
}
for (const [place, body] of Object.entries(RETURNED))
	rows[`push, status 200, ${place}`] = {
		node: new PushDocuments(),
		route: 'push',
		status: 200,
		body,
	};
const jobs: Record<string, (secret: string) => unknown> = {
	'a job that failed': (secret) => ({ chunkingId: 'job-1', status: 'ERROR', message: secret }),
	'a status': (secret) => ({ chunkingId: 'job-1', status: `WAITING FOR ${secret}` }),
	'results that cannot be read': (secret) => ({
		chunkingId: 'job-1',
		status: 'READY',
		chunkedData: [{ message: secret }],
	}),
};
for (const [place, body] of Object.entries(jobs)) {
	const parameters = { ...CHUNK, operation: 'getResults', chunkingId: 'job-1' };
	rows[`poll, ${place}`] = {
		node: new ChunkText(),
		parameters,
		route: 'results',
		status: 200,
		body,
	};
}
rows['submission, a job that failed'] = {
	node: new ChunkText(),
	parameters: CHUNK,
	route: 'submit',
	status: 200,
	body: (secret) => ({ status: 'ERROR', message: secret }),
};

const MODES = ['stopWorkflow', 'continueRegularOutput'] as const;

/** Runs a row's node in each error mode. Checks that the text echoed by the service appears without the secret. */
async function expectMasked(
	{ node, parameters, route, status, body }: Row,
	lost = 0,
): Promise<void> {
	echoing = route;
	answer = (secret) => [status, body(secret)];
	const seen: unknown[] = [];
	for (const onError of MODES) {
		tokens = [];
		repeated = new Set();
		losses = lost;
		const { run, output, error, hints } = await runNode({
			node,
			parameters: { ...parameters, options: OPTIONS },
			items: [{ id: 'a', name: 'A', text: 'A text.' }],
			credentials: credentials(),
			onError,
		});
		seen.push(error, hints, output, run);
		// The attempt after a lost one has another token, and the response may repeat both.
		if (lost > 0) expect(repeated.size).toBe(2);
	}
	// The service's echo must be visible, with its secrets masked. Otherwise, the test would prove nothing.
	expect(expectNoSecret(seen)).toBe(true);
}

describe('in the first request of a run', () => {
	it.each(Object.entries(rows))('%s', async (_name, row) => await expectMasked(row));
});

describe('after the token was renewed', () => {
	const withToken = Object.entries(rows).filter(([, { route }]) =>
		['submit', 'results'].includes(route),
	);
	it.each(withToken)('%s', async (_name, row) => {
		refusals = 1;
		await expectMasked(row);
		expect(tokens).toHaveLength(2);
	});
});

describe('after an attempt whose response was lost', () => {
	const withToken = Object.entries(rows).filter(([, { route }]) =>
		['submit', 'results'].includes(route),
	);
	it.each(withToken)('%s', async (_name, row) => await expectMasked(row, 1));
});

describe('in the test of a credential', () => {
	const types: Array<[string, string, Echoing]> = [
		['token', 'lucidworksAiOAuth2Api', 'token'],
		['chunking', 'lucidworksAiOAuth2Api', 'results'],
		['push', 'lucidworksPushApi', 'push'],
		['blobs', 'lucidworksBlobApi', 'blobs'],
	];
	const cases = types.flatMap(([name, type, route]) =>
		[400, 401, 500].flatMap((status) =>
			Object.entries(PLACES).map(
				([place, body]) =>
					[`${name}, status ${status}, ${place}`, type, route, status, body] as const,
			),
		),
	);
	it.each(cases)('%s', async (_name, typeName, route, status, body) => {
		const type = packageCredentialType(typeName);
		if (!type) throw new Error(`There is no ${typeName}`);
		echoing = route;
		answer = (secret) => [status, body(secret)];
		const { ok, message } = await testCredential(type, credentials()[type.name] ?? {});
		const isMasked = expectNoSecret(message);
		// Any status from the chunking service except 401 and 403 means that the token was accepted. In this case,
		// the credential test succeeds and does not show the response.
		const isAccepted = route === 'results' && ![401, 403].includes(status);
		expect({ ok, isMasked }).toEqual({ ok: isAccepted, isMasked: !isAccepted });
	});
});
