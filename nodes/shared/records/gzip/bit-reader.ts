import { FileError } from '../bytes';
import { MAX_CODE_BITS, type HuffmanCode } from './huffman';

/** Steps of a decompression: each returns bytes of the output, or undefined when more input is needed. */
export type Steps<T> = Generator<Uint8Array | undefined, T, undefined>;

/** Zeros behind the input, so that several bytes can be read at its end. */
const PADDING_BYTES = 8;

/** Compressed bytes that arrive in pieces, read bit by bit, each byte from its lowest bit. */
export class BitReader {
	/** No more input comes. */
	isLast = false;
	/** The input, with zeros behind it. */
	view = new DataView(new ArrayBuffer(PADDING_BYTES));
	/** Where in the input the next bit is, and how many there are. */
	at = 0;
	end = 0;

	/** @param flush returns what was made of the input so far, before more is waited for */
	constructor(private readonly flush: () => Steps<void>) {}

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

	/** Whether the input ends here, or another byte comes. */
	*isOver(): Steps<boolean> {
		while (this.at === this.end && !this.isLast) yield undefined;
		return this.at === this.end;
	}

	/** Waits for input, after all output has been returned. */
	*more(): Steps<void> {
		yield* this.flush();
		if (this.isLast) throw new FileError('The gzip file ends early: it is truncated');
		yield undefined;
	}

	*bits(count: number): Steps<number> {
		while (this.end - this.at < count) yield* this.more();
		const bits = this.peek() & ((1 << count) - 1);
		this.at += count;
		return bits;
	}

	/** The next bytes as a number, after those bits of a byte that are left. */
	*number(bytes: 1 | 2): Steps<number> {
		this.at = (this.at + 7) & ~7;
		return yield* this.bits(bytes * 8);
	}

	/** The symbol that a code gives the next bits. */
	*symbol({ mask, entries }: HuffmanCode): Steps<number> {
		for (;;) {
			const entry = entries[this.peek() & mask] ?? 0;
			const bits = entry & 15;
			if (bits > 0 && this.at + bits <= this.end) {
				this.at += bits;
				return entry >> 4;
			}
			if (this.at + MAX_CODE_BITS <= this.end) throw damaged('an unknown code');
			yield* this.more();
		}
	}

	/** At least 25 bits. */
	private peek(): number {
		return this.view.getUint32(this.at >>> 3, true) >>> (this.at & 7);
	}
}

/** @param what the file has, though no valid one does */
export function damaged(what: string): FileError {
	return new FileError(`The gzip file is damaged: it has ${what}`);
}
