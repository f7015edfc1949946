import fc from 'fast-check';

import { packVector, unpackVector } from '../../../nodes/shared/service/chunking/vector';

test.each([
	['numbers from -128 to 127', [-128, 0, 127], /^i8:/],
	['numbers from 0 to 255', [0, 255], /^u8:/],
	['single-precision numbers', [0.5, -1.25, 300], /^f32:/],
	['decimals that single precision would change', [0.1, 0.2], /^f64:/],
	['a negative zero, which no integer can be', [-0, 1], /^f32:/],
])('packs %s as the smallest kind that keeps them', (_case, vector, kind) => {
	const packed = packVector(vector);
	expect(packed).toMatch(kind);
	expect(unpackVector(packed)).toEqual(vector);
});

test('takes four bytes of base64 for every three bytes, which is 27% of the JSON', () => {
	const vector = Array.from({ length: 384 }, (_, index) => Math.fround(Math.sin(index)));
	expect(packVector(vector)).toHaveLength('f32:'.length + (384 * 4 * 4) / 3);
	expect(JSON.stringify(vector)).toHaveLength(7517);
});

test.each([[['a']], [[null]], [[[1]]]])('leaves %j alone', (list) => {
	expect(packVector(list)).toBeUndefined();
});

test.each([
	'f32:',
	'f32:AAA',
	'i8:not base64',
	'f16:AAAA',
	'f32:AAAA',
	'f32:AADAfw==',
	'text',
	7,
	null,
])('does not mistake %j for a vector', (text) => {
	expect(unpackVector(text)).toBeUndefined();
});

test('returns exactly the numbers of any vector', () => {
	const limits = [-129, -128, -127, 0, 127, 128, 129, 254, 255, 256];
	const numbers = fc.oneof(
		fc.array(fc.constantFrom(...limits), { minLength: 1, maxLength: 3 }),
		fc.array(fc.integer({ min: -200, max: 300 }), { minLength: 1 }),
		fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
		fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
	);
	fc.assert(
		fc.property(numbers, (vector) => {
			const back = unpackVector(packVector(vector));
			expect(back?.every((value, index) => Object.is(value, vector[index]))).toBe(true);
			expect(back).toHaveLength(vector.length);
		}),
	);
});
