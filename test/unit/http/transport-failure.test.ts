import { TOKEN_SERVER } from '../../../nodes/shared/http/token-sender';
import { timeoutFailure, transportFailure } from '../../../nodes/shared/http/transport-failure';

const PARTY = { name: 'the push service', urlLabel: 'Push URL' };

/** An error as n8n's HTTP helper throws it. */
const error = (code: string, cause: object = {}) =>
	Object.assign(new Error(code), {
		code,
		cause: Object.assign(new Error(code), { code, ...cause }),
	});

test.each<[string, unknown, string, Record<string, unknown>]>([
	[
		'a host that refuses the connection',
		error('ECONNREFUSED', { syscall: 'connect' }),
		'The push service could not be reached: ',
		{ neverSent: true, transient: true, outcomeUnknown: false, kind: 'transport' },
	],
	[
		'a connection that could not be made, whatever the code',
		error('ESOMETHING', { syscall: 'connect' }),
		'The push service could not be reached: no connection could be made',
		{ neverSent: true, outcomeUnknown: false },
	],
	[
		'a connection that closed',
		error('ECONNRESET', { syscall: 'read' }),
		'The connection to the push service closed before the response was complete',
		{ neverSent: false, transient: true, outcomeUnknown: true },
	],
	[
		'a system that gave up waiting',
		error('ETIMEDOUT', { syscall: 'read' }),
		'The push service did not answer in time',
		{ neverSent: false, outcomeUnknown: true },
	],
	[
		'a code nobody knows',
		error('ESTRANGE', { syscall: 'read' }),
		'The connection to the push service failed',
		{ neverSent: false, transient: true, outcomeUnknown: true },
	],
	[
		'what n8n refused to send',
		new Error('Domain not allowed'),
		'Domain not allowed',
		{ transportCode: undefined, transient: false },
	],
	[
		'what is no error',
		'broken',
		'n8n did not send the request',
		{ transportCode: undefined, transient: false },
	],
])('says what is known of %s', (_what, thrown, message, facts) => {
	const failure = transportFailure(thrown, PARTY, {});
	expect(failure.message.startsWith(message)).toBe(true);
	expect(failure).toMatchObject(facts);
});

test('a time limit counts more than the error it caused, and is told in seconds', () => {
	const failure = transportFailure(error('ERR_CANCELED'), PARTY, { timedOutMs: 1234 });
	expect(failure.message).toBe('The push service did not answer within 1.3 s');
	expect(failure).toMatchObject({ transportCode: 'ETIMEDOUT', outcomeUnknown: true });
});

test.each([
	[PARTY, 30_000, true],
	[TOKEN_SERVER, 29_000, true],
	[TOKEN_SERVER, 30_000, false],
])('more time is advised only where it can be given: %j after %i ms', (party, ms, canHaveMore) => {
	const { description = '' } = timeoutFailure(party, ms, 'token');
	expect(description).toContain(`Check '${party.urlLabel}' in the credential`);
	expect(description.includes('increase')).toBe(canHaveMore);
});

test('without a token nothing was sent, whatever became of the token request', () => {
	const failure = transportFailure(error('ECONNRESET', { syscall: 'read' }), PARTY, {
		kind: 'token',
	});
	expect(failure).toMatchObject({ kind: 'token', neverSent: true, outcomeUnknown: false });
});
