/** @import { SitemapFile } from '../parts/types' */

/**
 * @param {{ files: SitemapFile[] }} inputs
 * @returns {SitemapFile[]}
 */
module.exports = ({ files }) => {
	// Decompress reads only files with the extension gz, and servers call compressed sitemaps by several names.
	return files.map(({ json, binary }) => ({
		json,
		binary: { data: { ...binary?.data, fileExtension: 'gz' } },
	}));
};
