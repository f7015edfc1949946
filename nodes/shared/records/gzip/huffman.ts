/** No code of deflate is longer. */
export const MAX_CODE_BITS = 15;

/** A Huffman code: the bits that come next, cut to `mask`, lead to a symbol and the length of its code. */
export interface HuffmanCode {
	mask: number;
	/** `symbol << 4 | bits`; 0 where no code begins with these bits. */
	entries: Uint16Array;
}

/**
 * Makes the code of which the length for each symbol is known (RFC 1951, 3.2.2).
 *
 * @param lengths in bits, up to 15, of the codes of all symbols; 0 for a symbol that does not occur
 * @returns undefined if there are more codes than fit
 */
export function huffmanCode(lengths: ArrayLike<number>): HuffmanCode | undefined {
	const counts = new Uint16Array(MAX_CODE_BITS + 1);
	for (const length of Array.from(lengths)) counts[length] = (counts[length] ?? 0) + 1;
	counts[0] = 0;
	const next = new Uint32Array(MAX_CODE_BITS + 2);
	let maxBits = 0;
	for (const [bits, count] of counts.entries()) {
		const first = next[bits] ?? 0;
		if (first + count > 1 << bits) return undefined;
		next[bits + 1] = (first + count) << 1;
		if (count > 0) maxBits = bits;
	}
	const entries = new Uint16Array(1 << maxBits);
	for (const [symbol, bits] of Array.from(lengths).entries()) {
		if (bits === 0) continue;
		const code = next[bits] ?? 0;
		next[bits] = code + 1;
		for (let at = reversed(code, bits); at < entries.length; at += 1 << bits) {
			entries[at] = (symbol << 4) | bits;
		}
	}
	return { mask: entries.length - 1, entries };
}

/** Codes begin with their highest bit, but bytes are read from their lowest one. */
function reversed(code: number, bits: number): number {
	let result = 0;
	for (let bit = 0; bit < bits; bit++) result |= ((code >> bit) & 1) << (bits - 1 - bit);
	return result;
}
