import { Window, type WindowLimits } from '../../shared/flow/window';
import type { SourceRecord } from '../../shared/records/record';
import { isFileText, type FileText } from './file-texts';
import type { ChunkOptions } from '../parameters';
import type { TextRef } from './text';

/**
 * Bounds how many texts of files are held, and the bytes of their records. A text needs its room from
 * when it is read until nothing of it is kept any longer: with Keep Order, until its chunks are written.
 */
export class TextWindow {
	/** Maximum of texts in a request: fewer than the window holds, so that one can be filled. */
	readonly textsPerRequest: number;
	private readonly limits: WindowLimits;
	private readonly window: Window;
	/** Maximum bytes of the records of a request; a larger one counts as that, so that it has room. */
	private readonly bytesPerRequest: number;
	/** Bytes of the texts, by record, that wait for others and do nothing to make room themselves. */
	private readonly waiting = new Map<SourceRecord, number>();
	private waitingBytes = 0;

	constructor({ textsInFlight, bytesInFlight, bytesPerRequest, textsPerRequest }: ChunkOptions) {
		// A request has so many bytes of texts, and of what else their records have. It never fills more
		// than half of the window: texts that wait to fill it would wait for themselves.
		this.bytesPerRequest = Math.max(bytesInFlight / 2, 2 * bytesPerRequest);
		this.limits = { count: textsInFlight, bytes: 2 * this.bytesPerRequest };
		this.window = new Window(this.limits);
		this.textsPerRequest = Math.min(textsPerRequest, textsInFlight - 1);
	}

	/**
	 * Waits until there is room for one more text; for one caller at a time.
	 *
	 * @returns whether the text was admitted: not after `close`
	 */
	async admit(text: FileText): Promise<boolean> {
		return await this.window.admit(this.bytesOf(text));
	}

	/**
	 * These texts are held until another one has been answered: their request failed, or they were
	 * answered before their turn.
	 */
	wait(refs: TextRef[]): void {
		for (const text of refs.filter(isFileText)) {
			if (this.waiting.has(text.record)) continue;
			this.waiting.set(text.record, this.bytesOf(text));
			this.waitingBytes += this.bytesOf(text);
		}
	}

	/** Nothing of these texts is kept any longer. */
	release(refs: TextRef[]): void {
		for (const text of refs.filter(isFileText)) {
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

	/** Nothing more is admitted: nobody makes room any longer. */
	close(): void {
		this.window.close();
	}

	private bytesOf({ bytes }: FileText): number {
		return Math.min(bytes, this.bytesPerRequest);
	}
}
