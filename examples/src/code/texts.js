/** @import { Item } from '../parts/types' */

/**
 * @param {{ count: number }} inputs
 * @returns {[Item<{ texts: { text: string }[] }>]}
 */
module.exports = ({ count }) => {
	// As many texts as this, each a bit different.
	const texts = Array.from({ length: count }, (_, at) => ({ text: `A text to check ${at}` }));
	return [{ json: { texts } }];
};
