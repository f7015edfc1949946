import { BitReader, damaged, type Steps } from './bit-reader';
import { huffmanCode, MAX_CODE_BITS, type HuffmanCode } from './huffman';
import { FULL_BYTES, MAX_MATCH_BYTES, Output } from './output';

const END_OF_BLOCK = 256;
/** The order in which the lengths of the codes for lengths of codes are written. */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** How many bits follow the symbols of match lengths and of distances. */
const LENGTH_EXTRA_BITS = Uint8Array.from({ length: 29 }, (_, at) =>
	at < 8 || at === 28 ? 0 : (at >> 2) - 1,
);
const DISTANCE_EXTRA_BITS = Uint8Array.from({ length: 30 }, (_, at) =>
	at < 4 ? 0 : (at >> 1) - 1,
);
/** What these symbols stand for, without the bits that follow. */
const LENGTHS = starts(3, LENGTH_EXTRA_BITS);
LENGTHS[28] = MAX_MATCH_BYTES;
const DISTANCES = starts(1, DISTANCE_EXTRA_BITS);

function starts(first: number, extraBits: Uint8Array): Uint16Array {
	let value = first;
	return Uint16Array.from(extraBits, (bits) => (value += 1 << bits) - (1 << bits));
}

/**
 * Decompresses deflate streams (RFC 1951) that arrive in pieces; `input` also has what is between them.
 * Unlike `DecompressionStream`, it knows where a stream ends, and Node.js does not change what comes after it.
 */
export class Inflater {
	private readonly output = new Output();
	readonly input = new BitReader(() => this.output.flush());

	/**
	 * Decompresses one stream.
	 *
	 * @returns the checksum and the length (modulo 2^32) of the output
	 * @throws {FileError} if the input is damaged or ends early
	 */
	*stream(): Steps<{ crc: number; size: number }> {
		const { input, output } = this;
		output.begin();
		for (let isLast = 0; isLast === 0; ) {
			isLast = yield* input.bits(1);
			const type = yield* input.bits(2);
			if (type === 0) yield* this.stored();
			else if (type === 1) yield* this.block(FIXED_LENGTHS, FIXED_DISTANCES);
			else if (type === 2) yield* this.dynamic();
			else throw damaged('a block of an unknown type');
		}
		yield* output.flush();
		return { crc: output.crc, size: output.size };
	}

	private *stored(): Steps<void> {
		const { input, output } = this;
		let length = yield* input.number(2);
		if ((yield* input.number(2)) !== (length ^ 0xffff))
			throw damaged('a block of a wrong length');
		while (length > 0) {
			const available = (input.end - input.at) >>> 3;
			if (available === 0) yield* input.more();
			else if (output.to >= FULL_BYTES) yield* output.flush();
			const count = Math.min(length, available, FULL_BYTES - output.to);
			const from = new Uint8Array(input.view.buffer, input.at >>> 3, count);
			output.bytes.set(from, output.to);
			output.to += count;
			input.at += count * 8;
			length -= count;
		}
	}

	private *dynamic(): Steps<void> {
		const { input } = this;
		const literals = 257 + (yield* input.bits(5));
		const distances = 1 + (yield* input.bits(5));
		const orders = LENGTHS_ORDER.slice(0, 4 + (yield* input.bits(4)));
		const ofLengths = new Uint8Array(LENGTHS_ORDER.length);
		for (const symbol of orders) ofLengths[symbol] = yield* input.bits(3);
		const code = codeOf(ofLengths);
		const lengths: number[] = [];
		while (lengths.length < literals + distances) {
			const symbol = yield* input.symbol(code);
			if (symbol < 16) lengths.push(symbol);
			else {
				const length = symbol === 16 ? lengths.at(-1) : 0;
				if (length === undefined) throw damaged('a code without a length');
				const [bits, least] = symbol === 16 ? [2, 3] : symbol === 17 ? [3, 3] : [7, 11];
				const times = least + (yield* input.bits(bits));
				for (let time = 0; time < times; time++) lengths.push(length);
			}
		}
		if (lengths.length > literals + distances) throw damaged('too many codes');
		yield* this.block(codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals)));
	}

	private *block(lengths: HuffmanCode, distances: HuffmanCode): Steps<void> {
		while (!this.decode(lengths, distances)) {
			if (this.output.to >= FULL_BYTES) yield* this.output.flush();
			else yield* this.input.more();
		}
	}

	/** @returns whether the block ends; otherwise the output is full, or the input does not suffice */
	private decode(lengthCode: HuffmanCode, distanceCode: HuffmanCode): boolean {
		const { view, end } = this.input;
		const { bytes } = this.output;
		let { at } = this.input;
		let { to } = this.output;
		let isEnd = false;
		// Reads as far as the input and the zeros behind it go, then checks that it was the input.
		while (to < FULL_BYTES) {
			let bits = view.getUint32(at >>> 3, true) >>> (at & 7);
			const entry = lengthCode.entries[bits & lengthCode.mask] ?? 0;
			let next = at + (entry & 15);
			const symbol = entry >> 4;
			if (entry === 0 && at + MAX_CODE_BITS <= end) throw damaged('an unknown code');
			if (entry === 0 || next > end) break;
			if (symbol < END_OF_BLOCK) {
				bytes[to++] = symbol;
				at = next;
				continue;
			}
			if (symbol === END_OF_BLOCK) {
				at = next;
				isEnd = true;
				break;
			}
			const kind = symbol - END_OF_BLOCK - 1;
			const extra = LENGTH_EXTRA_BITS[kind];
			if (extra === undefined) throw damaged('an unknown length');
			const length = (LENGTHS[kind] ?? 0) + ((bits >>> (entry & 15)) & ((1 << extra) - 1));
			next += extra;
			if (next > end) break;
			bits = view.getUint32(next >>> 3, true) >>> (next & 7);
			const far = distanceCode.entries[bits & distanceCode.mask] ?? 0;
			if (far === 0 && next + MAX_CODE_BITS <= end) throw damaged('an unknown code');
			next += far & 15;
			if (far === 0 || next > end) break;
			const farExtra = DISTANCE_EXTRA_BITS[far >> 4];
			if (farExtra === undefined) throw damaged('an unknown distance');
			bits = view.getUint32(next >>> 3, true) >>> (next & 7);
			next += farExtra;
			if (next > end) break;
			let from = to - (DISTANCES[far >> 4] ?? 0) - (bits & ((1 << farExtra) - 1));
			if (from < 0) throw damaged('a reference to what is before its beginning');
			// Byte by byte, since it may read bytes that it has just written.
			for (const stop = to + length; to < stop; ) bytes[to++] = bytes[from++] ?? 0;
			at = next;
		}
		this.input.at = at;
		this.output.to = to;
		return isEnd;
	}
}

function codeOf(lengths: ArrayLike<number>): HuffmanCode {
	const code = huffmanCode(lengths);
	if (!code) throw damaged('codes that exclude each other');
	return code;
}

const FIXED_LENGTHS = codeOf(
	Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = codeOf(new Uint8Array(32).fill(5));
