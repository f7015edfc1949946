import fc from 'fast-check';

import { decodedText } from '../../../examples/src/code/shared/decoded-text';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf8 = (text: string): Buffer => Buffer.from(text);
const utf16 = (text: string, isBig = false): Buffer => {
	const bytes = Buffer.from(text, 'utf16le');
	return isBig ? bytes.swap16() : bytes;
};

const text = (bytes: Buffer, contentType?: string) => decodedText(bytes, contentType).text;
const problem = (bytes: Buffer, contentType?: string) => decodedText(bytes, contentType).problem;

const HTML = 'text/html';

/** "Привет, мир" in Windows-1251, and "日本語。" in Shift_JIS. */
const RUSSIAN = latin('\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\xe5');
const JAPANESE = latin('\x93\xfa\x96\x7b\x8c\xea\x81\x42');

test.each([
	'« prolongé »',
	'Küçük',
	'«\u00a0prolongé\u00a0»',
	'日本語',
	'🎉',
	'Plain',
	'',
	'A\r\nB\tC',
	'ÄÖÜ ÀÉÈ',
])('%j in UTF-8, with and without a declaration', (words) => {
	for (const type of [
		'',
		'text/plain',
		HTML,
		'text/html; charset=utf-8',
		'text/html;charset="UTF8"',
	])
		expect([type, decodedText(utf8(words), type)]).toEqual([type, { text: words }]);
	expect(decodedText(Buffer.concat([latin('\xef\xbb\xbf'), utf8(words)]))).toEqual({
		text: words,
	});
});

test('any text in UTF-8, and in UTF-16 with a mark', () => {
	const anyText = fc.string({ unit: 'grapheme' }).filter((each) => !/[^ -\ufefe]/.test(each));
	fc.assert(
		fc.property(anyText, fc.boolean(), (words, isBig) => {
			expect(text(utf8(words), 'text/plain')).toBe(words);
			expect(text(utf16(`\ufeff${words}`, isBig))).toBe(words);
		}),
	);
});

test.each([
	['the header', latin('Caf\xe9 \x80'), 'text/html; charset=ISO-8859-1', 'Café €'],
	['a header in quotes', RUSSIAN, "text/plain; x=y; charset='windows-1251'", 'Привет, мире'],
	['a meta element', latin('<meta charset=shift_jis>\x93\xfa'), HTML, '日'],
	[
		'a meta element of the old form',
		latin('<META content="text/html; charset=koi8-r" http-equiv=Content-Type>\xf0'),
		...[HTML, 'П'],
	],
	['the prolog', latin('<?xml version="1.0" encoding="iso-8859-2"?>\xf8'), 'text/xml', 'ř'],
	[
		'the header before the meta element',
		latin('<meta charset=koi8-r>\xf8'),
		`${HTML}; charset=iso-8859-2`,
		'ř',
	],
	['nothing but the beginning', latin('<html><meta charset=iso-8859-2>\xf8'), '', 'ř'],
])('%s declares the encoding', (_what, bytes, type, end) => {
	expect(text(bytes, type)).toMatch(new RegExp(`${end}$`));
});

test.each([
	['single bytes, but is UTF-8', utf8('<meta charset=iso-8859-1>Küçük'), HTML, 'Küçük'],
	['single bytes in the header', utf8('Küçük'), 'text/html; charset=windows-1252', 'Küçük'],
	[
		'another one, and has a bad byte',
		Buffer.concat([utf8('<meta charset=latin1>Küçük '), latin('\xe9')]),
		HTML,
		'Küçük é',
	],
	[
		'UTF-8, but the meta element is right',
		latin('<meta charset=windows-1251>\xcf'),
		`${HTML}; charset=utf-8`,
		'П',
	],
	['UTF-8, and is Windows-1252', latin('Caf\xe9'), 'text/html; charset=utf-8', 'Café'],
	[
		'Latin-1, but the meta element is right',
		Buffer.concat([latin('<meta charset=windows-1251>'), RUSSIAN]),
		`${HTML}; charset=iso-8859-1`,
		'Привет, мире',
	],
	['UTF-16 in a meta element', utf8('<meta charset=utf-16>Küçük'), HTML, 'Küçük'],
	['UTF-16 in the header', utf8('Küçük'), 'text/html; charset=utf-16', 'Küçük'],
	['what is no encoding', utf8('Küçük'), 'text/html; charset=none', 'Küçük'],
	['an encoding that is not supported', utf8('Küçük'), 'text/html; charset=hz-gb-2312', 'Küçük'],
	['another one in a comment', utf8('<!-- <meta charset=koi8-r> -->Küçük'), HTML, 'Küçük'],
])('a wrong declaration: %s', (_what, bytes, type, end) => {
	expect(text(bytes, type)).toMatch(new RegExp(`${end}$`));
});

