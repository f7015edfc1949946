import { htmlText, readHtml } from '../../../examples/src/code/shared/html-text';
import { PAGES } from './support/pages';

test.each(Object.entries(PAGES))('the text of %s is what a reader sees', (_name, page) => {
	const { text, title } = readHtml(page.html);
	expect(text).toBe(page.text);
	expect(title).toBe(page.title ?? '');
});

const textOf = (html: string, settings = {}) => readHtml(html, settings).text;

const long = (word: string) => `${word} `.repeat(30).trim();

test.each([
	['main before articles', '<article>A</article><main>M</main>', 'M'],
	['each main', '<main>A</main><div role="main">B</div><p>C', 'A\n\nB'],
	[
		'all articles',
		`<p>x<article>${long('a')}</article><article>b</article>`,
		`${long('a')}\n\nb`,
	],
	[
		'the body around a teaser',
		`<div>${long('a')}</div><article>b</article>`,
		`${long('a')}\n\nb`,
	],
	['the body if main is empty', '<main> <br></main><p>A', 'A'],
	['no header, footer and aside', '<header>H</header>A<aside>X</aside><footer>F</footer>', 'A'],
	['the header of an article', '<article><header>H</header>A</article>B', 'H\n\nA'],
	['the header, if there is nothing else', '<header><h1>H</h1></header>', '# H'],
	['no hidden main', '<main hidden>A</main><p>B', 'B'],
])('the main part is %s', (_what, html, text) => {
	expect(textOf(html)).toBe(text);
});

test('users choose the part, and what to leave out', () => {
	const html =
		'<main>M<p class="ad top">Ad</p></main><div id="c"><p class="text">A</p><p data-x="1">B</p></div>';
	expect(textOf(html, { mainPart: '#c' })).toBe('A\n\nB');
	expect(textOf(html, { mainPart: '#c .text, p.ad' })).toBe('Ad\n\nA');
	expect(textOf(html, { mainPart: '.none' })).toBe('M\n\nAd');
	expect(textOf(html, { leaveOut: '.ad' })).toBe('M');
	expect(textOf(html, { mainPart: '#c', leaveOut: '[data-x="1"]' })).toBe('A');
	expect(textOf(html, { mainPart: 'div', leaveOut: 'main [data-x], #c .text' })).toBe('B');
});

test.each(['p:hover', 'a > b', '..x', '#', '[x', 'p{'])('%s is no selector', (mainPart) => {
	expect(() => readHtml('', { mainPart })).toThrow(/^Nothing was changed: '.*' is no selector/);
});

test('the page says where it is, and what robots may do', () => {
	const head = `<html lang=de><head><title> A &amp;
		B </title><base href="/x/"><link rel="shortlink canonical" href="/a?b=1&amp;c=2">
		<meta name=robots content="max-image-preview:large"><META NAME="Robots" CONTENT=noindex>
		<meta name=googlebot content=none><meta http-equiv=Refresh content="0;url=/b"><svg><title>Icon</title></svg>
		<noscript><meta http-equiv=refresh content="0;url=/no-script"></noscript><template><base href=no></template>`;
	expect(readHtml(`${head}<p>A`)).toMatchObject({
		...{ title: 'A & B', lang: 'de', base: '/x/', canonical: '/a?b=1&c=2' },
		...{ robots: 'max-image-preview:large, noindex', refresh: '0;url=/b', text: 'A' },
	});
});

test('only the main part asks for a password', () => {
	const form = '<form><input name=u><input TYPE=Password></form>';
	const asks = (html: string) => readHtml(html).password;
	expect(asks(`<main>A${form}</main>`)).toBe(true);
	expect(asks(`${form}A`)).toBe(true);
	expect(asks(`${form}<main>A</main>`)).toBe(false);
	expect(asks(`<header>${form}</header><p>A`)).toBe(false);
	expect(asks(`<dialog>${form}</dialog><p>A`)).toBe(false);
});

test('a part of a page keeps its header and footer, and a name is one line', () => {
	expect(htmlText('<blockquote>A<footer>— B</footer></blockquote><aside>C</aside>')).toBe(
		'A\n\n— B\n\nC',
	);
	expect(htmlText('Caf&eacute; <em>&hellip;</em>')).toBe('Café …');
});

test.each([
	['&lt;b&gt; &amp;amp; &AMP; &quot;', '<b> &amp; & "'],
	['&eacute &euro; &Omega; &zcaron; &NoSuch; &', 'é € Ω ž &NoSuch; &'],
	['&#x1F600; &#0; &#xD800; &#9999999999; &#146;', '😀 \ufffd \ufffd \ufffd ’'],
	['<a href="?a=1&copy=2">x</a>&notit;', 'x¬it;'],
])('%s is %s', (html, text) => {
	expect(textOf(html)).toBe(text);
});

test.each([
	[
		'rows below',
		'<tr><th>Day<th>From<th>To<tr><td rowspan=2>Mo<td>8<td>12<tr><td>14<td>18<tr><td>Tu<td>9<td>13',
		'| Day | From | To |\n| Mo | 8 | 12 |\n| Mo | 14 | 18 |\n| Tu | 9 | 13 |',
	],
	[
		'columns',
		'<tr><th>Day<th>From<th>To<th>Note<tr><td>Mo<td colspan=2>closed<td>holiday<tr><td colspan=4>All',
		'| Day | From | To | Note |\n| Mo | closed |  | holiday |\n| All |',
	],
	[
		'both, at the end of a row',
		'<tr><td>A<td>1<td rowspan=2 colspan=2>B<tr><td>C<td>2<tr><td>D<td>3<td>4<td>5',
		'| A | 1 | B |\n| C | 2 | B |\n| D | 3 | 4 | 5 |',
	],
	[
		'all rows of its table only',
		'<tr><td rowspan=0>A<td>1<tr><td>2</table><table><tr><td>3<td>4<tr><td>5<td>6',
		'| A | 1 |\n| A | 2 |\n\n| 3 | 4 |\n| 5 | 6 |',
	],
	[
		'a row that has nothing else',
		'<tr><td rowspan=2>A<td>1<tr><tr><td>B<td>2',
		'| A | 1 |\n| B | 2 |',
	],
])('a cell of a table spans %s', (_what, rows, text) => {
	expect(textOf(`<main><table>${rows}</table></main>`)).toBe(text);
});

test('a long text that spans rows stands in the first one only', () => {
	const text = textOf(
		`<main><table><tr><td rowspan=2>${long('word')} ${long('other')}<td>1<tr><td>2</table></main>`,
	);
	expect(text).toMatch(/^\| word .* other \| 1 \|\n\| {2}\| 2 \|$/);
});
