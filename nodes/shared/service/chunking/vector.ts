/** The prefix of the text, and the array that holds numbers of its kind, the smallest kind first. */
const KINDS = [
	['i8', Int8Array],
	['u8', Uint8Array],
	['f32', Float32Array],
	['f64', Float64Array],
] as const;

/**
 * An embedding vector as a text, which n8n shows and stores at a fraction of the cost of a
 * list: `f32:` and the numbers in base64 (little-endian, as on every platform n8n runs on), or `i8:`,
 * `u8:`, `f64:`. The smallest kind that gives back exactly the same numbers.
 *
 * @returns undefined for an empty list and for one of anything but finite numbers
 */
export function packVector(vector: readonly unknown[]): string | undefined {
	if (vector.length === 0 || !vector.every(Number.isFinite)) return undefined;
	const numbers = vector as readonly number[];
	const [prefix, Numbers] = kindOf(numbers);
	const packed = new Numbers(numbers);
	return `${prefix}:${Buffer.from(packed.buffer).toString('base64')}`;
}

/** The smallest kind that gives back exactly the same numbers. */
function kindOf(vector: readonly number[]): (typeof KINDS)[number] {
	const [i8, u8, f32, f64] = KINDS;
	// No integer is a negative zero.
	if (vector.every((value) => Number.isInteger(value) && !Object.is(value, -0))) {
		if (vector.every((value) => value >= -128 && value <= 127)) return i8;
		if (vector.every((value) => value >= 0 && value <= 255)) return u8;
	}
	return vector.every((value) => Object.is(Math.fround(value), value)) ? f32 : f64;
}

/**
 * Turns the text of `packVector` back into numbers.
 *
 * @returns undefined for anything else, such as a text that merely begins alike
 */
export function unpackVector(text: unknown): number[] | undefined {
	// Most texts are no vectors, and there may be millions of them.
	if (typeof text !== 'string' || (text[2] !== ':' && text[3] !== ':')) return undefined;
	const kind = KINDS.find(([prefix]) => text.startsWith(`${prefix}:`));
	if (kind === undefined) return undefined;
	const [prefix, Numbers] = kind;
	const encoded = text.slice(prefix.length + 1);
	const bytes = Buffer.from(encoded, 'base64');
	const isWhole = bytes.length > 0 && bytes.length % Numbers.BYTES_PER_ELEMENT === 0;
	// Only what packVector writes: other texts of that form are the user's own.
	if (!isWhole || bytes.toString('base64') !== encoded) return undefined;
	const numbers = Array.from(new Numbers(new Uint8Array(bytes).buffer));
	return numbers.every(Number.isFinite) ? numbers : undefined;
}
