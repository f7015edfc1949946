import { FileError } from './bytes';

/** How the text of a file is encoded. */
export interface Encoding {
	name: 'utf-8' | 'utf-16le' | 'utf-16be';
	/** The length of the byte order mark. */
	markBytes: number;
}

const UTF_8: Encoding = { name: 'utf-8', markBytes: 0 };

/** What files begin with, in hexadecimal; longer beginnings first. A text names a file that cannot be read. */
const BEGINNINGS: ReadonlyArray<[string, Encoding | string]> = [
	['efbbbf', { name: 'utf-8', markBytes: 3 }],
	['fffe0000', 'encoded as UTF-32'],
	['0000feff', 'encoded as UTF-32'],
	['fffe', { name: 'utf-16le', markBytes: 2 }],
	['feff', { name: 'utf-16be', markBytes: 2 }],
	['504b0304', 'a ZIP archive or an Office document'],
	['1f8b', 'compressed with gzip twice'],
	['28b52ffd', 'compressed with Zstandard'],
	['fd377a58', 'compressed with xz'],
	// Followed by a digit, so that it is no text.
	['425a683', 'compressed with bzip2'],
	['25504446', 'a PDF document'],
];

/**
 * Recognizes the encoding of a file.
 *
 * @param head the first four bytes
 * @throws {FileError} if it is neither UTF-8 nor UTF-16 with a byte order mark
 */
export function encodingOf(head: Uint8Array): Encoding {
	const hex = Buffer.from(head).toString('hex');
	const found = BEGINNINGS.find(([beginning]) => hex.startsWith(beginning))?.[1];
	if (typeof found === 'object') return found;
	if (found !== undefined)
		throw new FileError(`The file is ${found}, not text in UTF-8 or UTF-16`);
	if (head[0] === 0 || head[1] === 0) {
		throw new FileError(
			'The file is not UTF-8, and UTF-16 needs a byte order mark at its beginning',
		);
	}
	return UTF_8;
}

/** How many of the bytes form complete characters; the others are the beginning of one. */
export function completeBytes(bytes: Uint8Array, encoding: Encoding['name']): number {
	const { length } = bytes;
	if (encoding !== 'utf-8') {
		const even = length - (length % 2);
		const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
		// The first half of a surrogate pair.
		return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
	}
	for (let back = 1; back <= Math.min(3, length); back++) {
		const byte = bytes[length - back] ?? 0;
		// ASCII is complete, and bytes above 0xf4 never occur in UTF-8.
		if (byte < 0x80 || byte > 0xf4) return length;
		if (byte < 0xc0) continue;
		return back < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? length - back : length;
	}
	return length;
}
