import fc from 'fast-check';

import { InputError } from '../../../nodes/shared/service/input-error';
import {
	deletePath,
	documentAnswers,
	missingRecommended,
	prepareDocument,
	PUSH_BODY_BYTES,
	pushBody,
	pushBodyBytes,
	pushPath,
	type DocumentRules,
} from '../../../nodes/shared/service/push';
import { thrownBy } from '../support/text';

const rules: DocumentRules = { nonStrings: 'fail', excludeFields: [], dropEmpty: false };

describe('paths', () => {
	test('endpoint and id are one segment each', () => {
		expect(pushPath('docs')).toBe('/api/v1/push/docs');
		expect(deletePath('do/cs', 'https://a.example/?x')).toBe(
			'/api/v1/push/do%2Fcs/https%3A%2F%2Fa.example%2F%3Fx',
		);
	});

	test.each(['', '.', '..'])('id %j cannot reach the route of the endpoint', (id) => {
		expect(() => deletePath('docs', id)).toThrow("'Document ID'");
		expect(() => pushPath(id)).toThrow("'Endpoint Identifier'");
	});
});

describe('prepareDocument', () => {
	test('a document that is fine goes as it is', () => {
		const source = { id: '1', name: 'One', tags: [], none: null };
		expect(prepareDocument(source, rules)).toBe(source);
	});

	test.each([[null], [undefined], ['text'], [7], [[{ id: '1', name: 'One' }]]])(
		'%j is no document',
		(source) => {
			expect(() => prepareDocument(source, rules)).toThrow('not a JSON object');
		},
	);

	test.each<[string, Record<string, unknown>, string]>([
		['no id', { name: 'One' }, "The field 'id' is missing or empty"],
		['an empty id', { id: '', name: 'One' }, "The field 'id' is missing or empty"],
		['an id of null', { id: null, name: 'One' }, "The field 'id' is missing or empty"],
		['no name', { id: '1' }, 'The field \'name\' of document "1" is missing or empty'],
		[
			'a number as id',
			{ id: 7, name: 'One' },
			"The field 'id' must be a string, but it is the number 7",
		],
		[
			'a list as id',
			{ id: ['7'], name: 'One' },
			"The field 'id' must be a string, but it is a list",
		],
		[
			'an object as name',
			{ id: '1', name: {} },
			'The field \'name\' of document "1" must be a string, but it is an object',
		],
		[
			'a boolean as name',
			{ id: '1', name: false },
			'The field \'name\' of document "1" must be a string, but it is the boolean false',
		],
	])('%s is refused', (_, source, message) => {
		const error = thrownBy(() => prepareDocument(source, rules));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ message, description: expect.stringMatching(/.{15}/) });
	});

	test('numbers and booleans are converted on request, objects never', () => {
		const convert: DocumentRules = { ...rules, nonStrings: 'convert' };
		expect(prepareDocument({ id: 7, name: false, n: 1 }, convert)).toEqual({
			id: '7',
			name: 'false',
			n: 1,
		});
		expect(prepareDocument({ id: 0, name: 'Zero' }, convert).id).toBe('0');
		expect(() => prepareDocument({ id: {}, name: 'One' }, convert)).toThrow('an object');
		expect(() => prepareDocument({ id: null, name: 'One' }, convert)).toThrow('missing');
	});

	test('fields are left out, also where they are needed', () => {
		const source = { id: '1', name: 'One', secret: 'x', other: 1 };
		const excluding = { ...rules, excludeFields: ['secret', 'unknown'] };
		expect(prepareDocument(source, excluding)).toEqual({ id: '1', name: 'One', other: 1 });
		expect(() => prepareDocument(source, { ...rules, excludeFields: ['id'] })).toThrow("'id'");
	});

	test('empty values are dropped on request, 0 and false are not empty', () => {
		const source = {
			id: '1',
			name: 'One',
			a: null,
			b: '',
			c: [],
			d: {},
			e: 0,
			f: false,
			g: ' ',
		};
		expect(prepareDocument(source, { ...rules, dropEmpty: true })).toEqual({
			id: '1',
			name: 'One',
			e: 0,
			f: false,
			g: ' ',
		});
	});

	test('what came in is never changed', () => {
		const anyRules = fc.record<DocumentRules>({
			nonStrings: fc.constantFrom('fail', 'convert'),
			excludeFields: fc.subarray(['id', 'name', 'a']),
			dropEmpty: fc.boolean(),
		});
		const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]));
		const source = fc.record({ id: value, name: value, a: value }, { requiredKeys: [] });
		fc.assert(
			fc.property(source, anyRules, (document, used) => {
				const before = structuredClone(document);
				try {
					const made = prepareDocument(document, used);
					expect(typeof made.id).toBe('string');
					expect(typeof made.name).toBe('string');
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
				expect(document).toEqual(before);
			}),
		);
	});
});

