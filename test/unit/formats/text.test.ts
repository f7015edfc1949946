import { execFileSync } from 'node:child_process';
import { constants, gunzipSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { FileError, SLICE_BYTES } from '../../../nodes/shared/formats/bytes';
import { encodingProperty } from '../../../nodes/shared/input/file-properties';
import { countControls, hasControlBytes } from '../../../nodes/shared/formats/control-characters';
import { repairText } from '../../../nodes/shared/formats/decoders';
import { Findings } from '../../../nodes/shared/formats/findings';
import { describeBadCharacters, textOf } from '../../../nodes/shared/formats/text';
import { eventually } from '../../../support/eventually';
import { chunks, ENCODINGS, lengths } from './support';

async function read(
	bytes: Uint8Array,
	cuts?: number[],
): Promise<{ text: string; error?: string; advice?: string }> {
	let text = '';
	try {
		for await (const piece of textOf(chunks(bytes, cuts))) text += piece;
		return { text };
	} catch (error) {
		expect(error).toBeInstanceOf(FileError);
		const { message, advice } = error as FileError;
		return { text, error: message, advice };
	}
}

const TRUNCATED = 'The file ends within a character, so it is truncated';

describe.each(ENCODINGS)('%s', (_, encode) => {
	test.each(['', 'a', 'é', '€', '😀', 'ab\ufeffc', '\ufffd', '{"a":"é€😀"}\n'])(
		'reads %j, compressed or not',
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
		let yields = 0;
		let whole = '';
		const yieldToOthers = async () => void yields++;
		for await (const piece of textOf(chunks(bytes), yieldToOthers)) {
			expect(piece.length).toBeLessThanOrEqual(SLICE_BYTES);
			whole += piece;
		}
		expect(whole).toBe(text);
		expect(yields).toBe(Math.ceil(bytes.length / SLICE_BYTES));
	});

	test('a character that is cut off at the end is an error', async () => {
		const whole = encode('é');
		for (const cuts of [[1], [1000]]) {
			const { error } = await read(Buffer.concat([whole, whole.subarray(-2, -1)]), cuts);
			expect(error).toBe(TRUNCATED);
		}
	});
});

test.each([
	['é', [0xe9]],
	['caf\u00e9 \u20ac\u201c\n', [0x63, 0x61, 0x66, 0xe9, 0x20, 0x80, 0x93, 0x0a]],
	['\u00fc\u00c3\u00a9', [0xfc, 0xc3, 0xa9]],
	['\u00e2\u201a', [0xe2, 0x82]],
	// In Windows-1252, the first bytes of UTF-16 byte order marks are letters.
	['\u00fej\u00f3\u00f0', [0xfe, 0x6a, 0xf3, 0xf0]],
	['\u00ffx', [0xff, 0x78]],
])('reads %j as Windows-1252, since its first character is not UTF-8', async (text, bytes) => {
	for (const cuts of [[1], [3], [100]]) {
		expect(await read(Buffer.from(bytes), cuts)).toStrictEqual({ text });
	}
});

test('reads any text in Windows-1252, and marks the five bytes that it does not have', async () => {
	const bytes = Buffer.from([0xfc, ...Array.from({ length: 128 }, (_, at) => 128 + at)]);
	const found = (await read(bytes, [7])).text;
	expect(found.slice(1, 33)).toBe('€\udc81‚ƒ„…†‡ˆ‰Š‹Œ\udc8dŽ\udc8f\udc90‘’“”•–—˜™š›œ\udc9džŸ');
	expect(repairText(found).slice(1, 33)).toBe('€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ');
	expect(describeBadCharacters(found)).toMatch(
		/^has a byte that is neither UTF-8 nor Windows-1252 \(0x81\): set the option 'Encoding'/,
	);
	expect(found.slice(33)).toBe(bytes.toString('latin1', 33));
});

