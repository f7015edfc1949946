/** @import { Item, PageEntry, PageResponse, PageToRead } from '../parts/types' */

const { resolvedAddress, samePath } = require('./shared/address');
const { decodedText } = require('./shared/decoded-text');

/**
 * @param {{ entries: PageEntry[], responses: PageResponse[], redirected: PageResponse[], bytes: (Buffer | undefined)[] }} inputs
 * @returns {Item<PageToRead>[]}
 */
module.exports = ({ entries, responses, redirected, bytes }) => {
	// One item per entry: the page's HTML, where it is, or why it cannot be read. Missing pages are asked for without
	// following redirects.
	let next = 0;
	return entries.map(({ id, isMissing, isExcluded }, at) => {
		const first = responses[at] ?? { error: 'was not requested' };
		const location = isRedirect(first)
			? resolvedAddress(String(first.headers?.location), String(id))
			: '';
		const isAskedAgain = location && !isMissing;
		const place = isAskedAgain ? next++ : 0;
		const followed = isAskedAgain ? redirected[place] : undefined;
		const isSamePage = Boolean(location) && samePath(location, String(id), true);
		const isFollowed = isSamePage && followed !== undefined;
		const page = isFollowed ? followed : first;
		const { error, statusCode = 0, headers = {} } = page;
		const contentType = String(headers['content-type'] ?? '');
		const type = contentType.split(';')[0].trim().toLowerCase();
		const json = { id, isMissing, isExcluded, status: statusCode, type };
		const body = bytes[isFollowed ? responses.length + place : at];
		const isText = type === '' || /html|text|xml/.test(type);
		const { text: data, problem } =
			body && isText ? decodedText(body, contentType) : { text: '', problem: '' };
		const robots = String(headers['x-robots-tag'] ?? '');
		const to = isSamePage ? '' : location;
		const why = { ...(error !== undefined && { error }), ...(problem && { problem }) };
		return { json: { ...json, data, robots, to, ...why } };
	});

	/** @param {PageResponse} response */
	function isRedirect({ statusCode = 0, headers }) {
		return statusCode >= 300 && statusCode < 400 && Boolean(headers?.location);
	}
};
