import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { FileError } from '../../../nodes/shared/records/bytes';
import { isGzip } from '../../../nodes/shared/records/gzip/gzip';
import { SLICE_BYTES, textOf } from '../../../nodes/shared/records/text';
import { chunks, lengths } from './support';

/** The text of a file that arrives in chunks of the given lengths, and what ended it. */
async function read(
	bytes: Uint8Array,
	cuts?: number[],
): Promise<{ text: string; error?: unknown }> {
	let text = '';
	try {
		for await (const piece of textOf(chunks(bytes, cuts))) text += piece;
		return { text };
	} catch (error) {
		return { text, error };
	}
}

function utf16be(text: string): Buffer {
	return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
}

const ENCODINGS: Array<[string, (text: string) => Buffer]> = [
	['UTF-8', (text) => Buffer.from(text)],
	['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
	['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
	['UTF-16 BE', utf16be],
];

describe.each(ENCODINGS)('%s', (_, encode) => {
	test.each(['', 'a', 'é', '€', '😀', 'ab\ufeffc', '{"a":"é€😀"}\n'])(
		'reads %j',
		async (text) => {
			for (const cuts of [[1], [2], [3], [1000]]) {
				expect(await read(encode(text), cuts)).toStrictEqual({ text });
				expect(await read(gzipSync(encode(text)), cuts)).toStrictEqual({ text });
			}
		},
	);

	test('reads any text, however it is cut', async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: 'binary' }), lengths, async (content, cuts) => {
				const text = `{"${content}`;
				expect(await read(encode(text), cuts)).toStrictEqual({ text });
			}),
			{ numRuns: 200 },
		);
	});

	test('reads one large chunk in slices, and lets others continue before each', async () => {
		const text = '1é€😀'.repeat(60_000);
		const bytes = encode(text);
		let breaths = 0;
		let whole = '';
		const breathe = () => {
			breaths++;
			return Promise.resolve();
		};
		for await (const piece of textOf(chunks(bytes), breathe)) {
			expect(piece.length).toBeLessThanOrEqual(SLICE_BYTES);
			whole += piece;
		}
		expect(whole).toBe(text);
		expect(breaths).toBe(Math.ceil(bytes.length / SLICE_BYTES));
	});

	test('a character that is cut off at the end is an error', async () => {
		const bytes = encode('ab😀');
		for (const cuts of [[1], [1000]]) {
			for (const missing of [1, 2, 3]) {
				const { text, error } = await read(bytes.subarray(0, -missing), cuts);
				// Half a character in UTF-16 is as good as none.
				expect(text).toBe('ab');
				expect(error).toBeInstanceOf(FileError);
				expect((error as Error).message).toBe(
					'The file ends within a character: it is truncated',
				);
			}
		}
	});
});

test('says where the text is not UTF-8, after all text before', async () => {
	const good = 'é€😀'.repeat(20_000);
	const bytes = Buffer.concat([Buffer.from(good), Buffer.from([0xe9, 0x20, 0x41])]);
	const at = Buffer.byteLength(good);
	for (const cuts of [[bytes.length], [1000], [3]]) {
		const { text, error } = await read(bytes, cuts);
		expect(text).toBe(good);
		expect(error).toBeInstanceOf(FileError);
		expect((error as Error).message).toBe(
			`The file is not valid UTF-8 at byte ${at} (0xe9): save it as UTF-8`,
		);
	}
});

test.each([
	[[0x61, 0xff], 'UTF-8 at byte 1 (0xff)'],
	[[0x61, 0x80, 0x61], 'UTF-8 at byte 1 (0x80)'],
	[[0x61, 0x62, 0xc3, 0x28], 'UTF-8 at byte 2 (0xc3)'],
	[[0xef, 0xbb, 0xbf, 0x61, 0xfc], 'UTF-8 at byte 4 (0xfc)'],
	[[0xef, 0xbb, 0xbf, 0x61, 0xed, 0xa0, 0x80], 'UTF-8 at byte 4 (0xed)'],
	[[0xff, 0xfe, 0x61, 0x00, 0x00, 0xdc, 0x62, 0x00], 'UTF-16LE at byte 4 (0x00)'],
	[[0xfe, 0xff, 0x00, 0x61, 0xd8, 0x00, 0x00, 0x62], 'UTF-16BE at byte 4 (0xd8)'],
])('the bytes %j are not valid %s', async (bytes, where) => {
	for (const cuts of [[1], [100]]) {
		const { text, error } = await read(Uint8Array.from(bytes), cuts);
		expect((error as Error).message).toMatch(`The file is not valid ${where}: `);
		expect(text).toMatch(/^ab?$/);
	}
});