test('what a text says of HTML is not its encoding', () => {
	const words = 'Write `<meta charset="koi8-r">` at the top.\nCaf';
	expect(text(latin(`${words}\xe9`))).toBe(`${words}é`);
	expect(text(latin(`<p>${'a'.repeat(1024)}<meta charset=koi8-r>\xe9`), HTML)).toMatch(/é$/);
	const described = latin('<meta name=description content="charset=koi8-r">\xe9');
	expect(text(described, HTML)).toMatch(/é$/);
});

test.each([
	['a short text in Latin-1', latin('Caf\xe9'), 'Café'],
	[
		'one bad byte in UTF-8',
		Buffer.concat([utf8('Größe\nÄ '), latin('caf\xe9\n'), utf8('für\n')]),
		'Größe\nÄ café\nfür\n',
	],
	[
		'one bad byte in a single line',
		Buffer.concat([utf8('«é» für '), latin('caf\xe9'), utf8(' Größe')]),
		'«é» für café Größe',
	],
	[
		'one bad byte at the end',
		Buffer.concat([utf8('Größe, Maß: '), latin('caf\xe9')]),
		'Größe, Maß: café',
	],
	[
		'lines in both',
		Buffer.concat([latin('Gr\xf6\xdfe \x84A\x93\r\nx\xe9\xe8\n'), utf8('Maß\n')]),
		'Größe „A“\r\nxéè\nMaß\n',
	],
	['a pair that could be UTF-8', latin('F\xfcr Spa\xdf\x93 \xe0 \xe9'), 'Für Spaß“ à é'],
	['prices', latin('\x80 1\n\x80 2\n\x80 3\n\x80 4\n\x80 5'), '€ 1\n€ 2\n€ 3\n€ 4\n€ 5'],
	['an UTF-8 mark, and one bad byte', latin('\xef\xbb\xbfCaf\xe9'), 'Café'],
])('%s', (_what, bytes, words) => {
	expect(decodedText(bytes)).toEqual({ text: words });
	expect(decodedText(bytes, HTML)).toEqual({ text: words });
});

test.each([
	['UTF-16 without a mark', utf16('Hello, Größe'), 'Hello, Größe'],
	['the same, big end first', utf16('Hello, Größe', true), 'Hello, Größe'],
	[
		'a prolog in UTF-16',
		utf16('<?xml version="1.0" encoding="utf-16"?>ř'),
		'<?xml version="1.0" encoding="utf-16"?>ř',
	],
	['an end of MS-DOS', latin('A\x1a'), 'A'],
	['colors of a log', latin('\x1b[32mA\x1b[0m\x0c'), '\x1b[32mA\x1b[0m\x0c'],
])('%s', (_what, bytes, words) => {
	expect(decodedText(bytes)).toEqual({ text: words });
});

test.each<[what: string, bytes: Buffer, type: string, why: RegExp]>([
	[
		'bytes that the declared encoding does not have',
		latin('a\x93\xfa\xff\xff'),
		`${HTML}; charset=shift_jis`,
		/declared as shift_jis/,
	],
	['Cyrillic letters without a declaration', RUSSIAN, '', /^is neither in UTF-8/],
	[
		'the same as HTML',
		Buffer.concat([latin('<article class=long-name>'), RUSSIAN]),
		HTML,
		/^is neither/,
	],
	[
		'Cyrillic words among others',
		Buffer.concat([utf8('A long sentence in English says: '), RUSSIAN]),
		...['', /^is neither in UTF-8/],
	] as [string, Buffer, string, RegExp],
	['Japanese without a declaration', JAPANESE, '', /^is neither in UTF-8/],
	[
		'one that ends within a character',
		Buffer.concat([utf8('Größe für '), latin('\xe2\x82')]),
		'',
		/^ends within a character/,
	],
	['a picture', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), '', /^is not a text/],
	['a text with a NUL', latin('A text with \0 in it'), '', /^is not a text/],
	['control characters', latin('\x01\x02ab'), '', /^is not a text/],
	['half of an UTF-16 character', latin('\xff\xfeA\0\x00\xd8'), '', /declared as utf-16le/],
	['UTF-32', latin('A\0\0\0B\0\0\0'), '', /^is not a text/],
])('%s is a problem', (_what, bytes, type, why) => {
	expect(problem(bytes, type)).toMatch(why);
	expect(text(bytes, type)).toBe('');
});

test('a few NUL characters are left out of a page, as browsers do', () => {
	expect(decodedText(latin(`<p>A\0B</p>${'a'.repeat(1000)}`), HTML).text).toMatch(/^<p>AB</);
});

test('a long text is decoded in a moment, with and without bad bytes', () => {
	const line = utf8('Größe für Küçük 日本語 and more words in a line\n');
	const long = Buffer.concat(Array.from({ length: 20_000 }, () => line));
	const started = Date.now();
	expect(text(Buffer.concat([long, latin('caf\xe9')])).endsWith('line\ncafé')).toBe(true);
	expect(text(long) === long.toString()).toBe(true);
	expect(Date.now() - started).toBeLessThan(5_000);
});
