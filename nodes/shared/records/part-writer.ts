/** A file of records, or one part of it. */
export interface Part {
	/** UTF-8. */
	buffer: Buffer;
	/** How many records it contains, a header not counted. */
	records: number;
	/** The length of the buffer. */
	bytes: number;
}

/** What a part has around its records. */
export interface Frame {
	before: string;
	between: string;
	after: string;
}

/** Each record is a line. */
export const LINES: Frame = { before: '', between: '\n', after: '\n' };

/** Where the first part begins to grow. */
const FIRST_BYTES = 64 * 1024;

/** Writes records into parts of limited size; memory holds one part. */
export class PartWriter {
	private buffer = Buffer.alloc(0);
	private bytes = 0;
	private records = 0;
	/** Size of the previous part's buffer. The next part begins with it, to avoid growing step by step. */
	private capacity = FIRST_BYTES;
	private readonly afterBytes: number;

	/**
	 * @param maxBytes of a part; a larger record gets a part of its own
	 * @param frame what each part begins with and ends with, and what separates its records
	 */
	constructor(
		private readonly maxBytes: number,
		private readonly frame: Frame = LINES,
	) {
		this.afterBytes = Buffer.byteLength(frame.after);
	}

	/**
	 * Adds a record.
	 *
	 * @returns the part that is complete because the record did not fit into it
	 */
	add(text: string): Part | undefined {
		const { before, between } = this.frame;
		const besides = Buffer.byteLength(between) + this.afterBytes;
		const size = this.bytes + Buffer.byteLength(text) + besides;
		const part = this.records > 0 && size > this.maxBytes ? this.end() : undefined;
		this.write(this.records === 0 ? before : between);
		// Written separately, since joining it to a separator would copy a long text.
		this.write(text);
		this.records++;
		return part;
	}

	/** @returns the last part; undefined if it has no records */
	end(): Part | undefined {
		if (this.records === 0) return undefined;
		this.write(this.frame.after);
		const buffer = this.buffer.subarray(0, this.bytes);
		const part = { buffer, records: this.records, bytes: this.bytes };
		this.capacity = this.buffer.length;
		this.buffer = Buffer.alloc(0);
		this.bytes = 0;
		this.records = 0;
		return part;
	}

	private write(text: string): void {
		const needed = this.bytes + Buffer.byteLength(text);
		if (needed > this.buffer.length) this.grow(needed);
		this.bytes += this.buffer.write(text, this.bytes);
	}

	/** Doubles the buffer, so that a small file takes little memory. */
	private grow(needed: number): void {
		const next = Math.max(this.capacity, 2 * this.buffer.length);
		const larger = Buffer.alloc(Math.max(needed, Math.min(next, this.maxBytes)));
		this.buffer.copy(larger, 0, 0, this.bytes);
		this.buffer = larger;
	}
}