test('tells which recommended fields are missing', () => {
	const document = { id: '1', name: 'One' };
	expect(missingRecommended(document)).toEqual(['description', 'url']);
	expect(missingRecommended({ ...document, description: '', url: 'x' })).toEqual(['description']);
	expect(missingRecommended({ ...document, description: 'x', url: 'y' })).toEqual([]);
});

describe('pushBody', () => {
	test('one document is an object, several are a list', () => {
		expect(pushBody(['{"a":1}'])).toBe('{"a":1}');
		expect(pushBody(['{"a":1}', '{"b":2}'])).toBe('[{"a":1},{"b":2}]');
	});

	test('is JSON of the documents and no larger than the engine reckons', () => {
		const documents = fc.array(fc.dictionary(fc.string(), fc.string()), { minLength: 1 });
		fc.assert(
			fc.property(documents, (list) => {
				const texts = list.map((document) => JSON.stringify(document));
				const body = pushBody(texts);
				expect(JSON.parse(body)).toEqual(list.length === 1 ? list[0] : list);
				const sizes = texts.map((text) => Buffer.byteLength(text));
				expect(pushBodyBytes(sizes)).toBe(Buffer.byteLength(body));
				const { envelope, separator } = PUSH_BODY_BYTES;
				const reckoned = texts.reduce(
					(sum, text) => sum + Buffer.byteLength(text) + separator,
					envelope,
				);
				expect(Buffer.byteLength(body)).toBeLessThanOrEqual(reckoned);
			}),
		);
	});
});

describe('documentAnswers', () => {
	it('finds the list that names the documents among other lists', () => {
		const body = { errors: [], documents: [{ id: 'a', status: 400, error: 'too old' }] };
		expect(documentAnswers(body, ['a'])).toEqual([
			{ reply: body.documents[0], failure: 'too old' },
		]);
	});

	const ids = ['a', 'b'];

	test.each([
		[undefined],
		[''],
		['ok'],
		[{ status: 'ok' }],
		[[]],
		[{ results: [] }],
		[[1, null]],
	])('%j says nothing about documents and goes to each', (body) => {
		expect(documentAnswers(body, ids)).toEqual([{ reply: body }, { reply: body }]);
	});

	test('a list that names the ids is matched to them, whatever its order', () => {
		const body = [{ id: 'b', n: 2 }, { id: 'other' }, { id: 'a', n: 1 }];
		const expected = [{ reply: { id: 'a', n: 1 } }, { reply: { id: 'b', n: 2 } }];
		expect(documentAnswers(body, ids)).toEqual(expected);
		expect(documentAnswers({ took: 3, documents: body }, ids)).toEqual(expected);
	});

	test('a document that the list does not name gets the whole reply', () => {
		const body = [{ id: 'a' }];
		expect(documentAnswers(body, ids)).toEqual([{ reply: { id: 'a' } }, { reply: body }]);
	});

	test.each<[Record<string, unknown>, string | undefined]>([
		[{ status: 400 }, 'status 400'],
		[{ status: 400, error: 'too long' }, 'too long'],
		[{ error: 'too long' }, 'too long'],
		[{ status: 200 }, undefined],
		[{ status: 399 }, undefined],
		[{ status: 'created', error: null }, undefined],
		[{ error: '' }, undefined],
		[{ error: false }, undefined],
	])('the answer %j means failure: %s', (answer, failure) => {
		const [first, second] = documentAnswers([{ id: 'a', ...answer }, { id: 'b' }], ids);
		expect(first?.failure).toBe(failure);
		expect(first?.reply).toEqual({ id: 'a', ...answer });
		expect(second?.failure).toBeUndefined();
	});

	test('there is one answer for each id, whatever the reply', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.array(fc.string()), (body, some) => {
				expect(documentAnswers(body, some)).toHaveLength(some.length);
			}),
		);
	});
});
