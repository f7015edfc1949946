import { jsonLinesReader, textLinesReader } from '../../../nodes/shared/formats/line-reader';
import type { SourceRecord } from '../../../nodes/shared/formats/record';
import { brief, readAll } from './support';

test('reads one value per line, with its number, line and text', () => {
	const text = '{"id":"a"}\n\n  \t\n "b" \r\n[1,2]\r\n\r\nnull';
	const records = [
		'1@1 {"id":"a"} -> {"id":"a"}',
		'2@4  "b"  -> "b"',
		'3@5 [1,2] -> [1,2]',
		'4@7 null -> null',
	];
	expect(brief(jsonLinesReader(), text)).toStrictEqual({ records });
	expect(brief(jsonLinesReader(), text, [1])).toStrictEqual({ records });
	expect(brief(jsonLinesReader(), `${text}\n`, [2])).toStrictEqual({ records });
});

test('only the line that is not valid JSON fails', () => {
	const { records } = readAll(jsonLinesReader(), '1\n{"a":}\n3\n');
	expect(records.map(({ value }) => value)).toStrictEqual([1, undefined, 3]);
	const [first, second] = records;
	expect(first.error).toBeUndefined();
	expect(second).toMatchObject({ record: 2, line: 2, text: '{"a":}' });
	expect(second.error?.message).toMatch(
		/^Line 2 is not valid JSON: Unexpected token(?!.*truncated)/,
	);
});

test('says that the last line may be truncated', () => {
	expect(readAll(jsonLinesReader(), '1\n{"a":').records[1].error?.message).toMatch(
		/^Line 2 is not valid JSON: .*; the file ends here without a line break and may be truncated$/,
	);
	expect(readAll(jsonLinesReader(), '1\n2').records).toMatchObject([{ value: 1 }, { value: 2 }]);
	expect(readAll(jsonLinesReader(), '1\n{"a":\n').records[1].error?.message).not.toMatch(
		'truncated',
	);
});

test('an empty file has no records', () => {
	for (const text of ['', '\n', ' \r\n\r\n']) {
		expect(brief(jsonLinesReader(), text)).toStrictEqual({ records: [] });
	}
});

test('lines of text are returned as they are', () => {
	expect(brief(textLinesReader(), 'a-1\r\n\r\n b\r c \n"d', [1])).toStrictEqual({
		records: ['1@1 a-1 -> "a-1"', '2@3  b\r c  -> " b\\r c "', '3@4 "d -> "\\"d"'],
	});
});

test('a file without line breaks ends when a record becomes too long', () => {
	const { records, error } = readAll(jsonLinesReader(), `1\n${'x'.repeat(70_000_000)}`, [
		10_000_000,
	]);
	expect(records).toHaveLength(1);
	expect(error).toMatchObject({
		record: 2,
		line: 2,
		message: 'Record 2 (line 2) is longer than 64 MB of text, the maximum for one record',
	});
});

test.each([
	['{ \n"a":1\n}\n', /^1@1 The file has JSON that spans several lines/],
	['[\n1\n]', /^1@1 The file has JSON that spans several lines/],
	['{"a":}\n1', /^$/],
	['{"a":[\n1\n]}', /^$/],
	['1\n{\n', /^$/],
])('%j is refused if its first line says that its JSON has several', (text, message) => {
	expect(brief(jsonLinesReader(), text).error ?? '').toMatch(message);
});

test('JSON that spans several lines leads to advice', () => {
	const { error } = readAll(jsonLinesReader(), '{\n"a":1\n}\n');
	const advice = expect.stringMatching(/'File Format' to 'JSON Array'.*one line.* jq -c \.$/);
	expect(error).toMatchObject({ advice });
});

test('several objects in a line are separate records', () => {
	const text = '{"a":"}{\\""}{"a":[{}]} {"a":}\n{"b":1}\n[1]{"c":1}\n{"d":1}{"e":';
	for (const cuts of [[1000], [1], [5]]) {
		const { records } = readAll(jsonLinesReader(), text, cuts);
		expect(records.map(({ line, text: own, value }) => [line, own, value])).toEqual([
			[1, '{"a":"}{\\""}', { a: '}{"' }],
			[1, '{"a":[{}]}', { a: [{}] }],
			[1, '{"a":}', undefined],
			[2, '{"b":1}', { b: 1 }],
			[3, '[1]{"c":1}', undefined],
			[4, '{"d":1}', { d: 1 }],
			[4, '{"e":', undefined],
		]);
		expect(records[6].error?.message).toMatch(/may be truncated$/);
	}
});

test('a file of such objects without line breaks is not kept in memory as a whole', () => {
	const reader = jsonLinesReader();
	const one = `{"id":"${'x'.repeat(1000)}}{\\"{"}`;
	let found = 0;
	const count = (records: Iterable<SourceRecord>) => {
		for (const { text, error } of records) if (!error && text === one) found++;
	};
	for (let at = 0; at < 100; at++) count(reader.push(one.repeat(1000)));
	count(reader.end());
	expect(found).toBe(100_000);
});
