import { isRecord } from './json';

/** Fields that may contain a message of the service, the most useful first. */
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
 * Returns the message of the service from a response of any form (docs/service-interface.md, Error bodies).
 *
 * @param body a response without secrets
 * @returns one line of at most 500 characters, or '' if there is no message. A longer message is shortened
 */
export function serverMessage(body: unknown): string {
	// Control characters could change what a log or a terminal shows.
	const line = wordsIn(body)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > MAX_MESSAGE_CHARACTERS
		? `${line.slice(0, MAX_MESSAGE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
		: line;
}

const MAX_DEPTH = 20;
/**
 * Maximum number of characters to read. It is larger than the maximum length of a message, because white space is
 * removed later.
 */
const MAX_READ_CHARACTERS = 4_000;
const MAX_READ_MEMBERS = 1000;

function wordsIn(body: unknown, depth = MAX_DEPTH): string {
	if (typeof body === 'string') {
		const text = body.trimStart().slice(0, MAX_READ_CHARACTERS);
		// For the user, an HTML or XML page says no more than the status.
		return isHtml(text) || text.startsWith('<?xml') ? '' : text.trim();
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

/** The beginning of an HTML page, which may follow comments. */
const PAGE_START = /^(?:\s|<!--[^]*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const MAX_START_CHARACTERS = 2_000;

/** Returns true if a string is an HTML page, such as the error page of a proxy, or a login page. */
export const isHtml = (text: string): boolean =>
	PAGE_START.test(text.slice(0, MAX_START_CHARACTERS));
