import { FileError, type Bytes } from './bytes';

/** Whether a file with these first bytes is compressed with gzip. */
export function isGzip(head: Uint8Array): boolean {
	return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses gzip as it arrives, no further ahead than it is read.
 *
 * @throws {FileError} if the compressed file is truncated or damaged, and whatever breaks the source
 */
export async function* gunzip(source: Bytes): AsyncGenerator<Uint8Array> {
	const { readable, writable } = new DecompressionStream('gzip');
	const feeding = feed(source, writable.getWriter());
	const reader = readable.getReader();
	const next = () => reader.read().catch(async (error: unknown) => fail(error, await feeding));
	try {
		for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
	} finally {
		await succeeds(reader.cancel());
	}
}

/** @returns why the source ended early, if it did; faults of its content show where it is read */
async function feed(
	source: Bytes,
	writer: WritableStreamDefaultWriter,
): Promise<{ reason: unknown } | undefined> {
	try {
		for await (const piece of source) {
			if (!(await succeeds(writer.write(piece)))) return undefined;
		}
	} catch (reason) {
		await succeeds(writer.abort(reason));
		return { reason };
	}
	await succeeds(writer.close());
	return undefined;
}

async function succeeds(work: Promise<void>): Promise<boolean> {
	return await work.then(
		() => true,
		() => false,
	);
}

function fail(error: unknown, broken: { reason: unknown } | undefined): never {
	if (broken) throw broken.reason;
	const { code, message } = error as { code?: unknown; message: string };
	throw new FileError(
		code === 'Z_BUF_ERROR'
			? 'The gzip file ends early: it is truncated'
			: `The gzip file is damaged: ${message}`,
	);
}
