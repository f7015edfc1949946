import { FileError, type Bytes } from './bytes';
import type { Findings } from './findings';

export type Decoder = (source: Bytes) => AsyncGenerator<string>;

/**
 * A byte that does not belong to any character is decoded as half of a surrogate pair, from U+DC80 to U+DCFF.
 * If the byte's value is unknown, the byte is decoded as U+DFFF. In valid text, the two halves always occur
 * together, so `describeBadCharacters` can find an unpaired half.
 */
const BAD_BYTE = 0xdc00;
export const BAD_BYTES = /[\udc80-\udcff\udfff]/gu;

const UNKNOWN_BYTE = '\udfff';

const markBadByte = (byte: string): string => String.fromCharCode(BAD_BYTE + byte.charCodeAt(0));

/** Returns the byte that a match of `BAD_BYTES` represents, or 0 if the byte is unknown. */
export const byteOf = (character: string): number =>
	character === UNKNOWN_BYTE ? 0 : character.charCodeAt(0) - BAD_BYTE;

const TRUNCATED = 'The file ends within a character, so it is truncated';

export const utf16Decoder = (end: 'big' | 'little'): Decoder =>
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

/**
 * Matches the characters that `TextDecoder` returns for bytes that the encoding does not define. For an
 * undefined byte from 0x80 to 0x9F, `TextDecoder` returns the control character with the same code.
 */
const NO_CHARACTER = /[\x80-\x9f\ufffd]/g;

/**
 * Returns a decoder for a legacy encoding. The encoding must not contain U+FFFD or the control characters
 * from U+0080 to U+009F.
 *
 * @param label encoding name from the Encoding Standard
 */
export const legacyDecoder = (label: string): Decoder =>
	label === 'windows-1252'
		? async function* (source) {
				for await (const bytes of source) yield decodeWindows1252(bytes);
			}
		: async function* (source) {
				const decoder = new TextDecoder(label);
				const markUnknown = (text: string) => text.replace(NO_CHARACTER, UNKNOWN_BYTE);
				for await (const bytes of source)
					yield markUnknown(decoder.decode(bytes, { stream: true }));
				yield markUnknown(decoder.decode());
			};

/**
 * Windows-1252 characters for the bytes from 0x80 to 0x9F. A space marks a byte that has no character.
 * `TextDecoder` is not used here, because it returns different characters in Node.js 20.
 */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

const characterOf = (byte: number): string => {
	if (byte < 0x80 || byte > 0x9f) return String.fromCharCode(byte);
	return FROM_0X80.charAt(byte - 0x80).trim();
};

const decodeWindows1252 = (bytes: Uint8Array): string =>
	Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
		.toString('latin1')
		.replace(/[\x80-\x9f]/g, (byte) => characterOf(byte.charCodeAt(0)) || markBadByte(byte));

/**
 * Replaces each match of `BAD_BYTES` with the byte's Windows-1252 character, or with a question mark if the
 * byte has no character.
 */
export const repairText = (text: string): string =>
	text.replace(BAD_BYTES, (found) => (byteOf(found) && characterOf(byteOf(found))) || '?');

export const isInWindows1252 = (byte: number): boolean => characterOf(byte) !== '';

/** Matches a line break, a multibyte UTF-8 character, or any other non-ASCII byte. */
const UTF8_PARTS =
	/[\r\n]|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;

const INCOMPLETE_CHARACTER = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns a decoder for UTF-8.
 *
 * @param guesses counter for the lines that are read as Windows-1252 (see `LineDecoder`). If it is undefined,
 *   all lines are read as UTF-8
 */
export const utf8Decoder = (guesses: Findings | undefined): Decoder =>
	async function* (source) {
		const decoder = new LineDecoder(guesses);
		let rest = Buffer.alloc(0);
		for await (const slice of source) {
			const bytes = Buffer.concat([rest, slice]);
			const incomplete = INCOMPLETE_CHARACTER.exec(
				bytes.toString('latin1', Math.max(0, bytes.length - 3)),
			);
			const complete = bytes.subarray(0, bytes.length - (incomplete?.[0].length ?? 0));
			rest = bytes.subarray(complete.length);
			yield decoder.decode(complete);
		}
		if (rest.length === 0) return;
		if (decoder.isCertain) throw new FileError(TRUNCATED);
		yield decoder.decode(rest);
	};

/**
 * Decodes UTF-8 text line by line. If several files were joined, some lines may be in Windows-1252. A line can contain
 * a byte that is not valid UTF-8. If guessing is allowed, the line is decoded as Windows-1252 from that byte on. A
 * multibyte UTF-8 character proves that the file is UTF-8. After such a character, any invalid byte is an error.
 */
class LineDecoder {
	/** Whether the file is known to be UTF-8. If so, no line is decoded as Windows-1252. */
	isCertain: boolean;
	/** Whether the rest of this line is read as Windows-1252. */
	private isGuessed = false;
	/** Whether a guess has been reported. After the first report, lines are no longer counted. */
	private hasNoted = false;
	private line = 1;
	private endsWithCr = false;

	constructor(private readonly guesses: Findings | undefined) {
		this.isCertain = guesses === undefined;
	}

	/** @param bytes the bytes to decode, which must end with a complete character */
	decode(bytes: Buffer): string {
		const valid = this.isGuessed ? undefined : validUtf8(bytes);
		if (valid !== undefined && valid.length < bytes.length) this.isCertain = true;
		const text = valid ?? this.decodeParts(bytes.toString('latin1'));
		if (this.guesses && !this.hasNoted) this.countLines(text);
		return text;
	}

	private decodeParts(bytes: string): string {
		return bytes.replace(UTF8_PARTS, (part, at: number) => {
			if (part === '\n' || part === '\r') {
				this.isGuessed = false;
				return part;
			}
			if (this.isGuessed) return decodeWindows1252(Buffer.from(part, 'latin1'));
			if (part.length > 1) {
				this.isCertain = true;
				return Buffer.from(part, 'latin1').toString();
			}
			if (this.isCertain) return markBadByte(part);
			const character = decodeWindows1252(Buffer.from(part, 'latin1'));
			this.isGuessed = true;
			if (character !== markBadByte(part)) this.noteGuess(bytes, at);
			return character;
		});
	}

	private noteGuess(bytes: string, at: number): void {
		if (this.hasNoted) return this.guesses?.add('windows1252', Infinity);
		this.hasNoted = true;
		this.countLines(bytes.slice(0, at));
		const [before = ''] =
			/[^\s"<>,;|]{0,20}$/.exec(bytes.slice(Math.max(0, at - 20), at)) ?? [];
		const [after = ''] = /^[^\s"<>,;|]{0,20}/.exec(bytes.slice(at, at + 20)) ?? [];
		const word = repairText(decodeWindows1252(Buffer.from(before + after, 'latin1')));
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

function validUtf8(bytes: Buffer): string | undefined {
	try {
		return UTF_8.decode(bytes);
	} catch {
		return undefined;
	}
}
