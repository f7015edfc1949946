/** @import { Batch, BatchDocument, Fetched, Item, ListedDocument, Work } from '../parts/types' */

const { idProblem, isNeverPushed } = require('./shared/document-id');
const { storableText } = require('./shared/storable-text');

/**
 * @param {{ batch: Batch, fetched: Fetched[] | null, isChunked: boolean }} inputs
 * @returns {Item<BatchDocument>[]}
 */
module.exports = ({ batch, fetched, isChunked }) => {
	// One item per document: what to push, what to delete, or why neither is done.
	const found = new Map((fetched ?? []).map((result) => [String(result.id), result]));
	const documents = batch.work.map((work) => {
		const { document } = work;
		const inList = document ? fromList(document) : { gone: true };
		/** @type {Partial<Fetched>} */
		const result = fetched ? (found.get(work.id) ?? { error: 'was not fetched' }) : inList;
		return read(work, result);
	});

	// 1. Deletes that the source has not confirmed. If they are too many, all of them are withheld.
	const doubtful = documents.filter(({ isDoubtful }) => isDoubtful);
	if (doubtful.length > batch.mayDelete) {
		for (const document of doubtful) document.isWithheld = true;
	}

	// 2. The same text instead of different ones is probably a sign-in page. New documents do not count.
	const replaced = documents.filter(
		({ problem, isDeleted, oldText, newText, isConfirmed }) =>
			!problem && !isDeleted && !isConfirmed && oldText && newText && oldText !== newText,
	);
	/** @type {Map<string | undefined, number>} */
	const copies = new Map();
	for (const { newText } of replaced) copies.set(newText, (copies.get(newText) ?? 0) + 1);
	for (const document of replaced) {
		const count = copies.get(document.newText) ?? 0;
		const isMost = count >= 3 && count > replaced.length / 2;
		const isMany = count > 10 && count > replaced.length * 0.05;
		if (isMost || isMany) {
			fail(
				document,
				`has got the same text as ${count - 1} other documents, so it may be a sign-in page`,
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
		const nothing = { documents: [], removedIds: [], text: '', previousChunkCount: 0 };
		return { json: isLeftOut ? { ...json, ...nothing } : json };
	});

	/**
	 * Without chunks, all fields are content, and a field such as `problem` has no special meaning.
	 * @param {ListedDocument} document
	 * @returns {Partial<Fetched>}
	 */
	function fromList({ text, problem }) {
		return isChunked ? { text, problem } : { text };
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
		const base = { id, version, chunks, oldText, problem: '', isTransient: false };
		/** @type {BatchDocument & { isDoubtful: boolean, isConfirmed: boolean }} */
		const read = {
			...base,
			...{ isWithheld: false, isDeleted, isDoubtful: false, isConfirmed, name, url },
			...{ newText: checksum(text), previousChunkCount: chunks },
			text: isChunked ? text : undefined,
			pagesWithoutText: result.pagesWithoutText,
			...{ readInPart: result.readInPart, isByHeading: result.isByHeading },
			documents: isChunked || isDeleted || !document ? [] : [document],
			removedIds: isDeleted && chunks > 0 ? [id] : [],
		};
		if (!isDeleted && idProblem(id)) return fail(read, idProblem(id), false);
		if (work.problem) return fail(read, work.problem);
		if (result.error) return fail(read, `could not be read: ${words(result.error)}`);
		if (result.problem) return fail(read, words(result.problem), false);
		if (isDeleted) {
			// Without Fetch, Plan has counted the deletes. With Fetch, a document is gone for certain if neither the list nor
			// its address has it.
			const isCertain = fetched === null || (!document && Boolean(result.gone));
			return { ...read, text: '', isDoubtful: !isCertain && chunks > 0 };
		}
		if (!isChunked) return read;
		if (Array.isArray(text) && text.length === 0) return fail(read, 'has no pages', false);
		const isText =
			typeof text === 'string' ||
			(Array.isArray(text) && text.every((page) => typeof page === 'string'));
		if (!isText) {
			const only = text ? `, only ${storableText(JSON.stringify(text), 100)}` : '';
			return fail(read, `has no text${only}`, false);
		}
		if ([name, url].some((value) => typeof value === 'object' && value !== null)) {
			return fail(read, 'has a name or a URL that is no text', false);
		}
		const isEmpty = [text].flat().join('').trim() === '';
		return isEmpty ? { ...read, text: '', isDoubtful: chunks > 0 } : read;
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

	/**
	 * FNV-1a, 32 bits, of a text's UTF-16 code units.
	 * @param {unknown} text
	 */
	function checksum(text) {
		const whole = [text ?? ''].flat().join('\n\n').trim();
		if (whole === '') return undefined;
		const { imul } = Math;
		let hash = 0x811c9dc5;
		for (let i = 0; i < whole.length; i++) {
			const code = whole.charCodeAt(i);
			hash = imul(hash ^ (code & 255), 0x01000193);
			hash = imul(hash ^ (code >>> 8), 0x01000193);
		}
		return (hash >>> 0).toString(36);
	}
};
