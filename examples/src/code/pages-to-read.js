/** @import { Item, PageEntry, PageResponse, PageToRead } from '../parts/types' */

const { resolvedAddress, samePath } = require('./shared/address');

/**
 * @param {{ entries: PageEntry[], responses: PageResponse[], redirected: PageResponse[] }} inputs
 * @returns {Item<PageToRead>[]}
 */
module.exports = ({ entries, responses, redirected }) => {
	// One item per entry: the page's HTML, where it is, or why it cannot be read. Missing pages are asked for without
	// following redirects.
	let next = 0;
	return entries.map(({ id, isMissing }, at) => {
		const first = responses[at] ?? { error: 'was not requested' };
		const location = isRedirect(first)
			? resolvedAddress(String(first.headers?.location), String(id))
			: '';
		const followed = location && !isMissing ? redirected[next++] : undefined;
		const isSamePage = Boolean(location) && samePath(location, String(id), true);
		const page = (isSamePage && followed) || first;
		const { error, statusCode = 0, headers = {} } = page;
		const type = String(headers['content-type'] ?? '')
			.split(';')[0]
			.trim();
		const json = { id, isMissing, status: statusCode, type };
		const data = typeof page.data === 'string' ? page.data : '';
		const robots = String(headers['x-robots-tag'] ?? '');
		const to = isSamePage ? '' : location;
		return { json: { ...json, data, robots, to, ...(error !== undefined && { error }) } };
	});

	/** @param {PageResponse} response */
	function isRedirect({ statusCode = 0, headers }) {
		return statusCode >= 300 && statusCode < 400 && Boolean(headers?.location);
	}
};
