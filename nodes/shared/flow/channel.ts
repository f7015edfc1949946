/**
 * Passes values from many producers to one consumer, in order. A producer waits until the consumer
 * has processed its value, so a slow consumer slows the producers down.
 */
export class Channel<T> {
	private readonly waiting: Array<{ value: T; consumed: () => void }> = [];
	private end: { error?: unknown } | undefined;
	private wake: () => void = () => undefined;
	private tellAbandoned: () => void = () => undefined;
	/** The consumer has left: nothing more needs to be produced. */
	isAbandoned = false;

	/** Calls the listener when the consumer has left. */
	onAbandoned(listener: () => void): void {
		this.tellAbandoned = listener;
	}

	/** @returns a promise that resolves when the consumer has processed the value, or has left */
	async put(value: T): Promise<void> {
		if (this.end) return;
		await new Promise<void>((consumed) => {
			this.waiting.push({ value, consumed });
			this.wake();
		});
	}

	/** No more values will come: the consumer gets those that wait, then the end or the error. */
	close(end: { error?: unknown } = {}): void {
		this.end ??= end;
		this.wake();
	}

	/** The consumer has left: no producer waits for it any longer. */
	abandon(): void {
		this.isAbandoned = true;
		this.close();
		for (const { consumed } of this.waiting.splice(0)) consumed();
		this.tellAbandoned();
	}

	/** @returns all values that wait, in one list */
	async *slices(): AsyncGenerator<T[], void, undefined> {
		for (;;) {
			const next = this.waiting.splice(0);
			if (next.length > 0) {
				try {
					yield next.map(({ value }) => value);
				} finally {
					for (const { consumed } of next) consumed();
				}
			} else if (this.end) {
				if ('error' in this.end) throw this.end.error;
				return;
			} else {
				await new Promise<void>((wake) => (this.wake = wake));
			}
		}
	}
}

/**
 * Runs a producer beside the consumer of its values, which come in slices. A consumer that leaves early waits until the
 * producer has ended.
 *
 * @param channel what it puts its values into
 * @throws what the producer throws, after the values it has produced
 */
export async function* produced<T>(
	channel: Channel<T>,
	produce: () => Promise<void>,
): AsyncGenerator<T[], void, undefined> {
	const producing = produce().then(
		() => channel.close(),
		(error: unknown) => channel.close({ error }),
	);
	try {
		yield* channel.slices();
	} finally {
		channel.abandon();
		await producing;
	}
}
