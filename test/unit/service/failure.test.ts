import fc from 'fast-check';

import {
	judge,
	mayBeGoingOn,
	serverMessage,
	ServiceFailure,
	type FailureDetails,
	type Verdict,
} from '../../../nodes/shared/service/failure';

const NOTHING: Verdict = {
	retry: false,
	throttled: false,
	tooLarge: false,
	rejected: false,
	hopeless: false,
};

describe('judge', () => {
	/** What a failure allows where the request may be repeated, and where it may not. */
	const table: Array<[string, FailureDetails, Partial<Verdict>, Partial<Verdict>?]> = [
		['302', { kind: 'status', status: 302 }, { hopeless: true }],
		['400', { kind: 'status', status: 400 }, { rejected: true }],
		['401', { kind: 'status', status: 401 }, { hopeless: true }],
		['403', { kind: 'status', status: 403 }, { hopeless: true }],
		['404', { kind: 'status', status: 404 }, {}],
		['408', { kind: 'status', status: 408 }, { retry: true }, {}],
		['409', { kind: 'status', status: 409 }, {}],
		['413', { kind: 'status', status: 413 }, { tooLarge: true }],
		['422', { kind: 'status', status: 422 }, { rejected: true }],
		['425', { kind: 'status', status: 425 }, { retry: true }, {}],
		['429', { kind: 'status', status: 429 }, { retry: true, throttled: true }],
		['500', { kind: 'status', status: 500 }, { retry: true }, {}],
		['501', { kind: 'status', status: 501 }, {}],
		['502', { kind: 'status', status: 502 }, { retry: true }, {}],
		['503', { kind: 'status', status: 503 }, { retry: true }, {}],
		['504', { kind: 'status', status: 504 }, { retry: true }, {}],
		['505', { kind: 'status', status: 505 }, {}],
		['507', { kind: 'status', status: 507 }, { retry: true }, {}],
		['520 of a proxy', { kind: 'status', status: 520 }, { retry: true }, {}],
		['529', { kind: 'status', status: 529 }, { retry: true }, {}],
		['599', { kind: 'status', status: 599 }, { retry: true }, {}],
		['424', { kind: 'status', status: 424 }, {}],
		['a refused connection', { kind: 'transport', code: 'ECONNREFUSED' }, { retry: true }],
		['an unknown host', { kind: 'transport', code: 'ENOTFOUND' }, { retry: true }],
		['a DNS fault', { kind: 'transport', code: 'EAI_AGAIN' }, { retry: true }],
		['a lost connection', { kind: 'transport', code: 'ECONNRESET' }, { retry: true }, {}],
		['a time-out', { kind: 'transport', code: 'ETIMEDOUT' }, { retry: true }, {}],
		['an aborted one', { kind: 'transport', code: 'ECONNABORTED' }, { retry: true }, {}],
		['a bad certificate', { kind: 'transport', code: 'CERT_HAS_EXPIRED' }, { hopeless: true }],
		['a TLS fault', { kind: 'transport', code: 'EPROTO' }, { hopeless: true }],
		['what n8n did not send', { kind: 'transport' }, {}],
		['a busy token server', { kind: 'token', status: 503, transient: true }, { retry: true }],
		['a refused client', { kind: 'token', status: 401 }, { hopeless: true }],
		['an unusable reply', { kind: 'reply', status: 200 }, {}],
	];

	test.each(table)('%s', (_, details, repeatable, otherwise = repeatable) => {
		const failure = new ServiceFailure('x', details);
		expect(judge(failure, true)).toEqual({ ...NOTHING, ...repeatable });
		expect(judge(failure, false)).toEqual({ ...NOTHING, ...otherwise });
	});

	test('passes on how long the service asked to wait, also 0', () => {
		for (const retryAfterMs of [0, 7000]) {
			const failure = new ServiceFailure('x', { kind: 'status', status: 503, retryAfterMs });
			expect(judge(failure, true)).toMatchObject({ retry: true, retryAfterMs });
		}
	});

	test.each([[new Error('bug')], ['text'], [undefined], [{ kind: 'status', httpStatus: 503 }]])(
		'any other error allows nothing: %p',
		(error) => {
			expect(judge(error, true)).toEqual(NOTHING);
		},
	);
});

