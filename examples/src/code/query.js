/** @import { Item } from '../parts/types' */

const { namesIn } = require('./shared/fields');
const { settingsText } = require('./shared/settings-text');

/**
 * @param {{
 *   query: string,
 *   settings: string,
 *   choices: { ignoredFields?: string, pushAgain?: unknown },
 *   isChunked: boolean,
 * }} inputs
 * @returns {[Item<{ query: string, settings: string, pushAgain: string, ignored: string }>]}
 */
module.exports = ({ query, settings, choices, isChunked }) => {
	// Compare and Read select from the query, so it cannot end with a semicolon. A comment may follow the semicolon.
	const comment = /--[^\n'"]*(?:\n|$)|\/\*[^'"*]*\*\//.source;
	const end = new RegExp(`(?:;(?:\\s|${comment})*)+$`);
	// In chunked syncs, only fields beside the text can be ignored.
	const own = isChunked ? ['id', 'name', 'url', 'text', 'problem'] : ['id'];
	const ignored = namesIn(choices.ignoredFields).filter((name) => !own.includes(name));
	return [
		{
			json: {
				query: query.replace(end, ''),
				settings: settingsText(settings, 'headings'),
				pushAgain: JSON.stringify(choices.pushAgain),
				ignored: JSON.stringify(ignored),
			},
		},
	];
};
