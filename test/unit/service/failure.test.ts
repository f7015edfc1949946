import fc from 'fast-check';

import {
	diagnose,
	MAX_RETRY_AFTER_MS,
	ServiceFailure,
	type FailureDetails,
} from '../../../nodes/shared/service/failure';
import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { serverMessage } from '../../../nodes/shared/service/response-words';

describe('diagnose', () => {
	const retry: Diagnosis = { action: 'retry', kind: 'down' };
	const again: Diagnosis = { action: 'retry' };
	const split: Diagnosis = { action: 'split' };
	const stop: Diagnosis = { action: 'stop' };
	const fail: Diagnosis = { action: 'fail' };
	const connection = (code: string, more: Partial<FailureDetails> = {}): FailureDetails => ({
		kind: 'transport',
		code,
		...more,
	});
	const wasNeverSent = { wasNeverSent: true };

	/**
	 * The first diagnosis applies to an idempotent request. The second diagnosis, if there is one, applies to any other
	 * request.
	 */
	const table: Array<[string, FailureDetails, Diagnosis, Diagnosis?]> = [
		['302', { kind: 'status', status: 302 }, stop],
		['304', { kind: 'status', status: 304 }, stop],
		['400', { kind: 'status', status: 400 }, split],
		['401', { kind: 'status', status: 401 }, stop],
		['403', { kind: 'status', status: 403 }, { action: 'split', kind: 'forbidden' }],
		['404', { kind: 'status', status: 404 }, fail],
		['407', { kind: 'status', status: 407 }, stop],
		['408', { kind: 'status', status: 408 }, retry, fail],
		['409', { kind: 'status', status: 409 }, fail],
		['413', { kind: 'status', status: 413 }, { action: 'split', kind: 'tooLarge' }],
		['422', { kind: 'status', status: 422 }, split],
		['424', { kind: 'status', status: 424 }, fail],
		['425', { kind: 'status', status: 425 }, retry, fail],
		['429', { kind: 'status', status: 429 }, { action: 'retry', kind: 'throttled' }],
		['500', { kind: 'status', status: 500 }, retry, fail],
		['501', { kind: 'status', status: 501 }, fail],
		['502', { kind: 'status', status: 502 }, retry, fail],
		['503', { kind: 'status', status: 503 }, { ...retry, kind: 'overloaded' }, fail],
		['504', { kind: 'status', status: 504 }, retry, fail],
		['505', { kind: 'status', status: 505 }, fail],
		['507', { kind: 'status', status: 507 }, retry, fail],
		['520 of a proxy', { kind: 'status', status: 520 }, retry, fail],
		['a connection that was refused', connection('ECONNREFUSED', wasNeverSent), retry, again],
		['a connection with the code of a refused one', connection('ECONNREFUSED'), retry, fail],
		['a lost connection', connection('ECONNRESET'), retry, fail],
		[
			'a connection lost in the handshake',
			connection('ECONNRESET', wasNeverSent),
			retry,
			again,
		],
		['a timeout', connection('ETIMEDOUT'), retry, fail],
		['a canceled request', connection('ERR_CANCELED'), retry, fail],
		['a broken TLS connection', connection('EPROTO'), retry, fail],
		['a broken TLS handshake', connection('EPROTO', wasNeverSent), retry, again],
		[
			'a bad certificate',
			connection('CERT_HAS_EXPIRED', { ...wasNeverSent, isTransient: false }),
			stop,
		],
		['a required client certificate', connection('EPROTO', { isTransient: false }), stop],
		['a request that n8n refused to send', { kind: 'transport', wasNeverSent: true }, fail],
		[
			'a busy token server',
			{ kind: 'token', isTransient: true },
			{ ...again, kind: 'noToken' },
		],
		['a refused client', { kind: 'token', status: 401 }, stop],
		['an unusable response', { kind: 'response', status: 200 }, fail],
		['a rejected document', { kind: 'rejected', status: 503 }, fail],
	];

	test.each(table)('%s', (_, details, idempotent, otherwise = idempotent) => {
		const failure = new ServiceFailure('x', details);
		expect(diagnose(failure, { idempotent: true })).toEqual(idempotent);
		expect(diagnose(failure, { idempotent: false })).toEqual(otherwise);
	});

	test.each([
		[0, 0],
		[7000, 7000],
		[MAX_RETRY_AFTER_MS, 300_000],
		[MAX_RETRY_AFTER_MS + 1, 300_000],
		[Infinity, 300_000],
	])('a Retry-After of %p ms is a pause of %p ms', (retryAfterMs, delayMs) => {
		const failure = new ServiceFailure('x', { kind: 'status', status: 502, retryAfterMs });
		expect(diagnose(failure, { idempotent: true })).toMatchObject({ action: 'retry', delayMs });
	});

	test('a Retry-After has no effect if the request is not retried', () => {
		const details: FailureDetails = { kind: 'status', status: 503, retryAfterMs: 7000 };
		expect(diagnose(new ServiceFailure('x', details), { idempotent: false })).toEqual(fail);
	});

	test('503 slows down all requests, like 429, except if the token server answers it', () => {
		const diagnosisOf = (details: Omit<FailureDetails, 'status'>) =>
			diagnose(new ServiceFailure('x', { status: 503, ...details }), { idempotent: true });
		expect(diagnosisOf({ kind: 'status', retryAfterMs: 7000 })).toMatchObject({
			action: 'retry',
			delayMs: 7000,
			kind: 'overloaded',
		});
		expect(diagnosisOf({ kind: 'status' })).toMatchObject({
			action: 'retry',
			kind: 'overloaded',
		});
		const busy = diagnosisOf({ kind: 'token', isTransient: true, retryAfterMs: 7000 });
		expect(busy).toMatchObject({ action: 'retry', delayMs: 7000 });
	});

	test.each([[new Error('bug')], ['text'], [undefined], [{ kind: 'status', httpStatus: 503 }]])(
		'any other error fails: %p',
		(error) => {
			expect(diagnose(error, { idempotent: true })).toEqual(fail);
		},
	);

	test('a request that is not idempotent is retried only if it never reached the service, or after 429', () => {
		const details = fc.record<FailureDetails>(
			{
				kind: fc.constantFrom('status', 'transport', 'token', 'response', 'rejected'),
				status: fc.integer({ min: 100, max: 599 }),
				code: fc.constantFrom('ECONNREFUSED', 'ECONNRESET', 'EPROTO', 'CERT_REVOKED'),
				wasNeverSent: fc.boolean(),
			},
			{ requiredKeys: ['kind', 'status'] },
		);
		fc.assert(
			fc.property(details, (any) => {
				const failure = new ServiceFailure('x', any);
				if (diagnose(failure, { idempotent: false }).action !== 'retry') return;
				expect(failure.wasNeverSent || failure.httpStatus === 429).toBe(true);
				expect(failure.isOutcomeUnknown).toBe(false);
			}),
		);
	});
});