test.each([
	['é', [0xc3, 0xa9, 0xe9, 0x0a], '0xe9', 'éé\n'],
	['a byte order mark', [0xef, 0xbb, 0xbf, 0xfc], '0xfc', 'ü'],
])(
	'after %s, which is UTF-8, a bad byte is never a replacement character',
	async (_, bytes, byte, meant) => {
		for (const cuts of [[1], [100]]) {
			const { text } = await read(Buffer.from([...bytes, 0x0a]), cuts);
			expect(text).not.toContain('\ufffd');
			expect(describeBadCharacters(text)).toBe(
				`has a byte that is not UTF-8 (${byte}): set the option 'Encoding' to the encoding of the file, or save the file as UTF-8`,
			);
			expect(repairText(text)).toBe(`${meant}\n`);
		}
	},
);

test('valid UTF-8 among bad bytes is read as TextDecoder reads it, for any cuts', async () => {
	/** The first and last byte of each range in the definition of UTF-8. */
	const edges = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec];
	edges.push(0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5);
	const rest = fc.array(fc.constantFrom(...edges), { maxLength: 40, size: 'max' });
	await fc.assert(
		fc.asyncProperty(rest, lengths, async (bytes, cuts) => {
			const whole = Buffer.from([0xe2, 0x82, 0xac, ...bytes, 0x0a]);
			const { text } = await read(whole, cuts);
			const expected = new TextDecoder().decode(whole).replaceAll('\ufffd', '');
			expect(text.replace(/[\udc80-\udcff]/gu, '')).toBe(expected);
		}),
		{ numRuns: 1000 },
	);
});

test('half a UTF-16 character fails only its record', async () => {
	const { text } = await read(Buffer.from('fffe610000dc6200', 'hex'));
	expect(describeBadCharacters(text)).toBe('has half of a UTF-16 character');
	expect(describeBadCharacters('a😀')).toBeUndefined();
});

test.each([
	['a PDF document', '%PDF-1.7', "choose 'Extract From PDF'"],
	['an Excel or Word document, or a ZIP archive', 'PK\x03\x04\x05', "'Extract From XLSX'"],
	['an Excel or Word document', '\xd0\xcf\x11\xe0\xa1', "'Extract From XLS'"],
	['a Parquet file', 'PAR1\x15\x04', 'Export it as JSON Lines or CSV.'],
	['not text, or it is UTF-16 without a byte order mark', '{\0"\0', 'Save it as UTF-8.'],
	['not text, or it is UTF-16 without a byte order mark', '\0{\0"', 'Save it as UTF-8.'],
	['compressed with gzip twice', gzipSync(gzipSync('a')), 'Decompress it once before'],
])('refuses %s', async (kind, content, advice) => {
	const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
	for (const file of [bytes, gzipSync(bytes)].slice(0, kind.endsWith('twice') ? 1 : 2)) {
		for (const cuts of [[1], [100]]) {
			const found = await read(file, cuts);
			expect(found).toMatchObject({ text: '', error: `The file is ${kind}` });
			expect(found.advice).toContain(advice);
		}
	}
});

test.each(['BZhang-001', 'BZh', '%PD', 'PAR100', '{\\rt'])(
	'%s is an ID, though compressed or other files begin so',
	async (text) => {
		expect(await read(Buffer.from(text), [100])).toStrictEqual({ text });
	},
);

