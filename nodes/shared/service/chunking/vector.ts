/** Prefixes of packed vectors, and the array types for their numbers. Smaller types come first. */
const KINDS = [
	['i8', Int8Array],
	['u8', Uint8Array],
	['f32', Float32Array],
	['f64', Float64Array],
] as const;

/**
 * Packs an embedding vector into a string, because n8n can show and store a string at a fraction of the cost of a list.
 * The prefix `i8:`, `u8:`, `f32:` or `f64:` identifies the smallest type that preserves the numbers exactly. The
 * numbers follow in base64. Their byte order is little-endian, which is the order on every platform that n8n runs on.
 *
 * @returns undefined if the list is empty or contains anything other than finite numbers
 */
export function packVector(vector: readonly unknown[]): string | undefined {
	if (vector.length === 0 || !vector.every(Number.isFinite)) return undefined;
	const numbers = vector as readonly number[];
	const [prefix, Numbers] = kindOf(numbers);
	const packed = new Numbers(numbers);
	return `${prefix}:${Buffer.from(packed.buffer).toString('base64')}`;
}

function kindOf(vector: readonly number[]): (typeof KINDS)[number] {
	const [i8, u8, f32, f64] = KINDS;
	// Integer types cannot represent negative zero.
	if (vector.every((value) => Number.isInteger(value) && !Object.is(value, -0))) {
		if (vector.every((value) => value >= -128 && value <= 127)) return i8;
		if (vector.every((value) => value >= 0 && value <= 255)) return u8;
	}
	return vector.every((value) => Object.is(Math.fround(value), value)) ? f32 : f64;
}

/**
 * Converts a string from `packVector` back into numbers.
 *
 * @returns undefined for any other value, even if it begins like a packed vector
 */
export function unpackVector(text: unknown): number[] | undefined {
	// Most strings are not vectors. This check is fast even for millions of strings.
	if (typeof text !== 'string' || (text[2] !== ':' && text[3] !== ':')) return undefined;
	const kind = KINDS.find(([prefix]) => text.startsWith(`${prefix}:`));
	if (kind === undefined) return undefined;
	const [prefix, Numbers] = kind;
	const encoded = text.slice(prefix.length + 1);
	const bytes = Buffer.from(encoded, 'base64');
	const isWhole = bytes.length > 0 && bytes.length % Numbers.BYTES_PER_ELEMENT === 0;
	// If `packVector` would not write this string, the string is the user's own text.
	if (!isWhole || bytes.toString('base64') !== encoded) return undefined;
	const numbers = Array.from(new Numbers(new Uint8Array(bytes).buffer));
	return numbers.every(Number.isFinite) ? numbers : undefined;
}
