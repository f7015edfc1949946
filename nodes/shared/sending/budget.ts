/**
 * Limits how many bytes are in flight. A file reader waits until the budget has room, so memory use does not grow with
 * the file size. Several files can share one budget.
 */
export class Budget {
	private bytes = 0;
	private waiting: Array<() => void> = [];

	/**
	 * @param maxBytes limit for the total bytes in flight. The last entry can push the total past this limit, because
	 *   entries are not split
	 */
	constructor(private readonly maxBytes: number) {}

	get isFull(): boolean {
		return this.bytes >= this.maxBytes;
	}

	take(bytes: number): void {
		this.bytes += bytes;
	}

	release(bytes: number): void {
		this.bytes -= bytes;
		for (const wake of this.waiting.splice(0)) wake();
	}

	async nextRelease(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}
}
