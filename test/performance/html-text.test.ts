import { readHtml } from '../../examples/src/code/shared/html-text';

/** Pages that would take forever if the time grew faster than the page. */
const LARGE: Record<string, (count: number) => string> = {
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
test.each(Object.entries(LARGE))('the time for %s grows with the page', (_name, page) => {
	const time = (count: number) => {
		const html = page(count);
		const start = performance.now();
		readHtml(html);
		return performance.now() - start;
	};
	time(1000);
	// Twice as much takes four times as long if the time grows with the square.
	const [one, eight] = [2000, 16_000].map((count) => Math.min(time(count), time(count)));
	expect(eight).toBeLessThan(Math.max(300, one * 32));
});
