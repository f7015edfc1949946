import { Window, type WindowLimits } from '../../shared/flow/window';
import type { Sink } from '../../shared/n8n/sinks/sink';
import type { SourceRecord } from '../../shared/records/record';
import type { ChunkOptions } from '../parameters';
import type { TextEntry, TextRef } from './text';

/**
 * Limits how many texts of files are in memory, and the bytes of their records. A text counts from the
 * moment it is read until its chunks are returned; with Keep Order, until they are written.
 */
export class TextWindow {
	/** Maximum of texts in a request: fewer than the window holds, so that one can be filled. */
	readonly textsPerRequest: number;
	private readonly window: Window;
	/** Bytes of the texts that wait for other texts, by record. */
	private readonly waiting = new Map<SourceRecord, number>();
	private waitingBytes = 0;

	/** @param bytesPerRequest maximum of the records of a request; a larger record counts as this much, or it would never be admitted */
	private constructor(
		private readonly limits: WindowLimits,
		private readonly bytesPerRequest: number,
		textsPerRequest: number,
	) {
		this.window = new Window(limits);
		this.textsPerRequest = Math.min(textsPerRequest, limits.count - 1);
	}

	static of({ textsInFlight, bytesInFlight, bytesPerRequest, textsPerRequest }: ChunkOptions) {
		// A request has so many bytes of texts, and of what else their records have. It never fills more
		// than half of the window: texts that wait to fill it would wait for themselves.
		const bytes = Math.max(bytesInFlight / 2, 2 * bytesPerRequest);
		return new TextWindow({ count: textsInFlight, bytes: 2 * bytes }, bytes, textsPerRequest);
	}

	/** For texts that are in memory anyway, such as those of items. */
	static unlimited({ bytesPerRequest, textsPerRequest }: ChunkOptions) {
		const limits = { count: Infinity, bytes: Infinity };
		return new TextWindow(limits, bytesPerRequest, textsPerRequest);
	}

	/**
	 * Waits until there is room for one more text; for one caller at a time.
	 *
	 * @returns whether the text was admitted: not after `close`
	 */
	async admit(text: TextRef): Promise<boolean> {
		return await this.window.admit(this.bytesOf(text));
	}

	/**
	 * These texts are held until another one has been answered: their request failed, or they were
	 * answered before their turn.
	 */
	wait(refs: TextRef[]): void {
		for (const text of refs) {
			const { record } = text;
			if (record === undefined || this.waiting.has(record)) continue;
			this.waiting.set(record, this.bytesOf(text));
			this.waitingBytes += this.bytesOf(text);
		}
	}

	/** These texts have left the memory. */
	release(refs: TextRef[]): void {
		for (const text of refs) {
			if (text.record === undefined) continue;
			const bytes = this.bytesOf(text);
			if (this.waiting.delete(text.record)) this.waitingBytes -= bytes;
			this.window.release(bytes);
		}
	}

	/** Whether the texts that wait leave too little room to fill a request. */
	get isCrowded(): boolean {
		return (
			this.waiting.size + this.textsPerRequest >= this.limits.count ||
			this.waitingBytes + this.bytesPerRequest >= this.limits.bytes
		);
	}

	/** Whether it admits every text at once. */
	get isUnlimited(): boolean {
		return this.limits.count === Infinity;
	}

	/** Admits nothing more, so that nobody waits for room that no one will make. */
	close(): void {
		this.window.close();
	}

	private bytesOf({ bytes = 0 }: TextRef): number {
		return Math.min(bytes, this.bytesPerRequest);
	}
}

/** The texts of a source, each as soon as the window has room for it. */
export async function* admitted(
	slices: AsyncIterable<TextEntry[]>,
	sink: Sink,
	window: TextWindow,
): AsyncGenerator<TextEntry[], void, undefined> {
	// Saves a step for each text where none has to wait.
	if (window.isUnlimited) return yield* slices;
	for await (const slice of slices) {
		for (const [at, text] of slice.entries()) {
			// Nothing more is sent: the run has ended.
			if (!(await window.admit(text)))
				return await sink.skipped(slice.slice(at), () => ({ reason: undefined }));
			yield [text];
		}
	}
}
