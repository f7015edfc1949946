/** @import { ExtractedItem, Item } from '../parts/types' */

const { decodedText } = require('./shared/decoded-text');
const { readHtml } = require('./shared/html-text');

/**
 * @param {{ files: ExtractedItem[], settings: { mainPart?: unknown, leaveOut?: unknown } }} inputs
 * @returns {Item<ExtractedItem['json']>[]}
 */
module.exports = ({ files, settings }) => {
	// One item per file: the text of its main part, and its title.
	return files.map(({ json: { data, error } }) => {
		if (typeof data !== 'string') return { json: { error } };
		const { text: html, problem } = decodedText(Buffer.from(data, 'base64'), 'text/html');
		if (problem) return { json: { problem } };
		const { text, title } = readHtml(html, settings);
		return { json: { text, title } };
	});
};
