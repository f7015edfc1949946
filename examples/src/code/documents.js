/** @import { Batch, BatchDocument, Fetched, Item, ListedDocument, Work } from '../parts/types' */

const { idProblem, isNeverPushed } = require('./shared/document-id');
const { fieldProblem, filledFields } = require('./shared/fields');
const { sections } = require('./shared/sections');
const { exactSum, suddenlyAlike, textSums } = require('./shared/similar-texts');
const { storableText } = require('./shared/storable-text');
const { textProblem } = require('./shared/text-problem');

/**
 * @param {{ batch: Batch, fetched: Fetched[] | null, isChunked: boolean, isRow?: boolean }} inputs
 * @returns {Item<BatchDocument>[]}
 */
module.exports = ({ batch, fetched, isChunked, isRow }) => {
	// One item per document: what to push, what to delete, or why neither is done.
	const found = new Map((fetched ?? []).map((result) => [String(result.id), result]));
	const documents = batch.work.map((work) => {
		const { document } = work;
		const inList = document ? fromList(document) : { gone: true };
		/** @type {Partial<Fetched>} */
		const result = fetched ? (found.get(work.id) ?? { error: 'was not fetched' }) : inList;
		return read(work, result);
	});

	// 1. If more documents would be deleted than were planned and are allowed, all of them are withheld.
	const doubtful = documents.filter(({ isDoubtful }) => isDoubtful);
	if (doubtful.length > batch.mayDelete) withhold(doubtful);
	const missing = documents.filter(
		({ version, problem, removedIds }) =>
			version === null && problem === '' && removedIds.length > 0,
	);
	if (missing.length > batch.missing) withhold(missing);

	// 2. The same text instead of different ones is probably a sign-in page or an error. Without such a group, new documents
	// may have the same text.
	const replaced = documents.filter(
		({ problem, isDeleted, oldText, newText, isConfirmed }) =>
			!problem &&
			!isDeleted &&
			!isConfirmed &&
			oldText &&
			newText &&
			exactSum(oldText) !== exactSum(newText),
	);
	const groups = [
		...suddenlyAlike(replaced, 1).map((group) => ({ group, kind: 1, what: 'nearly the same' })),
		...suddenlyAlike(replaced, 0).map((group) => ({ group, kind: 0, what: 'the same' })),
	];
	const added = documents.filter(
		({ problem, isDeleted, oldText, isConfirmed }) =>
			!problem && !isDeleted && !isConfirmed && !oldText,
	);
	for (const { group, kind, what } of groups) {
		const [sum] = group.map(({ newText }) => newText?.split(' ')[kind]);
		// What is such a page in place of other documents is one as a new document, too.
		const all = [...group, ...added.filter(({ newText }) => newText?.split(' ')[kind] === sum)];
		for (const document of all) {
			fail(
				document,
				`has got ${what} text as ${all.length - 1} other documents, so it may be a sign-in page or an error: if this is its text, enter its ID in 'pushAgain'`,
			);
		}
	}

	// 3. U+FFFD replaces letters that were read in the wrong encoding. A single document may contain it on purpose.
	const garbled = documents.filter(
		({ problem, isDeleted, isConfirmed, documents: pushed, name, text }) =>
			!problem &&
			!isDeleted &&
			!isConfirmed &&
			JSON.stringify([pushed, name, text]).includes('\ufffd'),
	);
	if (garbled.length > 1) {
		for (const document of garbled) {
			fail(
				document,
				'contains the character U+FFFD, as other documents do, so the source is probably not encoded in UTF-8',
			);
		}
	}
	return documents.map(({ isDoubtful: _, isConfirmed: __, ...json }) => {
		const isLeftOut = json.problem !== '' || json.isWithheld;
		// Chunk Text turns an empty text without previous chunks into nothing.
		const nothing = {
			documents: [],
			removedIds: [],
			text: '',
			previousChunkCount: 0,
			fields: {},
		};
		return { json: isLeftOut ? { ...json, ...nothing } : json };
	});

	/** @param {{ isWithheld: boolean }[]} all */
	function withhold(all) {
		for (const document of all) document.isWithheld = true;
	}

	/**
	 * Without chunks, all fields are content, and a field such as `problem` has no special meaning.
	 * @param {ListedDocument} document
	 * @returns {Partial<Fetched>}
	 */
	function fromList({ text, problem }) {
		return isChunked ? { text, problem } : { text };
	}

	/**
	 * The fields beside the text: of a row of a database, all other members of its document.
	 * @param {ListedDocument | undefined} document
	 */
	function fieldsOf(document) {
		if (!isRow) return document?.fields;
		const {
			id: _,
			name: __,
			url: ___,
			text: ____,
			problem: _____,
			...others
		} = Object(document);
		return others;
	}

	/**
	 * @param {Work} work
	 * @param {Partial<Fetched>} result
	 */
	function read(work, result) {
		const { id, version, text: oldText, isConfirmed = false, document } = work;
		const chunks = isNeverPushed(id) ? 0 : work.chunks;
		const text = Array.isArray(result.pages) ? result.pages : result.text;
		const name = result.name ?? document?.name ?? id;
		const url = result.url ?? document?.url;
		const isDeleted = Boolean(result.gone) || (fetched !== null && !document);
		const given = isChunked && !isDeleted ? [fieldsOf(document), result.fields] : [];
		const unusable = given.map(fieldProblem).find((each) => each !== '');
		const merged = Object.assign({}, ...given.map(filledFields));
		const { description, ...fields } = merged;
		const base = { id, version, chunks, oldText, problem: '', isTransient: false };
		/** @type {BatchDocument & { isDoubtful: boolean, isConfirmed: boolean }} */
		const read = {
			...base,
			...{ isWithheld: false, isDeleted, isDoubtful: false, isConfirmed, name, url },
			...{ newText: textSums(text, url ?? id), previousChunkCount: chunks },
			...(isChunked && byHeading(text, result.isPlain)),
			...(isChunked && { description, fields }),
			...(document && typeof result.gone === 'string' && { leftOut: words(result.gone) }),
			pagesWithoutText: result.pagesWithoutText,
			readInPart: result.readInPart,
			documents: isChunked || isDeleted || !document ? [] : [document],
			removedIds: isDeleted && chunks > 0 ? [id] : [],
		};
		if (!isDeleted && idProblem(id)) return fail(read, idProblem(id), false);
		if (work.problem) return fail(read, work.problem);
		if (result.error) return fail(read, `could not be read: ${words(result.error)}`);
		if (result.problem) return fail(read, words(result.problem), false);
		if (unusable) return fail(read, unusable, false);
		if (isDeleted) {
			// Plan has counted the missing documents. If the source does not say whether one exists, a person decides.
			if (result.refused && chunks > 0 && !batch.isApproved) {
				const problem = `is missing from the list, and ${words(result.refused)}`;
				return { ...fail(read, problem), isWithheld: true };
			}
			return { ...read, text: '', isDoubtful: document !== undefined && chunks > 0 };
		}
		if (!isChunked) return read;
		const unreadable = textProblem({ text, name, url, description });
		if (unreadable) return fail(read, unreadable, false);
		const isEmpty = [text].flat().join('').trim() === '';
		return isEmpty ? { ...read, text: '', isDoubtful: chunks > 0 } : read;
	}

	/**
	 * A text with headings is chunked at them.
	 * @param {unknown} text
	 * @param {boolean | undefined} isPlain
	 */
	function byHeading(text, isPlain) {
		const prepared = typeof text === 'string' && !isPlain ? sections(text) : undefined;
		return { text: prepared ?? text, isByHeading: prepared !== undefined };
	}

	/**
	 * @template {BatchDocument} Document
	 * @param {Document} document
	 * @param {string} problem
	 * @param {boolean} isTransient
	 * @returns {Document}
	 */
	function fail(document, problem, isTransient = true) {
		return Object.assign(document, { problem, isTransient });
	}

	/** @param {unknown} value */
	function words(value) {
		const message = Object(value).message ?? value;
		return storableText(typeof message === 'string' ? message : JSON.stringify(message));
	}
};
