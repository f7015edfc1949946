import { createContext, Script } from 'node:vm';

import type { Span } from './units';

/** Python constructs and their JavaScript replacements. A construct that is not in this list is rejected. */
const CONSTRUCTS: Array<[pattern: RegExp, replacement: string]> = [
	[/^\(\?P</, '(?<'],
	[/^\(\?P=(\w+)\)/, '\\k<$1>'],
	[/^\\A/, '(?<![^])'],
	[/^\\Z/, '(?![^])'],
	[/^\\w/, '[\\p{L}\\p{N}_]'],
	[/^\\d/, '\\p{Nd}'],
	// Escape sequences that have the same meaning in Python and JavaScript, and escaped punctuation.
	[/^\\([bBDWsSnrtfv0-9\\]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^\w\s])/, '$&'],
	[/^(?:\[\^?\]?(?:\\[^]|[^\]\\])*\]|\(\?(?:[:=!]|<[=!])|[^\\])/, '$&'],
];

/** Escapes that Python allows but JavaScript's Unicode mode does not. */
const NEEDLESS = /^\\[^\w\s^$\\.*+?()[\]{}|/-]/;

function translated(pattern: string): RegExp {
	const [prefix = '', letters = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
	let source = '';
	for (let at = prefix.length; at < pattern.length; ) {
		const rest = pattern.slice(at);
		const [taken, written] = construct(rest, at);
		source += written;
		at += taken;
	}
	return new RegExp(source, `gu${letters}`);
}

/** Translates the construct at the beginning of `rest`. Returns the construct's length and its JavaScript form. */
function construct(rest: string, at: number): [number, string] {
	const extension = /^\(\?(?!P[<=]|[:=!]|<[=!])(<?.?)/.exec(rest);
	if (extension) throw new Error(`unknown extension ?${extension[1]} at position ${at + 1}`);
	const [needless] = NEEDLESS.exec(rest) ?? [];
	if (needless) return [needless.length, needless.slice(1)];
	for (const [found, replacement] of CONSTRUCTS) {
		const [taken] = found.exec(rest) ?? [];
		if (taken !== undefined) return [taken.length, taken.replace(found, replacement)];
	}
	throw new Error(`bad escape ${rest.slice(0, 2)} at position ${at}`);
}

/** Maximum time for one regular expression. If the expression takes longer, the job ends with ERROR. */
const TIME_LIMIT_MS = 10_000;

/** Creating a context takes longer than splitting a text, so all texts use the same one. */
const CONTEXT = createContext({});

const SPLIT = new Script(`
	texts.map((text) => {
		const spans = [];
		let last = 0;
		for (const { index, 0: found } of text.matchAll(regex)) {
			if (index > last) spans.push([last, index]);
			last = index + found.length;
		}
		if (last < text.length) spans.push([last, text.length]);
		return spans;
	})`);

/**
 * Splits texts like Python's `re.split`, but never returns the text of capture groups. Only constructs that exist in
 * both Python and JavaScript are supported. Conditionals, possessive quantifiers and comments are rejected. Flags are
 * rejected too, except at the beginning of the pattern.
 *
 * @returns for each text, the spans of its non-empty pieces, in UTF-16 units
 * @throws an error if the pattern is invalid or the split exceeds the time limit
 */
export function splitByPattern(pattern: string, texts: string[]): Span[][] {
	let regex: RegExp;
	try {
		regex = translated(pattern);
	} catch (error) {
		// JavaScript's own messages already begin with these words.
		const reason = (error as Error).message.replace(/^Invalid regular expression: /, '');
		throw new Error(`Invalid regular expression: ${reason}`, { cause: error });
	}
	try {
		Object.assign(CONTEXT, { texts, regex });
		return SPLIT.runInContext(CONTEXT, { timeout: TIME_LIMIT_MS }) as Span[][];
	} catch (error) {
		throw new Error('The regular expression took too long', { cause: error });
	}
}
