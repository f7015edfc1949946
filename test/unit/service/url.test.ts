import fc from 'fast-check';

import { parseBaseUrl, PATHS, pathSegment } from '../../../nodes/shared/service/url';
import { InputError } from '../../../nodes/shared/service/input-error';
import { runs } from '../../../support/runs';
import { anyText, thrownBy } from '../support/text';

test('the paths match docs/service-interface.md, and no other file contains them', () => {
	expect({ ...PATHS, token: PATHS.token('default') }).toEqual({
		token: '/oauth2/default/v1/token',
		chunking: '/ai/async-chunking',
		push: '/api/v1/push',
		blobs: '/blobs',
		convert: '/blobs/convert',
	});
});

describe('parseBaseUrl', () => {
	test.each([
		['https://search.example.com', 'https://search.example.com'],
		[' https://search.example.com/site/ ', 'https://search.example.com/site'],
		['http://localhost:8764/api///', 'http://localhost:8764/api'],
		['HTTPS://Search.Example.com/Site', 'https://search.example.com/Site'],
		['http://[::1]:8080', 'http://[::1]:8080'],
	])('%j becomes %j', (typed, address) => {
		expect(parseBaseUrl(typed, 'Push Service URL')).toBe(address);
	});

	test.each<[unknown, string]>([
		['', "'Push Service URL' is empty"],
		['   ', "'Push Service URL' is empty"],
		[undefined, "'Push Service URL' is empty"],
		[42, "'Push Service URL' is empty"],
		['search.example.com', "'Push Service URL' must start with https:// or http://"],
		['search.example.com:8764', "'Push Service URL' must start with https:// or http://"],
		['//search.example.com', "'Push Service URL' must start with https:// or http://"],
		['http://', "'Push Service URL' is not a valid URL"],
		['ftp://search.example.com', "'Push Service URL' must start with https:// or http://"],
		['javascript:alert(1)', "'Push Service URL' must start with https:// or http://"],
		['https://user@search.example.com', 'must not contain a user name or password'],
		['https://:pw@search.example.com', 'must not contain a user name or password'],
		['https://search.example.com/?a=1', 'must not have a query or fragment'],
		['https://search.example.com/?', 'must not have a query or fragment'],
		['https://search.example.com/#', 'must not have a query or fragment'],
	])('%j is refused', (typed, message) => {
		const error = thrownBy(() => parseBaseUrl(typed, 'Push Service URL'));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({
			message: expect.stringContaining(message),
			description: expect.stringMatching(/.{20}/),
		});
	});

	test('a password in a URL is not repeated in the error', () => {
		const error = thrownBy(() => parseBaseUrl('https://me:s3cret@x.example', 'URL'));
		expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
	});
});

describe('pathSegment', () => {
	test.each(['.', '..'])('%j is refused: it names a folder', (value) => {
		const error = thrownBy(() => pathSegment(value, 'Document ID'));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ message: `'Document ID' must not be "${value}"` });
	});

	test.each([[''], [undefined], [null], [7], [['a']]])('%j counts as empty', (value) => {
		expect(() => pathSegment(value, 'Document ID')).toThrow("'Document ID' is empty");
	});

	test.each(['\ud83d', 'a\ude00b'])('half a character pair is refused', (value) => {
		expect(() => pathSegment(value, 'Document ID')).toThrow('not valid Unicode');
	});

	test('any text is rejected, or becomes exactly one segment that decodes to the text', () => {
		const bases = fc.constantFrom('https://h.example', `https://h.example/p${PATHS.push}/docs`);
		fc.assert(
			fc.property(anyText, bases, (value, base) => {
				let segment: string;
				try {
					segment = pathSegment(value, 'Document ID');
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					const refused = value === '' || value === '.' || value === '..';
					expect(refused || /\p{Surrogate}/u.test(value)).toBe(true);
					return;
				}
				expect(segment).not.toMatch(/[/?#\\\s]/);
				expect(decodeURIComponent(segment)).toBe(value);
				const url = new URL(`${base}/${segment}`);
				expect(url.pathname).toBe(
					`${new URL(base).pathname.replace(/\/$/, '')}/${segment}`,
				);
				expect(url.search + url.hash).toBe('');
				expect(url.host).toBe('h.example');
			}),
			{ numRuns: runs(1000) },
		);
	});
});
