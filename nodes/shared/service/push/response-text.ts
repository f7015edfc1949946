import { isFalse } from '../success';
import { WITHHELD } from '../tokens/secrets';

/** What JSON begins with, other than words in brackets. */
const JSON_START = /^\s*(?:\{\s*"|\[\s*[[{"])/;

/** What speaks of a rejection in JSON that cannot be parsed. */
const REJECTING_JSON =
	/"errors?"\s*:\s*(?:"[^"]|[{[]\s*[^\s}\]])|:\s*"?[45]\d\d\b|:\s*"(?:errors?|failed|rejected|invalid|refused|denied)"|"(?:success|ok|acknowledged|accepted|indexed|pushed|deleted)"\s*:\s*"?false\b/i;

/** More would take too long to parse or to search in one step. */
const MAX_STEP_CHARACTERS = 1_000_000;

/**
 * The content of a response that is no JSON as a whole (docs/service-interface.md, Push documents): a list of
 * its lines if each is JSON, else the text.
 *
 * @param text body of the response
 * @returns undefined for a text that was withheld, and for JSON that cannot be read and speaks of a rejection, or is too long to be searched for one
 */
export function* linesOf(text: string): Generator<undefined, unknown, undefined> {
	if (text === WITHHELD) return undefined;
	if (!JSON_START.test(text)) return text;
	const lines: unknown[] = [];
	let characters = 0;
	for (const line of text.split('\n')) {
		if (line.trim() === '') continue;
		if (line.length > MAX_STEP_CHARACTERS) return undefined;
		if ((characters += line.length) > MAX_STEP_CHARACTERS) {
			characters = 0;
			yield;
		}
		try {
			lines.push(JSON.parse(line));
		} catch {
			const isHarmless = text.length <= MAX_STEP_CHARACTERS && !REJECTING_JSON.test(text);
			return isHarmless ? text : undefined;
		}
	}
	return lines;
}

const REJECTING_START =
	/^\W*(?:errors?|fail(?:ed|ures?)?|reject(?:ed|ions?)?|refused|denied|invalid)\b(?!\W*(?:0|none)\b)/i;
const REJECTING_NUMBER =
	/\b[1-9]\d*\s+(?:(?!with|no\b)[a-z]+\s+){0,2}(?:errors?|fail(?:ed|ures?)|reject(?:ed|ions?)|refused|denied|invalid)\b/i;
const REJECTING_NOT =
	/\bnot (?:been )?(?:accepted|added|deleted|indexed|pushed|saved|stored|updated)\b/i;

/** What is read of words. */
const MAX_WORDS_CHARACTERS = 2_000;

/**
 * Whether the words of a response say that something was not accepted, without saying what
 * (docs/service-interface.md, Push documents).
 *
 * @param words a text, or whatever else stands in its place
 */
export function deniesInWords(words: unknown): boolean {
	if (isFalse(words)) return true;
	const beginning = typeof words === 'string' ? words.slice(0, MAX_WORDS_CHARACTERS) : '';
	return [REJECTING_START, REJECTING_NUMBER, REJECTING_NOT].some((one) => one.test(beginning));
}
