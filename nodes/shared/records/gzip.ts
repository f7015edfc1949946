import { FileError, type Bytes } from './bytes';

/** Whether a file with these first bytes is compressed with gzip. */
export function isGzip(head: Uint8Array): boolean {
	return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses gzip as it arrives, no further ahead than it is read.
 *
 * @param turn ends when everything else in the event loop has had its turn
 * @throws {FileError} if the compressed file is damaged, or truncated, and whatever breaks the source,
 *   both after all before that was returned
 */
export async function* gunzip(
	source: Bytes,
	turn: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
	const { readable, writable } = new DecompressionStream('gzip');
	const writer: WritableStreamDefaultWriter = writable.getWriter();
	const output = new Output(readable);
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
		// What is not read before an error is lost, and a truncated file fails when it is closed.
		for (await turn(); output.isReady; await turn()) {
			const next = await output.take();
			if (!next) return;
			yield next;
		}
		if (input.broken) throw input.broken.reason;
		void succeeds(writer.close());
		for (let next = await output.take(); next; next = await output.take()) yield next;
	} finally {
		await output.cancel();
		await succeeds(writer.abort());
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
	private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
	private read: Watched<ReadResult>;

	constructor(readable: ReadableStream<Uint8Array>) {
		this.reader = readable.getReader();
		this.read = this.begin();
	}

	/** Whether `take` would not have to wait. */
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
		this.read = this.begin();
		return value;
	}

	async cancel(): Promise<void> {
		await succeeds(this.reader.cancel());
	}

	private begin(): Watched<ReadResult> {
		return watched(this.reader.read().catch(fail));
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