describe('isOutcomeUnknown', () => {
	test.each<[string, FailureDetails, boolean]>([
		['a lost connection', { kind: 'transport', code: 'ECONNRESET' }, true],
		['a timeout', { kind: 'transport', code: 'ETIMEDOUT' }, true],
		['a broken TLS connection', { kind: 'transport', code: 'EPROTO' }, true],
		[
			'a broken TLS handshake',
			{ kind: 'transport', code: 'EPROTO', wasNeverSent: true },
			false,
		],
		['a required client certificate', { kind: 'transport', code: 'CERT_REQUIRED' }, true],
		['a connection without evidence', { kind: 'transport', code: 'ECONNREFUSED' }, true],
		['a refused connection', { kind: 'transport', code: 'E', wasNeverSent: true }, false],
		['a request n8n refused to send', { kind: 'transport', wasNeverSent: true }, false],
		['a gateway that stopped waiting', { kind: 'status', status: 504 }, true],
		['an error of the service', { kind: 'status', status: 500 }, true],
		['a request that took too long', { kind: 'status', status: 408 }, true],
		['a response nobody can read', { kind: 'response', status: 200 }, true],
		['a rejected document', { kind: 'rejected', status: 503 }, false],
		['a refusal', { kind: 'status', status: 400 }, false],
		['too many requests', { kind: 'status', status: 429 }, false],
		['a redirect', { kind: 'status', status: 307 }, false],
		['a token that could not be obtained', { kind: 'token', code: 'ECONNRESET' }, false],
	])('after %s: %p', (_, details, expected) => {
		expect(new ServiceFailure('x', details).isOutcomeUnknown).toBe(expected);
	});

	test('stays unknown after an earlier attempt, whatever the last attempt reports', () => {
		const refused = new ServiceFailure('refused', {
			kind: 'transport',
			code: 'ECONNREFUSED',
			wasNeverSent: true,
			description: 'Check the URL.',
		});
		const later = refused.with({ isOutcomeUnknown: true });
		expect(later.isOutcomeUnknown).toBe(true);
		expect(later.message).toBe('refused');
		expect({ ...later, isOutcomeUnknown: false }).toEqual({ ...refused });
		expect(refused.isOutcomeUnknown).toBe(false);
	});
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

	test('is one short line, whatever the response', () => {
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

	test.each<[string, unknown, string]>([
		['spaces beside a control character', 'no  \r\n  id', 'no id'],
		['a tag at the start', '<id> is missing', '<id> is missing'],
		['a tag that begins like a page', '<header> is missing', '<header> is missing'],
		['a page without a doctype', ' <HTML lang="en"><p>502</p>', ''],
		['a page with a comment first', '<!-- proxy --><html>', ''],
		['XML', '<?xml version="1.0"?><Error/>', ''],
	])('text with %s', (_, body, expected) => {
		expect(serverMessage(body)).toBe(expected);
	});

	test('half of a character pair is not left at the end', () => {
		const text = `${'x'.repeat(499)}😀😀`;
		expect(serverMessage(text)).toBe(`${'x'.repeat(499)}…`);
	});
});
