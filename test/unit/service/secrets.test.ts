import fc from 'fast-check';

import {
	Masker,
	secretsOf,
	WITHHELD,
	withoutSecrets,
} from '../../../nodes/shared/service/tokens/secrets';
import { growth, LINEAR } from '../support/timing';

test('secrets are removed from all texts of a response', () => {
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

test('a secret of digits is found as a number, but not within one', () => {
	expect(withoutSecrets({ key: 12345678, at: 123456789 }, ['12345678'])).toEqual({
		key: '***',
		at: 123456789,
	});
});

test.each([
	['12345678', 12345678],
	[' 12345678\n', 12345678],
	// What a number loses of it does not hide it.
	['12345678901234567891', Number('12345678901234567891')],
	['0012345678', 12345678],
	['-1234.50', -1234.5],
	['1e10', 1e10],
])('the secret %j is found as the number %d, in lists too', (secret, number) => {
	const response = { keys: [7, number, [number]], key: number, near: [number + 4096] };
	expect(withoutSecrets(response, [secret])).toEqual({
		keys: [7, '***', ['***']],
		key: '***',
		near: [number + 4096],
	});
	expect(withoutSecrets(number, [secret])).toBe('***');
});

test.each(['0000', '0007', '-000', 'Infinity', '   '])(
	'the secret %j is no number worth hiding',
	(secret) => {
		const response = { list: [0, 7, -7, 0.01, Infinity], at: 0 };
		expect(withoutSecrets(response, [secret])).toBe(response);
	},
);

test('names of members are texts too', () => {
	expect(withoutSecrets({ 'k3y-1': 'unknown' }, ['k3y-1'])).toEqual({ '***': 'unknown' });
});

test('values that are too short or not text are not replaced', () => {
	const reply = { message: 'an error of id 123' };
	expect(withoutSecrets(reply, ['', 'id', '123', undefined, 7])).toEqual(reply);
});

test('no value of a masked response contains a secret, and the response itself is not changed', () => {
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

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};
const asHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** What a server can make of a secret before it repeats it. */
const FORMS: Record<string, (secret: string) => string> = {
	'percent-encoded': encodeURIComponent,
	'in lower-case percent-encoding': (secret) =>
		encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
	'with every byte encoded': (secret) =>
		Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
	'partly encoded': (secret) =>
		secret.replace(/[a-m]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
	'encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
	'in a form': (secret) => new URLSearchParams({ key: secret }).toString().slice(4),
	'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
	'in JSON within JSON': (secret) =>
		JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
	'in ASCII JSON': (secret) =>
		secret.replace(
			/[^a-z]/gi,
			(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
		),
	'in HTML': asHtml,
	'in HTML within HTML': (secret) => asHtml(asHtml(secret)),
	'in numeric entities': (secret) =>
		Array.from(secret, (letter) => `&#${letter.codePointAt(0)};`).join(''),
	'in hexadecimal entities': (secret) =>
		Array.from(secret, (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join(''),
	'in JSON within HTML': (secret) => asHtml(JSON.stringify(secret).slice(1, -1)),
	'in HTML within JSON': (secret) => JSON.stringify(asHtml(secret)).slice(1, -1),
	'in upper case': (secret) => secret.toUpperCase(),
	'in lower case': (secret) => secret.toLowerCase(),
	'without control characters': (secret) => secret.replace(/\p{Cc}/gu, ''),
	'with spaces for control characters': (secret) => secret.replace(/[\p{Cc}\s]+/gu, ' ').trim(),
	'in base64': (secret) => Buffer.from(secret).toString('base64'),
	'in base64 without padding': (secret) =>
		Buffer.from(secret).toString('base64').replace(/=/g, ''),
	'in base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
	'in HTTP Basic': (secret) => Buffer.from(`me:${secret}`).toString('base64'),
	'in the middle of base64': (secret) => Buffer.from(`user=12&${secret};ok`).toString('base64'),
	'in percent-encoded base64': (secret) =>
		encodeURIComponent(Buffer.from(`a:${secret}`).toString('base64')),
};

describe.each(Object.entries(FORMS))('a secret %s', (_, formOf) => {
	test.each([
		'sEcret-Key_42/+=x',
		'Grüße, "Käthe"\\ 100% {x}',
		'line one\nline\u0000two\ttab',
		'a~b!c@d#e$f%g^h&i',
	])('%j is removed', (secret) => {
		const form = formOf(secret);
		const response = { text: `Unknown key ${form} (401)`, other: ['stays'] };
		expect(withoutSecrets(response, [secret])).toEqual({
			text: form.includes(secret) ? 'Unknown key *** (401)' : WITHHELD,
			other: ['stays'],
		});
	});

	test('leaves no trace, whatever its characters', () => {
		// Long enough to be recognized in part.
		const secrets = fc
			.string({ minLength: 12, maxLength: 40, unit: 'grapheme' })
			.filter((text) => !/[*\p{Surrogate}]/u.test(text) && text.trim() === text)
			.filter((text) => /[a-z\d]{8}/i.test(text))
			// One that looks encoded itself can be decoded in more than one way.
			.filter((text) => !/%[\da-f]{2}|&[#\w]+;/i.test(text));
		fc.assert(
			fc.property(secrets, fc.string({ maxLength: 5 }), (secret, noise) => {
				const form = formOf(secret);
				const made = withoutSecrets([`${noise} ${form} ${noise}`], [secret]) as string[];
				if (form.includes(secret)) expect(made[0]).toContain('***');
				else expect(made[0]).toBe(WITHHELD);
				expect(made[0]).not.toContain(form);
			}),
		);
	});
});

test('a secret of less than 12 characters is only found as it is sent', () => {
	const response = ['key k3y-1/a&b', 'K3Y-1/A&B', 'k3y-1%2Fa%26b', btoa('k3y-1/a&b')];
	expect(withoutSecrets(response, ['k3y-1/a&b'])).toEqual(['key ***', ...response.slice(1)]);
});

test('a text that only looks similar stays as it is', () => {
	const masker = new Masker(['test-key', 'A very long secret with spaces']);
	for (const text of ['the latest keys', 'test key', 'best keyboard', 'A very long secret']) {
		expect(masker.mask(text)).toBe(text);
	}
});

test('a response without secrets is returned as it is, not copied', () => {
	const response = { chunks: ['One.', { vector: [1, 2] }], status: 'READY' };
	expect(withoutSecrets(response, ['secret-key'])).toBe(response);
});

test('a response that is nested very deeply is masked as well', () => {
	let nested: unknown = 'the secret-key';
	for (let level = 0; level < 3_000; level++) nested = level % 2 ? [nested] : { nested };
	const masked = JSON.stringify(withoutSecrets({ nested, fine: 1 }, ['secret-key']));
	expect(masked).toContain('the ***');
	expect(masked).not.toContain('secret-key');
});

test('the time to mask a response grows with its size', () => {
	const words = 'Some words of a longer text, which could be anything. ';
	const chunksOf = (size: number) =>
		Array.from({ length: size }, (_, at) => ({
			chunk: `${at} ${words.repeat(20)}`,
			vector: Array.from({ length: 384 }, () => at),
		}));
	const masker = new Masker([
		`eyJ${'t0ken'.repeat(180)}`,
		'client-secret-42',
		btoa('me:client-secret-42'),
	]);
	const chunks = chunksOf(10);
	expect(masker.mask(chunks)).toBe(chunks);
	expect(growth(chunksOf, 4_000, (response) => masker.mask(response))).toBeLessThan(LINEAR);
});

describe('the secrets of a credential', () => {
	const token = (accessToken: string) => ({
		accessToken,
		issuedAt: 0,
		expiresAt: 2,
		renewAt: 1,
		issuedFor: 'client',
	});

	test('of the AI service are its tokens, the client secret and the HTTP Basic credentials of the client', () => {
		const fields = {
			aiUrl: 'https://ai.example',
			clientId: ' me ',
			clientSecret: 's3cret\n',
			accessTokens: JSON.stringify({ a: token('t1'), b: token('t2') }),
		};
		expect(secretsOf(fields).sort()).toEqual(
			['t1', 't2', 's3cret\n', btoa('me:s3cret')].sort(),
		);
	});

	test('of the push service are its key', () => {
		expect(secretsOf({ endpoint: 'docs', apiKey: 'k3y' })).toEqual(['k3y']);
	});

	test('of the blob service are the password and the HTTP Basic credentials, as they are sent', () => {
		const fields = { user: 'admin', password: ' pä:w ' };
		const basic = Buffer.from('admin: pä:w ').toString('base64');
		expect(secretsOf(fields)).toEqual([' pä:w ', basic]);
		expect(secretsOf({ password: 'pass' })).toEqual(['pass', btoa(':pass')]);
	});

	test('are empty if no field is filled in', () => {
		const empty = { clientId: 'me', clientSecret: '', user: 'admin', password: '', apiKey: 7 };
		expect(secretsOf({ ...empty, accessTokens: '' })).toEqual([]);
		expect(secretsOf({})).toEqual([]);
	});
});
