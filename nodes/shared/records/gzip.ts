import { FileError, type Bytes } from './bytes';

/** Whether a file with these first bytes is compressed with gzip. */
export function isGzip(head: Uint8Array): boolean {
	return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses gzip as it arrives, no further ahead than it is read.
 *
 * @throws {FileError} if the compressed file is truncated, or damaged, and whatever breaks the source;
 *   after all that comes before, except for a little before the place of a damage
 */
export async function* gunzip(source: Bytes): AsyncGenerator<Uint8Array> {
	const { readable, writable } = new DecompressionStream('gzip');
	const writer: WritableStreamDefaultWriter = writable.getWriter();
	const output = new Output(readable.getReader());
	const input: Input = {};
	try {
		for await (const piece of untilBroken(source, input)) {
			// Its errors show where it is read.
			const writing = watched(writer.write(piece));
			while (!writing.isSettled) {
				await Promise.race([output.ready, writing.settled]);
				if (!output.isReady) continue;
				const next = await output.take();
				if (!next) return;
				yield next;
			}
		}
		void succeeds(writer.close());
		const { pieces, broken } = await output.rest();
		yield* pieces;
		const ended = input.broken ?? broken;
		if (ended) throw ended.reason;
	} finally {
		// Not the reader: if that is canceled while data are on their way, Node.js throws, and nobody can catch it.
		void succeeds(writer.abort(new Error('Nothing more is read')));
	}
}

interface Input {
	/** Why it ended early. */
	broken?: { reason: unknown };
}

async function* untilBroken(source: Bytes, input: Input): AsyncGenerator<Uint8Array> {
	try {
		yield* source;
	} catch (reason) {
		input.broken = { reason };
	}
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

/** What comes out of the decompression. */
class Output {
	private begun: Watched<ReadResult> | undefined;

	constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

	/** Whether `take` need not wait. */
	get isReady(): boolean {
		return this.read.isSettled;
	}

	/** Until `isReady`. */
	get ready(): Promise<unknown> {
		return this.read.settled;
	}

	/**
	 * @returns the next piece; undefined at the end
	 * @throws {FileError} if there is none because the file is truncated or damaged
	 */
	async take(): Promise<Uint8Array | undefined> {
		const { value } = await this.read.promise;
		this.begun = undefined;
		return value;
	}

	/**
	 * All that is left once everything was written, which is little: read at once, since an error, such
	 * as that of a truncated file, discards what nobody has read.
	 */
	async rest(): Promise<Input & { pieces: Uint8Array[] }> {
		const pieces: Uint8Array[] = [];
		try {
			for (let next = await this.take(); next; next = await this.take()) pieces.push(next);
			return { pieces };
		} catch (reason) {
			return { pieces, broken: { reason } };
		}
	}

	private get read(): Watched<ReadResult> {
		this.begun ??= watched(this.reader.read().catch(fail));
		return this.begun;
	}
}

/** A promise of which it is known whether it is settled. */
interface Watched<T> {
	promise: Promise<T>;
	/** Never rejects. */
	settled: Promise<unknown>;
	isSettled: boolean;
}

function watched<T>(promise: Promise<T>): Watched<T> {
	const all = { promise, settled: succeeds(promise), isSettled: false };
	void all.settled.then(() => (all.isSettled = true));
	return all;
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
	return await work.then(
		() => true,
		() => false,
	);
}

function fail(error: unknown): never {
	const { code, message } = error as { code?: unknown; message: string };
	throw new FileError(
		code === 'Z_BUF_ERROR'
			? 'The gzip file ends early: it is truncated'
			: `The gzip file is damaged: ${message}`,
	);
}
