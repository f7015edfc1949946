/** @import { Change, ChangeResult, Chunked, Counted, InvalidCall, Item } from '../parts/types' */

/**
 * @param {{ changes: (Change | InvalidCall)[], texts: Chunked[], pushes: Counted[], removals: Counted[], deletions: Counted[] }} inputs
 * @returns {[Item<{ status: number, pushed: number, deleted: number, failed: number, documents: ChangeResult[], error: string }>]}
 */
module.exports = ({ changes, texts, pushes, removals, deletions }) => {
	// The answer to the caller: what has become of each document. A node that fails as a whole returns its input. So only
	// what the nodes have counted is confirmed, never the absence of an error.
	/** @type {ChangeResult[]} */
	const documents = [];
	let error = '';
	const textOf = byId(texts);
	const pushOf = byId(pushes);
	const removalOf = byId(removals);
	const deletionOf = byId(deletions);
	for (const change of changes) {
		if (change.change === 'invalid') {
			error = `Nothing was done: ${change.problem}. Expected: { "documents": [{ "id": "…", "name": "…", "text": "…", "chunkCount": 0 }], "deleted": [{ "id": "…", "chunkCount": 0 }] }`;
			return [{ json: { status: 400, pushed: 0, deleted: 0, failed: 0, documents, error } }];
		}
		const { id } = change;
		documents.push(
			change.change === 'deleted'
				? afterDelete(change, deletionOf(id))
				: afterPush(change, textOf(id), pushOf(id), removalOf(id)),
		);
	}
	const failures = documents.filter(({ status }) => status === 'failed');
	if (failures.length > 0) {
		error = `${failures.length} of ${documents.length} documents failed. The first failure: ${failures[0].error}`;
	}
	const status = error === '' ? 200 : 500;
	const failed = failures.length;
	const counts = { pushed: count('pushed'), deleted: count('deleted'), failed };
	return [{ json: { status, ...counts, documents, error } }];

	/** @param {ChangeResult['status']} wanted */
	function count(wanted) {
		return documents.filter((document) => document.status === wanted).length;
	}

	/**
	 * @param {Change} change
	 * @param {Counted} deletion
	 * @returns {ChangeResult}
	 */
	function afterDelete({ id, previousChunkCount: chunkCount = 0 }, deletion) {
		const { error: problem, deleted = 0, notFound = 0 } = deletion;
		const isDone = !problem && deleted + notFound === Math.max(chunkCount, 1);
		if (!isDone) {
			const reason = problem ? words(problem) : `The delete of '${id}' was not confirmed.`;
			return { id, status: 'failed', chunkCount, error: reason };
		}
		return { id, status: 'deleted', chunkCount: 0, ...(notFound > 0 && { notFound }) };
	}

	/**
	 * @param {Change} change
	 * @param {Chunked} text
	 * @param {Counted} push
	 * @param {Counted} removal
	 * @returns {ChangeResult}
	 */
	function afterPush(change, text, push, removal) {
		const { id, previousChunkCount: previous = 0 } = change;
		const { chunkCount = 0, removalsKnown } = text;
		// The index may contain this many chunks.
		const most = Math.max(previous, chunkCount);
		const reason = failure(change, text, push, removal);
		if (reason) return { id, status: 'failed', chunkCount: most, error: reason };
		const status = chunkCount === 0 ? 'deleted' : 'pushed';
		return { id, status, chunkCount: removalsKnown ? chunkCount : most };
	}

	/**
	 * @param {Change} change
	 * @param {Chunked} text
	 * @param {Counted} push
	 * @param {Counted} removal
	 */
	function failure({ id, previousChunkCount: previous }, text, push, removal) {
		const problem = text.error ?? push.error ?? removal.error;
		if (problem) return words(problem);
		if (text.missingCharacters) {
			return `The AI service returned no chunks for the last ${text.missingCharacters} characters of the document '${id}'. Shorten its text, or change the settings of 'Chunk Text'.`;
		}
		if (text.chunkCount === 0 && !text.removalsKnown) {
			return `The AI service returned no chunks for the document '${id}'. Check its text and the settings of 'Chunk Text'.`;
		}
		if (text.chunkCount === 0 && previous === undefined) {
			return `The text of the document '${id}' is empty, and without its chunkCount it is unknown which chunks to delete.`;
		}
		const { documents: chunks = [], removedIds = [], chunkCount } = text;
		const isPushed = chunks.length === (push.pushed ?? 0) + (push.skipped ?? 0);
		const isRemoved = removedIds.length === (removal.deleted ?? 0) + (removal.notFound ?? 0);
		if (isPushed && isRemoved && chunkCount !== undefined) return '';
		return `The document '${id}' was not confirmed.`;
	}

	/**
	 * The nodes keep the ID of each document. If a node fails before it reads its items, its errors have no ID and are
	 * about all documents.
	 * @param {(Chunked & Counted)[]} answers
	 * @returns {(id: Change['id']) => Chunked & Counted}
	 */
	function byId(answers) {
		const found = new Map(answers.map((answer) => [answer.id, answer]));
		return (id) => found.get(id) ?? { error: found.get(undefined)?.error };
	}

	/** @param {unknown} problem */
	function words(problem) {
		return String(Object(problem).message ?? problem);
	}
};
