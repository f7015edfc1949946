module.exports = { chosenFields, fieldProblem, filledFields, namesIn };

/**
 * Returns the fields that are not empty. Only these are pushed and count in a version, so a field that a source may have
 * changes nothing for documents without it.
 * @param {unknown} fields
 * @returns {Record<string, unknown>}
 */
function filledFields(fields) {
	if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {};
	/** @param {unknown} value */
	const isFilled = (value) =>
		Array.isArray(value)
			? value.length > 0
			: value !== undefined && value !== null && value !== '';
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => isFilled(value)));
}

/**
 * Returns why these cannot be the fields of a document, as the end of a sentence about it, or an empty text.
 * @param {unknown} fields
 */
function fieldProblem(fields) {
	if (fields === undefined || fields === null) return '';
	if (typeof fields !== 'object' || Array.isArray(fields)) {
		return 'has fields that are no object such as { "category": "Ladders" }';
	}
	// What a chunk gets from Chunk Text. The description is missing here, because a field with this name becomes it.
	const own = ['id', 'name', 'url', 'parentId', 'chunkIndex', 'page', 'pageEnd', 'text'];
	own.push('vector', 'removed', 'error');
	const hidden = own.find((name) => Object.hasOwn(filledFields(fields), name));
	return hidden
		? `has a field '${hidden}', which would hide a field of its chunks: give it another name than ${own.join(', ')}`
		: '';
}

/**
 * Returns the names in a setting, with commas between them.
 * @param {unknown} setting
 */
function namesIn(setting) {
	const names = String(setting ?? '').split(',');
	return names.map((name) => name.trim()).filter((name) => name !== '');
}

/**
 * Returns those fields of a source that the setting names.
 * @param {Record<string, unknown>} fields
 * @param {unknown} setting names with commas between them
 * @throws Error if the source has no field with such a name
 */
function chosenFields(fields, setting) {
	const chosen = namesIn(setting);
	const unknown = chosen.find((name) => !Object.hasOwn(fields, name));
	if (unknown !== undefined) {
		throw new Error(
			`Nothing was changed: there is no field '${unknown}', which fields in 'Settings' names, only ${Object.keys(fields).join(', ')}.`,
		);
	}
	return filledFields(Object.fromEntries(chosen.map((name) => [name, fields[name]])));
}
