import { readHtml } from '../../examples/src/code/shared/html-text';
import { sections } from '../../examples/src/code/shared/sections';

/** Pages and texts that would take forever if the time grew faster than their length. */
const PAGES: Record<string, (count: number) => string> = {
	'signs of less': (count) => '<'.repeat(count * 10),
	'comments without an end': (count) => '<!-- '.repeat(count),
	'data without an end': (count) => '<![CDATA[ '.repeat(count),
	'elements in each other': (count) => `${'<div>a'.repeat(count)}${'</b>'.repeat(count)}`,
	'paragraphs in spans': (count) => '<p><span>'.repeat(count),
	'end tags behind others': (count) => `<b><div>${'<i>'.repeat(count)}${'</b>'.repeat(count)}`,
	'lists in lists': (count) => '<ul><li>x'.repeat(count),
	'tables in tables': (count) => '<table><tr><td>'.repeat(count),
	'rows behind open elements': (count) => `<table>${'<b>'.repeat(count)}${'<tr>'.repeat(count)}`,
	'attributes without an end': (count) => '<a x="'.repeat(count),
	spaces: (count) => `<a ${' '.repeat(count * 10)}b>c${' '.repeat(count * 10)}d`,
};
const MARKDOWN: Record<string, (count: number) => string> = {
	'blank lines in Markdown': (count) => `# A${'\n'.repeat(count)}x`,
	'titles in Markdown': (count) => `${'# A\n'.repeat(count)}x`,
	'titles between blank lines': (count) => `${'# A\n\n'.repeat(count)}${'x '.repeat(1500)}`,
};
test.each([
	...Object.entries(PAGES).map(([name, text]) => [name, text, readHtml] as const),
	...Object.entries(MARKDOWN).map(([name, text]) => [name, text, sections] as const),
])('the time for %s grows with the text', (_name, textOf, read) => {
	const time = (count: number) => {
		const text = textOf(count);
		const start = performance.now();
		read(text);
		return performance.now() - start;
	};
	time(1000);
	// Twice as much takes four times as long if the time grows with the square.
	const [one, eight] = [2000, 16_000].map((count) => Math.min(time(count), time(count)));
	expect(eight).toBeLessThan(Math.max(300, one * 32));
});
