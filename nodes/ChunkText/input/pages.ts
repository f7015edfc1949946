import { InputError } from '../../shared/service/input-error';
import { formatCount } from '../../shared/service/strings';

/** The beginnings of the pages in a text. */
export interface Pages {
	/** Number of the text's first page. The first page of a document is page 1. */
	first: number;
	/** Offset of each page in the text, in UTF-16 units. */
	starts: number[];
}

/** A text to submit. `pages` is set if the text was given as a list of pages. */
export interface PagedText {
	text: string;
	pages?: Pages;
}

/** n8n's Extract from File node joins pages in the same way. */
const BETWEEN_PAGES = '\n\n';

/**
 * Joins the pages of a document. If the document is too large for one text, it is cut between pages.
 *
 * @param what subject of the error message
 * @returns the texts, of which each is at most `maxBytes` large unless a single page is larger
 * @throws InputError if an entry of the list is not a string, or if there is no text on any page
 */
export function joinPages(list: readonly unknown[], what: string, maxBytes: number): PagedText[] {
	const pages = list.filter((page) => typeof page === 'string');
	if (pages.length < list.length)
		throw new InputError(
			`${what} is a list, but not all of its entries are texts`,
			'A list must contain the pages of one document as texts, as Extract from File returns them.',
		);
	if (pages.every((page) => page.trim() === ''))
		throw new InputError(
			`${what} has ${formatCount(pages.length, 'page')} without text`,
			'The pages may be scanned. Use a program that recognizes the text in images (OCR) before this node.',
			{ commonMessage: `${what} has pages without text` },
		);
	const texts: PagedText[] = [];
	for (let from = 0; from < pages.length; ) {
		const to = endOfText(pages, from, maxBytes);
		const text = pagedText(pages.slice(from, to), from + 1);
		if (text.text.trim() !== '') texts.push(text);
		from = to;
	}
	return texts;
}

/** Returns the index after the last page that fits in the text. A text has at least one page. */
function endOfText(pages: readonly string[], from: number, maxBytes: number): number {
	let bytes = 0;
	for (let at = from; at < pages.length; at++) {
		bytes += Buffer.byteLength(pages[at] ?? '') + (at > from ? BETWEEN_PAGES.length : 0);
		if (bytes > maxBytes && at > from) return at;
	}
	return pages.length;
}

function pagedText(pages: readonly string[], first: number): PagedText {
	const starts: number[] = [];
	let end = 0;
	for (const page of pages) {
		starts.push(end);
		end += page.length + BETWEEN_PAGES.length;
	}
	return { text: pages.join(BETWEEN_PAGES), pages: { first, starts } };
}
