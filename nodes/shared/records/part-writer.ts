/** A file of records, or one part of it. */
export interface Part {
	/** UTF-8. */
	buffer: Buffer;
	/** How many records it contains, a header not counted. */
	records: number;
}

/** What a part has around its records. */
export interface Frame {
	before: string;
	between: string;
	after: string;
}

/** Each record is a line. */
export const LINES: Frame = { before: '', between: '\n', after: '\n' };

/** Text that is encoded at once: a buffer for each short record would take more memory than the record. */
const BLOCK_CHARACTERS = 64 * 1024;

/** Writes records into parts of limited size; memory holds one part. */
export class PartWriter {
	/** What the part has so far, and the text that is not yet encoded. */
	private blocks: Buffer[] = [];
	private text = '';
	private bytes = 0;
	private records = 0;

	/**
	 * @param maxBytes of a part; a larger record gets a part of its own
	 * @param frame what each part begins with and ends with, and what separates its records
	 */
	constructor(
		private readonly maxBytes: number,
		private readonly frame: Frame = LINES,
	) {}

	/**
	 * Adds a record.
	 *
	 * @returns the part that is complete because the record did not fit into it
	 */
	add(text: string): Part | undefined {
		const { before, between, after } = this.frame;
		const size = this.bytes + Buffer.byteLength(text) + Buffer.byteLength(between + after);
		const part = this.records > 0 && size > this.maxBytes ? this.end() : undefined;
		this.write((this.records === 0 ? before : between) + text);
		this.records++;
		return part;
	}

	/** @returns the last part; undefined if it has no records */
	end(): Part | undefined {
		if (this.records === 0) return undefined;
		this.write(this.frame.after);
		const buffer = Buffer.concat([...this.blocks, Buffer.from(this.text)]);
		const part = { buffer, records: this.records };
		this.blocks = [];
		this.text = '';
		this.bytes = 0;
		this.records = 0;
		return part;
	}

	private write(text: string): void {
		this.text += text;
		this.bytes += Buffer.byteLength(text);
		if (this.text.length < BLOCK_CHARACTERS) return;
		this.blocks.push(Buffer.from(this.text));
		this.text = '';
	}
}
