/**
 * Bounds how many bytes are in flight. Whoever reads entries from a file waits for room, so the memory in use does not
 * grow with the file. Several files may share a budget.
 */
export class Budget {
	private bytes = 0;
	private waiting: Array<() => void> = [];

	/** @param maxBytes of all that is in flight; the last entries that are taken may exceed it */
	constructor(private readonly maxBytes: number) {}

	/** Whether nothing more should be read. */
	get isFull(): boolean {
		return this.bytes >= this.maxBytes;
	}

	/** Takes these bytes, also if there is no room. */
	take(bytes: number): void {
		this.bytes += bytes;
	}

	/** Gives these bytes back. */
	release(bytes: number): void {
		this.bytes -= bytes;
		for (const wake of this.waiting.splice(0)) wake();
	}

	/** Resolves as soon as bytes are given back. */
	async nextRelease(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}
}
