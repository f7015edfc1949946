import { execFileSync } from 'node:child_process';
import { constants, gunzipSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { FileError, SLICE_BYTES } from '../../../nodes/shared/formats/bytes';
import { encodingProperty } from '../../../nodes/shared/input/file-properties';
import { countControls } from '../../../nodes/shared/formats/control-characters';
import { repairText } from '../../../nodes/shared/formats/decoders';
import { Findings } from '../../../nodes/shared/formats/findings';
import { describeBadCharacters, textOf } from '../../../nodes/shared/formats/text';
import { eventually } from '../../../support/eventually';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { chunks, cut, ENCODINGS, lengths } from './support';

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

const PIECES: Record<string, string> = {
	'plain text': '{"a',
	'a character of two bytes': 'é',
	'a character of three bytes': '€',
	'a character of four bytes': '😀',
	'a replacement character': '\ufffd',
	'a control character': '\x01',
	LF: '\n',
	CR: '\r',
	CRLF: '\r\n',
};
const MARK = '\ufeff';
const anyPiece = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom(...Object.values(PIECES)) },
	{ weight: 3, arbitrary: fc.constantFrom(MARK, `\n${MARK}`, `\r${MARK}`) },
);
/** Short slices separate more. */
const anyCuts = fc.oneof(lengths, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1 }));
/** With NUL characters near its beginning, a file is not text. */
const anyText = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
const CUT_OFF = 'a character that is cut off at the end';
/** The beginning of a file is read as a whole, so only the rest is cut. */
const LONG_LINE = `${'long '.repeat(220)}\n`;
const CUT_IN_TWO = 'a character that is cut in two';
const CRLF_CUT_IN_TWO = 'CRLF that is cut in two';
const MARK_OF_SLICE = 'a mark at the beginning of a slice';
const PLACES = ['inside a line', 'after LF', 'after CR'];

/** Returns what the cuts of a file separate. */
function separatedIn(text: string, encode: (text: string) => Buffer, cuts: number[]): Set<string> {
	const markBytes = encode('').length;
	const headBytes = countControls(encode(text).toString('latin1')) > 0 ? 1024 : 16;
	const ends = new Set<number>();
	let end = 0;
	for (const piece of cut(encode(text), cuts)) {
		end += piece.length;
		if (end >= headBytes) ends.add(end);
	}
	const found = new Set<string>();
	let at = markBytes;
	let before = '';
	for (const character of text) {
		const next = at + encode(character).length - markBytes;
		for (let inside = at + 1; inside < next; inside++)
			if (ends.has(inside)) found.add(CUT_IN_TWO);
		const place = PLACES[['\n', '\r'].indexOf(before) + 1];
		if (ends.has(at) && character === MARK) found.add(`${MARK_OF_SLICE}, ${place}`);
		if (ends.has(at) && before + character === '\r\n') found.add(CRLF_CUT_IN_TWO);
		before = character;
		at = next;
	}
	return found;
}

