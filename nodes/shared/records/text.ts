import { FileError, unpacked, type Bytes } from './bytes';

/**
 * Reads the text of a file, compressed with gzip or not: UTF-8, UTF-16 with a byte order mark, or
 * Windows-1252. The first character that is not ASCII tells UTF-8 from Windows-1252. A byte of a UTF-8
 * file that belongs to no character is returned as half of a surrogate pair, U+DC80 to U+DCFF.
 *
 * @param breathe see `unpacked`
 * @returns the text in slices of up to 64 KB, without the byte order mark
 * @throws {FileError} if the file is no text or damaged, after all text before that was returned; and
 *   whatever breaks the source
 */
export async function* textOf(
	source: Bytes,
	breathe: () => Promise<void> = async () => {},
): AsyncGenerator<string> {
	const { head, all } = await unpacked(source, breathe);
	const [first, second] = head;
	const isLittle = first === 0xff && second === 0xfe;
	const isBig = first === 0xfe && second === 0xff;
	const mark = isLittle ? 'little' : isBig ? 'big' : undefined;
	let isFirst = true;
	for await (const text of mark === undefined ? narrow(all) : wide(all, mark)) {
		if (text === '') continue;
		yield isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
		isFirst = false;
	}
}

const TRUNCATED = 'The file ends within a character: it is truncated';

/** Decodes UTF-16. */
async function* wide(source: Bytes, end: 'big' | 'little'): AsyncGenerator<string> {
	let rest = Buffer.alloc(0);
	for await (const slice of source) {
		const bytes = Buffer.concat([rest, slice]);
		const even = bytes.length - (bytes.length % 2);
		rest = bytes.subarray(even);
		const units = bytes.subarray(0, even);
		yield (end === 'big' ? units.swap16() : units).toString('utf16le');
	}
	if (rest.length > 0) throw new FileError(TRUNCATED);
}

/** A character of UTF-8 that takes several bytes, or else a byte that is not ASCII. */
const CHARACTER =
	/[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;

/** The beginning of a character at the end. */
const BEGUN = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 or Windows-1252. */
async function* narrow(source: Bytes): AsyncGenerator<string> {
	let isUtf8: boolean | undefined;
	let rest = Buffer.alloc(0);
	for await (const slice of source) {
		const bytes = Buffer.concat([rest, slice]);
		const begun = BEGUN.exec(bytes.toString('latin1', Math.max(0, bytes.length - 3)));
		const complete = bytes.subarray(0, bytes.length - (begun?.[0].length ?? 0));
		rest = bytes.subarray(complete.length);
		const valid = isUtf8 === false ? undefined : utf8(complete);
		if (valid === undefined) isUtf8 ??= beginsAsUtf8(complete);
		else if (valid.length < complete.length) isUtf8 = true;
		yield valid ?? (isUtf8 ? withBadBytes(complete) : windows1252(complete));
	}
	if (rest.length > 0 && isUtf8) throw new FileError(TRUNCATED);
	yield windows1252(rest);
}

/** Whether the first character that is not ASCII is UTF-8. */
const beginsAsUtf8 = (bytes: Buffer): boolean =>
	(bytes.toString('latin1').match(CHARACTER)?.[0].length ?? 0) > 1;

/** @returns undefined if a byte belongs to no character */
function utf8(bytes: Buffer): string | undefined {
	try {
		return UTF_8.decode(bytes);
	} catch {
		return undefined;
	}
}

/** Decodes UTF-8 in which bytes belong to no character. */
const withBadBytes = (bytes: Buffer): string =>
	bytes
		.toString('latin1')
		.replace(CHARACTER, (found) =>
			found.length > 1
				? Buffer.from(found, 'latin1').toString()
				: String.fromCharCode(BAD_BYTE + found.charCodeAt(0)),
		);

/** What is added to a byte that belongs to no character. */
const BAD_BYTE = 0xdc00;
const BAD_BYTES = /[\udc80-\udcff]/gu;

/** What is wrong with the characters of a record, to follow "Line 17 "; undefined for most. */
export function characterProblem(text: string): string | undefined {
	if (text.isWellFormed()) return undefined;
	const bad = text.match(BAD_BYTES)?.[0];
	if (bad === undefined) return 'has half a character of UTF-16';
	const byte = (bad.charCodeAt(0) - BAD_BYTE).toString(16);
	return `has a byte that is not UTF-8 (0x${byte}): save the file as UTF-8`;
}

/** A text with its bad bytes as Windows-1252, which is what they mostly are. */
export const repaired = (text: string): string =>
	text.replace(BAD_BYTES, (bad) => windows1252(Buffer.from([bad.charCodeAt(0) - BAD_BYTE])));

/** The characters of Windows-1252 from 0x80 on. `TextDecoder` has others in Node.js 20. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const windows1252 = (bytes: Buffer): string =>
	bytes
		.toString('latin1')
		.replace(/[\x80-\x9f]/g, (found) => FROM_0X80.charAt(found.charCodeAt(0) - 0x80));
