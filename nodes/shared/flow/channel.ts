/**
 * Hands values from many producers to one consumer, in order. A producer waits until the consumer
 * is through with its value: so a slow consumer slows the producers down.
 */
export class Channel<T> implements AsyncIterable<T> {
	private readonly waiting: Array<{ value: T; consumed: () => void }> = [];
	private closed: { error?: unknown } | undefined;
	private wake: () => void = () => undefined;

	/** @returns a promise that resolves when the consumer is through with the value, or has left */
	async put(value: T): Promise<void> {
		if (this.closed) return;
		await new Promise<void>((consumed) => {
			this.waiting.push({ value, consumed });
			this.wake();
		});
	}

	/** No more values will come: the consumer gets those that wait, then the end or the error. */
	close(end: { error?: unknown } = {}): void {
		this.closed ??= end;
		this.wake();
	}

	/** The consumer has left: nobody waits for it any longer. */
	abandon(): void {
		this.close();
		for (const { consumed } of this.waiting.splice(0)) consumed();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
		for (;;) {
			const next = this.waiting.shift();
			if (next !== undefined) {
				try {
					yield next.value;
				} finally {
					next.consumed();
				}
			} else if (this.closed) {
				if ('error' in this.closed) throw this.closed.error;
				return;
			} else {
				await new Promise<void>((wake) => (this.wake = wake));
			}
		}
	}
}
