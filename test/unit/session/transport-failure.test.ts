import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Agent } from 'node:https';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

import axios from 'axios';

import { TOKEN_SERVER } from '../../../nodes/shared/session/token-sender';
import { timeoutFailure, transportFailure } from '../../../nodes/shared/session/transport-failure';
import { selfSigned } from '../../../support/certificate';
import { NO_HOST } from '../../../support/no-host';

const ENDPOINT = { name: 'the push service', urlLabel: 'Push URL' };

function transportFacts(error: unknown) {
	const { transportCode: code, wasNeverSent, isTransient } = transportFailure(error, ENDPOINT);
	return { code, wasNeverSent, permanent: code !== undefined && !isTransient };
}
type TransportFacts = ReturnType<typeof transportFacts>;

const servers: Server[] = [];
const sockets = new Set<Socket>();

async function listen(server: Server): Promise<number> {
	servers.push(server);
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

const tcp = async (onConnection: (socket: Socket) => void) =>
	await listen(createServer(onConnection));

async function tls(onConnection: (socket: Socket) => void, options: TlsOptions = {}) {
	const server = createTlsServer({ ...selfSigned(), ...options }, (socket) => {
		socket.on('error', () => {});
		onConnection(socket);
	});
	server.on('tlsClientError', () => {});
	return await listen(server);
}

/** Returns the error that n8n's HTTP helper throws. Its cause is the axios error. */
async function errorOf(
	url: string,
	{ trusting = true, signal = undefined as AbortSignal | undefined } = {},
) {
	try {
		await axios.post(url, Buffer.from('{"a":1}'), {
			timeout: 25_000,
			maxRedirects: 0,
			proxy: false,
			httpsAgent: new Agent({ rejectUnauthorized: !trusting }),
			...(signal && { signal }),
		});
	} catch (cause) {
		const { code } = cause as { code?: string };
		return Object.assign(new Error('The service is offline', { cause }), { httpCode: code });
	}
	throw new Error('The request succeeded');
}

const closing = (socket: Socket) => socket.on('data', () => socket.destroy());
const resetting = (socket: Socket) => socket.on('data', () => socket.resetAndDestroy());
const silent = () => {};

afterAll(async () => {
	sockets.forEach((socket) => socket.destroy());
	await Promise.all(
		servers.map(async (server) => await new Promise((resolve) => server.close(resolve))),
	);
});

describe('requests over real sockets', () => {
	test('a request is known not to be sent if the connection is refused', async () => {
		const port = await tcp(silent);
		await new Promise((resolve) => servers.pop()?.close(resolve));
		for (const protocol of ['http', 'https']) {
			const error = await errorOf(`${protocol}://127.0.0.1:${port}/`);
			const expected = { code: 'ECONNREFUSED', wasNeverSent: true, permanent: false };
			expect(transportFacts(error)).toEqual(expected);
		}
	});

	test('a request is known not to be sent if the host name does not exist', async () => {
		const facts = transportFacts(await errorOf(`http://${NO_HOST}/`));
		expect(facts).toMatchObject({ wasNeverSent: true, permanent: false });
		expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(facts.code);
	});

	test.each<[string, (socket: Socket) => void, string]>([
		['closed', closing, 'ECONNRESET'],
		['reset', resetting, 'ECONNRESET'],
	])('once written, a request that is %s may have arrived', async (_, behavior, code) => {
		const port = await tcp(behavior);
		const facts = transportFacts(await errorOf(`http://127.0.0.1:${port}/`));
		expect(facts).toEqual({ code, wasNeverSent: false, permanent: false });
	});

	test.each<[string, (socket: Socket) => void, string]>([
		['closed', closing, 'ECONNRESET'],
		['reset', resetting, 'ECONNRESET'],
		['answered in plain HTTP', (socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'), 'EPROTO'],
	])('a TLS handshake that is %s was never sent over', async (_, behavior, code) => {
		const port = await tcp(behavior);
		const facts = transportFacts(await errorOf(`https://127.0.0.1:${port}/`));
		expect(facts).toEqual({ code, wasNeverSent: true, permanent: false });
	});

	test('a certificate that is not trusted is permanent, and nothing was sent', async () => {
		const port = await tls(silent);
		const error = await errorOf(`https://127.0.0.1:${port}/`, { trusting: false });
		const code = 'DEPTH_ZERO_SELF_SIGNED_CERT';
		expect(transportFacts(error)).toEqual({ code, wasNeverSent: true, permanent: true });
	});

	test('a client certificate that is required is permanent, but the request may have arrived', async () => {
		// In TLS 1.3, a client without a certificate finishes the handshake before the server rejects it.
		const port = await tls(silent, { requestCert: true, minVersion: 'TLSv1.3' });
		const facts = transportFacts(await errorOf(`https://127.0.0.1:${port}/`));
		expect(facts).toMatchObject({ wasNeverSent: false, permanent: true });
	});
});

describe('evidence', () => {
	const wrapped = (cause: unknown, levels: number): unknown =>
		levels === 0 ? cause : wrapped(Object.assign(new Error('x'), { cause }), levels - 1);
	const system = (code: string, syscall?: string) =>
		Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

	test.each<[string, unknown, TransportFacts]>([
		[
			'a domain n8n does not allow',
			new Error('Domain not allowed'),
			{ code: undefined, wasNeverSent: true, permanent: false },
		],
		[
			'an IP range n8n blocks',
			{
				message: 'blocked',
				httpCode: null,
				cause: { request: {}, cause: new Error('SSRF') },
			},
			{ code: undefined, wasNeverSent: true, permanent: false },
		],
		[
			'a failure without a code after a response began',
			{ cause: { request: { res: {} } } },
			{ code: undefined, wasNeverSent: false, permanent: false },
		],
		[
			'a code without a system call',
			system('ECONNREFUSED'),
			{ code: 'ECONNREFUSED', wasNeverSent: false, permanent: false },
		],
		[
			'only the code that n8n keeps',
			{ httpCode: 'ECONNREFUSED' },
			{ code: 'ECONNREFUSED', wasNeverSent: false, permanent: false },
		],
		[
			'a timeout of connecting',
			wrapped(system('ETIMEDOUT', 'connect'), 2),
			{ code: 'ETIMEDOUT', wasNeverSent: true, permanent: false },
		],
		[
			'a timeout of reading',
			wrapped(system('ETIMEDOUT', 'read'), 2),
			{ code: 'ETIMEDOUT', wasNeverSent: false, permanent: false },
		],
		[
			'a host with several addresses that all refuse',
			wrapped(
				Object.assign(
					new AggregateError([system('A', 'connect'), system('B', 'connect')]),
					{
						code: 'ECONNREFUSED',
					},
				),
				1,
			),
			{ code: 'ECONNREFUSED', wasNeverSent: true, permanent: false },
		],
		[
			'a host with several addresses, one of which was reached',
			Object.assign(new AggregateError([system('A', 'connect'), system('B', 'write')]), {
				code: 'ECONNRESET',
			}),
			{ code: 'ECONNRESET', wasNeverSent: false, permanent: false },
		],
		[
			'a handshake that is over',
			{ code: 'ECONNRESET', request: { socket: { secureConnecting: false } } },
			{ code: 'ECONNRESET', wasNeverSent: false, permanent: false },
		],
	])('%s', (_, error, facts) => {
		expect(transportFacts(error)).toEqual(facts);
	});

	test.each([
		'CERT_HAS_EXPIRED',
		'CERT_REVOKED',
		'CRL_HAS_EXPIRED',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
		'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'HOSTNAME_MISMATCH',
		'INVALID_CA',
		'INVALID_PURPOSE',
		'PATH_LENGTH_EXCEEDED',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	])('%s is permanent', (code) => {
		expect(transportFacts({ code }).permanent).toBe(true);
	});

	test.each([
		'EPROTO',
		'ECONNRESET',
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'ERR_CANCELED',
		'Z_BUF_ERROR',
	])('%s may pass', (code) => {
		expect(transportFacts({ code }).permanent).toBe(false);
	});
});

describe('the message', () => {
	const system = (code: string, syscall: string) =>
		Object.assign(new Error(code), {
			code,
			cause: Object.assign(new Error(code), { syscall }),
		});

	test.each<[string, unknown, string, RegExp | undefined]>([
		[
			'a refused connection',
			system('ECONNREFUSED', 'connect'),
			'The push service could not be reached: the connection was refused',
			/^Check 'Push URL' in the credential and whether the push service is up.*HTTP_PROXY.*\(code ECONNREFUSED\)\.$/,
		],
		[
			'a connection that could not be made',
			system('ESOMETHING', 'connect'),
			'The push service could not be reached: no connection could be made',
			/HTTP_PROXY/,
		],
		[
			'a server without TLS',
			system('EPROTO', 'connect'),
			'The push service could not be reached: it may not use TLS',
			/HTTP_PROXY/,
		],
		[
			'a connection that closed',
			system('ECONNRESET', 'read'),
			'The connection to the push service closed before the response was complete',
			/^Check 'Push URL' in the credential and whether the push service is up \(code/,
		],
		[
			'a system that gave up waiting',
			system('ETIMEDOUT', 'read'),
			'The push service did not answer in time',
			/is up/,
		],
		[
			'a certificate',
			system('CERT_HAS_EXPIRED', 'connect'),
			'The push service could not be reached: its certificate is not trusted',
			/'Push URL'.*NODE_EXTRA_CA_CERTS.*\(code CERT_HAS_EXPIRED\)/,
		],
		[
			'a domain that the credential does not allow',
			new Error('Domain not allowed'),
			'Domain not allowed',
			/'Allowed HTTP Request Domains', add the host of 'Push URL'/,
		],
		[
			'a proxy that made no tunnel',
			new Error('Proxy connection ended'),
			'Proxy connection ended',
			/^Check 'Push URL' in the credential\. If n8n uses a proxy, also check its HTTP_PROXY/,
		],
		['what is no error', 'broken', 'n8n did not send the request', undefined],
	])('of %s', (_what, thrown, message, advice) => {
		const failure = transportFailure(thrown, ENDPOINT);
		expect(failure.message).toBe(message);
		if (advice) expect(failure.description).toMatch(advice);
		else expect(failure.description).toBeUndefined();
	});

	test.each([
		[ENDPOINT, 30_000, true],
		[TOKEN_SERVER, 29_000, true],
		[TOKEN_SERVER, 30_000, false],
	])(
		'of a timeout suggests more time only if a parameter allows it: %j, %i ms',
		(endpoint, ms, canHaveMore) => {
			const { description = '', message, isOutcomeUnknown } = timeoutFailure(endpoint, ms);
			expect(message).toMatch(/ did not answer within (30|29) s$/);
			expect(isOutcomeUnknown).toBe(endpoint === ENDPOINT);
			expect(description).toContain(`Check '${endpoint.urlLabel}' in the credential`);
			expect(description.includes('increase')).toBe(canHaveMore);
		},
	);

	test('nothing was sent without a token, whatever the result of the token request', () => {
		const failure = transportFailure(system('ECONNRESET', 'read'), TOKEN_SERVER);
		expect(failure).toMatchObject({
			kind: 'token',
			wasNeverSent: true,
			isOutcomeUnknown: false,
		});
	});
});

describe('an entry that fails alone', () => {
	const endpoint = { ...ENDPOINT, entry: 'text' as const };
	const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
	const refused = Object.assign(new Error('refused'), {
		code: 'ECONNREFUSED',
		syscall: 'connect',
	});

	it.each([
		['a reset', transportFailure(reset, endpoint)],
		['a timeout', timeoutFailure(endpoint, 1000)],
	])('is named as the cause after %s', (_case, failure) => {
		expect(failure.description).toMatch(/^Check 'Push URL'/);
		expect(failure.forIsolatedEntry().description).toMatch(
			/^Requests without this text succeed, /,
		);
	});

	it.each([
		['no connection was made', transportFailure(refused, endpoint)],
		['the server is not the service', transportFailure(reset, ENDPOINT)],
		['no token was issued', transportFailure(reset, { ...endpoint, kind: 'token' })],
	])('is not named if %s', (_case, failure) => {
		expect(failure.forIsolatedEntry().description).toBe(failure.description);
	});
});
