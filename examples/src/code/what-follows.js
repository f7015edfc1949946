/** @import { Item } from '../parts/types' */

const { storableText } = require('./shared/storable-text');

/**
 * @typedef {{ statusCode: number, headers?: Record<string, unknown>, body?: unknown }} Response
 * @typedef {{ question: string, answer: string, follows: string }} Row
 */

/**
 * @param {{ submitted: Response, atOnce: Response, results: Response, again: Response, pushed: Response, deleted: Response, unknown: Response, testId: string }} inputs
 * @returns {Item<Row>[]}
 */
module.exports = ({ submitted, atOnce, results, again, pushed, deleted, unknown, testId }) => {
	// A table of what the service answered, and of the settings that follow from it.
	const texts = listIn(results.body)?.length ?? 0;
	const textsAgain = listIn(again.body);
	const limits = [submitted, results, pushed, deleted]
		.flatMap(({ headers }) => Object.entries(headers ?? {}))
		.filter(([name]) => /rate-?limit|retry-after|quota/i.test(name))
		.map(([name, value]) => `${name}: ${value}`);

	/** @type {[question: string, answer: string, follows: string][]} */
	const table = [
		['Are 33 texts in one request accepted?', said(submitted), afterSubmit()],
		['What is there before results are ready?', said(atOnce), beforeResults()],
		[
			'Are results there after 15 seconds?',
			texts > 0 ? `Status ${results.statusCode}, ${texts} entries` : said(results),
			texts > 0
				? 'Nothing to set'
				: 'If the status is SUBMITTED, the service is slow: set Max Wait in Chunk Text, and run this again with a longer Wait',
		],
		[
			'Do results come a second time?',
			textsAgain ? `Status ${again.statusCode}, ${textsAgain.length} entries` : said(again),
			secondTime(),
		],
		['What does a push return?', said(pushed), afterPush()],
		[
			'What does a delete return?',
			said(deleted),
			isOk(deleted)
				? 'Nothing to set'
				: 'The test document is still there. Check the key, then delete it with Delete Document',
		],
		['What does the delete of an unknown ID return?', said(unknown), afterUnknown()],
		[
			'Do headers name a rate limit?',
			limits.join(', ') || 'No',
			limits.length > 0
				? 'Enter it as Max Requests per Minute'
				: 'Nothing to set: the nodes slow down at status 429',
		],
	];
	return table.map(([question, answer, follows]) => ({ json: { question, answer, follows } }));

	function afterSubmit() {
		if (!isOk(submitted)) {
			return 'Check the AI Service URL, the model and the scope of the credential. If Chunk Text works with fewer texts, leave Texts per Request at its default of 10';
		}
		if (texts === 33) return 'Texts per Request of Chunk Text may be 33';
		return `The results have ${texts} of 33 entries: if they were ready, leave Texts per Request at its default of 10`;
	}

	function beforeResults() {
		if (listIn(atOnce.body)) return 'They were ready at once: nothing is known';
		if (isOk(atOnce)) return 'Nothing to set: Chunk Text goes on polling';
		return `Chunk Text expects a 2xx status here. Do not use it before you have found out what status ${atOnce.statusCode} means`;
	}

	function secondTime() {
		if (texts === 0) return 'Unknown, since they did not come a first time';
		if (textsAgain) return 'Get Results may be repeated with the same chunking ID';
		return 'Results come once: get each chunking ID with one node only, store what it returns, and never turn on Retry On Fail';
	}

	function afterPush() {
		if (!isOk(pushed)) return 'Check the push URL and the key';
		if (asText(pushed).includes(testId)) {
			return 'The response names documents: Push Documents reads from it which of them were rejected';
		}
		return 'The response names no document: a 2xx status is all that Push Documents can know';
	}

	function afterUnknown() {
		if (unknown.statusCode === 404) {
			return 'Turn on Ignore Not Found of Delete Document where unknown IDs are fine';
		}
		if (isOk(unknown)) {
			return 'Nothing to set. The service does not tell whether a document existed';
		}
		return 'Delete Document reports this as a failure';
	}

	/** @param {Response} response */
	function isOk({ statusCode }) {
		return statusCode >= 200 && statusCode < 300;
	}

	/** @param {Response} response */
	function asText({ body }) {
		const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
		return storableText(text, 200);
	}

	/** @param {Response} response */
	function said(response) {
		const text = asText(response);
		return `Status ${response.statusCode}${text ? `: ${text}` : ', no body'}`;
	}

	/**
	 * Returns the first list in a body, wherever it is: the entries of results.
	 * @param {unknown} value
	 * @returns {unknown[] | undefined}
	 */
	function listIn(value) {
		if (Array.isArray(value)) return value;
		const isObject = typeof value === 'object' && value !== null;
		return isObject
			? Object.values(value)
					.map(listIn)
					.find((list) => list)
			: undefined;
	}
};
