/** @import { ComparedDocument, Question, Variant } from '../parts/compare-types' */
/** @import { Item } from '../parts/types' */

const { hasPhrase } = require('./shared/phrase');

/**
 * @param {{ documents: Partial<ComparedDocument>[], questions: Partial<Question>[], variants: Partial<Variant>[] }} inputs
 * @returns {Item<Variant>[]}
 */
module.exports = ({ documents, questions, variants }) => {
	// One item per variant, after a check of everything that the nodes before have returned.
	/** @type {string[]} */
	const problems = [];
	checkNumber('Documents', documents, 5, 50);
	checkNumber('Questions', questions, 5, 50);
	checkNumber('Variants', variants, 1, 20);
	/** @type {Map<string, string>} */
	const texts = new Map();
	for (const [at, { id, text }] of documents.entries()) {
		const which = `Documents, item ${at}`;
		if (!isText(text)) problems.push(`${which}: 'text' is empty`);
		if (!isId(id)) problems.push(`${which}: 'id' is empty`);
		else if (texts.has(String(id)))
			problems.push(`${which}: '${id}' is the ID of two documents`);
		texts.set(String(id), String(text));
	}
	for (const [at, { question, document, phrase }] of questions.entries()) {
		const which = `Questions, item ${at}`;
		if (!isText(question)) problems.push(`${which}: 'question' is empty`);
		const text = texts.get(String(document));
		if (!isId(document)) problems.push(`${which}: 'document' is empty`);
		else if (text === undefined) problems.push(`${which}: there is no document '${document}'`);
		else if (!hasPhrase(text, String(phrase ?? ''))) {
			problems.push(`${which}: document '${document}' does not contain '${phrase}'`);
		}
	}
	/** @type {Set<unknown>} */
	const names = new Set();
	const checked = variants.map(({ variant, chunker, config = {}, model }, at) => {
		const which = `Variants, item ${at}`;
		for (const [name, value] of Object.entries({ variant, chunker, model })) {
			if (!isText(value)) problems.push(`${which}: '${name}' is empty`);
		}
		if (names.has(variant)) problems.push(`${which}: '${variant}' is the name of two variants`);
		names.add(variant);
		const settings = objectIn(config);
		if (settings === null) problems.push(`${which}: 'config' must be an object`);
		return {
			...{ variant: String(variant), chunker: String(chunker), config: settings ?? {} },
			model: String(model),
		};
	});
	if (problems.length > 0) {
		const more = problems.length > 5 ? `. There are ${problems.length - 5} more problems` : '';
		throw new Error(`Nothing was sent. ${problems.slice(0, 5).join('. ')}${more}`);
	}
	return checked.map((json) => ({ json }));

	/**
	 * @param {string} node
	 * @param {unknown[]} items
	 * @param {number} least
	 * @param {number} most
	 */
	function checkNumber(node, items, least, most) {
		const { length } = items;
		if (length < least || length > most) {
			problems.push(`${node} returns ${length} items, and must return ${least} to ${most}`);
		}
	}

	/** @param {unknown} value */
	function isText(value) {
		return typeof value === 'string' && value.trim() !== '';
	}

	/** @param {unknown} value */
	function isId(value) {
		return isText(value) || typeof value === 'number';
	}

	/**
	 * Returns an object, or null. A spreadsheet has it as JSON.
	 *
	 * @param {unknown} value
	 * @returns {object | null}
	 */
	function objectIn(value) {
		if (typeof value === 'string') {
			try {
				return objectIn(JSON.parse(value));
			} catch {
				return null;
			}
		}
		return typeof value === 'object' && !Array.isArray(value) ? value : null;
	}
};
