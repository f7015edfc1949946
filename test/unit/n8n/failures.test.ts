import { FailureList } from '../../../nodes/shared/n8n/sinks/failure-list';
import { RecordError } from '../../../nodes/shared/records/record';

const counted = (...failures: Array<[reason: unknown, id?: string]>) => {
	const all = new FailureList();
	for (const [reason, id] of failures) all.note({ reason, id });
	return all.json().failureCounts;
};

test('counts failures with the same reason together, and returns the most frequent first', () => {
	const counts = counted(
		[new Error("The status of document 'a' is 400"), 'a'],
		[new Error('busy')],
		[new Error("no room for the chunks of document 'b'"), 'b'],
		[new Error("no room for the chunks of document 'c'"), 'c'],
		['no room for the chunks', 'd'],
	);
	expect(counts).toEqual([
		{ error: 'no room for the chunks', records: 3 },
		{ error: 'The status is 400', records: 1 },
		{ error: 'busy', records: 1 },
	]);
});

test.each([
	[
		'a value',
		[
			"The field 'id' must be text or a whole number, but it is 3.5",
			"The field 'id' must be text or a whole number, but it is a list",
		],
		"The field 'id' must be text or a whole number",
	],
	[
		'an ID',
		[
			"The field 'id' is 4,10000E+12: a spreadsheet has shortened the number",
			"The field 'id' is 4.2E+10: a spreadsheet has shortened the number",
		],
		"The field 'id': a spreadsheet has shortened the number",
	],
	[
		'a size',
		[
			"the document has 7,123,456 bytes, more than the 5,000 that 'Bytes per Request' allows",
			"the document has 1 byte, more than the 5,000 that 'Bytes per Request' allows",
		],
		"the document has more bytes than the 5,000 that 'Bytes per Request' allows",
	],
])('%s that differs from record to record makes no separate reason', (_, [one, other], error) => {
	expect(counted([new Error(one)], [new Error(other)])).toEqual([{ error, records: 2 }]);
});

test('records that cannot be read are counted together, wherever they are', () => {
	const counts = counted(
		[new RecordError('Line 3 is not JSON: x3', 3, 3)],
		[new RecordError('Record 4 (line 70) is not JSON: x', 4, 70)],
	);
	expect(counts).toEqual([{ error: 'The record is not JSON', records: 2 }]);
});

test('distinguishes 100 reasons, and counts all others as one', () => {
	const numbers = [...Array(150).keys(), 7];
	const list = counted(...numbers.map((number): [Error] => [new Error(`no ${number}`)]));
	expect(list).toHaveLength(101);
	expect(list.slice(0, 2)).toEqual([
		{ error: 'Other errors', records: 50 },
		{ error: 'no 7', records: 2 },
	]);
});
