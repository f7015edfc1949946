/** @import { Item, Range } from '../parts/types' */

/**
 * @param {{ settings: { ranges: number, recordsPerRange: number } }} inputs
 * @returns {[Item<{ ranges: Range[] }>]}
 */
module.exports = ({ settings }) => {
	// The records that each range skips, and the most that it pushes. The last range reads to the end of the file.
	const { ranges: count, recordsPerRange } = settings;
	const ranges = Array.from({ length: count }, (_, range) => ({
		range,
		skip: range * recordsPerRange,
		max: range + 1 < count ? recordsPerRange : 0,
	}));
	return [{ json: { ranges } }];
};
