import { hashText } from './random';

/**
 * The two quantization methods (docs/service-interface.md, Chunking request). Without quantization, vectors contain
 * floats.
 */
export type Quantization = 'min-max' | 'max-scale' | undefined;

export interface VectorShape {
	/** Number of elements, which is dimReductionSize or the model's dimension. */
	size: number;
	quantization: Quantization;
	/** See the setting with this name. */
	vectorsFromWords: boolean;
}

/**
 * Makes a vector from hashes of the text or of its words. The same text always produces the same vector.
 * @returns 32-bit floats from -1 to 1 if there is no quantization. `min-max` results in integers from 0 to 255.
 * `max-scale` results in integers from -127 to 127, scaled by the vector's own largest value
 */
export function makeVector(text: string, shape: VectorShape): number[] {
	const values = new Array<number>(shape.size).fill(0);
	const words = shape.vectorsFromWords ? wordsOf(text) : [];
	if (words.length === 0) addRandom(values, text, 1);
	// Many short words are in all texts, so a long word counts more.
	else for (const word of words) addRandom(values, word, word.length);
	return quantized(words.length === 0 ? values : normalized(values), shape.quantization);
}

/** Returns the different words of a text in lower case. */
const wordsOf = (text: string): string[] => [
	...new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)),
];

/** Adds random numbers from -1 to 1. The same seed always produces the same numbers. */
function addRandom(values: number[], seed: string, weight: number): void {
	// xorshift32 is inlined, because 40,000 chunks with 256 numbers each would need ten million calls.
	let state = hashText(seed) || 1;
	for (let index = 0; index < values.length; index += 1) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		values[index] += (state / 2147483648) * weight;
	}
}

/** Returns a vector of length 1 with the same direction. */
function normalized(values: number[]): number[] {
	const length = Math.hypot(...values) || 1;
	return values.map((value) => value / length);
}

function quantized(values: number[], quantization: Quantization): number[] {
	if (quantization === undefined) return values.map((value) => Math.fround(value) + 0);
	let lowest = Infinity;
	let highest = -Infinity;
	for (const value of values) {
		if (value < lowest) lowest = value;
		if (value > highest) highest = value;
	}
	if (quantization === 'min-max') {
		const scale = 255 / (highest - lowest || 1);
		return values.map((value) => Math.round((value - lowest) * scale));
	}
	const scale = 127 / (Math.max(-lowest, highest) || 1);
	// `+ 0` turns -0 into 0.
	return values.map((value) => Math.round(value * scale) + 0);
}
