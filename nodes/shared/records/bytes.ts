/** The bytes of a file, in chunks of any size. */
export type Bytes = AsyncIterable<Uint8Array>;

/** A file that cannot be read on: encoded otherwise, truncated or damaged. All before was returned. */
export class FileError extends Error {
	override readonly name = 'FileError';
}

/**
 * Reads the beginning of a file.
 *
 * @returns the first bytes, fewer than `length` only if the file is shorter, and the whole file
 */
export async function withHead(
	source: Bytes,
	length: number,
): Promise<{ head: Uint8Array; all: Bytes }> {
	const iterator = source[Symbol.asyncIterator]();
	let head: Uint8Array = new Uint8Array();
	let isDone = false;
	while (head.length < length && !isDone) {
		const next = await iterator.next();
		if (next.done) isDone = true;
		else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
	}
	return { head: head.subarray(0, length), all: follow(head, iterator) };
}

async function* follow(
	head: Uint8Array,
	iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
	try {
		yield head;
		for (let next = await iterator.next(); !next.done; next = await iterator.next())
			yield next.value;
	} finally {
		await iterator.return?.();
	}
}
