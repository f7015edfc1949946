import { FORMATS, formatOf, guessFormat } from '../../../nodes/shared/records/format';
import { readRecords } from '../../../nodes/shared/records/read-records';
import { textOf } from '../../../nodes/shared/records/text';
import { chunks } from './support';

test.each([
	['a.jsonl', undefined, 'jsonLines'],
	['a.NDJSON', 'text/plain', 'jsonLines'],
	['a.b.jsonl.gz', 'application/gzip', 'jsonLines'],
	['a.json', 'text/csv', 'jsonArray'],
	['a.csv', undefined, 'csv'],
	['a.tsv.GZ', undefined, 'csv'],
	['a.txt', undefined, 'lines'],
	['a.gz', 'application/gzip', undefined],
	['a.constructor', 'toString', undefined],
	['csv', undefined, undefined],
	['a.bin', 'application/x-ndjson', 'jsonLines'],
	['', 'application/jsonl', 'jsonLines'],
	['', 'application/ndjson', 'jsonLines'],
	['', 'application/x-jsonlines', 'jsonLines'],
	[undefined, 'Application/JSON; charset=utf-8', 'jsonArray'],
	[undefined, 'text/csv', 'csv'],
	[undefined, 'text/tab-separated-values ', 'csv'],
	[undefined, 'text/plain', undefined],
	[undefined, undefined, undefined],
])('the format of %j of type %j is %j', (fileName, mimeType, format) => {
	expect(formatOf({ fileName, mimeType })).toBe(format);
});

test.each([
	['\n [1]', 'jsonArray'],
	['{"a":1}\n{"a":2}', 'jsonLines'],
	['{\r\n  "a": 1', 'jsonArray'],
	['{', 'jsonLines'],
	['[', 'jsonArray'],
	['[]', 'jsonArray'],
	['[ {"a":1}', 'jsonArray'],
	['["a"', 'jsonArray'],
	['[[1]]', 'jsonArray'],
	['[-1.5e+3, 2]', 'jsonArray'],
	['[null]', 'jsonArray'],
	['[true , 1]', 'jsonArray'],
	['{}', 'jsonLines'],
	['[draft] 1', undefined],
	['[1a]', undefined],
	['[nullable]', undefined],
	['{3f2504e0-4f89}', undefined],
	['a [1]', undefined],
	['a,{"b":1}', undefined],
	[' \n{"a":1}', 'jsonLines'],
	['\n { \n\n"a": 1', 'jsonArray'],
	['{"a": {\n}}', 'jsonLines'],
	['id,name', undefined],
	['', undefined],
])('%j is detected as %j', (text, format) => {
	expect(guessFormat(text)).toBe(format);
});

test.each([
	['jsonLines', '{"a":1}\n', {}, { a: 1 }],
	['jsonArray', '{"x":[{"a":1}]}', { path: 'x' }, { a: 1 }],
	['jsonArray', '[{"a":1}]', {}, { a: 1 }],
	['csv', 'a,b\n1,2', {}, { a: '1', b: '2' }],
	['csv', 'a#b,c\n1#2', { delimiter: '#' }, { a: '1', 'b,c': '2' }],
	['lines', 'a,b', {}, 'a,b'],
] as const)('reads %s from bytes', async (format, text, options, value) => {
	const records = [];
	for await (const together of readRecords(
		textOf(chunks(Buffer.from(text), [2])),
		FORMATS[format].reader(options),
	)) {
		records.push(...together);
	}
	expect(records).toMatchObject([{ record: 1, value }]);
});
