/** @import { Item, PageEntry, PageResponse, PageToRead } from '../parts/types' */

const { resolvedAddress, samePath } = require('./shared/address');
const { pageToRead } = require('./shared/page-to-read');

/**
 * @param {{ entries: PageEntry[], responses: PageResponse[], redirected: PageResponse[], bytes: (Buffer | undefined)[] }} inputs
 * @returns {Item<PageToRead>[]}
 */
module.exports = ({ entries, responses, redirected, bytes }) => {
	// One item per entry: the page's HTML, where it is, or why it cannot be read. Missing pages are asked for without
	// following redirects, and excluded pages are not asked for.
	let asked = 0;
	let next = 0;
	return entries.map((entry) => {
		const { id, isMissing, isExcluded } = entry;
		const at = isExcluded ? -1 : asked++;
		const first = responses[at] ?? { error: 'was not requested' };
		const location = isRedirect(first)
			? resolvedAddress(String(first.headers?.location), String(id))
			: '';
		const isAskedAgain = location && !isMissing;
		const place = isAskedAgain ? next++ : 0;
		const followed = isAskedAgain ? redirected[place] : undefined;
		const isFollowed = followed !== undefined && samePath(location, String(id), true);
		const body = bytes[isFollowed ? responses.length + place : at];
		return { json: pageToRead(entry, isFollowed ? followed : first, body, location) };
	});

	/** @param {PageResponse} response */
	function isRedirect({ statusCode = 0, headers }) {
		return statusCode >= 300 && statusCode < 400 && Boolean(headers?.location);
	}
};
