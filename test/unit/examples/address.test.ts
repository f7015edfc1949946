import fc from 'fast-check';

import {
	includesPart,
	normalAddress,
	resolvedAddress,
	samePath,
	spelledAsKnown,
} from '../../../examples/src/code/shared/address';

const SITE = 'https://www.example.com';

describe('the normal form of an address', () => {
	test.each([
		['/%eb%b3%b4/', '/%EB%B3%B4/'],
		['/보/', '/%EB%B3%B4/'],
		['/caf%C3%A9', '/café'],
		["/o'neil", '/o%27neil'],
		['/%7Euser', '/~user'],
		['/C++', '/C%2B%2B'],
		['/a%20b', '/a b'],
		['/(a)!', '/%28a%29%21'],
		['/a/./b/../c', '/a/c'],
		['/a/%2e%2e/c', '/c'],
		['/../a', '/a'],
		['/a/..', '/'],
		['/%61bc', '/abc'],
		['/a?q=caf%c3%a9', '/a?q=café'],
		['/a?q=%41', '/a?q=A'],
		['/a?to=/b', '/a?to=%2Fb'],
		['/a#part', '/a'],
		['', '/'],
		['?a', '/?a'],
		['/😀', '/%F0%9F%98%80'],
	])('%s is %s', (one, other) => {
		expect(normalAddress(SITE + one)).toBe(normalAddress(SITE + other));
	});

	test.each([
		['HTTPS://WWW.Example.COM/a', `${SITE}/a`],
		['https://www.example.com:443/a', `${SITE}/a`],
		['https://www.example.com:/a', `${SITE}/a`],
		['http://www.example.com:80', 'http://www.example.com/'],
		['http://[::80]:80/', 'http://[::80]/'],
		[`  ${SITE}/a\n`, `${SITE}/a`],
	])('%s is %s', (one, other) => {
		expect(normalAddress(one)).toBe(other);
	});

	test.each([
		['/a', '/A'],
		['/a', '/a/'],
		['/a%2Fb', '/a/b'],
		['/a%3Fb', '/a?b'],
		['/a%23b', '/a#b'],
		['/a%2541', '/aA'],
		['/?a=1&b=2', '/?b=2&a=1'],
		['/?a=1%26b=2', '/?a=1&b=2'],
		['/?q=C%2B%2B', '/?q=C++'],
		['/?q=a%3Db', '/?q=a=b'],
		['/%E9', '/%C3%A9'],
	])('%s is not %s', (one, other) => {
		expect(normalAddress(SITE + one)).not.toBe(normalAddress(SITE + other));
	});

	test.each([
		['http://a.example/', 'https://a.example/'],
		['http://a.example:443/', 'http://a.example/'],
		['http://[::80]/', 'http://[::]/'],
	])('%s is not %s', (one, other) => {
		expect(normalAddress(one)).not.toBe(normalAddress(other));
	});

	test('what is no address stays as it is, and a half emoji does no harm', () => {
		expect(normalAddress('guide/%41.pdf')).toBe('guide/%41.pdf');
		expect(normalAddress(`${SITE}/100%`)).toBe(`${SITE}/100%`);
		expect(normalAddress(`${SITE}/\ud83d`)).toBe(`${SITE}/%EF%BF%BD`);
	});

	test('is what the class URL says, and its own normal form', () => {
		const path = fc.string({ unit: fc.constantFrom(..."ab/.~%é ?&=+'(A1#"), maxLength: 20 });
		fc.assert(
			fc.property(path, (rest) => {
				const address = `${SITE}/${rest}`;
				const normal = normalAddress(address);
				expect(normalAddress(normal)).toBe(normal);
				// URL encodes and resolves dots, but does not decode.
				expect(normalAddress(new URL(address).href)).toBe(normal);
			}),
			{ numRuns: 300 },
		);
	});
});

describe('a link of a page', () => {
	test.each([
		['b', '/a/b'],
		['./b', '/a/b'],
		['../b', '/b'],
		['../../../b', '/b'],
		['.', '/a/'],
		['..', '/'],
		['/b?x#y', '/b?x'],
		['?x', '/a/page?x'],
		['#y', '/a/page?q'],
		['', '/a/page?q'],
		['b?to=../c', '/a/b?to=../c'],
		[' b\n', '/a/b'],
	])('%j leads to %s', (link, to) => {
		expect(resolvedAddress(link, `${SITE}/a/page?q`)).toBe(SITE + to);
	});

	test.each([
		['//cdn.example.com/a', 'https://cdn.example.com/a'],
		['HTTP://a.example/b#c', 'HTTP://a.example/b'],
		['mailto:a@b.example', 'mailto:a@b.example'],
		['data:text/plain,a', 'data:text/plain,a'],
	])('%s leads to %s', (link, to) => {
		expect(resolvedAddress(link, `${SITE}/a/page?q`)).toBe(to);
	});

	test('leads where the class URL says', () => {
		const link = fc.string({ unit: fc.constantFrom(...'ab/.?:#='), maxLength: 12 });
		fc.assert(
			fc.property(link, (text) => {
				const base = `${SITE}/x/y?z`;
				fc.pre(URL.canParse(text, base) && new URL(text, base).protocol === 'https:');
				fc.pre(!/^\/\//.test(text) && !text.includes('//'));
				const to = new URL(text, base);
				to.hash = '';
				expect(normalAddress(resolvedAddress(text, base))).toBe(normalAddress(to.href));
			}),
			{ numRuns: 300 },
		);
	});

	test('without a base, it stays as it is', () => {
		expect(resolvedAddress('/a', 'guide.html')).toBe('/a');
	});
});

test('a page may have another host, and a slash or index.html at its end', () => {
	const page = `${SITE}/a/b`;
	for (const same of ['http://example.org/a/b/', `${SITE}/%61/b/index.htm`, `${SITE}/a/c/../b`])
		expect(samePath(page, same, true)).toBe(true);
	for (const other of [`${SITE}/a`, `${SITE}/a/B`, `${SITE}/a/b/c`])
		expect(samePath(page, other, false)).toBe(false);
	expect(samePath(page, `${page}?utm=1`, false)).toBe(true);
	expect(samePath(page, `${page}?utm=1`, true)).toBe(false);
	expect(samePath(`${page}/?a`, `${page}/index.html?a`, true)).toBe(true);
});

test('a page keeps the spelling that an earlier run knows, and one in the list stays', () => {
	const [small, large, other] = ['/%eb', '/%EB', '/b'].map((path) => SITE + path);
	expect(spelledAsKnown([large, other], [small])).toEqual([small, other]);
	expect(spelledAsKnown([large], [small, large])).toEqual([large]);
	expect(spelledAsKnown([small, other], [])).toEqual([small, other]);
	const [one, two] = ['/A%42?', '/%41B?'].map((path) => SITE + path);
	expect(spelledAsKnown([`${SITE}/AB?`], [one, two])).toEqual([one]);
});

test('a part of an address may be spelled in another way', () => {
	expect(includesPart(`${SITE}/%eb%b3%b4/x`, '/보/')).toBe(true);
	expect(includesPart(`${SITE}/a?page=2`, '?page=')).toBe(true);
	expect(includesPart(`${SITE}/a?x=1&page=2`, '&page=')).toBe(true);
	expect(includesPart(`${SITE}/tags/`, '/tag/')).toBe(false);
});
