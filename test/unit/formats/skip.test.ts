/** Tests that records at the beginning of a file can be skipped, and that the reader still counts them. */
import fc from 'fast-check';

import { FORMATS, type RecordFormat } from '../../../nodes/shared/formats/format';
import type { RecordReader } from '../../../nodes/shared/formats/record';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { brief, lengths } from './support';

/** Pieces used to generate files in each format. Some pieces damage the file. */
const PIECES: Record<RecordFormat, string[]> = {
	jsonLines: [
		'{"id":1}\n',
		'{"id":2}{"id":3} {"x":"}{"}\n',
		'{}{oops}',
		'{"a":"}{',
		'"x y"\r\n',
		'\n',
		' \t\r\n',
		'\u00a0\n',
		' 7 \n',
		'oops\n',
		'ä\n',
	],
	lines: ['d0\n', 'd1\r\n', '\n', '  \n', '\u2028\n', ' ä b\n', '\u007f\n', 'end'],
	csv: [
		'a,b\n',
		'1,2\r\n',
		'\n',
		' \n',
		'\t\n',
		'"x\ny",3\r',
		'"q""r"\n',
		'1,2,3\n',
		'"a"b\n',
		' ,\n',
		'""," "\n',
		'"',
		'1,2,\n',
		'a,b\r\n',
		'sep=,\n',
		'1,"2\n'.repeat(11),
		'a,b,c\n',
	],
	jsonArray: ['[', '1,', '{"a":[2]},', '\n', '"x"', ']', ', 3'],
};

/** A JSON file can also be a single object. If more objects follow, the file is read as JSON Lines. */
const OBJECT_PIECES = ['{"id":1}', '{"a":{"b":"}"}}\n', '{\n"c":[2]}', '\n', ' ', 'oops'];

const skipping = (format: RecordFormat, skip: number): RecordReader => {
	const reader = FORMATS[format].reader({});
	reader.skip = skip;
	return reader;
};

it.each([...Object.entries(PIECES), ['jsonArray', OBJECT_PIECES] as const] as Array<
	[RecordFormat, string[]]
>)(
	'%s: gives the same records, numbers and lines as reading all and dropping the first: %j',
	(format, allPieces) => {
		const variations = new Variations();
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom(...allPieces), { maxLength: 12 }),
				fc.integer({ min: 0, max: 6 }),
				lengths,
				fc.boolean(),
				(pieces, skip, cuts, isList) => {
					// Otherwise, hardly any file would be a list.
					const text = (isList && allPieces.includes('[') ? '[' : '') + pieces.join('');
					const all = FORMATS[format].reader({});
					const expected = brief(all, text, cuts);
					const reader = skipping(format, skip);
					const found = brief(reader, text, cuts);
					expect(found.records).toEqual(expected.records.slice(skip));
					variations.note({
						...occurring(allPieces, (piece) => pieces.includes(piece)),
						'records are skipped, and others follow':
							skip > 0 && expected.records.length > skip,
						'more are skipped than there are': skip > expected.records.length,
					});
					expect(found.error).toEqual(expected.error);
					expect(reader.position).toEqual(all.position);
				},
			),
			{ numRuns: runs(500) },
		);
		expect(variations.rarerThan(0.5)).toEqual([]);
	},
);

it('does not parse what it skips', () => {
	const parse = jest.spyOn(JSON, 'parse');
	const { records } = brief(skipping('jsonLines', 2), '{"id":1}\n{"id":2}\n{"id":3}\n');
	const [parsed] = parse.mock.calls;
	parse.mockRestore();
	expect(records).toEqual(['3@3 {"id":3} -> {"id":3}']);
	expect(parsed?.[0]).toBe('{"id":3}');
});
