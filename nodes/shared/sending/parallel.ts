export interface Consumer {
	/** Whether the consumer has left. In that case, no more results are needed. */
	readonly isAbandoned: boolean;
}

/**
 * Runs tasks concurrently. Passes their values to one consumer in order of arrival. A task waits until the consumer has
 * processed the value of the task. A slow consumer therefore slows the tasks down.
 */
export class Tasks<T> implements Consumer {
	private running = 0;
	private readonly onEnd: Array<() => void> = [];
	private readonly waiting: Array<{ value: T; consumed: () => void }> = [];
	private isClosed = false;
	private wake?: () => void;
	isAbandoned = false;

	constructor(private readonly max = Infinity) {}

	/**
	 * Starts a task even if the maximum has been reached. The caller should then call `nextSlot` and await its result.
	 *
	 * @param task must not reject
	 * @returns a promise that resolves when the task ends
	 */
	async start(task: () => Promise<void>): Promise<void> {
		this.running++;
		try {
			await task();
		} finally {
			this.running--;
			for (const resolve of this.onEnd.splice(0)) resolve();
		}
	}

	async nextSlot(): Promise<void> {
		while (this.running >= this.max) await this.nextEnd();
	}

	get isIdle(): boolean {
		return this.running === 0;
	}

	async nextEnd(): Promise<void> {
		await new Promise<void>((resolve) => this.onEnd.push(resolve));
	}

	/** Passes a value to the consumer. Resolves when the consumer has processed the value or has left. */
	async put(value: T): Promise<void> {
		if (this.isClosed) return;
		await new Promise<void>((consumed) => {
			this.waiting.push({ value, consumed });
			this.wake?.();
		});
	}

	/** Lets `slices` yield the values that are still waiting, and then ends `slices`. Later values are dropped. */
	close(): void {
		this.isClosed = true;
		this.wake?.();
	}

	abandon(): void {
		this.isAbandoned = true;
		this.close();
		for (const { consumed } of this.waiting.splice(0)) consumed();
	}

	/** Each list contains all values that are waiting when the list is yielded. */
	async *slices(): AsyncGenerator<T[], void, undefined> {
		for (;;) {
			const next = this.waiting.splice(0);
			if (next.length > 0) {
				try {
					yield next.map(({ value }) => value);
				} finally {
					for (const { consumed } of next) consumed();
				}
			} else if (this.isClosed) return;
			else await new Promise<void>((wake) => (this.wake = wake));
		}
	}
}

/**
 * Runs tasks concurrently and yields their values in lists. A consumer that leaves early waits for the tasks that are
 * still running.
 *
 * @param max maximum number of concurrent tasks
 * @param feed starts the tasks
 * @throws the error that `feed` throws. It is thrown after all tasks have ended and all their values have been yielded.
 */
export async function* inParallel<T>(
	max: number,
	feed: (tasks: Tasks<T>) => Promise<void>,
): AsyncGenerator<T[], void, undefined> {
	const tasks = new Tasks<T>(max);
	const feeding = feed(tasks).finally(async () => {
		while (!tasks.isIdle) await tasks.nextEnd();
		tasks.close();
	});
	// The error is thrown below. Without this handler, Node.js would first report it as an unhandled rejection.
	feeding.catch(() => undefined);
	try {
		yield* tasks.slices();
	} finally {
		tasks.abandon();
		await feeding;
	}
}
