/** @import { DriveFile, Item } from '../parts/types' */

const { chosenFields } = require('./shared/fields');
const { versionOfSelectors } = require('./shared/selectors');

/**
 * @param {{
 *   files: Partial<DriveFile>[],
 *   folders?: { id: string, path: string }[],
 *   mostMegabytes: number,
 *   fields?: unknown,
 *   titleAsName?: unknown,
 *   mainPart?: unknown,
 *   leaveOut?: unknown,
 * }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ files, folders, mostMegabytes, fields, titleAsName, mainPart, leaveOut }) => {
	// One item per file. A file with `skipped` is not read and only counted.
	const selectors = versionOfSelectors({ mainPart, leaveOut });
	const paths = new Map((folders ?? []).map(({ id, path }) => [id, path]));
	const google = 'application/vnd.google-apps.';
	const office = 'application/vnd.openxmlformats-officedocument.';
	const extensions = Object.entries({
		// What Download exports: Docs as Markdown, Sheets as CSV, and Slides as PDF.
		...{ md: [`${google}document`, 'text/markdown', 'text/x-markdown'], txt: ['text/plain'] },
		...{ csv: [`${google}spreadsheet`, 'text/csv'], html: ['text/html'] },
		pdf: [`${google}presentation`, 'application/pdf'],
		docx: [`${office}wordprocessingml.document`],
		...{
			xlsx: [`${office}spreadsheetml.sheet`],
			pptx: [`${office}presentationml.presentation`],
		},
	});
	const readable = ['md', 'markdown', 'txt', 'text', 'csv', 'tsv', 'html', 'htm', 'xhtml', 'pdf'];
	readable.push('docx', 'docm', 'dotx', 'xlsx', 'xlsm', 'pptx', 'pptm', 'ppsx');
	return files
		.filter(({ id }) => id !== undefined)
		.map((file) => {
			const { id, name = '', mimeType = '', webViewLink: url, md5Checksum } = file;
			const byType = extensions.find(([, types]) => types.includes(mimeType))?.[0];
			const extension = byType ?? byName(name, mimeType);
			if (!extension) return { json: { id, skipped: kind(name, mimeType) } };

			// Google's own files have no checksum, and their size is not the size of the export.
			const size = md5Checksum ? Number(file.size) : undefined;
			const megabytes = (size ?? 0) / 1_000_000;
			const problem =
				megabytes > mostMegabytes
					? `has ${megabytes.toFixed(1)} MB, and 'Settings' allows ${mostMegabytes}: make the file smaller, or raise mostMegabytes`
					: undefined;
			const title = titleAsName ? ' title' : '';
			const parts = /html?$/.test(extension) ? selectors : '';
			const version = `${md5Checksum ?? file.modifiedTime}${title}${parts}`;
			const further = fieldsOf(file, name, extension);
			return { json: { id, name, url, extension, size, version, problem, ...further } };
		});

	/**
	 * Owners are personal data, so they are in no list of fields by default.
	 * @param {Partial<DriveFile>} file
	 * @param {string} name
	 * @param {string} extension
	 */
	function fieldsOf({ parents = [], modifiedTime, owners = [] }, name, extension) {
		const folder = paths.get(parents[0]) ?? '';
		const path = folder ? `${folder}/${name}` : name;
		const all = { path, folder, extension, modified: modifiedTime };
		const owner = owners.map(({ displayName }) => displayName).filter(Boolean);
		const chosen = chosenFields({ ...all, owners: owner }, fields);
		return Object.keys(chosen).length > 0 ? { fields: chosen } : {};
	}

	/**
	 * Programs that upload files do not always know their types.
	 * @param {string} name
	 * @param {string} mimeType
	 */
	function byName(name, mimeType) {
		const isOther = mimeType.startsWith(google) || /^(?:image|audio|video)\//.test(mimeType);
		const extension = /\.(\w+)$/.exec(name)?.[1].toLowerCase() ?? '';
		return !isOther && readable.includes(extension) ? extension : undefined;
	}

	/**
	 * @param {string} name
	 * @param {string} mimeType
	 */
	function kind(name, mimeType) {
		if (mimeType.startsWith(google)) return `Google ${mimeType.slice(google.length)}`;
		return /\.(\w{1,8})$/.exec(name)?.[1].toLowerCase() ?? mimeType;
	}
};
