/** @import { Change, InvalidCall, Item } from '../parts/types' */

const { storableText } = require('./shared/storable-text');

/**
 * @param {{ body: unknown }} inputs
 * @returns {Item<Change | InvalidCall>[]}
 */
module.exports = ({ body }) => {
	// One item per document of the call, or why the call is not valid.
	const call = Object(body);
	const lists = [call.documents ?? [], call.deleted ?? []];
	const [documents, deleted] = lists;
	if (!lists.every(Array.isArray) || documents.length + deleted.length === 0) {
		return invalid('the body has no list');
	}
	/** @type {Map<string, string>} */
	const known = new Map();
	/** @type {Item<Change>[]} */
	const changes = [];
	for (const entry of documents) {
		if (!isObject(entry)) return invalid(`'documents' contains ${shown(entry)}`);
		const { id, chunkCount, ...fields } = entry;
		if (!isId(id)) return invalid(`a document has no ID, but only ${shown(entry)}`);
		if (chunkCount !== undefined && !isCount(chunkCount)) {
			return invalid(`the chunkCount of the document '${id}' is ${shown(chunkCount)}`);
		}
		const problem = add({
			...fields,
			change: 'document',
			id,
			name: fields.name ?? id,
			previousChunkCount: chunkCount,
		});
		if (problem) return invalid(problem);
	}
	for (const entry of deleted) {
		// A plain ID is the ID of one document in the index, such as a chunk.
		const { id, chunkCount } = isObject(entry) ? entry : { id: entry, chunkCount: 0 };
		if (!isId(id)) return invalid(`'deleted' contains ${shown(entry)}`);
		if (!isCount(chunkCount)) {
			return invalid(
				`the deleted document '${id}' has no chunkCount, so it is unknown which chunks to delete`,
			);
		}
		const problem = add({ change: 'deleted', id, previousChunkCount: chunkCount });
		if (problem) return invalid(problem);
	}
	return changes;

	/**
	 * Leaves out copies. Returns why a change is unclear, if it is.
	 * @param {Change} change
	 */
	function add(change) {
		const key = String(change.id);
		const content = JSON.stringify(change);
		const earlier = known.get(key);
		if (earlier === undefined) changes.push({ json: change });
		known.set(key, content);
		if (earlier === undefined || earlier === content) return '';
		const isBoth = JSON.parse(earlier).change !== change.change;
		return isBoth
			? `the ID '${key}' is both in documents and in deleted`
			: `the ID '${key}' occurs twice, with different content`;
	}

	/**
	 * @param {string} problem
	 * @returns {[Item<InvalidCall>]}
	 */
	function invalid(problem) {
		return [{ json: { change: 'invalid', problem } }];
	}

	/**
	 * @param {unknown} value
	 * @returns {value is Record<string, unknown>}
	 */
	function isObject(value) {
		return typeof value === 'object' && value !== null && !Array.isArray(value);
	}

	/**
	 * @param {unknown} value
	 * @returns {value is string | number}
	 */
	function isId(value) {
		return Number.isSafeInteger(value) || (typeof value === 'string' && value.trim() !== '');
	}

	/**
	 * @param {unknown} value
	 * @returns {value is number}
	 */
	function isCount(value) {
		return Number.isInteger(value) && Number(value) >= 0;
	}

	/** @param {unknown} value */
	function shown(value) {
		return storableText(String(JSON.stringify(value)), 100);
	}
};
