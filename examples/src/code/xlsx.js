/** @import { ArchiveItem, Fetched, Item, ReadBytes, UnpackedItem } from '../parts/types' */

const { readOffice } = require('./shared/office');
const { workbookText } = require('./shared/workbook');

/**
 * @param {{ files: ArchiveItem[], unpacked: UnpackedItem[], read: ReadBytes }} inputs
 * @returns {Promise<Item<Partial<Fetched> & { entry: number }>[]>}
 */
module.exports = async ({ files, unpacked, read }) => {
	// One item per workbook: `text` with the rows of all sheets, or `problem`.
	return await readOffice('xlsx', { files, unpacked, read }, workbookText);
};
