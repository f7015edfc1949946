import fc from 'fast-check';

import { InputError } from '../../../nodes/shared/service/input-error';
import {
	deletePath,
	documentId,
	isDeletable,
	prepareDocument,
	type DocumentRules,
} from '../../../nodes/shared/service/push/push';
import { anyText, thrownBy } from '../support/text';

describe('documentId', () => {
	test.each<[unknown, string]>([
		['a1', 'a1'],
		[' a1 ', ' a1 '],
		['007', '007'],
		[0, '0'],
		[-7, '-7'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		[12345678901234567890n, '12345678901234567890'],
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

test('isDeletable is true exactly for what Delete can put into a path', () => {
	for (const id of ['.', '..', '\ud83d', 'a\ude00', '', '  '])
		expect(isDeletable(id)).toBe(false);
	for (const id of ['...', ' .', 'a/b', '😀', '%2e']) expect(isDeletable(id)).toBe(true);
	fc.assert(
		fc.property(anyText, (id) => {
			const isPath = (): boolean => {
				try {
					return deletePath('docs', id) !== '';
				} catch {
					return false;
				}
			};
			// A blank ID has a path, but Delete and Push refuse it.
			expect(isDeletable(id)).toBe(isPath() && id.trim() !== '');
		}),
	);
});

describe('prepareDocument', () => {
	const convert: DocumentRules = { nonStrings: 'convert', excludeFields: [], dropEmpty: false };

	test.each([NaN, Infinity, 2 ** 53, 1e300, 0.5])('refuses %p as an ID', (id) => {
		expect(() => prepareDocument({ id, name: 'One' }, convert)).toThrow(
			`The field 'id' is the number ${id}, which is not an exact whole number`,
		);
	});

	test('refuses a blank ID', () => {
		expect(() => prepareDocument({ id: ' \n', name: 'One' }, convert)).toThrow(
			"The field 'id' is missing or empty",
		);
	});

	test.each([NaN, 2 ** 53, 0.5])('refuses %p as a name', (name) => {
		expect(() => prepareDocument({ id: 'a', name }, convert)).toThrow(
			`The field 'name' of document 'a' is the number ${name}, which is not an exact whole number`,
		);
	});

	test('converts whole numbers that are exact', () => {
		const { id, name } = prepareDocument({ id: 2 ** 53 - 1, name: -7 }, convert);
		expect([id, name]).toEqual(['9007199254740991', '-7']);
	});
});
