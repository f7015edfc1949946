import fc from 'fast-check';

import { documentFrom, DEFAULT_MAPPING } from '../../../nodes/PushDocuments/documents';
import type { PushOptions } from '../../../nodes/PushDocuments/properties';
import { InputError } from '../../../nodes/shared/service/input-error';
import { thrownBy } from '../support/text';

const made = (source: unknown, options: Partial<PushOptions> = {}) =>
	documentFrom(source, DEFAULT_MAPPING, { excludeFields: [], dropEmpty: false, ...options });

test.each<[string, Record<string, unknown>, string]>([
	['no ID', { name: 'One' }, "The field 'id' is missing or empty"],
	['a blank ID', { id: ' \n', name: 'One' }, "The field 'id' is missing or empty"],
	['no name', { id: '1' }, "The field 'name' of document '1' is missing or empty"],
	['neither', {}, "The field 'id' and the field 'name' are missing or empty"],
	[
		'a list as ID',
		{ id: ['7'], name: 'One' },
		"The field 'id' must be text or a whole number, but it is a list",
	],
	[
		'a boolean as name',
		{ id: '1', name: false },
		"The field 'name' of document '1' must be text or a whole number, but it is false",
	],
	[
		'a fraction as name',
		{ id: '1', name: 0.5 },
		"The field 'name' of document '1' must be text or a whole number, but it is 0.5",
	],
	[
		'a shortened number as ID',
		{ id: '4.00638E+12', name: 'One' },
		"The field 'id' is 4.00638E+12: a spreadsheet has shortened the number",
	],
])('%s is refused', (_, source, message) => {
	const error = thrownBy(() => made(source));
	expect(error).toBeInstanceOf(InputError);
	expect(error).toMatchObject({ message, description: expect.stringMatching(/.{15}/) });
});

test('whole numbers become text, and other fields stay numbers', () => {
	const source = { id: 7, name: 2024, n: 1 };
	expect(made(source)).toEqual({ id: '7', name: '2024', n: 1 });
	expect(source.id).toBe(7);
});

test('the input is never changed', () => {
	const anyOptions = fc.record({
		excludeFields: fc.subarray(['id', 'name', 'a']),
		dropEmpty: fc.boolean(),
	});
	const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]));
	const source = fc.record({ id: value, name: value, a: value }, { requiredKeys: [] });
	fc.assert(
		fc.property(source, anyOptions, (document, options) => {
			const before = structuredClone(document);
			try {
				const result = made(document, options);
				expect([typeof result.id, typeof result.name]).toEqual(['string', 'string']);
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
			expect(document).toEqual(before);
		}),
	);
});
