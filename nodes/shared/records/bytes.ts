/** The bytes of a file, in chunks of any size. */
export type Bytes = AsyncIterable<Uint8Array>;

/** A file that cannot be read on: encoded otherwise, truncated or damaged. All before was returned. */
export class FileError extends Error {
	override readonly name = 'FileError';
}
