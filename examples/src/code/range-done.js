/** @import { FileSummary, Item } from '../parts/types' */

/**
 * @param {{ summary: FileSummary, headers: Record<string, string | undefined> }} inputs
 * @returns {[Item<Record<string, unknown>>]}
 */
module.exports = ({ summary, headers }) => {
	// What the range has done, and which version of the file it has read.
	const { atEnd, records, pushed, failed, warnings } = summary;
	const modified = headers['last-modified'];
	const version = modified ? `${headers['content-length']} bytes, ${modified}` : '';
	const file = headers.etag ?? version;
	return [{ json: { atEnd, records, pushed, failed, file, message: warnings?.[0] ?? '' } }];
};
