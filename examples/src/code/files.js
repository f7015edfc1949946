/** @import { FileSettings, Item, ListedFile } from '../parts/types' */

const { chosenFields } = require('./shared/fields');
const { versionOfSelectors } = require('./shared/selectors');

/**
 * @param {{ files: Partial<ListedFile>[], place: FileSettings, now: Date }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ files, place, now }) => {
	// One item per file. A file with `skipped` is not read and only counted, and one with `later` waits for the next run.
	const folder = normal(place.folder).replace(/\/$/, '');
	const selectors = versionOfSelectors(place);
	const extensions = place.extensions.split(',').map((each) => each.trim().toLowerCase());
	return files
		.filter(({ type }) => type !== undefined && type !== 'd')
		.map(({ path = '', name = '', type, size = 0, modifyTime = '' }) => {
			const whole = normal(path);
			const inFolder = whole.startsWith(`${folder}/`)
				? whole.slice(folder.length + 1)
				: whole;
			const id = place.prefix + inFolder;
			const extension = name.includes('.') ? (name.split('.').pop() ?? '').toLowerCase() : '';
			const url = place.url ? place.url.replace(/\/?$/, '/') + encoded(inFolder) : '';
			const file = {
				id,
				path,
				name,
				url,
				extension,
				size,
				...fieldsOf(inFolder, extension, modifyTime),
			};
			const skipped = kindToSkip(type, inFolder, extension);
			if (skipped) return { json: { ...file, skipped } };

			const megabytes = size / 1_000_000;
			const problem =
				megabytes > place.mostMegabytes
					? `has ${megabytes.toFixed(1)} MB, and 'Settings' allows ${place.mostMegabytes}: make the file smaller, or raise mostMegabytes`
					: undefined;
			// A file from the future, from a clock that is wrong, would wait forever.
			const age = now.getTime() - new Date(modifyTime).getTime();
			const later = (age < 0 ? -age : age) < place.minutesAtRest * 60_000;
			const title = place.titleAsName ? ' title' : '';
			const parts = /html?$/.test(extension) ? selectors : '';
			const version = `${size} ${modifyTime}${title}${parts}`;
			return { json: { ...file, version, later, problem } };
		});

	/**
	 * @param {string} path
	 * @param {string} extension
	 * @param {string} modified
	 */
	function fieldsOf(path, extension, modified) {
		const folderOfFile = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
		const all = { path, folder: folderOfFile, extension, modified };
		const fields = chosenFields(all, place.fields);
		return Object.keys(fields).length > 0 ? { fields } : {};
	}

	/**
	 * The ID of a file does not depend on how the folder is spelled.
	 * @param {string} path
	 */
	function normal(path) {
		return path.replace(/\/(?:\.?\/)+/g, '/').replace(/\/\.$/, '/');
	}

	/**
	 * @param {string | undefined} type
	 * @param {string} inFolder
	 * @param {string} extension
	 */
	function kindToSkip(type, inFolder, extension) {
		if (type === 'l') return 'links';
		if (type !== '-') return 'special files';
		// n8n could not download it, because its name is not encoded in UTF-8.
		if (inFolder.includes('\ufffd')) return 'unreadable names';
		// Office programs and systems write such files beside the real ones.
		if (/(?:^|\/)[.~]/.test(inFolder)) return 'hidden files';
		return extensions.includes(extension) ? '' : extension || 'files without extension';
	}

	/** @param {string} path */
	function encoded(path) {
		return path.split('/').map(encodeURIComponent).join('/');
	}
};
