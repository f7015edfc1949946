import { binaryKindOf, HEAD_BYTES, isGzip, showsKind } from './file-kinds';

/** A file's bytes, in chunks of any size. */
export type Bytes = AsyncIterable<Uint8Array>;

/**
 * Thrown if the rest of a file cannot be read because the file is truncated, damaged or of the wrong type. All text
 * before the error has already been returned.
 */
export class FileError extends Error {
	override readonly name = 'FileError';

	/** @param advice what the user should do. The default is the advice for a damaged file */
	constructor(
		message: string,
		readonly advice = 'Fetch the file again.',
	) {
		super(message);
	}
}

/**
 * n8n may deliver a file of hundreds of megabytes as a single chunk, which is
 * too much to process in one step.
 */
export const SLICE_BYTES = 64 * 1024;

/**
 * Reads a text file's bytes in slices of up to 64 KB. A gzip file is decompressed.
 *
 * @param yieldToOthers function that is called before each slice, so that other work can use the event loop. If the
 *   function throws an error, reading ends
 * @param isUtf16 whether the text is known to be UTF-16
 * @returns `head` with the first bytes of the file, and `all` with all bytes, including the first bytes
 * @throws {FileError} if the file is not text, or if a compressed file is damaged or ends early. Errors from the source
 *   are rethrown unchanged
 */
export async function readBytes(
	source: Bytes,
	yieldToOthers: () => Promise<void>,
	isUtf16 = false,
): Promise<{ head: Uint8Array; all: Bytes }> {
	let file = await readHead(toSlices(source, yieldToOthers));
	if (isGzip(file.head)) file = await readHead(toSlices(gunzip(file.all), yieldToOthers));
	const kind = binaryKindOf(file.head, isUtf16);
	if (kind) throw new FileError(`The file is ${kind.name}`, kind.advice);
	return file;
}

async function* toSlices(
	source: Bytes,
	yieldToOthers: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
	for await (const chunk of source) {
		for (let from = 0; from === 0 || from < chunk.length; from += SLICE_BYTES) {
			await yieldToOthers();
			yield chunk.subarray(from, from + SLICE_BYTES);
		}
	}
}

async function readHead(source: Bytes): Promise<{ head: Uint8Array; all: Bytes }> {
	const { first = new Uint8Array(), all } = await peek(
		source,
		(before, next) => Buffer.concat([before, next]),
		showsKind,
	);
	return { head: first.subarray(0, HEAD_BYTES), all };
}

/**
 * Decompresses gzip data slice by slice, no faster than the caller reads the output. A file may consist of several
 * concatenated gzip files. Node.js 20 and 22 read all of them, but Node.js 24 rejects everything after the first one.
 */
async function* gunzip(source: Bytes): AsyncGenerator<Uint8Array> {
	const iterator = source[Symbol.asyncIterator]();
	let isAwaited = false;
	let hasStopped = false;
	let wake = (): void => undefined;
	const compressed = new ReadableStream({
		pull: async (controller) => {
			// Without this wait, the stream would read thousands of slices ahead.
			if (!isAwaited) await new Promise<void>((resolve) => (wake = resolve));
			const next = hasStopped ? undefined : await iterator.next();
			if (next?.done === false) controller.enqueue(next.value);
			else controller.close();
		},
	});
	const reader = compressed.pipeThrough(new DecompressionStream('gzip')).getReader();
	const read = async () => {
		isAwaited = true;
		wake();
		const { value } = await reader.read();
		isAwaited = hasStopped;
		return value as Uint8Array | undefined;
	};
	try {
		for (let piece = await read(); piece !== undefined; piece = await read()) yield piece;
	} catch (error) {
		throw gzipError(error as Error);
	} finally {
		// Node.js may crash if a DecompressionStream is canceled. Therefore, the rest of the stream's output is read
		// and ignored.
		hasStopped = true;
		void drain(read);
		await iterator.return?.();
	}
}

async function drain(read: () => Promise<unknown>): Promise<void> {
	try {
		while ((await read()) !== undefined);
	} catch {
		// Nothing uses this stream anymore, so its errors do not matter.
	}
}

function gzipError(error: Error & { code?: unknown }): Error {
	const code = String(error.code);
	if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END')
		return new FileError(
			'The file continues after its first gzip member',
			'Write it as one member, for example with gzip -dc | gzip.',
		);
	if (code === 'Z_BUF_ERROR')
		return new FileError('The gzip file ends early, so it is truncated');
	if (!code.startsWith('Z_')) return error;
	const { message } = (error.cause as Error | undefined) ?? error;
	return new FileError(`The gzip file is damaged: ${message}`);
}

/**
 * Reads the beginning of a stream.
 *
 * @param join function that joins two pieces
 * @param isEnough function that returns true if the pieces read so far are enough
 * @returns `first`, which is the beginning, and `all`, which is the whole stream. If the stream is empty,
 *   `first` is undefined. If the stream fails at its beginning, `all` returns what was read before it fails
 */
export async function peek<T>(
	source: AsyncIterable<T>,
	join: (before: T, next: T) => T,
	isEnough: (beginning: T) => boolean,
): Promise<{ first: T | undefined; all: AsyncIterable<T> }> {
	const rest = source[Symbol.asyncIterator]();
	let first: T | undefined;
	let interruption: { reason: unknown } | undefined;
	try {
		for (let next = await rest.next(); !next.done; next = await rest.next()) {
			first = first === undefined ? next.value : join(first, next.value);
			if (isEnough(first)) break;
		}
	} catch (reason) {
		interruption = { reason };
	}
	if (first === undefined && interruption) throw interruption.reason;
	return { first, all: resume(first, rest, interruption) };
}

async function* resume<T>(
	first: T | undefined,
	rest: AsyncIterator<T>,
	interruption: { reason: unknown } | undefined,
): AsyncGenerator<T> {
	try {
		if (first !== undefined) yield first;
		if (interruption) throw interruption.reason;
		for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
	} finally {
		await rest.return?.();
	}
}
