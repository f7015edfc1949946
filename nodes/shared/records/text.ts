import { readBytes, type Bytes } from './bytes';
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

/** How the text of a file is read. */
export interface TextOptions {
	/** A label of the Encoding Standard, or `auto`: each line is UTF-8 or else Windows-1252. */
	encoding?: string;
	/** Counts lines whose encoding was guessed. */
	findings?: Findings;
}

/**
 * Reads the text of a file, compressed with gzip or not. A byte order mark counts more than the encoding
 * that was chosen. What belongs to no character is returned as half of a surrogate pair, see
 * `describeBadCharacters`.
 *
 * @param yieldToOthers see `readBytes`
 * @returns the text in slices of up to 64 KB, without the byte order marks that joined files have at the
 *   beginning of lines
 * @throws {FileError} if the file is no text or damaged, after all text before that was returned; and
 *   whatever breaks the source
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
		const text = withoutMarks(piece, isLineStart);
		if (text === '') continue;
		yield text;
		isLineStart = text.endsWith('\n') || text.endsWith('\r');
	}
}

/** The encoding that a byte order mark says. */
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
	if (!text.includes(MARK)) return text;
	const rest = isLineStart ? text.replace(/^\ufeff+/, '') : text;
	return rest.replace(/(?<=[\r\n])\ufeff+/g, '');
}

/** The character that MS-DOS programs end a file with. */
const END_OF_FILE = '\x1a';

/** Whether a text has nothing but white space. */
export const isWhiteSpace = (text: string): boolean => text.trim() === '' || text === END_OF_FILE;

/** What is wrong with the characters of a record, to follow "Line 17 "; undefined for most. */
export function describeBadCharacters(text: string): string | undefined {
	if (text.isWellFormed()) return undefined;
	const [bad] = text.match(BAD_BYTES) ?? [];
	if (bad === undefined) return 'has half a character of UTF-16';
	const byte = byteOf(bad);
	if (byte === 0)
		return "has bytes that are no character in the encoding of the option 'Encoding'";
	const encodings = isInWindows1252(byte) ? 'not UTF-8' : 'neither UTF-8 nor Windows-1252';
	return `has a byte that is ${encodings} (0x${byte.toString(16)}): set the option 'Encoding' to the encoding of the file, or save the file as UTF-8`;
}
