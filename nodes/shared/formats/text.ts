import { readBytes, type Bytes } from './bytes';
import { countControls } from './control-characters';
import {
	BAD_BYTES,
	byteOf,
	isInWindows1252,
	legacyDecoder,
	utf16Decoder,
	utf8Decoder,
	type Decoder,
} from './decoders';
import { Findings } from './findings';

export interface TextOptions {
	/**
	 * An encoding name from the Encoding Standard, or `auto`. With `auto`, a line that is not valid UTF-8
	 * is read as Windows-1252.
	 */
	encoding?: string;
	findings?: Findings;
}

/**
 * Reads a file's text. The file may be compressed with gzip. If the file begins with a byte order mark, the mark
 * overrides the chosen encoding. A byte that does not belong to any character is returned as half of a surrogate pair
 * (see `describeBadCharacters`).
 *
 * @param yieldToOthers see `readBytes`
 * @returns the text in slices of up to 64 KB. A byte order mark at the beginning of a line is removed. Joined files can
 *   contain such marks.
 * @throws {FileError} if the file is not text or is damaged. All text before the error is returned first. Errors from
 *   the source are rethrown unchanged.
 */
export async function* textOf(
	source: Bytes,
	yieldToOthers: () => Promise<void> = async () => {},
	{ encoding = 'auto', findings = new Findings() }: TextOptions = {},
): AsyncGenerator<string> {
	const isUtf16 = encoding.startsWith('utf-16');
	const { head, all } = await readBytes(source, yieldToOthers, isUtf16);
	const decode = decoderOf(markOf(head) ?? encoding, findings);
	let isLineStart = true;
	for await (const piece of decode(all)) {
		const text: string = piece.includes(MARK) ? withoutMarks(piece, isLineStart) : piece;
		if (text === '') continue;
		yield text;
		isLineStart = text.endsWith('\n') || text.endsWith('\r');
	}
}

function markOf([first, second, third]: Uint8Array): string | undefined {
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function decoderOf(encoding: string, findings: Findings): Decoder {
	if (encoding === 'utf-16le') return utf16Decoder('little');
	if (encoding === 'utf-16be') return utf16Decoder('big');
	if (encoding === 'utf-8') return utf8Decoder(undefined);
	return encoding === 'auto' ? utf8Decoder(findings) : legacyDecoder(encoding);
}

const MARK = '\ufeff';

function withoutMarks(text: string, isLineStart: boolean): string {
	const rest = isLineStart ? text.replace(/^\ufeff+/, '') : text;
	return rest.replace(/(?<=[\r\n])\ufeff+/g, '');
}

/** MS-DOS programs write this character at the end of a file. */
const END_OF_FILE = '\x1a';

/** Returns true for white space and for the MS-DOS end-of-file character. */
export const isWhiteSpace = (text: string): boolean => text.trim() === '' || text === END_OF_FILE;

/** Text has at most one control character in this many characters. */
const CHARACTERS_PER_CONTROL = 1_000;

/**
 * Describes why a record or a file is not text. The description completes a sentence that starts with words such as
 * "Line 17". Returns undefined for text.
 *
 * @param delimiter a control character that separates the cells of a CSV file, as Hive writes it
 */
export function describeBadCharacters(text: string, delimiter = ''): string | undefined {
	if (!text.isWellFormed()) return describeBadBytes(text);
	if (text.includes('\0')) return 'has NUL characters, which text does not contain';
	const content = text.endsWith(END_OF_FILE) ? text.slice(0, -1) : text;
	const delimiters = countControls(delimiter) > 0 ? content.split(delimiter).length - 1 : 0;
	const count = countControls(content) - delimiters;
	return count * CHARACTERS_PER_CONTROL > text.length
		? 'has control characters, which text does not contain'
		: undefined;
}

function describeBadBytes(text: string): string {
	const [bad] = text.match(BAD_BYTES) ?? [];
	if (bad === undefined) return 'has half of a UTF-16 character';
	const byte = byteOf(bad);
	if (byte === 0)
		return "has bytes that are not characters in the encoding that is set as 'Encoding'";
	const encodings = isInWindows1252(byte) ? 'not UTF-8' : 'neither UTF-8 nor Windows-1252';
	return `has a byte that is ${encodings} (0x${byte.toString(16)}): set the option 'Encoding' to the encoding of the file, or save the file as UTF-8`;
}

/** Matches the end of a JSON string, or a backslash that escapes the next character. */
export const QUOTE_OR_BACKSLASH = /["\\]/g;

/**
 * Works like `String.indexOf`, but searches for a regular expression.
 *
 * @param expression matches a single character and has the `g` flag
 * @returns the index of the next match, or -1
 */
export function indexOfMatch(expression: RegExp, text: string, from: number): number {
	expression.lastIndex = from;
	return expression.test(text) ? expression.lastIndex - 1 : -1;
}
