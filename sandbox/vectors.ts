import { hashText } from './random';

/**
 * The two quantization methods (docs/service-interface.md, Chunking request). Without quantization, vectors contain
 * floats.
 */
export type Quantization = 'min-max' | 'max-scale' | undefined;

/**
 * Makes a vector from a hash of the text. The same text always produces the same vector, but the vector has no meaning.
 * @param size number of elements, which is dimReductionSize or the model's dimension
 * @returns 32-bit floats from -1 to 1 if there is no quantization. `min-max` results in integers from 0 to 255.
 * `max-scale` results in integers from -127 to 127, scaled by the vector's own largest value
 */
export function makeVector(text: string, size: number, quantization: Quantization): number[] {
	// xorshift32 is inlined, because 40,000 chunks with 256 numbers each would need ten million calls.
	let state = hashText(text) || 1;
	const values = new Array<number>(size);
	let lowest = Infinity;
	let highest = -Infinity;
	for (let index = 0; index < size; index += 1) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		const value = state / 2147483648;
		values[index] = value;
		if (value < lowest) lowest = value;
		if (value > highest) highest = value;
	}
	if (quantization === 'min-max') {
		const scale = 255 / (highest - lowest || 1);
		return values.map((value) => Math.round((value - lowest) * scale));
	}
	if (quantization === 'max-scale') {
		const scale = 127 / (Math.max(-lowest, highest) || 1);
		// `+ 0` turns -0 into 0.
		return values.map((value) => Math.round(value * scale) + 0);
	}
	return values.map((value) => Math.fround(value) + 0);
}
