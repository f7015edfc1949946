/** @import { ComparedDocument, Question, TextToSend, Variant } from '../parts/compare-types' */
/** @import { Item } from '../parts/types' */

/**
 * @param {{ variant: Variant, documents: ComparedDocument[], questions: Question[], now: number }} inputs
 * @returns {Item<TextToSend>[]}
 */
module.exports = ({ variant, documents, questions, now }) => {
	// What is sent for one variant: all documents, and each question as one chunk.
	const { variant: name, chunker, config, model } = variant;
	const passages = documents.map(({ text }) => ({ text, chunker, config, dataType: 'passage' }));
	const queries = questions.map(({ question }) => ({
		...{ text: question, chunker: 'regex-splitter' },
		// This regular expression matches nothing.
		...{ config: { regex: '(?!)' }, dataType: 'query' },
	}));
	return [...passages, ...queries].map((text, entry) => ({
		json: { entry, ...text, variant: name, model, started: now },
	}));
};
