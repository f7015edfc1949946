/** @import { DriveFile, Item } from '../parts/types' */

/**
 * @param {{ folders: Partial<DriveFile>[], root: string }} inputs
 * @returns {Item<{ id: string, path: string }>[]}
 */
module.exports = ({ folders, root }) => {
	// One item per folder: the chosen one and all folders below it, because Drive's search is not recursive.
	/** @type {Map<string, string[]>} */
	const children = new Map();
	/** @type {Map<string, string>} */
	const names = new Map();
	for (const { id, name = '', parents = [] } of folders) {
		names.set(String(id), name);
		for (const parent of id ? parents : []) {
			children.set(parent, [...(children.get(parent) ?? []), String(id)]);
		}
	}
	// The path of each folder below the chosen one. A map that grows while it is read is read to its end.
	const found = new Map([[root.trim(), '']]);
	for (const [id, path] of found) {
		for (const child of children.get(id) ?? []) {
			const name = names.get(child) ?? '';
			if (!found.has(child)) found.set(child, path ? `${path}/${name}` : name);
		}
	}
	return [...found].map(([id, path]) => ({ json: { id, path } }));
};
