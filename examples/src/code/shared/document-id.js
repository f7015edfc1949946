module.exports = { idProblem, isNeverPushed };

/**
 * Returns why the nodes refuse to push or to delete a document with this ID, or an empty text. A test compares this with
 * the nodes.
 * @param {string} id
 */
function idProblem(id) {
	if (id === '.' || id === '..') {
		return 'has an ID that stands for a folder in a URL, so it could never be deleted: choose another ID';
	}
	if (!id.isWellFormed()) {
		return 'has an ID with a broken character, such as half an emoji: repair it at its source';
	}
	return isShortened(id)
		? 'has an ID that a spreadsheet has shortened: format the column as text, and export it again'
		: '';
}

/**
 * Whether the index cannot contain a document with this ID, because Push Documents has always refused it.
 * @param {string} id
 */
function isNeverPushed(id) {
	return !id.isWellFormed() || isShortened(id);
}

/** @param {string} id */
function isShortened(id) {
	return /^\d(?:[.,]\d+)?E\+\d{2}$/i.test(id);
}
