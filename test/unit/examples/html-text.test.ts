import { htmlText, readHtml } from '../../../examples/src/code/shared/html-text';
import { PAGES } from './support/pages';

test.each(Object.entries(PAGES))('the text of %s is what a reader sees', (_name, page) => {
	const { text, title } = readHtml(page.html);
	expect(text).toBe(page.text);
	expect(title).toBe(page.title ?? '');
});
