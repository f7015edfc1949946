import type { TextEntry, TextRef } from '../texts/text';

/** So many texts of files wait for their chunks at most, with so many bytes of their records. */
const MAX_TEXTS = 500;
const MAX_BYTES = 8_000_000;

/** Bounds how much of files is in memory: no more texts are read while too many wait for their chunks. */
export class Room {
	private texts = 0;
	private bytes = 0;
	private isClosed = false;
	private wake: () => void = () => undefined;

	/** Passes texts on as soon as there is room; for one caller at a time. */
	async *admitted(
		slices: AsyncIterable<TextEntry[]>,
	): AsyncGenerator<TextEntry[], void, undefined> {
		for await (const slice of slices) {
			while (!this.isClosed && (this.texts >= MAX_TEXTS || this.bytes >= MAX_BYTES))
				await new Promise<void>((resolve) => (this.wake = resolve));
			yield slice;
		}
	}

	/** These texts wait for their chunks. */
	take(refs: readonly TextRef[]): void {
		this.texts += refs.length;
		this.bytes += bytesOf(refs);
	}

	/** These texts have left the memory. */
	release(refs: readonly TextRef[]): void {
		this.texts -= refs.length;
		this.bytes -= bytesOf(refs);
		this.wake();
	}

	/** Whether texts that are held back take so much of the room that too little is left for others. */
	isCrowded(held: readonly TextRef[]): boolean {
		return bytesOf(held) >= MAX_BYTES / 2;
	}

	/** Nothing waits any longer: nobody makes room. */
	close(): void {
		this.isClosed = true;
		this.wake();
	}
}

const bytesOf = (refs: readonly TextRef[]): number =>
	refs.reduce((sum, { record }) => sum + Buffer.byteLength(record?.text ?? ''), 0);
