/** How much a window holds. */
export interface WindowLimits {
	count: number;
	bytes: number;
}

/**
 * Bounds what is between two ends of a pipeline, by count and bytes: entries are admitted at one end
 * and released at the other. The last entry admitted may exceed the bytes, so that entries which wait
 * to fill a batch never wait for themselves: as long as they are below both limits, more come.
 */
export class Window {
	count = 0;
	private bytes = 0;
	private wake: () => void = () => undefined;
	private isClosed = false;

	constructor(private readonly limits: WindowLimits) {}

	/**
	 * Waits until there is room for one more entry; for one caller at a time.
	 *
	 * @returns whether the entry was admitted: not after `close`
	 */
	async admit(bytes: number): Promise<boolean> {
		while (
			!this.isClosed &&
			(this.count >= this.limits.count || this.bytes >= this.limits.bytes)
		) {
			await new Promise<void>((resolve) => (this.wake = resolve));
		}
		if (this.isClosed) return false;
		this.count++;
		this.bytes += bytes;
		return true;
	}

	/** Nothing more is admitted: nobody releases entries any longer. */
	close(): void {
		this.isClosed = true;
		this.wake();
	}

	release(bytes: number): void {
		this.count--;
		this.bytes -= bytes;
		this.wake();
	}
}
