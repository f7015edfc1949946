import { FORMATS, formatOf } from '../../../nodes/shared/formats/format';
import { readRecords } from '../../../nodes/shared/formats/record';
import { textOf } from '../../../nodes/shared/formats/text';
import { chunks } from './support';

test.each([
	['a.jsonl', '', 'jsonLines'],
	['a.NDJSON', 'text/plain', 'jsonLines'],
	['a.b.jsonl.gz', 'application/gzip', 'jsonLines'],
	['a.json', 'text/csv', 'jsonArray'],
	['a.csv', '', 'csv'],
	['a.tsv.GZ', '', 'csv'],
	['a.txt', '', 'lines'],
	['a.gz', 'application/gzip', undefined],
	['a.constructor', 'toString', undefined],
	['csv', '', undefined],
	['a.bin', 'application/x-ndjson', 'jsonLines'],
	['', 'application/jsonl', 'jsonLines'],
	['', 'application/ndjson', 'jsonLines'],
	['', 'application/x-jsonlines', 'jsonLines'],
	['', 'Application/JSON; charset=utf-8', 'jsonArray'],
	['', 'text/csv', 'csv'],
	['', 'text/tab-separated-values ', 'csv'],
	['', 'text/plain', undefined],
	['', '', undefined],
])('the format of %j of type %j is %j', (fileName, mimeType, format) => {
	expect(formatOf(fileName, mimeType, true)).toBe(format);
	if (format !== 'lines') expect(formatOf(fileName, mimeType, false)).toBe(format);
});

test('the MIME type decides the format of .txt if lines of text are not accepted', () => {
	expect(formatOf('a.txt', 'text/csv', false)).toBe('csv');
	expect(formatOf('a.txt', 'text/plain', false)).toBeUndefined();
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
