/** @import { Item } from '../parts/types' */

const { settingsText } = require('./shared/settings-text');

/**
 * @param {{ query: string, settings: string }} inputs
 * @returns {[Item<{ query: string, settings: string }>]}
 */
module.exports = ({ query, settings }) => {
	// Compare and Read select from the query, so it cannot end with a semicolon. A comment may follow the semicolon.
	const comment = /--[^\n'"]*(?:\n|$)|\/\*[^'"*]*\*\//.source;
	const end = new RegExp(`(?:;(?:\\s|${comment})*)+$`);
	return [{ json: { query: query.replace(end, ''), settings: settingsText(settings) } }];
};
