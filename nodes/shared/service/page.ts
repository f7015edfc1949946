/** Elements that show that a text is a page. */
const PAGE_ELEMENTS = new Set('html head body title script meta form'.split(' '));

/**
 * Other elements that a page may begin with. An XML document can have a title too, but it begins with other elements.
 */
const LEADING_ELEMENTS = new Set(
	(
		'a b base big blockquote br button center dd div dl dt em fieldset font footer frameset ' +
		'h1 h2 h3 h4 h5 h6 header hr i iframe img input label li link main nav noscript object ol p ' +
		'pre small span strong style table tbody td th thead tr u ul'
	).split(' '),
);

/** Number of elements that count as the first elements of a page. */
const MAX_ELEMENTS = 10;
const MAX_CHARACTERS = 20_000;

const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const HTML_DOCTYPE = /<!doctype\s+html\b/iy;
const TAG_NAME = /<(!doctype|[a-z][a-z0-9:-]*)(?=[\s/>]|$)/iy;
const REST_OF_TAG = /(?:"[^"]*"|'[^']*'|[^"'>])*>/y;
/** Text and closing tags. A backtick ends the search, because Markdown has tags in its code. */
const BETWEEN_TAGS = /(?:[^<`]+|<\/[^>]*>)*/y;
const WHITE_SPACE = /\s*/y;

/**
 * Returns true if a text is an HTML page, for example a login page or a proxy's error page
 * (docs/service-interface.md, Responses).
 *
 * @param text a text that is not JSON
 * @param mediaType the stated media type. Alone, it proves nothing, because some servers label every response as HTML
 */
export function isPage(text: string, mediaType = ''): boolean {
	const start = afterComments(text);
	const beginning = text.slice(start, start + MAX_CHARACTERS);
	if (matchAt(TAG_NAME, beginning, 0) === undefined) return false;
	return (
		HTML_TYPE.test(mediaType) ||
		matchAt(HTML_DOCTYPE, beginning, 0) !== undefined ||
		hasPageElement(beginning)
	);
}

function hasPageElement(text: string): boolean {
	let at = 0;
	for (let elements = 0; elements < MAX_ELEMENTS; elements++) {
		const [tag = '', name = ''] = matchAt(TAG_NAME, text, at) ?? [];
		const element = name.toLowerCase();
		if (PAGE_ELEMENTS.has(element)) return true;
		if (element !== '!doctype' && !LEADING_ELEMENTS.has(element)) return false;
		at += tag.length;
		at += lengthAt(REST_OF_TAG, text, at);
		for (let before = -1; before < at; ) {
			before = at;
			at = afterComments(text, at + lengthAt(BETWEEN_TAGS, text, at));
		}
	}
	return false;
}

/**
 * Returns the index of the first character after white space, comments and declarations such as `<?xml … ?>`. Returns
 * the length of the text if nothing follows them, or if a comment does not end.
 */
export function afterComments(text: string, from = 0): number {
	for (let at = from; ; ) {
		at += lengthAt(WHITE_SPACE, text, at);
		const isComment = text.startsWith('<!--', at);
		if (!isComment && !text.startsWith('<?', at) && !text.startsWith('<![', at)) return at;
		const closing = isComment ? '-->' : '>';
		const end = text.indexOf(closing, at + 2);
		if (end < 0) return text.length;
		at = end + closing.length;
	}
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
	sticky.lastIndex = at;
	return sticky.exec(text) ?? undefined;
}

const lengthAt = (sticky: RegExp, text: string, at: number): number =>
	matchAt(sticky, text, at)?.[0].length ?? 0;