test.each([
	[
		[0xff, 0xfe, 0, 0, 0x61, 0, 0, 0],
		'The file is encoded as UTF-32, not text in UTF-8 or UTF-16',
	],
	[
		[0, 0, 0xfe, 0xff, 0, 0, 0, 0x61],
		'The file is encoded as UTF-32, not text in UTF-8 or UTF-16',
	],
	[
		[0x7b, 0, 0x22, 0],
		'The file is not UTF-8, and UTF-16 needs a byte order mark at its beginning',
	],
	[
		[0, 0x7b, 0, 0x22],
		'The file is not UTF-8, and UTF-16 needs a byte order mark at its beginning',
	],
	[
		[0x50, 0x4b, 3, 4, 5],
		'The file is a ZIP archive or an Office document, not text in UTF-8 or UTF-16',
	],
	[
		[0x28, 0xb5, 0x2f, 0xfd, 5],
		'The file is compressed with Zstandard, not text in UTF-8 or UTF-16',
	],
	[[0xfd, 0x37, 0x7a, 0x58, 5], 'The file is compressed with xz, not text in UTF-8 or UTF-16'],
	[[0x42, 0x5a, 0x68, 0x39], 'The file is compressed with bzip2, not text in UTF-8 or UTF-16'],
	[[0x25, 0x50, 0x44, 0x46], 'The file is a PDF document, not text in UTF-8 or UTF-16'],
	[
		[...gzipSync(gzipSync('a'))],
		'The file is compressed with gzip twice, not text in UTF-8 or UTF-16',
	],
])('names what %j is', async (bytes, message) => {
	for (const cuts of [[1], [100]]) {
		const { text, error } = await read(Uint8Array.from(bytes), cuts);
		expect(text).toBe('');
		expect(error).toBeInstanceOf(FileError);
		expect((error as Error).message).toBe(message);
	}
});

test('an ID may begin as some compressed files do', async () => {
	for (const text of ['BZhang-001', 'BZh', '%PD']) {
		expect(await read(Buffer.from(text), [100])).toMatchObject({ text });
	}
});

test.each([
	[[0x1f, 0x8b], true],
	[[0x1f, 0], false],
	[[0, 0x8b], false],
	[[0x1f], false],
])('%j begins a gzip file: %j', (head, expected) => {
	expect(isGzip(Uint8Array.from(head))).toBe(expected);
});