describe('gzip', () => {
	const content = Array.from(
		{ length: 50_000 },
		(_, index) => `{"id":${(index * 7919) % 100_003}}\n`,
	).join('');
	const packed = gzipSync(content);
	const early = 'The gzip file ends early, so it is truncated';
	const goesOn = 'The file continues after its first gzip member';
	const readsMembers = Number(process.versions.node.split('.')[0]) < 24;

	test('further members are read, or end the file with an error', async () => {
		const { text, error, advice } = await read(
			Buffer.concat([packed, gzipSync('{"id":"last"}\n')]),
			[10_000],
		);
		if (readsMembers) expect({ text, error }).toEqual({ text: `${content}{"id":"last"}\n` });
		else {
			expect({ text, error }).toEqual({ text: content, error: goesOn });
			expect(advice).toBe('Write it as one member, for example with gzip -dc | gzip.');
		}
	});

	test('other data after it ends the file with an error', async () => {
		const { error } = await read(Buffer.concat([packed, Buffer.from('other')]), [10_000]);
		expect([goesOn, 'The gzip file is damaged: incorrect header check']).toContain(error);
	});

	test.each([1, 5, 1000, packed.length >> 1, packed.length - 5])(
		'a file with %d missing bytes counts as truncated, after the text before the last block',
		async (missing) => {
			const truncated = packed.subarray(0, -missing);
			const { text, error } = await read(truncated, [10_000]);
			const all = gunzipSync(truncated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
			expect(error).toBe(early);
			expect(all.startsWith(text)).toBe(true);
			expect(text.length).toBeGreaterThan(all.length - 64 * 1024);
		},
	);

	test.each([
		[4, packed.length >> 1],
		[1, packed.length - 6],
	])('damage (%d bits at byte %d) is found, after text before it', async (bits, at) => {
		const damaged = Buffer.from(packed);
		damaged[at] ^= bits;
		const { text, error } = await read(damaged, [10_000]);
		expect(text).toContain('{"id":7919}\n');
		expect(error).toMatch(/^The gzip file is damaged: (incorrect|invalid) /);
	});

	test('closes the source when the consumer leaves', async () => {
		const bytes = gzipSync(Buffer.alloc(100_000_000, 'a'));
		let isClosed = false;
		async function* source(): AsyncGenerator<Uint8Array> {
			try {
				for (let at = 0; at < bytes.length; at += 1000) {
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
		await eventually(
			() => isClosed,
			() => 'a source that is still open',
		);
	});

	/**
	 * Paths to Node.js executables. The `OTHER_NODES` environment variable can add more paths, separated by
	 * colons.
	 */
	const nodes = [process.execPath, ...(process.env.OTHER_NODES?.split(':') ?? [])];
	test.each(nodes)('a process that stops reading at any position does not crash: %s', (node) => {
		const program = 'test/unit/formats/stop-gzip.ts';
		const output = execFileSync(node, ['--import', 'tsx', program], { encoding: 'utf8' });
		expect(output).toBe('alive\n');
	});
});

test('an error of the source is thrown unchanged, and the source is closed when the consumer leaves', async () => {
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
		expect(piece).toBe('abcdef');
		break;
	}
	expect(isClosed).toBe(true);
});

describe('lines of UTF-8 and of Windows-1252', () => {
	const LINES: Array<[string, number[]]> = [
		['plain', [...Buffer.from('plain')]],
		['It’s ü', [0x49, 0x74, 0x92, 0x73, 0x20, 0xfc]],
		['üÃ©', [0xfc, 0xc3, 0xa9]],
		['', []],
	];
	const UTF_8 = 'é € 😀';
	const line = fc.constantFrom(...LINES);
	const lineBreak = fc.constantFrom('\n', '\r\n', '\r');

	test('are decoded one by one until the first UTF-8 character, however they are cut', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(line, { maxLength: 6 }),
				fc.array(line, { maxLength: 3 }),
				lineBreak,
				lengths,
				async (before, after, end, cuts) => {
					const part = (lines: typeof before) =>
						lines.flatMap(([, codes]) => [...codes, ...Buffer.from(end)]);
					const bytes = Buffer.from([
						...part(before),
						...Buffer.from(UTF_8 + end),
						...part(after),
					]);
					const findings = new Findings();
					let text = '';
					for await (const piece of textOf(chunks(bytes, cuts), undefined, { findings }))
						text += piece;
					const read = before.map(([known]) => known + end).join('') + UTF_8 + end;
					expect(text.startsWith(read)).toBe(true);
					const isGuessed = ([, codes]: (typeof before)[0]) =>
						codes.some((code) => code > 127);
					const first = before.findIndex(isGuessed);
					expect(findings.byKind.get('windows1252')?.total ?? 0).toBe(
						before.filter(isGuessed).length,
					);
					if (first >= 0)
						expect(findings.byKind.get('windows1252')?.line).toBe(first + 1);
					const rest = text.slice(read.length);
					expect(rest.isWellFormed()).toBe(!after.some(isGuessed));
				},
			),
			{ numRuns: 500 },
		);
	});

	test('a byte order mark is dropped at the beginning of each line, however it is cut', async () => {
		const parts = fc.constantFrom('\ufeff', '\n', '\r\n', '\r', 'a', 'é', 'x\ufeff');
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...ENCODINGS),
				fc.array(parts),
				lengths,
				async ([, encode], all, cuts) => {
					const text = `\n${all.join('')}`;
					expect(await read(encode(text), cuts)).toStrictEqual({
						text: text.replace(/(?<=^|[\r\n])\ufeff+/g, ''),
					});
				},
			),
			{ numRuns: 300 },
		);
	});
});

