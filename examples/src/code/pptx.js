/** @import { ArchiveItem, Fetched, Item, ReadBytes, UnpackedItem } from '../parts/types' */

const { readOffice } = require('./shared/office');
const { slidePages } = require('./shared/slides');

/**
 * @param {{ files: ArchiveItem[], unpacked: UnpackedItem[], read: ReadBytes }} inputs
 * @returns {Promise<Item<Partial<Fetched> & { entry: number }>[]>}
 */
module.exports = async ({ files, unpacked, read }) => {
	// One item per presentation: `pages`, one per slide, or `problem`.
	return await readOffice('pptx', { files, unpacked, read }, slidePages);
};
