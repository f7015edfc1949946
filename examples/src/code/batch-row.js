/** @import { Batch, BatchDocument, BatchRow, Chunked, Counted, Entry, Item } from '../parts/types' */

const { isOfService } = require('./shared/outage');
const { storableText } = require('./shared/storable-text');

/**
 * @param {{ batch: Batch, documents: BatchDocument[], texts: Chunked[] | null, pushes: Counted[], deletes: Counted[] }} inputs
 * @returns {[Item<BatchRow>]}
 */
module.exports = ({ batch, documents, texts, pushes, deletes }) => {
	// Returns one row for the data table: what is in the index now.
	const row = {
		...{ run: batch.run, entries: '', size: 0, pushed: 0, deleted: 0, chunksDeleted: 0 },
		...{ notIndexed: 0, failed: 0, unreadable: 0, withheld: 0, error: '', problems: '' },
	};
	const isAnswered = [...pushes, ...deletes].some(({ pushed, deleted }) => pushed || deleted);
	/** @type {Entry[]} */
	const entries = [];
	// Documents that could not be read, that failed, that were read in part or withheld, and that were left out.
	/** @type {{ unread: string[], failed: string[], partly: string[], leftOut: string[] }} */
	const problems = { unread: [], failed: [], partly: [], leftOut: [] };
	/** @type {string[]} */
	const errors = [];
	const textOf = texts && byId(texts);
	const pushOf = byId(pushes);
	const deletionOf = byId(deletes);
	for (const document of documents) {
		const { id, version, chunks, oldText, newText, problem, isTransient } = document;
		const text = textOf?.(id) ?? {
			...document,
			chunkCount: document.documents.length,
			removalsKnown: true,
		};
		const deletion = deletionOf(id);
		const most = Math.max(chunks, text.chunkCount ?? 0);
		// What the index has never had is forgotten without a request.
		const isNothing = document.isDeleted && chunks === 0;
		const isLeftOut = document.isWithheld || problem !== '' || isNothing;
		const error = isLeftOut ? '' : failure(id, text, pushOf(id), deletion);
		row.chunksDeleted += deletion.deleted ?? 0;
		if (document.isWithheld) {
			row.withheld += 1;
			const why = problem || document.leftOut;
			if (why) problems.partly.push(`Withheld: '${id}': ${why}`);
		} else if (problem) {
			row.unreadable += 1;
			problems.unread.push(`'${id}' ${problem}`);
			// Without an entry, the document counts as changed in the next run.
			const isRemembered = !isTransient && version !== null;
			if (isRemembered) entries.push([id, version, chunks, oldText, problem]);
		} else if (error) {
			row.failed += 1;
			errors.push(error);
			problems.failed.push(`Failed: '${id}': ${error}`);
			entries.push([id, '', most, oldText]); // the next run tries it again
		} else {
			const { pagesWithoutText = [], readInPart, leftOut } = document;
			if (leftOut) problems.leftOut.push(`Left out: '${id}', ${leftOut}`);
			if (readInPart) problems.partly.push(`Read in part: '${id}' ${readInPart}`);
			if (pagesWithoutText.length > 0) {
				const pages = ranges(pagesWithoutText);
				problems.partly.push(`Read in part: '${id}' has no text on page ${pages}`);
			}
			if (!isNothing && text.chunkCount) row.pushed += 1;
			else if (chunks > 0) row.deleted += 1;
			else row.notIndexed += 1;
			const count = text.removalsKnown ? text.chunkCount : most;
			/** @type {Entry} */
			const entry = [id, version, isNothing ? 0 : count, newText];
			if (leftOut) entry.push(undefined, leftOut);
			entries.push(version === null ? [id, null] : entry);
		}
	}
	const isOutage = row.pushed + row.deleted + row.notIndexed === 0 && errors.every(isOfService);
	const [firstError = ''] = errors;
	// Service Answers looks for these words, because the table has no column for them.
	const prefix = isOutage && firstError ? 'No request succeeded: ' : '';
	row.error = storableText(prefix + firstError, 1000);
	const written = { size: entries.length, entries: JSON.stringify(entries) };
	const { unread, failed, partly, leftOut } = problems;
	const lines = [...unread, ...failed, ...partly, ...leftOut].slice(0, 20);
	const named = lines.map((line) => storableText(line).replace(/\s*\n\s*/g, ' '));
	return [{ json: { ...row, ...written, problems: named.join('\n') } }];

	/**
	 * Writes 1, 3, 4 and 5 as `1, 3-5`.
	 * @param {number[]} numbers
	 */
	function ranges(numbers) {
		const starts = numbers.filter((number) => !numbers.includes(number - 1));
		const ends = numbers.filter((number) => !numbers.includes(number + 1));
		return starts
			.map((start, at) => (start === ends[at] ? start : `${start}-${ends[at]}`))
			.join(', ');
	}

	/**
	 * With On Error: Continue, a node that fails as a whole returns its input. So only what the nodes have counted is
	 * confirmed, never the absence of an error.
	 * @param {string} id
	 * @param {Chunked} text
	 * @param {Counted} push
	 * @param {Counted} deletion
	 */
	function failure(id, text, push, deletion) {
		const error = text.error ?? push.error ?? deletion.error;
		if (error) return String(Object(error).message ?? error);
		if (text.missingCharacters) {
			return `The AI service returned no chunks for the last ${text.missingCharacters} characters of the document '${id}'. Shorten its text, or change the settings of 'Chunk Text'.`;
		}
		if (text.chunkCount === 0 && !text.removalsKnown) {
			return `The AI service returned no chunks for the document '${id}'. Check its text and the settings of 'Chunk Text'.`;
		}
		const { documents: pushed = [], removedIds = [] } = text;
		const isPushed =
			pushed.length === 0 || pushed.length === (push.pushed ?? 0) + (push.skipped ?? 0);
		const isDeleted =
			removedIds.length === 0 ||
			removedIds.length === (deletion.deleted ?? 0) + (deletion.notFound ?? 0);
		if (!isPushed || !isDeleted || text.chunkCount === undefined)
			return `The document '${id}' was not confirmed.`;
		if (deletion.notFound && !isAnswered) {
			return "The service answered with status 404 to each delete, and no other request succeeded: check 'Push Service URL' and 'Endpoint Identifier' in the credential. If they are right, the documents were gone already. To forget them, run the sync once with the ID of any other document in 'pushAgain'.";
		}
		return '';
	}

	/**
	 * The nodes keep the ID of each document. If a node fails before it reads its items, its errors have no ID and are
	 * about all documents.
	 * @param {(Chunked & Counted)[]} answers
	 * @returns {(id: string) => Chunked & Counted}
	 */
	function byId(answers) {
		const found = new Map(answers.map((answer) => [answer.id, answer]));
		return (id) => found.get(id) ?? { error: found.get(undefined)?.error };
	}
};