test.each<[string, FailureDetails, boolean]>([
	['a lost connection', { kind: 'transport', code: 'ECONNRESET' }, true],
	['a time-out', { kind: 'transport', code: 'ETIMEDOUT' }, true],
	['a refused connection', { kind: 'transport', code: 'ECONNREFUSED' }, false],
	['a bad certificate', { kind: 'transport', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, false],
	['what n8n did not send', { kind: 'transport' }, false],
	['a gateway that gave up', { kind: 'status', status: 504 }, true],
	['a fault of the service', { kind: 'status', status: 500 }, true],
	['a request that took too long', { kind: 'status', status: 408 }, true],
	['a reply nobody can read', { kind: 'reply', status: 200 }, true],
	['a refusal', { kind: 'status', status: 400 }, false],
	['too many requests', { kind: 'status', status: 429 }, false],
	['a redirect', { kind: 'status', status: 307 }, false],
	['a token that could not be had', { kind: 'token', code: 'ECONNRESET' }, false],
])('after %s the service may be at it: %s', (_, details, expected) => {
	expect(mayBeGoingOn(new ServiceFailure('x', details))).toBe(expected);
	expect(mayBeGoingOn(new Error('x'))).toBe(false);
});

test('a failure carries its details, but not under names that n8n would read', () => {
	const failure = new ServiceFailure('busy', {
		kind: 'status',
		status: 503,
		code: 'X',
		description: 'Wait.',
		retryAfterMs: 5,
	});
	expect({ ...failure }).toEqual({
		name: 'ServiceFailure',
		kind: 'status',
		httpStatus: 503,
		transportCode: 'X',
		description: 'Wait.',
		retryAfterMs: 5,
		transient: false,
	});
	expect(failure.message).toBe('busy');
	expect(failure).toBeInstanceOf(Error);
});

describe('serverMessage', () => {
	test.each<[string, unknown, string]>([
		['the token error object', { error: 'invalid_client', error_description: 'Bad' }, 'Bad'],
		['only an error code', { error: 'invalid_client' }, 'invalid_client'],
		['title and message', { title: 'Bad Request', message: 'No id', status: 400 }, 'No id'],
		['only a title', { title: 'Bad Request', status: 400 }, 'Bad Request'],
		['an empty message', { message: '', title: 'Bad Request' }, 'Bad Request'],
		['detail', { detail: 'No id' }, 'No id'],
		['a reason', { type: 'mapper', reason: 'No id' }, 'No id'],
		['an error within', { error: { code: 7, message: 'No id' } }, 'No id'],
		['a list of errors', { errors: [{ message: 'a' }, 'b', 3, null] }, 'a; b'],
		['a list', [{ message: 'a' }, { title: 'b' }], 'a; b'],
		['plain text', '  no\r\n\tid ', 'no id'],
		['control characters', 'a\u0000b\u2028c', 'a b c'],
		['HTML', '\n<!DOCTYPE html><html>502</html>', ''],
		['nothing readable', { status: 400 }, ''],
		['a number', 7, ''],
		['null', null, ''],
		['undefined', undefined, ''],
		['empty text', '', ''],
	])('%s', (_, body, expected) => {
		expect(serverMessage(body)).toBe(expected);
	});

	test('is one line that is not long, whatever the reply', () => {
		expect(serverMessage('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`);
		expect(serverMessage('x'.repeat(500))).toBe('x'.repeat(500));
		fc.assert(
			fc.property(
				fc.jsonValue(),
				fc.string({ maxLength: 2000, unit: 'binary' }),
				(json, text) => {
					for (const body of [json, { message: json }, text, [text, text]]) {
						const line = serverMessage(body);
						expect(line.length).toBeLessThanOrEqual(501);
						expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
					}
				},
			),
		);
	});
});