test('reads any text, however it is encoded, compressed and cut', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				first: anyPiece,
				isLong: fc.boolean(),
				rest: fc.oneof(
					{
						weight: 3,
						arbitrary: fc.array(fc.oneof({ weight: 4, arbitrary: anyPiece }, anyText), {
							maxLength: 8,
						}),
					},
					fc.constant(['a', '\r\n']),
				),
				encoding: fc.constantFrom(...ENCODINGS),
				isCompressed: fc.boolean(),
				isCutOff: fc.boolean(),
				cuts: anyCuts,
			}),
			async ({ first, isLong, rest, encoding, isCompressed, isCutOff, cuts }) => {
				const [name, encode] = encoding;
				const text = [first, isLong ? LONG_LINE : '', ...rest].join('');
				const bytes = encode(isCutOff ? `${text}é` : text);
				const file = isCutOff ? bytes.subarray(0, -1) : bytes;
				const findings = new Findings();
				let found = '';
				let error = '';
				try {
					const source = chunks(isCompressed ? gzipSync(file) : file, cuts);
					for await (const piece of textOf(source, undefined, { findings }))
						found += piece;
				} catch (reason) {
					expect(reason).toBeInstanceOf(FileError);
					error = (reason as FileError).message;
				}
				// Nothing shows that a file is UTF-8 if it has only one byte that is not ASCII.
				const isGuessed = isCutOff && name === 'UTF-8' && /^[\0-\x7f]*$/.test(text);
				const whole = isGuessed ? `${text}Ã` : text;
				expect(found).toBe(whole.replace(/(?<=^|[\r\n])\ufeff+/g, ''));
				expect(error).toBe(isCutOff && !isGuessed ? TRUNCATED : '');
				expect(findings.byKind.get('windows1252')?.total ?? 0).toBe(isGuessed ? 1 : 0);
				const separated = isCompressed ? new Set() : separatedIn(text, encode, cuts);
				variations.note({
					...occurring(
						[
							...[CUT_IN_TWO, CRLF_CUT_IN_TWO],
							...PLACES.map((place) => `${MARK_OF_SLICE}, ${place}`),
						],
						(each) => separated.has(each),
					),
					[`UTF-16, ${CUT_IN_TWO}`]:
						name.startsWith('UTF-16') && separated.has(CUT_IN_TWO),
					...occurring(Object.keys(PIECES), (each) =>
						[first, ...rest].includes(PIECES[each] ?? ''),
					),
					...occurring(
						ENCODINGS.map(([each]) => each),
						(each) => each === name,
					),
					'a file that begins with a mark': first === MARK,
					'a line that begins with a mark': /[\r\n]\ufeff/.test(text),
					'a mark inside a line': /[^\r\n\ufeff]\ufeff/.test(text),
					'a compressed file': isCompressed,
					'a file that is not compressed': !isCompressed,
					[CUT_OFF]: isCutOff && !isGuessed,
					[`${CUT_OFF}, in a file that may not be UTF-8`]: isGuessed,
				});
			},
		),
		{ numRuns: runs(600) },
	);
	expect(variations.rarerThan(0)).toEqual([]);
});

