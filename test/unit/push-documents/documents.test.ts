import fc from 'fast-check';

import { documentFrom, DEFAULT_MAPPING } from '../../../nodes/PushDocuments/documents';
import type { PushOptions } from '../../../nodes/PushDocuments/properties';
import { InputError } from '../../../nodes/shared/service/input-error';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
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

const VALUES: Record<string, unknown> = {
	text: 'x',
	'blank text': ' \n',
	'empty text': '',
	null: null,
	undefined,
	'a whole number': 7,
	'a fraction': 0.5,
	'a date': new Date(0),
	false: false,
	'an empty list': [],
	'a list': [1],
	'an empty object': {},
};
const anyValue = fc.constantFrom(...Object.values(VALUES));

/** Maps each field of a document to the fields that it may come from. */
const FIELDS = {
	id: ['id', 'sku'],
	name: ['name', 'meta.title'],
	description: ['description', 'summary', ''],
	url: ['url', 'meta.link', ''],
};
const anyMapping = fc.record({
	id: fc.constantFrom(...FIELDS.id),
	name: fc.constantFrom(...FIELDS.name),
	description: fc.constantFrom(...FIELDS.description),
	url: fc.constantFrom(...FIELDS.url),
});

const often = fc.oneof({ weight: 2, arbitrary: fc.constantFrom<unknown>('x', 7) }, anyValue);
const anySource = fc.record(
	{
		...{ id: often, sku: often, name: often, description: anyValue, summary: anyValue },
		...{ url: anyValue, a: anyValue, b: anyValue },
		meta: fc.record(
			{
				title: often.filter((value) => value !== undefined),
				link: anyValue.filter((value) => value !== undefined),
			},
			{ requiredKeys: [], noNullPrototype: true },
		),
	},
	{ requiredKeys: ['id', 'sku', 'name', 'meta'], noNullPrototype: true },
) as fc.Arbitrary<Record<string, unknown>>;

const isMissing = (value: unknown) => [undefined, null, ''].includes(value as string);
const isEmpty = (value: unknown) =>
	isMissing(value) || ['[]', '{}'].includes(JSON.stringify(value));
const textOf = (value: unknown): string | undefined => {
	if (value instanceof Date) return value.toJSON();
	return typeof value === 'string' || Number.isInteger(value) ? String(value) : undefined;
};
const valueAt = (source: unknown, path: string): unknown =>
	path.split('.').reduce((value, key) => (value as Record<string, unknown>)[key], source);

const VARIATIONS = [
	...Object.keys(VALUES).flatMap((name) => [`${name} as ID`, `${name} as name`]),
	...Object.values(FIELDS).flatMap((paths) => paths.map((path) => `a document with '${path}'`)),
	...['a field that is excluded', 'an ID that is excluded', 'a name that is excluded'],
	...['an empty value that is dropped', 'a date where empty values are dropped'],
	...['a description that replaces another', 'a description that is empty'],
	...['a document without changes', 'a document with changes'],
];

test('a document contains its ID and its name as text, and all other values that are not left out', () => {
	const variations = new Variations();
	const anyOptions = fc.record({
		excludeFields: fc.subarray(['id', 'name', 'a', 'url']),
		dropEmpty: fc.boolean(),
	});
	fc.assert(
		fc.property(anySource, anyMapping, anyOptions, (source, mapping, options) => {
			const { excludeFields, dropEmpty } = options;
			const occurred = new Set<string>();
			const valueOf = (field: keyof typeof FIELDS) => valueAt(source, mapping[field]);
			for (const [name, value] of Object.entries(VALUES)) {
				if (valueOf('id') === value) occurred.add(`${name} as ID`);
				if (valueOf('name') === value) occurred.add(`${name} as name`);
			}
			const before = structuredClone(source);
			const make = () => documentFrom(source, mapping, options);
			const id = textOf(valueOf('id'));
			const name = textOf(valueOf('name'));
			if (!id?.trim() || !name) {
				const error = thrownBy(make);
				expect(error).toBeInstanceOf(InputError);
				const { message } = error as InputError;
				const field = id?.trim() ? 'name' : 'id';
				expect(message).toContain(`'${mapping[field]}'`);
				expect(message.includes(`document '${id}'`)).toBe(field === 'name');
			} else {
				const complete: Record<string, unknown> = { ...source, id, name };
				for (const field of ['description', 'url'] as const) {
					if (mapping[field] === '') continue;
					const value = valueOf(field);
					const isMapped = mapping[field] !== field && !isMissing(value);
					if (isMapped) complete[field] = value;
					if (field === 'description' && mapping.description === 'summary') {
						if (isMapped && source.description !== undefined)
							occurred.add('a description that replaces another');
						if (!isMapped) occurred.add('a description that is empty');
					}
				}
				const expected = Object.fromEntries(
					Object.entries(complete).filter(([field, value]) => {
						if (field === 'id' || field === 'name') return true;
						if (dropEmpty && isEmpty(value)) return false;
						return !excludeFields.includes(field);
					}),
				);
				const document = make();
				expect(document).toStrictEqual(expected);
				const isSame =
					[complete, expected].every(
						(each) => Object.keys(each).length === Object.keys(source).length,
					) && Object.keys(source).every((field) => complete[field] === source[field]);
				expect(document === source).toBe(isSame);
				occurred.add(isSame ? 'a document without changes' : 'a document with changes');
				for (const path of Object.values(mapping))
					occurred.add(`a document with '${path}'`);
				if (excludeFields.some((field) => field in source && !(field in expected)))
					occurred.add('a field that is excluded');
				if (excludeFields.includes('id')) occurred.add('an ID that is excluded');
				if (excludeFields.includes('name')) occurred.add('a name that is excluded');
				if (dropEmpty && Object.values(complete).some(isEmpty))
					occurred.add('an empty value that is dropped');
				if (dropEmpty && Object.values(expected).some((value) => value instanceof Date))
					occurred.add('a date where empty values are dropped');
			}
			expect(source).toStrictEqual(before);
			variations.note(occurring(VARIATIONS, (variation) => occurred.has(variation)));
		}),
		{ numRuns: runs(1500) },
	);
	expect(variations.rarerThan(0)).toEqual([]);
});
