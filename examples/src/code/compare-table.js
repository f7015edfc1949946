/** @import { Score, TableRow } from '../parts/compare-types' */
/** @import { Item } from '../parts/types' */

/**
 * @param {{ scores: Score[] }} inputs
 * @returns {Item<TableRow>[]}
 */
module.exports = ({ scores }) => {
	// The best variant first. Variants with an error have no rank and come last.
	const good = scores.filter(({ error }) => error === '');
	if (good.length === 0) {
		const reasons = scores.map(({ variant, error }) => `${variant}: ${error}`);
		throw new Error(`No variant could be compared. ${reasons.join('; ')}`);
	}
	const sorted = [...good].sort(compare);
	const ranked = sorted.map((score) => ({
		rank: 1 + sorted.filter((other) => compare(other, score) < 0).length,
		...score,
	}));
	const failed = scores.filter(({ error }) => error !== '');
	return [...ranked, ...failed.map((score) => ({ rank: null, ...score }))].map((json) => ({
		json,
	}));

	/**
	 * @param {Score} one
	 * @param {Score} other
	 */
	function compare(one, other) {
		const figures = /** @type {const} */ (['meanReciprocalRank', 'hitAt1', 'hitAt5']);
		const different = figures.find((figure) => one[figure] !== other[figure]);
		return different ? Number(other[different]) - Number(one[different]) : 0;
	}
};