describe.each(ENCODINGS)('%s', (_, encode) => {
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
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(rest, lengths, async (bytes, cuts) => {
			const whole = Buffer.from([0xe2, 0x82, 0xac, ...bytes, 0x0a]);
			const { text } = await read(whole, cuts);
			const expected = new TextDecoder().decode(whole).replaceAll('\ufffd', '');
			expect(text.replace(/[\udc80-\udcff]/gu, '')).toBe(expected);
			const codes = Buffer.from(bytes).toString('latin1');
			variations.note({
				'a character of two bytes': /[\u0080-\u07ff]/.test(expected),
				'a character of three bytes': /[\u0800-\uffff]/.test(expected.slice(1)),
				'a character of four bytes': /[\u{10000}-\u{10ffff}]/u.test(expected),
				'a character that is written too long': /\xe0[\x80-\x9f]|\xf0[\x80-\x8f]/.test(
					codes,
				),
				'half of a UTF-16 character': /\xed[\xa0-\xbf]/.test(codes),
				'a character beyond the last one': /\xf4[\x90-\xbf]|\xf5/.test(codes),
				'a character that ends too early': /[\xe1-\xef][\x80-\xbf][^\x80-\xbf]/.test(codes),
				'a character without a beginning': /[\0-\x7f][\x80-\xbf]/.test(codes),
			});
		}),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
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

/** Bytes of a line, and how they are read as Windows-1252 and as UTF-8 with bad bytes. */
const LINES: Record<string, { bytes: number[]; guessed: string; certain: string }> = {
	'an empty line': { bytes: [], guessed: '', certain: '' },
	'a plain line': {
		bytes: [...Buffer.from('a line of plain text')],
		guessed: 'a line of plain text',
		certain: 'a line of plain text',
	},
	'a line of Windows-1252': {
		bytes: [0x49, 0x74, 0x92, 0x73, 0x20, 0xfc],
		guessed: 'It’s ü',
		certain: 'It\udc92s \udcfc',
	},
	'a line whose last letters could be UTF-8': {
		bytes: [0xfc, 0xc3, 0xa9],
		guessed: 'üÃ©',
		certain: '\udcfcé',
	},
	'a line with a byte that is in neither': {
		bytes: [0xe9, 0x81],
		guessed: 'é\udc81',
		certain: '\udce9\udc81',
	},
	// Nothing is guessed here, because this byte is not Windows-1252 either.
	'a line that begins with such a byte': {
		bytes: [0x81, 0xe9],
		guessed: '\udc81é',
		certain: '\udc81\udce9',
	},
};
const LINE_BREAKS: Record<string, string> = { LF: '\n', CR: '\r', CRLF: '\r\n' };

test('lines of Windows-1252 are decoded one by one until the first UTF-8 character, however they are cut', async () => {
	const UTF_8 = 'é € 😀';
	const line = fc.oneof(
		fc.constantFrom('an empty line', 'a plain line'),
		fc.constantFrom(...Object.keys(LINES)),
	);
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.array(line, { maxLength: 10 }),
			fc.array(line, { maxLength: 3 }),
			fc.boolean(),
			fc.constantFrom(...Object.keys(LINE_BREAKS)),
			anyCuts,
			async (before, after, hasUtf8, lineBreak, cuts) => {
				const end = LINE_BREAKS[lineBreak] ?? '';
				const ofUtf8 = hasUtf8 ? [[...Buffer.from(UTF_8)]] : [];
				const lines = [
					...before.map((name) => LINES[name]?.bytes ?? []),
					...ofUtf8,
					...after.map((name) => LINES[name]?.bytes ?? []),
				];
				const bytes = Buffer.from(
					lines.flatMap((codes) => [...codes, ...Buffer.from(end)]),
				);
				const findings = new Findings();
				let text = '';
				for await (const piece of textOf(chunks(bytes, cuts), undefined, { findings }))
					text += piece;
				const reading = hasUtf8 ? 'certain' : 'guessed';
				const expected = [
					...before.map((name) => LINES[name]?.guessed),
					...(hasUtf8 ? [UTF_8] : []),
					...after.map((name) => LINES[name]?.[reading]),
				];
				expect(text).toBe(expected.map((each) => `${each}${end}`).join(''));
				const guessed = (hasUtf8 ? before : [...before, ...after]).map((name) =>
					/^[\0-\x7f]*[^\0-\x7f\ud800-\udfff]/.test(LINES[name]?.guessed ?? ''),
				);
				const firstGuessed = guessed.indexOf(true);
				const begin =
					lines.slice(0, firstGuessed).flat().length + firstGuessed * end.length;
				const counted = [...cut(bytes.toString('latin1', 0, begin), cuts)];
				const isCrlfCut = counted.map(
					(piece, at) => piece.startsWith('\n') && (counted[at - 1] ?? '').endsWith('\r'),
				);
				const isNotFirst = (at: number) => counted.slice(0, at).join('').length > 16;
				const { total, line, example = '' } = findings.byKind.get('windows1252') ?? {};
				expect(total ?? 0).toBe(guessed.filter(Boolean).length);
				if (total) expect(line).toBe(firstGuessed + 1);
				expect(repairText(expected[firstGuessed] ?? '')).toContain(example);
				variations.note({
					...occurring(Object.keys(LINES), (name) => before.includes(name)),
					...Object.fromEntries(
						Object.keys(LINES).map((name) => [
							`${name}, after UTF-8`,
							hasUtf8 && after.includes(name),
						]),
					),
					...occurring(Object.keys(LINE_BREAKS), (name) => name === lineBreak),
					'a file without UTF-8': !hasUtf8,
					...Object.fromEntries(
						[false, true].map((hasMore) => [
							`${CRLF_CUT_IN_TWO}, before ${hasMore ? 'another line break' : 'no other'}`,
							counted.some(
								(piece, at) =>
									isCrlfCut[at] &&
									isNotFirst(at) &&
									piece.includes('\r') === hasMore,
							),
						]),
					),
				});
			},
		),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(0.2)).toEqual([]);
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
				// Only in Windows-1252, a byte without a character keeps its value.
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
				// A replacement character would be sent without an error.
				expect([end, text]).not.toEqual([end, expect.stringContaining('\ufffd')]);
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

function fileEncodings(): string[] {
	const values = encodingProperty.options.map(({ value }) => value);
	return values.filter((value) => !/^(?:auto|utf-)/.test(value));
}
