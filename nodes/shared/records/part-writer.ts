/** A file of records, or one part of it. */
export interface Part {
	/** UTF-8. */
	buffer: Buffer;
	/** How many records it contains, a header not counted. */
	records: number;
	/** The length of the buffer. */
	bytes: number;
}

/** Where the first part begins to grow. */
const FIRST_BYTES = 64 * 1024;

/** From here a part gets its full size at once: to copy more would take too long for one step. */
const COPIED_BYTES = 4 * 1024 * 1024;

/** Writes records into parts of limited size; memory holds one part. */
export class PartWriter {
	private readonly header: string;
	private buffer = Buffer.alloc(0);
	private bytes = 0;
	private records = 0;
	/** Of the part before: the next one will need as much, and copies nothing to grow. */
	private capacity = FIRST_BYTES;

	/**
	 * @param maxBytes of a part; a larger record gets a part of its own
	 * @param header the first line of each part, without its line break; none if undefined
	 */
	constructor(
		private readonly maxBytes: number,
		header?: string,
	) {
		this.header = header === undefined ? '' : `${header}\n`;
	}

	/**
	 * Adds a record as a line.
	 *
	 * @returns the part that is complete because the record did not fit into it
	 */
	add(text: string): Part | undefined {
		const line = `${text}\n`;
		const isFull = this.records > 0 && this.bytes + Buffer.byteLength(line) > this.maxBytes;
		const part = isFull ? this.end() : undefined;
		if (this.records === 0) this.write(this.header);
		this.write(line);
		this.records++;
		return part;
	}

	/** @returns the last part; undefined if it has no records */
	end(): Part | undefined {
		if (this.records === 0) return undefined;
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

	private grow(needed: number): void {
		const { length } = this.buffer;
		const next = length >= COPIED_BYTES ? this.maxBytes : Math.max(this.capacity, 2 * length);
		const larger = Buffer.alloc(Math.max(needed, Math.min(next, this.maxBytes)));
		this.buffer.copy(larger, 0, 0, this.bytes);
		this.buffer = larger;
	}
}
