/** @import { SitemapFile } from '../parts/types' */

/**
 * @param {{ downloads: SitemapFile[], decompressed: SitemapFile[] }} inputs
 * @returns {SitemapFile[]}
 */
module.exports = ({ downloads, decompressed }) => {
	// A file that Decompress cannot read is not compressed, or n8n has decompressed it already.
	return downloads.map(({ json, binary }, at) => ({
		json,
		binary: { data: decompressed[at]?.binary?.file_0 ?? binary?.data },
	}));
};
