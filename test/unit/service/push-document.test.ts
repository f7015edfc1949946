/**
 * Runs without n8n, because n8n adds a toJSON method to BigInt.
 *
 * @jest-environment node
 */
import fc from 'fast-check';

import { requestBytes } from '../../../nodes/shared/sending/batcher';
import { InputError } from '../../../nodes/shared/service/input-error';
import { packVector } from '../../../nodes/shared/service/chunking/vector';
import {
	documentText,
	PUSH_BODY_BYTES,
	pushBody,
} from '../../../nodes/shared/service/push/push-document';
import { deletePath, pushUrl } from '../../../nodes/shared/service/push/push-url';
import { PATHS } from '../../../nodes/shared/service/url';
import { thrownBy } from '../support/text';

describe('paths', () => {
	const urlOf = (endpoint: string) => pushUrl({ pushUrl: 'https://p.example/', endpoint });

	test('the endpoint and the ID are one segment each', () => {
		expect(urlOf('docs')).toBe(`https://p.example${PATHS.push}/docs`);
		expect(urlOf('do/cs')).toBe(`https://p.example${PATHS.push}/do%2Fcs`);
		expect(deletePath('https://a.example/?x')).toBe('/https%3A%2F%2Fa.example%2F%3Fx');
	});

	test.each(['', '.', '..'])('id %j cannot reach the route of the endpoint', (id) => {
		expect(() => deletePath(id)).toThrow("'Document ID'");
		expect(() => urlOf(id)).toThrow("'Endpoint Identifier'");
	});
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

	test('is valid JSON with exactly the size that the engine calculated', () => {
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
				const bytes = Buffer.byteLength(texts.join(''));
				const limits = { maxCount: 1, maxBytes: 1, ...PUSH_BODY_BYTES };
				const body = Buffer.from(
					pushBody(packed, requestBytes(packed.length, bytes, limits)),
				);
				// If the length were wrong by one byte, the body would not be valid JSON.
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

	test('contains a packed vector as a list of numbers, without changing the document', () => {
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
	])('%s is refused', (_, fields, message) => {
		const error = thrownBy(() => documentText({ ...document, ...fields }));
		expect(error).toBeInstanceOf(InputError);
		expect((error as InputError).message).toMatch(message);
		expect((error as InputError).description).toMatch(/[Bb]efore this node/);
	});
});
