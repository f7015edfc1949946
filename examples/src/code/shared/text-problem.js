module.exports = { textProblem };

const { storableText } = require('./storable-text');

/**
 * Returns why a document has no text that can be chunked, as the end of a sentence, or an empty text. A text without
 * letters is a text.
 *
 * @param {{ text?: unknown, name?: unknown, url?: unknown, description?: unknown }} document
 */
function textProblem({ text, name, url, description }) {
	if (Array.isArray(text) && text.length === 0) return 'has no pages';
	const isText =
		typeof text === 'string' ||
		(Array.isArray(text) && text.every((page) => typeof page === 'string'));
	if (!isText) {
		const only = text ? `, only ${storableText(JSON.stringify(text), 100)}` : '';
		return `has no text${only}`;
	}
	if ([name, url, description].some((value) => typeof value === 'object' && value !== null)) {
		return 'has a name, a URL or a description that is no text';
	}
	return '';
}
