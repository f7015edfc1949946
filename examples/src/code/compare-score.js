/** @import { ChunkResult, ComparedDocument, Missed, Question, Score, TextToSend } from '../parts/compare-types' */
/** @import { Item } from '../parts/types' */

const { hasPhrase } = require('./shared/phrase');

/**
 * A chunk of a document. A vector of zeros, or one that cannot be read, has no direction.
 *
 * @typedef {{ document: string | number, chunkIndex: number, text: string, direction: number[] | null }} Chunk
 * @param {{ documents: ComparedDocument[], questions: Question[], texts: TextToSend[], results: ChunkResult[], now: number }} inputs
 * @returns {[Item<Score>]}
 */
module.exports = ({ documents, questions, texts, results, now }) => {
	// How well a variant finds the right chunk for each question. Whatever fails ends as the variant's error, because
	// the other variants go on.
	const [{ variant, chunker, config, model, started }] = texts;
	/** @type {Score} */
	const nothing = {
		...{ variant, chunker, config, model },
		...{ meanReciprocalRank: null, hitAt1: null, hitAt5: null },
		...{ chunks: null, medianCharacters: null, largestCharacters: null, phrasesCut: null },
		textsSent: texts.length,
		charactersSent: texts.reduce((sum, { text }) => sum + lengthOf(text), 0),
		tokensUsed: null,
		seconds: rounded((now - started) / 1000, 1),
		...{ missed: [], error: '' },
	};
	const resultsOf = texts.map(({ entry }) => results.filter((result) => result.entry === entry));
	const error = problem();
	if (error !== '') return [{ json: { ...nothing, error } }];

	const chunks = documents.flatMap(({ id }, entry) =>
		resultsOf[entry].map(({ chunkIndex = 0, text = '', vector }) => ({
			...{ document: id, chunkIndex, text },
			direction: directionOf(numbersOf(vector)),
		})),
	);
	const found = questions.map((question, at) => {
		const [{ vector }] = resultsOf[documents.length + at];
		return search(question, directionOf(numbersOf(vector)));
	});
	const share = (/** @type {number} */ most) =>
		rounded(found.filter(({ rank }) => rank !== null && rank <= most).length / found.length, 3);
	const sum = found.reduce((all, { rank }) => all + (rank === null ? 0 : 1 / rank), 0);
	const lengths = chunks.map(({ text }) => lengthOf(text)).sort((one, other) => one - other);
	const tokens = results.map(({ tokensUsed }) => tokensUsed);
	const isKnown = tokens.every((number) => number !== undefined);
	const score = {
		...nothing,
		meanReciprocalRank: rounded(sum / found.length, 3),
		...{ hitAt1: share(1), hitAt5: share(5) },
		chunks: chunks.length,
		medianCharacters: medianOf(lengths),
		largestCharacters: lengths[lengths.length - 1],
		phrasesCut: found.filter(({ isCut }) => isCut).length,
		tokensUsed: isKnown ? tokens.reduce((all, one) => all + Number(one), 0) : null,
		missed: found.filter(({ rank }) => rank !== 1).map(({ missed }) => missed),
	};
	return [{ json: score }];

	/** Returns why there are no figures, or an empty text. */
	function problem() {
		const failures = results.filter((result) => 'error' in result);
		if (failures.length > 0) {
			return `${failures.length} of ${texts.length} texts failed: ${reasonOf(failures[0].error)}`;
		}
		const wrong = texts.find(({ entry, dataType }) => {
			const count = resultsOf[entry].filter(
				({ chunkIndex }) => chunkIndex !== undefined,
			).length;
			return dataType === 'query' ? count !== 1 : count === 0;
		});
		if (wrong?.dataType === 'query') return `'${wrong.text}' has not become one chunk`;
		if (wrong) return `Document '${documents[wrong.entry].id}' has no chunks`;
		const sizes = new Set(results.map(({ vector }) => numbersOf(vector).length));
		if (sizes.has(0)) return 'There are chunks without a vector that can be read';
		return sizes.size > 1 ? `The vectors have different lengths: ${[...sizes].join(', ')}` : '';
	}

	/**
	 * Chunks are sorted by the cosine of their vectors and the question's. A wrong chunk with the cosine of the right one
	 * comes before it, so a model to which all texts are the same does not win by the order of the documents.
	 *
	 * @param {Question} question
	 * @param {number[] | null} asked
	 * @returns {{ rank: number | null, isCut: boolean, missed: Missed }}
	 */
	function search({ question, document, phrase: words }, asked) {
		const phrase = String(words ?? '');
		const scored = chunks.map((chunk) => ({
			chunk,
			cosine: cosineOf(asked, chunk.direction),
			isRight: isIn(chunk, document) && hasPhrase(chunk.text, phrase),
		}));
		const wrong = scored.filter(({ isRight }) => !isRight);
		const isCut = wrong.length === scored.length;
		const best = highest(scored.filter(({ isRight }) => isRight));
		const before = wrong.filter(({ cosine }) => cosine >= best);
		const rank = best === -Infinity ? null : before.length + 1;
		const highestWrong = highest(wrong);
		const found =
			highestWrong === -Infinity
				? undefined
				: wrong.find(({ cosine }) => cosine === highestWrong)?.chunk;
		const missed = {
			...{ question, document, phrase, rank, why: whyMissed(asked, isCut, rank) },
			found: found ? withoutVector(found) : null,
		};
		return { rank, isCut, missed };
	}

	/** @param {{ cosine: number }[]} scored */
	function highest(scored) {
		return scored.reduce((top, { cosine }) => Math.max(top, cosine), -Infinity);
	}

	/** @param {Chunk} chunk */
	function withoutVector({ document, chunkIndex, text }) {
		return { document, chunkIndex, text };
	}

	/**
	 * @param {number[] | null} asked
	 * @param {boolean} isCut
	 * @param {number | null} rank
	 */
	function whyMissed(asked, isCut, rank) {
		if (asked === null) return 'The vector of the question contains only zeros';
		if (isCut) return 'No chunk of the document contains the phrase';
		if (rank === null) return 'The vectors of the right chunks contain only zeros';
		return `The first right chunk is number ${rank}`;
	}

	/**
	 * @param {Chunk} chunk
	 * @param {string | number} document
	 */
	function isIn(chunk, document) {
		return String(chunk.document) === String(document);
	}

	/**
	 * Returns the numbers of a vector, or an empty list if it cannot be read. Chunk Text packs vectors: the type of the
	 * numbers, a colon, and their bytes in base64.
	 *
	 * @param {unknown} vector
	 * @returns {number[]}
	 */
	function numbersOf(vector) {
		if (Array.isArray(vector)) return vector;
		const [type, base64 = ''] = String(vector).split(':');
		const bytes = new Uint8Array(Buffer.from(base64, 'base64')).buffer;
		if (type === 'i8') return Array.from(new Int8Array(bytes));
		if (type === 'u8') return Array.from(new Uint8Array(bytes));
		if (type === 'f32') return Array.from(new Float32Array(bytes));
		return type === 'f64' ? Array.from(new Float64Array(bytes)) : [];
	}

	/**
	 * Returns the vector of length 1, or null if there is none.
	 *
	 * @param {number[]} numbers
	 */
	function directionOf(numbers) {
		const length = Math.sqrt(dot(numbers, numbers));
		return length > 0 ? numbers.map((number) => number / length) : null;
	}

	/**
	 * Returns -Infinity if a vector has no direction.
	 *
	 * @param {number[] | null} one
	 * @param {number[] | null} other
	 */
	function cosineOf(one, other) {
		// Vectors of the same direction and different lengths differ in the last digits.
		return one && other ? rounded(dot(one, other), 10) : -Infinity;
	}

	/**
	 * @param {number[]} one
	 * @param {number[]} other
	 */
	function dot(one, other) {
		let sum = 0;
		for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
		return sum;
	}

	/** @param {number[]} sorted */
	function medianOf(sorted) {
		const half = (sorted.length - 1) / 2;
		return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
	}

	/** @param {string} text */
	function lengthOf(text) {
		return Array.from(text).length;
	}

	/**
	 * @param {number} number
	 * @param {number} digits
	 */
	function rounded(number, digits) {
		return Math.round(number * 10 ** digits) / 10 ** digits;
	}

	/** @param {unknown} reason */
	function reasonOf(reason) {
		const { message = reason } = Object(reason);
		return String(message);
	}
};
