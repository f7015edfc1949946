/** @import { DriveFile, Item } from '../parts/types' */

/**
 * @param {{ folders: Partial<DriveFile>[], root: string }} inputs
 * @returns {Item<{ id: string }>[]}
 */
module.exports = ({ folders, root }) => {
	// One item per folder: the chosen one and all folders below it, because Drive's search is not recursive.
	/** @type {Map<string, string[]>} */
	const children = new Map();
	for (const { id, parents = [] } of folders) {
		for (const parent of id ? parents : []) {
			children.set(parent, [...(children.get(parent) ?? []), String(id)]);
		}
	}
	const found = new Set([root.trim()]);
	// A set that grows while it is read is read to its end.
	for (const id of found) {
		for (const child of children.get(id) ?? []) found.add(child);
	}
	return [...found].map((id) => ({ json: { id } }));
};
