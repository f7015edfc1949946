import { isRecord } from './json';
import { isPage } from './page';

/** Response fields that may contain a message from the service, with the most informative field first. */
export const MESSAGE_KEYS = [
	'error_description',
	'message',
	'title',
	'detail',
	'error',
	'errorMessage',
	'errors',
	'reason',
	'msg',
];
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Finds the service's own message in a response (docs/service-interface.md, Error bodies).
 *
 * @param body a response without secrets
 * @returns a single line, or '' if the response contains nothing readable. A message of more than 500
 *   characters is shortened and ends with an ellipsis.
 */
export function serverMessage(body: unknown): string {
	// Control characters could change what a log or terminal displays.
	const line = wordsIn(body)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > MAX_MESSAGE_CHARACTERS
		? `${line.slice(0, MAX_MESSAGE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
		: line;
}

const MAX_DEPTH = 20;
/**
 * Maximum number of characters to read. This limit exceeds the maximum length of a message, because white space is
 * collapsed afterward.
 */
const MAX_READ_CHARACTERS = 4_000;
const MAX_READ_MEMBERS = 1000;

function wordsIn(body: unknown, depth = MAX_DEPTH): string {
	if (typeof body === 'string') {
		const text = body.trimStart().slice(0, MAX_READ_CHARACTERS);
		// An HTML or XML document tells the user no more than the status code does.
		return text.startsWith('<?xml') || isPage(body) ? '' : text.trim();
	}
	if (!isRecord(body) || depth === 0) return '';
	if (Array.isArray(body)) {
		const members = body.slice(0, MAX_READ_MEMBERS);
		return members
			.map((member) => wordsIn(member, depth - 1))
			.filter(Boolean)
			.join('; ');
	}
	for (const key of MESSAGE_KEYS) {
		const words = wordsIn(body[key], depth - 1);
		if (words !== '') return words;
	}
	return '';
}
