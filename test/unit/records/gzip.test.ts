/** Gzip files of several members, padded, truncated and damaged, compared with Node.js's zlib. */
import { constants, gunzipSync, gzipSync, type ZlibOptions } from 'node:zlib';

import fc from 'fast-check';

import { gunzip } from '../../../nodes/shared/records/gzip/gzip';
import { chunks, lengths } from './support';

async function read(
	bytes: Uint8Array,
	cuts?: number[],
): Promise<{ content: Buffer; error?: string }> {
	const pieces: Uint8Array[] = [];
	try {
		for await (const piece of gunzip(chunks(bytes, cuts))) pieces.push(piece);
		return { content: Buffer.concat(pieces) };
	} catch (error) {
		const { name, message } = error as Error;
		return { content: Buffer.concat(pieces), error: `${name}: ${message}` };
	}
}

const TRUNCATED = 'FileError: The gzip file ends early: it is truncated';
const OTHER_DATA =
	'FileError: The gzip file is damaged: it has something other than gzip after its content';

const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_DEFAULT_STRATEGY } = constants;
const howToPack: fc.Arbitrary<ZlibOptions> = fc.record({
	level: fc.integer({ min: 0, max: 9 }),
	memLevel: fc.integer({ min: 1, max: 9 }),
	strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE),
	windowBits: fc.integer({ min: 9, max: 15 }),
});

/** Content that compresses in all ways: random, repeated near and far, long enough for several blocks. */
const content = fc
	.array(
		fc.oneof(
			fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
			fc.string({ maxLength: 60 }).map((text) => Buffer.from(text)),
			fc
				.tuple(
					fc.string({ minLength: 1, maxLength: 9 }),
					fc.integer({ max: 20_000, min: 1 }),
				)
				.map(([text, times]) => Buffer.from(text.repeat(times))),
			fc.integer({ min: 1, max: 60_000 }).map(pseudoRandom),
		),
		{ maxLength: 6 },
	)
	.chain((parts) => fc.shuffledSubarray([...parts, ...parts], { minLength: parts.length }))
	.map((parts) => Buffer.concat(parts));

/** Digits that hardly repeat. */
function pseudoRandom(length: number): Buffer {
	let seed = length;
	const next = () => 48 + ((seed = (seed * 48271) % 2147483647) % 10);
	return Buffer.from(Array.from({ length }, next));
}

const member = fc.record({ content, options: howToPack });
const packed = ({ content: bytes, options }: { content: Buffer; options: ZlibOptions }) =>
	gzipSync(bytes, options);

test('reads all members, and zeros at the end, however the file is cut', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(member, { minLength: 1, maxLength: 4 }),
			fc.nat({ max: 1000 }),
			fc.oneof(
				fc.constant<number[]>([1_000_000]),
				lengths,
				fc.tuple(fc.integer({ min: 41, max: 70_000 })),
			),
			async (members, zeros, cuts) => {
				const file = Buffer.concat([...members.map(packed), Buffer.alloc(zeros)]);
				const whole = Buffer.concat(members.map(({ content: bytes }) => bytes));
				const found = await read(file, cuts);
				expect(found.error).toBeUndefined();
				expect(found.content.equals(whole)).toBe(true);
			},
		),
		{ numRuns: 30 },
	);
});

test('a truncated file returns as much as zlib, and an error', async () => {
	await fc.assert(
		fc.asyncProperty(member, fc.nat(), lengths, async (one, at, cuts) => {
			const file = packed(one);
			const truncated = file.subarray(0, 1 + (at % (file.length - 1)));
			const { content: found, error } = await read(truncated, [...cuts, 5000]);
			expect(error).toBe(TRUNCATED);
			const before = gunzipSync(Buffer.concat([gzipSync(''), truncated]), {
				finishFlush: constants.Z_SYNC_FLUSH,
			});
			expect(found.equals(before)).toBe(true);
		}),
		{ numRuns: 30 },
	);
});

test('a second member that is truncated is an error after all of the first', async () => {
	const first = gzipSync('first');
	const second = gzipSync('second');
	for (let length = 1; length < second.length; length++) {
		const file = Buffer.concat([first, second.subarray(0, length)]);
		const { content: found, error } = await read(file);
		expect(found.toString()).toMatch(/^firsts?e?c?o?n?d?$/);
		expect(error).toBe(TRUNCATED);
	}
});

