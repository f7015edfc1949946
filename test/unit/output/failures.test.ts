import { FailureList } from '../../../nodes/shared/output/failure-list';
import { readIdAndName } from '../../../nodes/shared/input/field-mapping';
import { withJsonCells } from '../../../nodes/shared/input/json-columns';
import { JsonReader } from '../../../nodes/shared/formats/json-reader';
import { jsonLinesReader } from '../../../nodes/shared/formats/line-reader';
import type { RecordReader } from '../../../nodes/shared/formats/record';
import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { InputError, messageOf } from '../../../nodes/shared/service/input-error';
import type { ChunkTask } from '../../../nodes/ChunkText/parameters';
import { usableText } from '../../../nodes/ChunkText/input/text-entry';

const counted = (...reasons: unknown[]) => {
	const all = new FailureList();
	for (const reason of reasons) all.addFailure({ reason });
	return all.json().failureCounts;
};

test('counts failures with the same reason together, and returns the most frequent first', () => {
	const counts = counted(
		new Error('The status is 400'),
		new Error('busy'),
		new InputError("no room for 'b'", '', { commonMessage: 'no room' }),
		new InputError("no room for 'c'", '', { commonMessage: 'no room' }),
		'no room',
		new Error('busy'),
	);
	expect(counts).toEqual([
		{ error: 'no room', records: 3 },
		{ error: 'busy', records: 2 },
		{ error: 'The status is 400', records: 1 },
	]);
});

const thrownBy = (act: () => unknown): unknown => {
	try {
		act();
	} catch (error) {
		return error;
	}
	throw new Error('Nothing was thrown');
};
const MAPPING = { id: 'id', name: 'name', description: '', url: '' };
const document = (source: object) => thrownBy(() => readIdAndName(source, MAPPING));
const TASK = { options: { bytesPerRequest: 5 }, done: 'submitted' } as ChunkTask;
const text = (bytes: number) => thrownBy(() => usableText('x'.repeat(bytes), 'The text', TASK));
const record = (readers: RecordReader, file: string) =>
	[...readers.push(file), ...readers.end()].find(({ error }) => error)?.error;
const lost = (triedForMs: number) =>
	new ServiceFailure('No connection', { kind: 'transport', serviceWords: 'Busy.', triedForMs });

test.each([
	[
		'a value',
		document({ id: 3.5, name: 'a' }),
		document({ id: ['a'], name: 'a' }),
		"The field 'id' must be text or a whole number",
	],
	[
		'a large number',
		document({ id: 2 ** 60, name: 'a' }),
		document({ id: 2 ** 61, name: 'a' }),
		"The field 'id' is a number too large to be exact",
	],
	[
		'an ID',
		document({ id: '4,10000E+12', name: 'a' }),
		document({ id: '4.2E+10', name: 'a' }),
		"The field 'id': a spreadsheet has shortened the number",
	],
	[
		'the document whose name is missing',
		document({ id: 'a' }),
		document({ id: 'b' }),
		"The field 'name' is missing or empty",
	],
	[
		'the document whose name is no text',
		document({ id: 'a', name: {} }),
		document({ id: 'b', name: 1.5 }),
		"The field 'name' must be text or a whole number",
	],
	[
		'a size',
		text(6),
		text(7),
		"The text has more bytes than the 5 that 'Bytes per Request' allows",
	],
	[
		'a column that is no JSON',
		thrownBy(() => withJsonCells({ a: '[1' }, ['a'])),
		thrownBy(() => withJsonCells({ a: '{x' }, ['a'])),
		"The column 'a' has a cell that is not JSON",
	],
	[
		'a column with a long number',
		thrownBy(() => withJsonCells({ a: '12345678901234567891' }, ['a'])),
		thrownBy(() => withJsonCells({ a: '12345678901234567892' }, ['a'])),
		"The column 'a' has a number that would lose digits",
	],
	[
		'a line that is no JSON',
		record(jsonLinesReader(), '{"a": 1}\n{x}\n'),
		record(jsonLinesReader(), '{"a": 1}\n\n{yy\n'),
		'The record is not valid JSON',
	],
	[
		'an entry of a list that is no JSON',
		record(new JsonReader(), '[{"a": x}]'),
		record(new JsonReader(), '[{"a": 1},\n{"b": yy}]'),
		'The record is not valid JSON',
	],
	['the time of all attempts', lost(7_000), lost(9_000), 'No connection, "Busy"'],
])('%s that differs from record to record makes no separate reason', (_, one, other, error) => {
	expect(messageOf(one)).not.toBe(messageOf(other));
	expect(counted(one, other)).toEqual([{ error, records: 2 }]);
});

test('distinguishes 100 reasons, and counts all others as one', () => {
	const numbers = [...Array(150).keys(), 7];
	const list = counted(...numbers.map((number) => new Error(`no ${number}`)));
	expect(list).toHaveLength(101);
	expect(list.slice(0, 2)).toEqual([
		{ error: 'Other errors', records: 50 },
		{ error: 'no 7', records: 2 },
	]);
});
