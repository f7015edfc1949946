/**
 * Without n8n, which teaches every BigInt of its process to be JSON.
 *
 * @jest-environment node
 */
import { runInNewContext } from 'node:vm';

import fc from 'fast-check';

import { requestBytes } from '../../../nodes/shared/flow/batches';
import { InputError } from '../../../nodes/shared/service/input-error';
import { packVector } from '../../../nodes/shared/service/chunking/vector';
import {
	deletePath,
	documentText,
	lacks,
	prepareDocument,
	PUSH_BODY_BYTES,
	pushBody,
	pushPath,
	RECOMMENDED_FIELDS,
	type DocumentRules,
	type PushDocument,
} from '../../../nodes/shared/service/push/push';
import { thrownBy } from '../support/text';
import { documentAnswers } from './document-answers';

const rules: DocumentRules = { nonStrings: 'fail', excludeFields: [], dropEmpty: false };

const missingRecommended = (document: PushDocument) =>
	RECOMMENDED_FIELDS.filter((field) => lacks(document, field));

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
		'%j is not a document',
		(source) => {
			expect(() => prepareDocument(source, rules)).toThrow('not a JSON object');
		},
	);

	test.each<[string, Record<string, unknown>, string]>([
		['no id', { name: 'One' }, "The field 'id' is missing or empty"],
		['an empty id', { id: '', name: 'One' }, "The field 'id' is missing or empty"],
		['an id of null', { id: null, name: 'One' }, "The field 'id' is missing or empty"],
		['no name', { id: '1' }, "The field 'name' of document '1' is missing or empty"],
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
			"The field 'name' of document '1' must be a string, but it is an object",
		],
		[
			'a boolean as name',
			{ id: '1', name: false },
			"The field 'name' of document '1' must be a string, but it is the boolean false",
		],
	])('%s is refused', (_, source, message) => {
		const error = thrownBy(() => prepareDocument(source, rules));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ message, description: expect.stringMatching(/.{15}/) });
	});

	test('whole numbers are converted on request, anything else never', () => {
		const convert: DocumentRules = { ...rules, nonStrings: 'convert' };
		expect(prepareDocument({ id: 7, name: 2024, n: 1 }, convert)).toEqual({
			id: '7',
			name: '2024',
			n: 1,
		});
		expect(() => prepareDocument({ id: 7, name: false }, convert)).toThrow('the boolean false');
		expect(prepareDocument({ id: 0, name: 'Zero' }, convert).id).toBe('0');
		expect(() => prepareDocument({ id: {}, name: 'One' }, convert)).toThrow('an object');
		expect(() => prepareDocument({ id: null, name: 'One' }, convert)).toThrow('missing');
	});

	test('fields are excluded, even required ones', () => {
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

	test('only plain objects and lists can be empty, not other objects without keys', () => {
		class Point {}
		const source = {
			id: '1',
			name: 'One',
			date: new Date(0),
			link: new URL('https://a.example'),
			point: new Point(),
			pattern: /x/,
		};
		const dropping: DocumentRules = { ...rules, dropEmpty: true };
		expect(prepareDocument(source, dropping)).toEqual(source);
		expect(missingRecommended({ ...source, description: 'x', url: source.link })).toEqual([]);
	});

	test('objects and lists of another realm are empty as ours are', () => {
		const source = runInNewContext(
			"({ id: '1', name: 'One', a: {}, b: [], c: Object.create(null), d: new Date(0), e: [0] })",
		) as Record<string, unknown>;
		const kept = prepareDocument(source, { ...rules, dropEmpty: true });
		expect(Object.keys(kept)).toEqual(['id', 'name', 'd', 'e']);
	});

	test('the input is never changed', () => {
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
		const sized = (text: string) => ({ text, bytes: Buffer.byteLength(text) });
		const one = sized('{"a":1}');
		expect(pushBody([one], 7)).toEqual(Buffer.from('{"a":1}'));
		expect(pushBody([one, sized('{"b":"é😀"}')], 24)).toEqual(
			Buffer.from('[{"a":1},{"b":"é😀"}]'),
		);
	});

	test('is JSON of the documents and as large as the engine reckons', () => {
		const documents = fc.array(fc.dictionary(fc.string(), fc.string({ unit: 'binary' })), {
			minLength: 1,
		});
		fc.assert(
			fc.property(documents, (list) => {
				const texts = list.map((document) => JSON.stringify(document));
				const packed = texts.map((text) => ({
					entry: text,
					text,
					bytes: Buffer.byteLength(text),
				}));
				const limits = { maxCount: 1, maxBytes: 1, ...PUSH_BODY_BYTES };
				const body = Buffer.from(pushBody(packed, requestBytes(packed, limits)));
				// A byte too many would be no JSON, and one too few would be missing.
				expect(JSON.parse(body.toString())).toEqual(list.length === 1 ? list[0] : list);
			}),
		);
	});
});

