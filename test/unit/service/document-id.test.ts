import { runInNewContext } from 'node:vm';

import fc from 'fast-check';

import { InputError } from '../../../nodes/shared/service/input-error';
import { documentId } from '../../../nodes/shared/service/push/document-id';
import { thrownBy } from '../support/text';

describe('documentId', () => {
	test.each<[unknown, string]>([
		['a1', 'a1'],
		[' a1 ', ' a1 '],
		['007', '007'],
		[0, '0'],
		[-7, '-7'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		[12345678901234567890n, '12345678901234567890'],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
		[runInNewContext('new Date(0)'), '1970-01-01T00:00:00.000Z'],
		// Only the notation that spreadsheets use for long numbers is rejected.
		['12E4', '12E4'],
		['4E5', '4E5'],
		['1.2E+123', '1.2E+123'],
		['a4.00638E+12', 'a4.00638E+12'],
	])('%p is %j', (value, id) => {
		expect(documentId(value)).toBe(id);
	});

	test.each<[unknown, RegExp]>([
		['', /^'Document ID' is empty$/],
		[' \t\n', /^'Document ID' is empty$/],
		[undefined, /^'Document ID' is empty$/],
		[null, /^'Document ID' is empty$/],
		[NaN, /must be text or a whole number, but it is NaN$/],
		[Infinity, /it is Infinity$/],
		[-Infinity, /it is -Infinity$/],
		[Number.MAX_SAFE_INTEGER + 1, /is 9007199254740992, a number too large to be exact$/],
		[1e21, /is 1e\+21, a number too large/],
		[1.5, /it is 1.5$/],
		[true, /it is true$/],
		[['a1'], /it is a list$/],
		[{ id: 'a1' }, /it is an object$/],
		[new Date(NaN), /it is an invalid date$/],
		['a\ud83d', /is not valid Unicode text$/],
		['4.00638E+12', /is 4.00638E\+12: a spreadsheet has shortened the number$/],
		['4,00638E+12', /has shortened the number$/],
		['4E+12', /has shortened the number$/],
	])('%p is refused', (value, message) => {
		const error = thrownBy(() => documentId(value));
		expect(error).toBeInstanceOf(InputError);
		expect((error as InputError).message).toMatch(message);
		expect((error as InputError).description).toMatch(/.{15}/);
	});

	test('two numbers never become the same ID', () => {
		const read = (value: number) => {
			try {
				return documentId(value);
			} catch {
				return undefined;
			}
		};
		fc.assert(
			fc.property(fc.double(), (value) => {
				const id = read(value);
				if (id !== undefined) expect(Number(id) + 0).toBe(value + 0);
				if (id !== undefined) expect(read(value + 1)).not.toBe(id);
			}),
		);
	});
});
