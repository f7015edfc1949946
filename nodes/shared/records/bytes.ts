/** The bytes of a file, in chunks of any size. */
export type Bytes = AsyncIterable<Uint8Array>;

/** A file that cannot be read on: encoded otherwise, truncated or damaged. All before was returned. */
export class FileError extends Error {
	override readonly name = 'FileError';
}

/**
 * Reads the beginning of a file.
 *
 * @returns the first bytes, fewer than `length` only if the file is shorter or breaks off, and the whole
 *   file, which breaks off where the source does
 * @throws whatever breaks the source before its first byte
 */
export async function withHead(
	source: Bytes,
	length: number,
): Promise<{ head: Uint8Array; all: Bytes }> {
	const iterator = source[Symbol.asyncIterator]();
	let head: Uint8Array = new Uint8Array();
	let isDone = false;
	let broken: { reason: unknown } | undefined;
	try {
		while (head.length < length && !isDone) {
			const next = await iterator.next();
			if (next.done) isDone = true;
			else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
		}
	} catch (reason) {
		broken = { reason };
	}
	if (broken && head.length === 0) throw broken.reason;
	return { head: head.subarray(0, length), all: follow(head, iterator, broken) };
}

async function* follow(
	head: Uint8Array,
	iterator: AsyncIterator<Uint8Array>,
	broken: { reason: unknown } | undefined,
): AsyncGenerator<Uint8Array> {
	try {
		yield head;
		if (broken) throw broken.reason;
		for (let next = await iterator.next(); !next.done; next = await iterator.next())
			yield next.value;
	} finally {
		await iterator.return?.();
	}
}