describe('gzip', () => {
	const content = Array.from(
		{ length: 50_000 },
		(_, index) => `{"id":${(index * 7919) % 100_003}}\n`,
	).join('');
	const packed = gzipSync(content);

	test('reads several files one after the other, as gzip does', async () => {
		const bytes = Buffer.concat([packed, gzipSync('{"id":"last"}\n')]);
		expect(await read(bytes, [10_000])).toStrictEqual({ text: `${content}{"id":"last"}\n` });
	});

	test.each([1, 5, 1000, packed.length >> 1, packed.length - 5])(
		'a file that lacks %d bytes is truncated',
		async (missing) => {
			const { text, error } = await read(packed.subarray(0, -missing), [10_000]);
			expect(content.startsWith(text)).toBe(true);
			expect(error).toBeInstanceOf(FileError);
			expect((error as Error).message).toBe('The gzip file ends early: it is truncated');
		},
	);

	test('what is shorter than the head is returned before the error', async () => {
		const { text, error } = await read(gzipSync('7\n').subarray(0, -5), [10_000]);
		expect(text).toBe('7\n');
		expect((error as Error).message).toBe('The gzip file ends early: it is truncated');
	});

	test.each([3, packed.length >> 1, packed.length - 6])(
		'damage at byte %d is found',
		async (at) => {
			const damaged = Buffer.from(packed);
			damaged[at] ^= 0xff;
			const { error } = await read(damaged, [10_000]);
			expect(error).toBeInstanceOf(FileError);
			expect((error as Error).message).toMatch(/^The gzip file is (damaged: |ends early)/);
		},
	);

	test('a slow reader gets all that comes before the end of a truncated file', async () => {
		const text = '0123456789'.repeat(30_000);
		const truncated = gzipSync(text).subarray(0, -5);
		let read = '';
		const reading = (async () => {
			for await (const piece of textOf(chunks(truncated))) {
				read += piece;
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		})();
		await expect(reading).rejects.toThrow('The gzip file ends early: it is truncated');
		expect(read).toBe(text);
	});

	test('a slow reader gets all that comes before the source breaks', async () => {
		const reason = new Error('The disk is gone');
		const text = '0123456789'.repeat(30_000);
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield gzipSync(text).subarray(0, -8);
			await Promise.resolve();
			throw reason;
		}
		let read = '';
		const reading = (async () => {
			for await (const piece of textOf(broken())) {
				read += piece;
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		})();
		await expect(reading).rejects.toBe(reason);
		expect(read).toBe(text);
	});

	test('a consumer may leave at any time, and nothing is thrown out of reach', async () => {
		const thrown: unknown[] = [];
		const note = (error: unknown) => thrown.push(error);
		process.on('uncaughtException', note);
		process.on('unhandledRejection', note);
		const packs = [
			gzipSync(Buffer.alloc(3_000_000, 'abc')),
			gzipSync('a' + '\n'.repeat(70_000)),
		];
		for (let round = 0; round < 60; round++) {
			const pieces = chunks(packs[round % 2], [1000]);
			let read = 0;
			for await (const piece of textOf(pieces)) {
				if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve));
				if (piece.length > 0 && read++ >= round % 7) break;
			}
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
		process.off('uncaughtException', note);
		process.off('unhandledRejection', note);
		expect(thrown).toEqual([]);
	});

	test('what breaks the source is thrown as it is', async () => {
		const reason = new Error('The disk is gone');
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield packed.subarray(0, 1000);
			await Promise.resolve();
			throw reason;
		}
		const texts: string[] = [];
		const reading = (async () => {
			for await (const piece of textOf(broken())) texts.push(piece);
		})();
		await expect(reading).rejects.toBe(reason);
	});

	test('reads no further ahead than it is asked, and closes the source when the consumer leaves', async () => {
		const bytes = gzipSync(Buffer.alloc(100_000_000, 'a'));
		let taken = 0;
		let isClosed = false;
		async function* source(): AsyncGenerator<Uint8Array> {
			try {
				for (let at = 0; at < bytes.length; at += 1000) {
					taken += 1000;
					yield bytes.subarray(at, at + 1000);
					await Promise.resolve();
				}
			} finally {
				isClosed = true;
			}
		}
		for await (const piece of textOf(source())) {
			expect(piece.length).toBeGreaterThan(0);
			break;
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(taken).toBeLessThan(bytes.length / 2);
		expect(isClosed).toBe(true);
	});
});

test('what breaks the source is thrown as it is, and the source is closed when the consumer leaves', async () => {
	const reason = new Error('The disk is gone');
	let isClosed = false;
	async function* source(): AsyncGenerator<Uint8Array> {
		try {
			yield Buffer.from('a');
			yield Buffer.from('bcdef');
			await Promise.resolve();
			throw reason;
		} finally {
			isClosed = true;
		}
	}
	let text = '';
	const reading = (async () => {
		for await (const piece of textOf(source())) text += piece;
	})();
	await expect(reading).rejects.toBe(reason);
	expect(text).toBe('abcdef');
	isClosed = false;
	for await (const piece of textOf(source())) {
		expect(piece).toBe('a');
		break;
	}
	expect(isClosed).toBe(true);
});
