/** @import { ExtractedItem, Item } from '../parts/types' */

const { readHtml } = require('./shared/html-text');

/**
 * @param {{ files: ExtractedItem[] }} inputs
 * @returns {Item<ExtractedItem['json']>[]}
 */
module.exports = ({ files }) => {
	// One item per file: the text of its main part, and its title.
	return files.map(({ json: { data, error } }) => {
		if (typeof data !== 'string') return { json: { error } };
		const { text, title } = readHtml(data);
		return { json: { text, title } };
	});
};
