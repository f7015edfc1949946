import type { GenericAbortSignal } from 'axios';

import { exchange } from '../../../nodes/shared/session/exchange';
import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { InputError } from '../../../nodes/shared/service/input-error';
import { eventually } from '../../../support/eventually';

const ENDPOINT = { name: 'the push service', urlLabel: 'Push Service URL' };
const MB = 1_000_000;
const delay = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

const response = (
	body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
	statusCode = 200,
	headers = {},
) => ({ statusCode, headers, body });
type Send = Parameters<typeof exchange>[0]['send'];
const asking = async (send: Send, timeoutMs = 60_000, cancels = new Set<() => void>()) =>
	await exchange({ send, endpoint: () => ENDPOINT, timeoutMs, cancels });
const reading = async (text: string | Buffer, status = 200) =>
	await asking(async () => response([Buffer.from(text)], status));

test.each([
	['JSON', '{"a":[1,null]}', { a: [1, null] }],
	['JSON with a byte order mark', '\uFEFF[1]', [1]],
	['text', 'OK', 'OK'],
	['nothing', '', ''],
	['damaged JSON', '{"a":', '{"a":'],
])('reads %s', async (_what, text, body) => {
	expect(await reading(text)).toEqual({ status: 200, body, isPage: false });
});

test('parses a complete body, wherever its pieces end', async () => {
	const bytes = Buffer.from('{"a":"ä€😀"}');
	const pieces = [...bytes].map((byte) => Buffer.from([byte]));
	expect(await asking(async () => response(pieces))).toMatchObject({ body: { a: 'ä€😀' } });
});

test.each([
	[{ 'retry-after': '7' }, 7_000],
	[
		{
			'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT',
			date: 'Wed, 21 Oct 2015 07:28:00 GMT',
		},
		30_000,
	],
])('measures the wait by the clock of the service: %j', async (headers, retryAfterMs) => {
	const read = await asking(async () => response([], 429, headers));
	expect(read).toMatchObject({ status: 429, retryAfterMs });
});

describe('a body that does not end', () => {
	let sent: number;
	beforeEach(() => {
		sent = 0;
	});
	async function* endless(bytes = MB) {
		for (;;) {
			sent += bytes;
			yield Buffer.alloc(bytes, 'x');
		}
	}

	test('is an error after 64 MB of a successful response', async () => {
		await expect(asking(async () => response(endless()))).rejects.toMatchObject({
			message: expect.stringMatching(/is longer than 64 MB and was not read to its end/),
			isOutcomeUnknown: true,
		});
		expect(sent).toBe(65 * MB);
	});

	test('is cut off after 1 MB of an error response', async () => {
		const { body } = await asking(async () => response(endless(), 500));
		expect(String(body)).toMatch(/^x{100}/);
		expect(sent).toBe(2 * MB);
	});

	test('fails at the time limit, even if bytes keep arriving', async () => {
		async function* trickle() {
			for (;;) {
				await delay(5);
				yield Buffer.from(' ');
			}
		}
		const ending = asking(async () => response(trickle()), 50);
		await expect(ending).rejects.toThrow('The push service did not answer within 0.1 s');
	});
});

test('the body is no longer read when its exchange is ended', async () => {
	let isRead = false;
	let isClosed = false;
	async function* slow() {
		try {
			for (;;) {
				isRead = true;
				await delay(1);
				yield Buffer.from(' ');
			}
		} finally {
			isClosed = true;
		}
	}
	const cancels = new Set<() => void>();
	const exchanged = asking(async () => response(slow()), 60_000, cancels);
	await eventually(
		() => isRead && cancels.size > 0,
		() => cancels.size,
	);
	for (const cancel of cancels) cancel();
	await expect(exchanged).rejects.toThrow();
	await eventually(
		() => isClosed,
		() => 'a body that is still read',
	);
});

describe('a request ends', () => {
	const hang: Send = async ({ abortSignal }) =>
		await new Promise((_resolve, reject) => {
			const signal: GenericAbortSignal = abortSignal;
			signal.addEventListener?.('abort', () => reject(new Error('canceled')));
		});
	/** A request that ignores a cancellation. n8n behaves this way while several requests wait for the same token. */
	const deaf: Send = async () => await new Promise(() => {});

	test.each([
		['what n8n sends', hang],
		['what n8n waits for', deaf],
	])('at its time limit: %s', async (_what, send) => {
		const error: unknown = await asking(send, 20).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(ServiceFailure);
		expect(error).toMatchObject({ transportCode: 'ETIMEDOUT', isOutcomeUnknown: true });
	});

	test.each([
		['what n8n sends', hang],
		['what n8n waits for', deaf],
	])('after a cancel: %s', async (_what, send) => {
		const cancels = new Set<() => void>();
		const ended = asking(send, 60_000, cancels);
		for (const cancel of cancels) cancel();
		await expect(ended).rejects.toThrow();
	});
});

test('the time limit may be longer than the longest timer', async () => {
	const slow: Send = async () => await delay(20).then(() => response([]));
	expect(await asking(slow, 2 ** 40)).toMatchObject({ status: 200 });
});

test.each([
	['a failure', new ServiceFailure('No token', { kind: 'token' })],
	['an unusable credential', new InputError("'Client ID' is empty", 'Fill it in.')],
])('%s of the credential is thrown unchanged, although n8n wraps it', async (_what, thrown) => {
	const wrapped = Object.assign(new Error('NodeApiError'), { cause: thrown });
	await expect(asking(async () => await Promise.reject(wrapped))).rejects.toBe(thrown);
});

test('an error while a response arrives is not reported as a refused connection', async () => {
	async function* broken() {
		yield Buffer.from('{');
		await Promise.reject(Object.assign(new Error('x'), { code: 'X', syscall: 'connect' }));
	}
	await expect(asking(async () => response(broken()))).rejects.toMatchObject({
		message: 'The response of the push service cannot be read: x',
		isOutcomeUnknown: true,
	});
});