test('a file with one wrong bit is damaged, or has the same content', async () => {
	await fc.assert(
		fc.asyncProperty(member, fc.nat(), fc.nat({ max: 7 }), async (one, place, bit) => {
			const file = packed(one);
			file[place % file.length] ^= 1 << bit;
			const { content: found, error } = await read(file, [7000]);
			if (error === undefined) expect(found.equals(one.content)).toBe(true);
			else
				expect(error).toMatch(/^FileError: The gzip file (is damaged: it has |ends early)/);
		}),
		{ numRuns: 60 },
	);
});

test.each([
	['zeros between two members', [gzipSync('a'), Buffer.alloc(512), gzipSync('b')]],
	['text behind a member', [gzipSync('a'), Buffer.from('text')]],
	['half a magic number', [gzipSync('a'), Buffer.from('1f00', 'hex')]],
	['text behind zeros', [gzipSync('a'), Buffer.alloc(20_000), Buffer.from('b')]],
])('%s make a broken file, after what comes before', async (_what, parts) => {
	for (const cuts of [[1], [1_000_000]]) {
		expect(await read(Buffer.concat(parts), cuts)).toStrictEqual({
			content: Buffer.from('a'),
			error: OTHER_DATA,
		});
	}
});

test('headers have extra data, a name, a comment and a checksum of their own', async () => {
	const plain = gzipSync('content');
	for (let flags = 0; flags < 32; flags++) {
		const header = [
			Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 2, 255]),
			flags & 4 ? Buffer.from([3, 0, 0, 0, 0]) : Buffer.alloc(0),
			Buffer.from(flags & 8 ? 'name\0' : ''),
			Buffer.from(flags & 16 ? 'comment\0' : ''),
			Buffer.alloc(flags & 2 ? 2 : 0),
		];
		const file = Buffer.concat([...header, plain.subarray(10)]);
		for (const cuts of [[1], [100]]) {
			expect((await read(Buffer.concat([file, file]), cuts)).content.toString()).toBe(
				'contentcontent',
			);
		}
	}
});

test.each([
	['another method', '1f8b07000000000000ff', 'an unknown kind of compression'],
	['reserved flags', '1f8b08200000000000ff', 'an unknown kind of compression'],
	['a block of no type', '1f8b08000000000000ff07', 'a block of an unknown type'],
	['a wrong length', '1f8b08000000000000ff0101000000', 'a block of a wrong length'],
	['too far a reference', '1f8b08000000000000ff030200', 'a reference to what is before'],
	['too many codes', '1f8b08000000000000ff05009204', 'codes that exclude each other'],
])('names what is wrong: %s', async (_what, hex, message) => {
	const { error } = await read(Buffer.from(hex, 'hex'));
	expect(error).toContain(`The gzip file is damaged: it has ${message}`);
});

test('reads what comes before a source breaks, and ends it when nobody reads on', async () => {
	const file = Buffer.concat([gzipSync('first'), gzipSync('second')]);
	let isClosed = false;
	async function* breaking(): AsyncGenerator<Uint8Array> {
		try {
			yield file.subarray(0, -8);
			await Promise.resolve();
			throw new Error('The disk is gone');
		} finally {
			isClosed = true;
		}
	}
	let text = '';
	const reading = (async () => {
		for await (const piece of gunzip(breaking())) text += Buffer.from(piece).toString();
	})();
	await expect(reading).rejects.toThrow('The disk is gone');
	expect(text).toBe('firstsecond');
	isClosed = false;
	for await (const piece of gunzip(breaking())) if (piece.length > 0) break;
	expect(isClosed).toBe(true);
});

test('returns something for each piece of input, and no more than a little at a time', async () => {
	const file = gzipSync(Buffer.alloc(5_000_000, 'ab'));
	const padded = Buffer.concat([file, Buffer.alloc(1_000_000)]);
	let count = 0;
	for await (const piece of gunzip(chunks(padded))) {
		count++;
		expect(piece.length).toBeLessThan(100_000);
	}
	expect(count).toBeGreaterThan(5_000_000 / 100_000 + 1_000_000 / 17_000);
});
