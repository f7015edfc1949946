import type { TextEntry, TextRef } from '../texts/text';

/** Maximum bytes of texts of files that wait for their chunks; a short text counts as a 500th. */
const MAX_BYTES = 8_000_000;
const BYTES_OF_TEXT = MAX_BYTES / 500;

/** Bounds how much of files is in memory: no more texts are read while too many wait for their chunks. */
export class Room {
	private bytes = 0;
	private isClosed = false;
	private wake: () => void = () => undefined;

	/** Passes texts on as soon as there is room; for one caller at a time. */
	async *admitted(
		slices: AsyncIterable<TextEntry[]>,
	): AsyncGenerator<TextEntry[], void, undefined> {
		for await (const slice of slices) {
			while (!this.isClosed && this.bytes >= MAX_BYTES)
				await new Promise<void>((resolve) => (this.wake = resolve));
			yield slice;
		}
	}

	/** These texts wait for their chunks. */
	take(refs: readonly TextRef[]): void {
		this.bytes += bytesOf(refs);
	}

	/** These texts have left the memory. */
	release(refs: readonly TextRef[]): void {
		this.bytes -= bytesOf(refs);
		this.wake();
	}

	/** Nothing waits any longer: nobody makes room. */
	close(): void {
		this.isClosed = true;
		this.wake();
	}
}

const bytesOf = (refs: readonly TextRef[]): number =>
	refs.reduce(
		(sum, { record }) => sum + Math.max(BYTES_OF_TEXT, Buffer.byteLength(record?.text ?? '')),
		0,
	);

/** Whether texts that are held back would take so much of a room that too little is left for others. */
export const areMany = (held: readonly TextRef[]): boolean => bytesOf(held) >= MAX_BYTES / 2;