describe('documentText', () => {
	const document = { id: '1', name: 'One' };
	const circle: Record<string, unknown> = {};
	circle.self = circle;
	const throwing = {
		toJSON: () => {
			throw new Error('no form');
		},
	};

	test('has a packed vector as a list of numbers, without changing the document', () => {
		const packed = { ...document, vector: packVector([0.5, -1]), note: 'f32:no vector' };
		expect(JSON.parse(documentText(packed))).toEqual({ ...packed, vector: [0.5, -1] });
		expect(packed.vector).toMatch(/^f32:/);
	});

	test('keeps text that only looks like a packed vector', () => {
		const texts = { id: 'u8:abcd', name: `f32:${'AAAA'.repeat(20)}`, branch: 'u8:main' };
		expect(JSON.parse(documentText(texts))).toEqual(texts);
	});

	test('is the JSON of a document', () => {
		const text = documentText({ ...document, at: new Date(0), none: undefined });
		expect(text).toBe('{"id":"1","name":"One","at":"1970-01-01T00:00:00.000Z"}');
	});

	test.each<[string, Record<string, unknown>, RegExp]>([
		[
			'a circle',
			{ circle },
			/^the document cannot be written as JSON \(Converting circular [^\n]*\)$/,
		],
		['what throws', { throwing }, /^the document cannot be written as JSON \(no form\)$/],
		['a BigInt', { big: 1n }, /^the document cannot be written as JSON \(.*BigInt.*\)$/],
		[
			'no JSON at all',
			{ toJSON: () => undefined },
			/^the document cannot be written as JSON \(its toJSON/,
		],
		[
			'a text instead',
			{ toJSON: () => 'x' },
			/^the document cannot be written as JSON \(its toJSON/,
		],
	])('%s is refused', (_, fields, message) => {
		const error = thrownBy(() => documentText({ ...document, ...fields }));
		expect(error).toBeInstanceOf(InputError);
		expect((error as InputError).message).toMatch(message);
		expect((error as InputError).description).toMatch(/before this node/);
	});
});

describe('documentAnswers', () => {
	const document = (id: string, fields: object = {}) => ({ id, name: `Name ${id}`, ...fields });
	const sent = (id: string, fields: object = {}) => ({
		id,
		text: JSON.stringify(document(id, fields)),
	});
	const documents = [sent('a'), sent('b')];

	it('finds the list that names the documents among other lists', () => {
		const body = { errors: [], documents: [{ id: 'a', status: 400, error: 'too old' }] };
		expect(documentAnswers(body, [sent('a')])).toEqual([
			{ response: body.documents[0], failure: { words: 'too old', status: 400 } },
		]);
	});

	test.each([
		[undefined],
		[''],
		['ok'],
		[{ status: 'ok' }],
		[[]],
		[{ results: [] }],
		[[1, null]],
	])('%j says nothing about documents and goes to each', (body) => {
		expect(documentAnswers(body, documents)).toEqual([{ response: body }, { response: body }]);
	});

	test('a list that names the ids is matched to them, whatever its order', () => {
		const body = [{ id: 'b', n: 2 }, { id: 'other' }, { id: 'a', n: 1 }];
		const expected = [{ response: { id: 'a', n: 1 } }, { response: { id: 'b', n: 2 } }];
		expect(documentAnswers(body, documents)).toEqual(expected);
		expect(documentAnswers({ took: 3, documents: body }, documents)).toEqual(expected);
	});

	test('a document that the list does not name gets the whole response', () => {
		const body = [{ id: 'a' }];
		expect(documentAnswers(body, documents)).toEqual([
			{ response: { id: 'a' } },
			{ response: body },
		]);
	});

	test.each<[Record<string, unknown>, { words: string; status?: number } | undefined]>([
		[{ status: 400 }, { words: '', status: 400 }],
		[
			{ status: 400, error: 'too long' },
			{ words: 'too long', status: 400 },
		],
		[
			{ status: 422, message: 'too long', error: 'Unprocessable' },
			{ words: 'too long', status: 422 },
		],
		[{ error: 'too long' }, { words: 'too long' }],
		[{ error: { type: 'mapper', reason: 'too long' } }, { words: 'too long' }],
		[{ error: ['too long', { message: 'too old' }] }, { words: 'too long; too old' }],
		[{ error: true, message: 'too long' }, { words: 'too long' }],
		[{ error: true }, { words: '' }],
		[{ status: 'failed', error: 7 }, { words: '' }],
		[{ status: 200 }, undefined],
		[{ status: 399 }, undefined],
		[{ status: 'created', error: null }, undefined],
		[{ error: '' }, undefined],
		[{ error: false }, undefined],
		[{ status: 200, error: [] }, undefined],
		[{ status: 200, error: {} }, undefined],
	])('the answer %j means failure: %j', (answer, failure) => {
		const [first, second] = documentAnswers([{ id: 'a', ...answer }, { id: 'b' }], documents);
		expect(first?.failure).toEqual(failure);
		expect(first?.response).toEqual({ id: 'a', ...answer });
		expect(second?.failure).toBeUndefined();
	});

	test.each<[string, object, object, object | undefined]>([
		['a status', { status: 404 }, { status: 404 }, undefined],
		['an error', { error: 'E42' }, { error: 'E42' }, undefined],
		['an error of parts', { error: { code: [1] } }, { error: { code: [1] } }, undefined],
		['a date', { error: new Date(0) }, { error: '1970-01-01T00:00:00.000Z' }, undefined],
		['a status of its own', { status: 404 }, { status: 422 }, { words: '', status: 422 }],
		['an error of its own', { error: 'E42' }, { error: 'full' }, { words: 'full' }],
		[
			'an error beside a status',
			{ status: 500, title: 'Echo' },
			{ status: 500, title: 'Echo', error: 'full' },
			{ words: 'full' },
		],
	])('a document that is sent back is not a failure: %s', (_, fields, answer, failure) => {
		const pushed = document('a', fields);
		const [{ response, ...said }] = documentAnswers(
			[{ ...pushed, ...answer }],
			[sent('a', fields)],
		);
		expect(response).toEqual({ ...pushed, ...answer });
		expect(said.failure).toEqual(failure);
	});

	test('there is one answer for each document, whatever the response', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.array(fc.string()), (body, some) => {
				expect(
					documentAnswers(
						body,
						some.map((id) => sent(id)),
					),
				).toHaveLength(some.length);
			}),
		);
	});
});
