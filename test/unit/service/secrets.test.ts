import fc from 'fast-check';

import { Masker, secretsOf } from '../../../nodes/shared/service/tokens/secrets';

const SECRET = 'a "secret" key/1';
const withoutSecrets = (value: unknown, secrets: readonly unknown[]) =>
	new Masker(secrets).mask(value);

it.each<[string, unknown, unknown]>([
	['a text', `Unknown key ${SECRET}, really ${SECRET}`, 'Unknown key ***, really ***'],
	['members and lists', { a: [{ b: SECRET }, 7, null] }, { a: [{ b: '***' }, 7, null] }],
	['names of members', { [SECRET]: 'unknown' }, { '***': 'unknown' }],
	['JSON, once it was parsed', JSON.parse(JSON.stringify({ a: SECRET })), { a: '***' }],
	['JSON that could not be parsed', `{"a":${JSON.stringify(SECRET)}`, '{"a":"***"'],
	['a URL', `/x?key=${encodeURIComponent(SECRET)}`, '/x?key=***'],
])('a secret is removed from %s', (_case, value, expected) => {
	expect(withoutSecrets(value, [` ${SECRET}\n`])).toEqual(expected);
});

it('a secret that begins with another secret is removed completely', () => {
	for (const secrets of [
		['abcdefgh', 'abcdefgh-ijkl'],
		['abcdefgh-ijkl', 'abcdefgh'],
	]) {
		expect(withoutSecrets('abcdefgh-ijkl abcdefgh', secrets)).toBe('*** ***');
	}
});

it('a value with fewer than 8 characters, or one that is not text, is not removed', () => {
	const value = { message: 'an error of id 1234567' };
	expect(withoutSecrets(value, ['', 'id', '1234567', ' error ', undefined, 7])).toBe(value);
});

it('a value without secrets is returned as it is, not copied', () => {
	const value = { chunks: ['One.', { vector: [1, 2] }], status: 'READY' };
	expect(withoutSecrets(value, [SECRET])).toBe(value);
});

it('a secret that is added later is removed too', () => {
	const masker = new Masker();
	masker.addSecret(SECRET);
	expect(masker.mask(SECRET)).toBe('***');
});

it('no secret remains, whatever its characters', () => {
	const secrets = fc
		.string({ minLength: 8, unit: 'binary' })
		.filter((text) => text.trim().length >= 8 && !text.includes('*'));
	fc.assert(
		fc.property(secrets, fc.jsonValue(), (secret, json) => {
			const value = { json, [secret]: [`x${secret}y`] };
			expect(JSON.stringify(withoutSecrets(value, [secret]))).not.toContain(
				JSON.stringify(secret.trim()).slice(1, -1),
			);
		}),
	);
});

describe('the secrets of a credential', () => {
	const token = (accessToken: string) => ({
		accessToken,
		issuedAt: 0,
		expiresAt: 2,
		renewAt: 1,
		issuedFor: 'client',
	});
	const empty = { clientId: 'me', clientSecret: '', user: 'admin', password: '', apiKey: 7 };
	const basic = (login: string) => Buffer.from(login).toString('base64');

	it.each<[string, Record<string, unknown>, string[]]>([
		[
			'of the AI service',
			{
				clientId: ' me ',
				clientSecret: 's3cret\n',
				accessTokens: JSON.stringify({ a: token('t1'), b: token('t2') }),
			},
			['t1', 't2', 's3cret\n', basic('me:s3cret')],
		],
		['of the push service', { endpoint: 'docs', apiKey: 'k3y' }, ['k3y']],
		[
			'of the blob service',
			{ user: 'admin', password: ' pä:w ' },
			[' pä:w ', basic('admin: pä:w ')],
		],
		['without a user', { password: 'pass' }, ['pass', basic(':pass')]],
		['without a secret', { ...empty, accessTokens: '' }, []],
	])('%s', (_case, fields, expected) => {
		expect(secretsOf(fields)).toEqual(expected);
	});
});
