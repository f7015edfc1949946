import fc from 'fast-check';

import { secretsOf, withoutSecrets } from '../../../nodes/shared/service/secrets';

test('secrets are taken out of all texts of a reply, wherever they stand', () => {
	const reply = {
		message: 'Unknown key k3y-1, really k3y-1',
		errors: [{ detail: 'k3y-2' }, 'k3y-1k3y-2', 7, null],
		fine: true,
	};
	expect(withoutSecrets(reply, ['k3y-1', 'k3y-2'])).toEqual({
		message: 'Unknown key ***, really ***',
		errors: [{ detail: '***' }, '******', 7, null],
		fine: true,
	});
	expect(withoutSecrets('<p>k3y-1</p>', ['k3y-1'])).toBe('<p>***</p>');
});

test('a secret is found as it is sent, without the blanks around it, and as it is stored', () => {
	const stored = ' secret-key-1\n';
	expect(withoutSecrets('secret-key-1', [stored])).toBe('***');
	expect(withoutSecrets(`>${stored}<`, [stored])).toBe('>***<');
	// What remains of it is too short.
	expect(withoutSecrets('an abc', [' abc '])).toBe('an abc');
});

test('of a secret that begins with another one nothing remains', () => {
	for (const secrets of [
		['abcd', 'abcd-efgh'],
		['abcd-efgh', 'abcd'],
	]) {
		expect(withoutSecrets('abcd-efgh abcd', secrets)).toBe('*** ***');
	}
});

test('names of members are texts too', () => {
	expect(withoutSecrets({ 'k3y-1': 'unknown' }, ['k3y-1'])).toEqual({ '***': 'unknown' });
});

test('what is no secret worth the name changes nothing', () => {
	const reply = { message: 'an error of id 123' };
	expect(withoutSecrets(reply, ['', 'id', '123', undefined, 7])).toEqual(reply);
});

test('no value of a reply holds a secret, and the reply itself stays as it was', () => {
	fc.assert(
		fc.property(fc.string({ minLength: 4 }), fc.jsonValue(), (noise, json) => {
			const secret = `${noise}Z`;
			const reply = { json, text: `x${secret}y`, list: [secret] };
			const before = structuredClone(reply);
			const made = withoutSecrets(reply, [secret]) as { text: string; list: string[] };
			expect(made.text).not.toContain(secret);
			expect(made.list).toEqual(['***']);
			expect(reply).toEqual(before);
		}),
	);
});

test('no secret of 4 characters or more remains, stored or trimmed', () => {
	// The mask itself is made of stars.
	const secrets = fc.array(
		fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes('*')),
		{ minLength: 1, maxLength: 4 },
	);
	const between = fc.array(fc.string({ maxLength: 3 }), { minLength: 4, maxLength: 4 });
	fc.assert(
		fc.property(secrets, between, (stored, noise) => {
			const forms = stored.flatMap((secret) => [secret, secret.trim()]);
			const text = forms.map((form, at) => `${noise[at % 4]}${form}`).join('');
			const made = withoutSecrets({ [text]: [text] }, stored) as object;
			for (const form of forms.filter(({ length }) => length >= 4)) {
				for (const part of Object.entries(made).flat(2)) expect(part).not.toContain(form);
			}
		}),
	);
});

describe('the secrets of a credential', () => {
	const token = (accessToken: string) => ({
		accessToken,
		expiresAt: 2,
		renewAt: 1,
		issuedFor: 'client',
	});

	test('of the AI service are its tokens, the client secret and the sign-in of the client', () => {
		const fields = {
			aiUrl: 'https://ai.example',
			clientId: ' me ',
			clientSecret: 's3cret\n',
			accessTokens: JSON.stringify({ a: token('t1'), b: token('t2') }),
			heldTokens: JSON.stringify({ a: token('t0') }),
		};
		expect(secretsOf(fields).sort()).toEqual(
			['t1', 't2', 't0', 's3cret\n', btoa('me:s3cret')].sort(),
		);
	});

	test('of the push service are its key', () => {
		expect(secretsOf({ endpoint: 'docs', apiKey: 'k3y' })).toEqual(['k3y']);
	});

	test('of the blob service are the password and the sign-in, as they are sent', () => {
		const fields = { user: 'admin', password: ' pä:w ' };
		const basic = Buffer.from('admin: pä:w ').toString('base64');
		expect(secretsOf(fields)).toEqual([' pä:w ', basic]);
		expect(secretsOf({ password: 'pass' })).toEqual(['pass', btoa(':pass')]);
	});

	test('are none where nothing is filled in', () => {
		const empty = { clientId: 'me', clientSecret: '', user: 'admin', password: '', apiKey: 7 };
		expect(secretsOf({ ...empty, accessTokens: '' })).toEqual([]);
		expect(secretsOf({})).toEqual([]);
	});
});
