/** @import { Batch, Item, ListedDocument } from '../parts/types' */

/**
 * @param {{ batch: Batch }} inputs
 * @returns {Item<ListedDocument & { isMissing: boolean }>[]}
 */
module.exports = ({ batch }) => {
	// One item per entry to fetch. An entry that is missing from the list has only an ID: does it still exist? What the
	// list skips is not asked for.
	const asked = batch.work.filter(({ isSkipped }) => !isSkipped);
	return asked.map(({ id, document }) => ({
		json: { ...document, id, isMissing: !document },
	}));
};
