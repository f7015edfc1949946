/** @import { FileItem, FileToRead } from '../parts/types' */

/**
 * @param {{ entries: FileToRead[], downloads: FileItem[] }} inputs
 * @returns {FileItem[]}
 */
module.exports = ({ entries, downloads }) => {
	// One item per file whose content n8n can extract. `kind` says how, and `entry` is its place among the downloads.
	const extensions = Object.entries({
		...{ pdf: ['pdf'], html: ['html', 'htm', 'xhtml'], xlsx: ['xlsx'] },
		text: ['md', 'markdown', 'txt', 'text', 'csv', 'tsv'],
	});
	const kindOf = (extension = '') =>
		extensions.find(([, names]) => names.includes(extension))?.[0];
	// If the connection fails, n8n returns a single item for all files.
	if (downloads.length !== entries.length) return [];
	return downloads.flatMap(({ json, binary }, entry) => {
		const { id, extension } = entries[entry];
		const kind = kindOf(extension);
		return binary?.data && !json.error && kind ? [{ json: { id, kind, entry }, binary }] : [];
	});
};
