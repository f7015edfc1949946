import fc from 'fast-check';

import { withoutSecrets } from '../../../nodes/shared/service/secrets';

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