describe('an encoding that was chosen', () => {
	const LABELS = fileEncodings();
	/** Matches what stands for bytes without a character, here and in a `TextDecoder`. */
	const NO_CHARACTER = /[\x80-\x9f\ufffd]|[\ud800-\udfff]/g;
	/** In Node.js 20, `TextDecoder` has other characters for Windows-1252. */
	const decoded = (bytes: Buffer, encoding: string): string =>
		encoding === 'windows-1252'
			? bytes.toString('latin1').replace(/[\x80-\x9f]/g, repairWindows1252)
			: new TextDecoder(encoding).decode(bytes);
	const repairWindows1252 = (byte: string) =>
		'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'.charAt(byte.charCodeAt(0) - 0x80).trim() || byte;

	test.each(LABELS)(
		'%s: no byte becomes a replacement or control character',
		async (encoding) => {
			const bytes = Buffer.from(
				Array.from({ length: 256 }, (_, at) => [at, 0x41, 0x0a]).flat(),
			).subarray(32 * 3);
			for (const cuts of [[1], [1000]]) {
				let text = '';
				for await (const piece of textOf(chunks(bytes, cuts), undefined, { encoding }))
					text += piece;
				expect(text).not.toMatch(/[\x80-\x9f\ufffd]/);
				const meant = decoded(bytes, encoding).replace(NO_CHARACTER, '?');
				expect(text.replace(NO_CHARACTER, '?')).toBe(meant);
				expect(repairText(text)).toBe(meant);
				// Only Windows-1252 keeps the values of the bytes, because files in it are often labeled as UTF-8.
				if (encoding !== 'windows-1252' && !text.isWellFormed())
					expect(describeBadCharacters(text)).toMatch(/^has bytes .*'Encoding'$/);
			}
		},
	);

	test.each(LABELS)('%s: no byte is lost where a file ends', async (encoding) => {
		for (let first = 0x80; first <= 0xff; first++) {
			for (const end of [[first], [first, 0x30, 0x81]]) {
				const bytes = Buffer.from([0x41, ...end]);
				let text = '';
				for await (const piece of textOf(chunks(bytes, [1]), undefined, { encoding }))
					text += piece;
				expect([end, text.replace(NO_CHARACTER, '?')]).toEqual([
					end,
					decoded(bytes, encoding).replace(NO_CHARACTER, '?'),
				]);
			}
		}
	});

	test.each(['utf-16le', 'utf-16be'] as const)(
		'%s needs no byte order mark',
		async (encoding) => {
			const bytes = Buffer.from('aé\n', 'utf16le');
			if (encoding === 'utf-16be') bytes.swap16();
			let text = '';
			for await (const piece of textOf(chunks(bytes, [1]), undefined, { encoding }))
				text += piece;
			expect(text).toBe('aé\n');
		},
	);

	test('is ignored if the file has a byte order mark', async () => {
		for (const [name, encode] of ENCODINGS.slice(1)) {
			let text = '';
			const encoding = 'windows-1251';
			for await (const piece of textOf(chunks(encode('é€')), undefined, { encoding }))
				text += piece;
			expect([name, text]).toEqual([name, 'é€']);
		}
	});
});

test('a control byte is found at each place of a slice, wherever the slice begins in its buffer', () => {
	for (let byte = 0; byte <= 0xff; byte++) {
		const isControl = countControls(String.fromCharCode(byte)) > 0;
		for (let begin = 0; begin < 4; begin++) {
			for (let length = 0; length <= 11; length++) {
				const slice = new Uint8Array(16).subarray(begin, begin + length);
				const places = [...Array(length).keys()];
				const found = places.filter((at) => {
					slice.fill(0x61)[at] = byte;
					return hasControlBytes(slice);
				});
				expect([byte, begin, found]).toEqual([byte, begin, isControl ? places : []]);
			}
		}
	}
});

function fileEncodings(): string[] {
	const values = encodingProperty.options.map(({ value }) => value);
	return values.filter((value) => !/^(?:auto|utf-)/.test(value));
}
