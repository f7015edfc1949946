/** @import { ArchiveItem, Fetched, Item, ReadBytes, UnpackedItem } from '../parts/types' */

const { readOffice } = require('./shared/office');
const { wordText } = require('./shared/word');

/**
 * @param {{ files: ArchiveItem[], unpacked: UnpackedItem[], read: ReadBytes }} inputs
 * @returns {Promise<Item<Partial<Fetched> & { entry: number }>[]>}
 */
module.exports = async ({ files, unpacked, read }) => {
	// One item per Word file: `text`, Markdown with a heading for each heading, or `problem`.
	return await readOffice('docx', { files, unpacked, read }, wordText);
};
