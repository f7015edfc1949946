/** @import { PageEntry, PageResponse, PageToRead } from '../../parts/types' */

const { samePath } = require('./address');
const { decodedText } = require('./decoded-text');

module.exports = { pageToRead };

/**
 * Returns the HTML of a page, where it is, or why it cannot be read.
 * @param {PageEntry} entry
 * @param {PageResponse} response
 * @param {Buffer | undefined} body
 * @param {string} location the complete address to which the website redirects, or an empty text
 * @returns {PageToRead}
 */
function pageToRead({ id, isMissing, isExcluded }, response, body, location) {
	const { error, statusCode = 0, headers = {} } = response;
	const contentType = String(headers['content-type'] ?? '');
	const type = contentType.split(';')[0].trim().toLowerCase();
	const isText = type === '' || /html|text|xml/.test(type);
	const { text: data, problem } =
		body && isText ? decodedText(body, contentType) : { text: '', problem: '' };
	const robots = String(headers['x-robots-tag'] ?? '');
	const to = location && !samePath(location, String(id), true) ? location : '';
	const why = { ...(error !== undefined && { error }), ...(problem && { problem }) };
	return { id, isMissing, isExcluded, status: statusCode, type, data, robots, to, ...why };
}
