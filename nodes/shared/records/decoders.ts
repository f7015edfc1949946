import { FileError, type Bytes } from './bytes';
import type { Findings } from './findings';

/** Makes text of the bytes of a file. */
export type Decoder = (source: Bytes) => AsyncGenerator<string>;

/**
 * A byte that belongs to no character becomes half of a surrogate pair, U+DC80 to U+DCFF. U+DFFF stands for
 * one whose value is not known. Well-formed text has neither, so `characterProblem` finds them.
 */
const BAD_BYTE = 0xdc00;
export const BAD_BYTES = /[\udc80-\udcff\udfff]/gu;

const UNKNOWN = '\udfff';

const bad = (byte: string): string => String.fromCharCode(BAD_BYTE + byte.charCodeAt(0));

/** Returns the byte that a character of `BAD_BYTES` stands for; 0 if it is not known. */
export const byteOf = (character: string): number =>
	character === UNKNOWN ? 0 : character.charCodeAt(0) - BAD_BYTE;

const TRUNCATED = 'The file ends within a character: it is truncated';

/** Decodes UTF-16. */
export const utf16 = (end: 'big' | 'little'): Decoder =>
	async function* (source) {
		let rest = Buffer.alloc(0);
		for await (const slice of source) {
			const bytes = Buffer.concat([rest, slice]);
			const even = bytes.length - (bytes.length % 2);
			rest = bytes.subarray(even);
			const units = bytes.subarray(0, even);
			yield (end === 'big' ? units.swap16() : units).toString('utf16le');
		}
		if (rest.length > 0) throw new FileError(TRUNCATED);
	};

/** Characters that `TextDecoder` returns for bytes without a character: it keeps those from 0x80 to 0x9F. */
const NO_CHARACTER = /[\x80-\x9f\ufffd]/g;

/**
 * Decodes an encoding that has no code for U+FFFD and the control characters from U+0080 to U+009F.
 *
 * @param label of the Encoding Standard
 */
export const legacy = (label: string): Decoder =>
	label === 'windows-1252'
		? async function* (source) {
				for await (const bytes of source) yield windows1252(bytes);
			}
		: async function* (source) {
				const decoder = new TextDecoder(label);
				const marked = (text: string) => text.replace(NO_CHARACTER, UNKNOWN);
				for await (const bytes of source)
					yield marked(decoder.decode(bytes, { stream: true }));
				yield marked(decoder.decode());
			};

/** Characters of Windows-1252 from 0x80 to 0x9F, a space for none. `TextDecoder` has others in Node.js 20. */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Returns the character of Windows-1252 for a byte; '' if there is none. */
const characterOf = (byte: number): string => {
	if (byte < 0x80 || byte > 0x9f) return String.fromCharCode(byte);
	return FROM_0X80.charAt(byte - 0x80).trim();
};

const windows1252 = (bytes: Uint8Array): string =>
	Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
		.toString('latin1')
		.replace(/[\x80-\x9f]/g, (byte) => characterOf(byte.charCodeAt(0)) || bad(byte));

/** Replaces bytes without a character by what they mean in Windows-1252, or by a question mark. */
export const repaired = (text: string): string =>
	text.replace(BAD_BYTES, (found) => (byteOf(found) && characterOf(byteOf(found))) || '?');

/** Whether Windows-1252 has a character for a byte. */
export const isInWindows1252 = (byte: number): boolean => characterOf(byte) !== '';

/** A line break, a character of UTF-8 that takes several bytes, or else a byte that is not ASCII. */
const PARTS =
	/[\r\n]|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;

/** The beginning of a character at the end. */
const BEGUN = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8.
 *
 * @param guesses counts lines that are not UTF-8 and read as Windows-1252, see `LineDecoder`; undefined if
 *   nothing is to be guessed
 */
export const utf8 = (guesses: Findings | undefined): Decoder =>
	async function* (source) {
		const decoder = new LineDecoder(guesses);
		let rest = Buffer.alloc(0);
		for await (const slice of source) {
			const bytes = Buffer.concat([rest, slice]);
			const begun = BEGUN.exec(bytes.toString('latin1', Math.max(0, bytes.length - 3)));
			const complete = bytes.subarray(0, bytes.length - (begun?.[0].length ?? 0));
			rest = bytes.subarray(complete.length);
			yield decoder.decode(complete);
		}
		if (rest.length === 0) return;
		if (decoder.isCertain) throw new FileError(TRUNCATED);
		yield decoder.decode(rest);
	};

/**
 * Decodes lines of UTF-8 and, if it may guess, of Windows-1252: joined files have both. A line is read as
 * Windows-1252 from its first byte that is not UTF-8 on. After a character of several bytes the file is
 * certainly UTF-8, and such a byte is an error.
 */
class LineDecoder {
	/** Nothing is guessed (any more). */
	isCertain: boolean;
	/** The line so far is read as Windows-1252. */
	private isGuessed = false;
	/** The first guess is noted, so lines need not be counted any longer. */
	private hasNoted = false;
	/** Number of the line where the next bytes begin, until the first guess. */
	private line = 1;
	private endsWithCr = false;

	constructor(private readonly guesses: Findings | undefined) {
		this.isCertain = guesses === undefined;
	}

	/** @param bytes which end with a complete character */
	decode(bytes: Buffer): string {
		const valid = this.isGuessed ? undefined : validUtf8(bytes);
		if (valid !== undefined && valid.length < bytes.length) this.isCertain = true;
		const text = valid ?? this.decodeParts(bytes.toString('latin1'));
		if (this.guesses && !this.hasNoted) this.countLines(text);
		return text;
	}

	private decodeParts(bytes: string): string {
		return bytes.replace(PARTS, (part, at: number) => {
			if (part === '\n' || part === '\r') {
				this.isGuessed = false;
				return part;
			}
			if (this.isGuessed) return windows1252(Buffer.from(part, 'latin1'));
			if (part.length > 1) {
				this.isCertain = true;
				return Buffer.from(part, 'latin1').toString();
			}
			if (this.isCertain) return bad(part);
			const character = windows1252(Buffer.from(part, 'latin1'));
			this.isGuessed = true;
			if (character !== bad(part)) this.noteGuess(bytes, at);
			return character;
		});
	}

	private noteGuess(bytes: string, at: number): void {
		if (this.hasNoted) return this.guesses?.add('windows1252', 0);
		this.hasNoted = true;
		this.countLines(bytes.slice(0, at));
		const [before = ''] =
			/[^\s"<>,;|]{0,20}$/.exec(bytes.slice(Math.max(0, at - 20), at)) ?? [];
		const [after = ''] = /^[^\s"<>,;|]{0,20}/.exec(bytes.slice(at, at + 20)) ?? [];
		const word = repaired(windows1252(Buffer.from(before + after, 'latin1')));
		this.guesses?.add('windows1252', this.line, word);
	}

	private countLines(text: string): void {
		if (text.includes('\r')) {
			const isSecondHalf = this.endsWithCr && text.startsWith('\n');
			this.line += (text.match(/\r\n|\r|\n/g)?.length ?? 0) - (isSecondHalf ? 1 : 0);
		} else {
			for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.line++;
			if (this.endsWithCr && text.startsWith('\n')) this.line--;
		}
		if (text !== '') this.endsWithCr = text.endsWith('\r');
	}
}

/** @returns undefined if a byte belongs to no character */
function validUtf8(bytes: Buffer): string | undefined {
	try {
		return UTF_8.decode(bytes);
	} catch {
		return undefined;
	}
}
