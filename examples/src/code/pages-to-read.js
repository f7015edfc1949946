/** @import { Item, PageEntry, PageResponse, PageToRead } from '../parts/types' */

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
		const location = isRedirect(first) ? resolved(first.headers?.location, String(id)) : '';
		const followed = location && !isMissing ? redirected[next++] : undefined;
		const isSamePage = Boolean(location) && path(location) === path(String(id));
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

	/**
	 * Code nodes have no URL class.
	 * @param {unknown} location
	 * @param {string} from
	 */
	function resolved(location, from) {
		const to = String(location).trim();
		if (/^https?:/i.test(to)) return to;
		const [, protocol = '', host = '', path = ''] =
			/^(https?:)(\/\/[^/?#]*)([^?#]*)/i.exec(from) ?? [];
		if (to.startsWith('//')) return protocol + to;
		if (to.startsWith('/')) return protocol + host + to;
		return `${protocol}${host}${path.replace(/[^/]*$/, '')}${to}`;
	}

	/**
	 * The same page may have another protocol or host, and a slash or index.html at its end.
	 * @param {string} url
	 */
	function path(url) {
		const [, whole = ''] = /^https?:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
		return whole.replace(/(?:\/index\.html?|\/)(?=\?|$)/, '');
	}
};
