/** @import { Item } from '../parts/types' */

/**
 * @param {{ query: string }} inputs
 * @returns {[Item<{ query: string }>]}
 */
module.exports = ({ query }) => {
	// Compare and Read select from the query, so it cannot end with a semicolon. A comment may follow the semicolon.
	const comment = /--[^\n'"]*(?:\n|$)|\/\*[^'"*]*\*\//.source;
	const end = new RegExp(`(?:;(?:\\s|${comment})*)+$`);
	return [{ json: { query: query.replace(end, '') } }];
};
