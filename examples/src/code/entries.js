/** @import { Batch, Item, ListedDocument } from '../parts/types' */

/**
 * @param {{ batch: Batch }} inputs
 * @returns {Item<ListedDocument & { isMissing: boolean, isExcluded?: boolean }>[]}
 */
module.exports = ({ batch }) => {
	// One item per entry to fetch. An entry that is missing from the list has only an ID: does it still exist?
	return batch.work.map(({ id, document, isExcluded }) => ({
		json: { ...document, id, isMissing: !document, ...(isExcluded && { isExcluded }) },
	}));
};
