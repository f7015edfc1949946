import { FileError, type Bytes } from './bytes';
import { completeBytes, encodingOf, type Encoding } from './encoding';
import { gunzip, isGzip } from './gzip/gzip';
import { peek } from './peek';

/** A file may arrive as one chunk of hundreds of megabytes; no step works on more than this. */
export const SLICE_BYTES = 64 * 1024;

/** Enough to recognize how a file is encoded. */
const HEAD_BYTES = 4;

/**
 * Reads the text of a file: UTF-8 with or without a byte order mark, or UTF-16 with one, and either
 * of them compressed with gzip.
 *
 * @param breathe called before each slice, compressed ones included, so that others can use the event
 *   loop; reading ends with what it throws
 * @returns the text in slices of up to 64 KB, without the byte order mark
 * @throws {FileError} if the file is encoded or compressed otherwise, or damaged, after all text before
 *   that was returned; and whatever breaks the source
 */
export async function* textOf(
	source: Bytes,
	breathe: () => Promise<void> = async () => {},
): AsyncGenerator<string> {
	let file = await withHead(sliced(source, breathe));
	if (isGzip(file.head)) file = await withHead(sliced(gunzip(file.all), breathe));
	const encoding = encodingOf(file.head);
	const decoder = new SliceDecoder(encoding);
	let { markBytes } = encoding;
	for await (const slice of file.all) {
		yield* decoder.decode(slice.subarray(markBytes));
		markBytes = Math.max(0, markBytes - slice.length);
	}
	decoder.end();
}

async function* sliced(source: Bytes, breathe: () => Promise<void>): AsyncGenerator<Uint8Array> {
	for await (const chunk of source) {
		for (let from = 0; from === 0 || from < chunk.length; from += SLICE_BYTES) {
			await breathe();
			yield chunk.subarray(from, from + SLICE_BYTES);
		}
	}
}

async function withHead(source: Bytes): Promise<{ head: Uint8Array; all: Bytes }> {
	let head: Uint8Array = new Uint8Array();
	const { all } = await peek(source, (piece) => {
		head = Buffer.concat([head, piece]).subarray(0, HEAD_BYTES);
		return head.length === HEAD_BYTES;
	});
	return { head, all };
}

/** Decodes slice by slice; unlike a streaming TextDecoder, it knows where the text is wrong. */
class SliceDecoder {
	private readonly decoder: InstanceType<typeof TextDecoder>;
	private readonly encoding: Encoding['name'];
	/** Where in the file the next character begins. */
	private offset: number;
	/** What was read of that character. */
	private rest: Uint8Array = new Uint8Array();

	constructor({ name, markBytes }: Encoding) {
		this.encoding = name;
		this.decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
		this.offset = markBytes;
	}

	*decode(slice: Uint8Array): Generator<string> {
		const bytes = this.rest.length === 0 ? slice : Buffer.concat([this.rest, slice]);
		const complete = completeBytes(bytes, this.encoding);
		const text = this.attempt(bytes.subarray(0, complete));
		if (text === undefined) {
			const valid = this.validBytes(bytes);
			yield this.decoder.decode(bytes.subarray(0, valid));
			const wrong = (bytes[valid] ?? 0).toString(16).padStart(2, '0');
			throw new FileError(
				`The file is not valid ${this.encoding.toUpperCase()} at byte ${this.offset + valid} (0x${wrong}): save it as UTF-8`,
			);
		}
		yield text;
		this.offset += complete;
		// A copy, so that the slice can be freed.
		this.rest = new Uint8Array(bytes.subarray(complete));
	}

	end(): void {
		if (this.rest.length > 0)
			throw new FileError('The file ends within a character: it is truncated');
	}

	/** @returns undefined if the bytes are not valid */
	private attempt(bytes: Uint8Array): string | undefined {
		try {
			return this.decoder.decode(bytes);
		} catch {
			return undefined;
		}
	}

	/** How many bytes come before the first invalid one. Found by bisection, since the decoder does not tell. */
	private validBytes(bytes: Uint8Array): number {
		const characters = (length: number) =>
			completeBytes(bytes.subarray(0, length), this.encoding);
		let valid = 0;
		for (let invalid = bytes.length; invalid - valid > 1; ) {
			const middle = Math.floor((valid + invalid) / 2);
			if (this.attempt(bytes.subarray(0, characters(middle))) === undefined) invalid = middle;
			else valid = middle;
		}
		return characters(valid);
	}
}
