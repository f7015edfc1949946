import { FileError } from '../bytes';
import { crc32 } from './crc32';
import { huffmanCode, MAX_CODE_BITS, type HuffmanCode } from './huffman';

/** Steps of a decompression: each returns bytes of the output, or undefined when more input is needed. */
export type Steps<T> = Generator<Uint8Array | undefined, T, undefined>;

/** How far back a deflate stream may refer. */
const HISTORY_BYTES = 32 * 1024;
/** The output is returned in slices of about this length. */
const SLICE_BYTES = 64 * 1024;
const FULL_BYTES = HISTORY_BYTES + SLICE_BYTES;
const MAX_MATCH_BYTES = 258;
/** Zeros behind the input, so that several bytes can be read at its end. */
const PADDING_BYTES = 8;

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
 * Decompresses deflate streams (RFC 1951) that arrive in pieces, and what is between them. Unlike
 * `DecompressionStream`, it knows where a stream ends, and Node.js does not change what comes after it.
 */
export class Inflater {
	/** No more input comes. */
	isLast = false;
	private view = new DataView(new ArrayBuffer(PADDING_BYTES));
	/** Where in the input the next bit is, and how many there are. */
	private at = 0;
	private end = 0;
	/** The output, after as much of what was returned as may be referred to. */
	private readonly output = new Uint8Array(FULL_BYTES + MAX_MATCH_BYTES);
	private returned = 0;
	private to = 0;
	private crc = 0;
	private size = 0;

	/** Adds input, a piece of up to some megabytes. */
	push(piece: Uint8Array): void {
		const rest = new Uint8Array(
			this.view.buffer,
			this.at >>> 3,
			(this.end - this.at + 7) >>> 3,
		);
		const bytes = new Uint8Array(rest.length + piece.length + PADDING_BYTES);
		bytes.set(rest);
		bytes.set(piece, rest.length);
		this.view = new DataView(bytes.buffer);
		this.at &= 7;
		this.end = (rest.length + piece.length) * 8;
	}

	/** The next bytes as a number, after those bits of a byte that are left. */
	*number(bytes: 1 | 2): Steps<number> {
		this.at = (this.at + 7) & ~7;
		return yield* this.bits(bytes * 8);
	}

	/** Whether the input ends here, or another byte comes. */
	*isOver(): Steps<boolean> {
		while (this.at === this.end && !this.isLast) yield undefined;
		return this.at === this.end;
	}

	/**
	 * Decompresses one stream.
	 *
	 * @returns the checksum and the length (modulo 2^32) of the output
	 * @throws {FileError} if the input is damaged or ends early
	 */
	*stream(): Steps<{ crc: number; size: number }> {
		this.crc = this.size = this.to = this.returned = 0;
		for (let isLast = 0; isLast === 0; ) {
			isLast = yield* this.bits(1);
			const type = yield* this.bits(2);
			if (type === 0) yield* this.stored();
			else if (type === 1) yield* this.block(FIXED_LENGTHS, FIXED_DISTANCES);
			else if (type === 2) yield* this.dynamic();
			else throw damaged('a block of an unknown type');
		}
		yield* this.flush();
		return { crc: this.crc, size: this.size };
	}

	private *bits(count: number): Steps<number> {
		while (this.end - this.at < count) yield* this.more();
		const bits = this.peek(this.at) & ((1 << count) - 1);
		this.at += count;
		return bits;
	}

	/** At least 25 bits. */
	private peek(at: number): number {
		return this.view.getUint32(at >>> 3, true) >>> (at & 7);
	}

	/** Waits for input, after all output has been returned. */
	private *more(): Steps<void> {
		yield* this.flush();
		if (this.isLast) throw new FileError('The gzip file ends early: it is truncated');
		yield undefined;
	}

	private *flush(): Steps<void> {
		if (this.to > this.returned) {
			const slice = this.output.slice(this.returned, this.to);
			this.crc = crc32(slice, this.crc);
			this.size = (this.size + slice.length) >>> 0;
			this.returned = this.to;
			yield slice;
		}
		if (this.to < FULL_BYTES) return;
		this.output.copyWithin(0, this.to - HISTORY_BYTES, this.to);
		this.returned = this.to = HISTORY_BYTES;
	}

	private *stored(): Steps<void> {
		let length = yield* this.number(2);
		if ((yield* this.number(2)) !== (length ^ 0xffff))
			throw damaged('a block of a wrong length');
		while (length > 0) {
			const available = (this.end - this.at) >>> 3;
			if (available === 0) yield* this.more();
			else if (this.to >= FULL_BYTES) yield* this.flush();
			const count = Math.min(length, available, FULL_BYTES - this.to);
			this.output.set(new Uint8Array(this.view.buffer, this.at >>> 3, count), this.to);
			this.to += count;
			this.at += count * 8;
			length -= count;
		}
	}

	private *dynamic(): Steps<void> {
		const literals = 257 + (yield* this.bits(5));
		const distances = 1 + (yield* this.bits(5));
		const orders = LENGTHS_ORDER.slice(0, 4 + (yield* this.bits(4)));
		const ofLengths = new Uint8Array(LENGTHS_ORDER.length);
		for (const symbol of orders) ofLengths[symbol] = yield* this.bits(3);
		const code = codeOf(ofLengths);
		const lengths: number[] = [];
		while (lengths.length < literals + distances) {
			const symbol = yield* this.symbol(code);
			if (symbol < 16) lengths.push(symbol);
			else {
				const length = symbol === 16 ? lengths.at(-1) : 0;
				if (length === undefined) throw damaged('a code without a length');
				const [bits, least] = symbol === 16 ? [2, 3] : symbol === 17 ? [3, 3] : [7, 11];
				const times = least + (yield* this.bits(bits));
				for (let time = 0; time < times; time++) lengths.push(length);
			}
		}
		if (lengths.length > literals + distances) throw damaged('too many codes');
		yield* this.block(codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals)));
	}

	private *symbol({ mask, entries }: HuffmanCode): Steps<number> {
		for (;;) {
			const entry = entries[this.peek(this.at) & mask] ?? 0;
			const bits = entry & 15;
			if (bits > 0 && this.at + bits <= this.end) {
				this.at += bits;
				return entry >> 4;
			}
			if (this.at + MAX_CODE_BITS <= this.end) throw damaged('an unknown code');
			yield* this.more();
		}
	}

	private *block(lengths: HuffmanCode, distances: HuffmanCode): Steps<void> {
		while (!this.decode(lengths, distances)) {
			if (this.to >= FULL_BYTES) yield* this.flush();
			else yield* this.more();
		}
	}

	/** @returns whether the block ends; otherwise the output is full, or the input does not suffice */
	private decode(lengthCode: HuffmanCode, distanceCode: HuffmanCode): boolean {
		const { view, end, output } = this;
		let { at, to } = this;
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
				output[to++] = symbol;
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
			for (const stop = to + length; to < stop; ) output[to++] = output[from++] ?? 0;
			at = next;
		}
		this.at = at;
		this.to = to;
		return isEnd;
	}
}

function codeOf(lengths: ArrayLike<number>): HuffmanCode {
	const code = huffmanCode(lengths);
	if (!code) throw damaged('codes that exclude each other');
	return code;
}

/** @param what the file has, though no valid one does */
export function damaged(what: string): FileError {
	return new FileError(`The gzip file is damaged: it has ${what}`);
}

const FIXED_LENGTHS = codeOf(
	Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = codeOf(new Uint8Array(32).fill(5));
