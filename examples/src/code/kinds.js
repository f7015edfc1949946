/** @import { FileItem, FileToRead } from '../parts/types' */

/**
 * @param {{ entries: FileToRead[], downloads: FileItem[] }} inputs
 * @returns {FileItem[]}
 */
module.exports = ({ entries, downloads }) => {
	// One item per file whose content n8n can extract. `kind` says how, and `entry` is its place among the downloads.
	const extensions = Object.entries({
		...{ pdf: ['pdf'], html: ['html', 'htm', 'xhtml'] },
		text: ['md', 'markdown', 'txt', 'text', 'csv', 'tsv'],
		...{
			docx: ['docx', 'docm', 'dotx'],
			xlsx: ['xlsx', 'xlsm'],
			pptx: ['pptx', 'pptm', 'ppsx'],
		},
	});
	const kindOf = (extension = '') =>
		extensions.find(([, names]) => names.includes(extension))?.[0];
	// If the connection fails, n8n returns a single item for all files.
	if (downloads.length !== entries.length) return [];
	return downloads.flatMap(({ json, binary }, entry) => {
		const { id, extension } = entries[entry];
		const kind = kindOf(extension);
		if (!binary?.data || json.error || !kind) return [];
		// Office files are archives, which are checked and unpacked together.
		const isOffice = ['docx', 'xlsx', 'pptx'].includes(kind);
		const how = isOffice ? { kind: 'office', format: kind } : { kind };
		return [{ json: { id, ...how, entry }, binary }];
	});
};
