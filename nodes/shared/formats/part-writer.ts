/** A complete file of records, or one part of a larger file. */
export interface Part {
	buffer: Buffer;
	records: number;
}

export interface Frame {
	before: string;
	between: string;
	after: string;
}

export const LINES: Frame = { before: '', between: '\n', after: '\n' };

/**
 * If each short record were encoded separately, its
 * buffer would need more memory than the record.
 */
const BLOCK_CHARACTERS = 64 * 1024;

/** Writes records to files of limited size, called parts. Only one part is in memory at a time. */
export class PartWriter {
	private blocks: Buffer[] = [];
	private text = '';
	private bytes = 0;
	private records = 0;

	/** @param maxBytes maximum size of a part. A larger record becomes the only record in its part */
	constructor(
		private readonly maxBytes: number,
		private readonly frame: Frame = LINES,
	) {}

	/**
	 * Adds a record. If the record does not fit into the current part, a new part begins.
	 *
	 * @returns the finished part, or undefined if no new part began
	 */
	add(text: string): Part | undefined {
		const { before, between, after } = this.frame;
		const size = this.bytes + Buffer.byteLength(text) + Buffer.byteLength(between + after);
		const part = this.records > 0 && size > this.maxBytes ? this.end() : undefined;
		this.write((this.records === 0 ? before : between) + text);
		this.records++;
		return part;
	}

	/** @returns the part, or undefined if it contains no records */
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
