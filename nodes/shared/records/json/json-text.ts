/**
 * How deep records and responses may be nested. What is deeper is refused or kept as text, so that no
 * recursive function overflows the stack.
 */
export const MAX_DEPTH = 200;

/** How many different names the fields of a record may have: each makes every step that reads it longer. */
export const MAX_FIELD_NAMES = 20_000;

/** What a JSON text says, or what is wrong with it, to follow "Line 17 ". */
export type Content =
	| { value: unknown; problem?: undefined }
	| { value?: undefined; problem: string };

/**
 * Parses the JSON text of a record.
 *
 * @throws {SyntaxError} if it is not valid
 */
export function contentOf(text: string): Content {
	if (hasTooManyNames(text))
		return {
			problem: `has more than ${MAX_FIELD_NAMES.toLocaleString('en-US')} different field names`,
		};
	const value: unknown = JSON.parse(text);
	return isDeeper(text, MAX_DEPTH)
		? { problem: `is nested more than ${MAX_DEPTH} levels deep` }
		: { value };
}

/** A member with a name of its own takes at least this much text, if there are so many names. */
const MIN_MEMBER_CHARACTERS = 6;

/** Whether its objects have too many different names. Checked first, because parsing them takes very long. */
export function hasTooManyNames(text: string): boolean {
	if (text.length < MIN_MEMBER_CHARACTERS * MAX_FIELD_NAMES) return false;
	const names = new Set<string>();
	for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
		let end = at - 1;
		while (end > 0 && BLANK.includes(text.charAt(end))) end--;
		// A quote after a backslash is one within a text, which may be JSON itself.
		if (text.charAt(end) !== '"' || text.charAt(end - 1) === '\\') continue;
		names.add(text.slice(text.lastIndexOf('"', end - 1) + 1, end));
		if (names.size > MAX_FIELD_NAMES) return true;
	}
	return false;
}

/** Whether lists and objects in a JSON text are nested more than `depth` levels deep. */
export function isDeeper(text: string, depth: number): boolean {
	// Few records have so many brackets at all, and counting them is cheap.
	if (!hasMore(text, '{', depth / 2) && !hasMore(text, '[', depth / 2)) return false;
	const end = new ValueEnd(depth);
	end.find(text, 0);
	return end.isTooDeep;
}

/** Whether a text contains a character more than `count` times. */
function hasMore(text: string, character: string, count: number): boolean {
	let found = 0;
	for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
		if (++found > count) return true;
	}
	return false;
}

const BLANK = ' \n\r\t';
const BRACKET_OR_QUOTE = /["[\]{}]/g;
const QUOTE_OR_BACKSLASH = /["\\]/g;
/** The rest of a string and the strings after it, none with an escape; limited in number so that the stack suffices. */
const STRINGS = /[^"\\]*"(?:[\s,:]*"[^"\\]*"){0,100}/y;
const END_OF_WORD = /[\s,\]}]/g;

/**
 * Finds where a JSON value ends that arrives in pieces. Each character is read once. Only brackets
 * and quotes matter; whether the value is valid is left to `JSON.parse`.
 */
export class ValueEnd {
	/** Whether the value is nested too deep, as far as it was read. */
	isTooDeep = false;
	private depth = 0;
	private kind: 'new' | 'word' | 'string' | 'brackets' = 'new';
	private inString = false;
	private escaped = false;

	/** @param maxDepth how many levels deep the value may be; what is deeper is not read on */
	constructor(private readonly maxDepth = Infinity) {}

	/** To be used for another value. */
	reset(): void {
		this.depth = 0;
		this.kind = 'new';
		this.inString = false;
		this.escaped = false;
	}

	/** Whether it is a number, true, false or null, which only ends with what follows. */
	get isWord(): boolean {
		return this.kind === 'word';
	}

	/** Whether it is a list or an object. */
	get isContainer(): boolean {
		return this.kind === 'brackets';
	}

	/** @returns the index after the value's last character, or -1 if it goes on in the next piece */
	find(text: string, from: number): number {
		if (this.kind === 'new') this.kind = kindOf(text.charAt(from));
		if (this.kind === 'word') return next(END_OF_WORD, text, from);
		for (let at = from; ; ) {
			if (this.inString) {
				at = this.endOfString(text, at);
				if (at < 0) return -1;
				if (this.depth === 0) return at;
			}
			at = next(BRACKET_OR_QUOTE, text, at) + 1;
			if (at === 0) return -1;
			const character = text.charAt(at - 1);
			if (character === '"') this.inString = true;
			else if (character === '[' || character === '{') {
				this.isTooDeep = ++this.depth > this.maxDepth;
				if (this.isTooDeep) return -1;
			} else if (--this.depth === 0) return at;
		}
	}

	/** Reads to the end of a string, or of several. */
	private endOfString(text: string, from: number): number {
		if (this.depth > 0 && !this.escaped) {
			STRINGS.lastIndex = from;
			this.inString = !STRINGS.test(text);
			if (!this.inString) return STRINGS.lastIndex;
		}
		for (let at = from; ; ) {
			if (this.escaped) {
				if (at === text.length) return -1;
				this.escaped = false;
				at++;
			}
			at = next(QUOTE_OR_BACKSLASH, text, at) + 1;
			if (at === 0) return -1;
			if (text.charAt(at - 1) === '"') {
				this.inString = false;
				return at;
			}
			this.escaped = true;
		}
	}
}

function kindOf(first: string): 'word' | 'string' | 'brackets' {
	if (first === '"') return 'string';
	return first === '[' || first === '{' ? 'brackets' : 'word';
}

/** The index of the next match of an expression with the flag `g`, or -1. */
function next(expression: RegExp, text: string, from: number): number {
	expression.lastIndex = from;
	return expression.test(text) ? expression.lastIndex - 1 : -1;
}
