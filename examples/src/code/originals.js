/** @import { Item, PageToRead } from '../parts/types' */

const { headOf } = require('./shared/html-text');
const { namedOriginal, originalToAsk } = require('./shared/original');

/**
 * @param {{ pages: PageToRead[], listed: string }} inputs
 * @returns {Item<{ id: string, isMissing: boolean }>[]}
 */
module.exports = ({ pages, listed }) => {
	// One item per page that other pages name as their original: can it be read?
	const all = new Set(listed.split(' '));
	const addresses = pages
		.filter(({ data, isMissing }) => !isMissing && /canonical/i.test(data))
		.map(({ id, data }) => {
			const original = namedOriginal(headOf(data), String(id));
			return original && originalToAsk(original, String(id), all);
		});
	return [...new Set(addresses)]
		.filter((id) => id !== '')
		.map((id) => ({ json: { id, isMissing: false } }));
};
