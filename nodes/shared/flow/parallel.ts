/** Whoever waits for results. */
export interface Consumer {
	/** It has left, so nothing more needs to be waited for. */
	readonly isAbandoned: boolean;
}

/**
 * Tasks that run side by side, and what they pass to one consumer, in order. A task waits until the consumer has
 * processed its value, so a slow consumer slows the tasks down.
 */
export class Tasks<T> implements Consumer {
	private running = 0;
	private following = 0;
	private readonly onEnd: Array<() => void> = [];
	private readonly waiting: Array<{ value: T; consumed: () => void }> = [];
	private isClosed = false;
	private wake?: () => void;
	/** The consumer has left: nothing more needs to be produced. */
	isAbandoned = false;

	/** @param max maximum of tasks that run at once */
	constructor(private readonly max = Infinity) {}

	/**
	 * Starts a task, also if there is no room: to be followed by `room`.
	 *
	 * @param task must not reject
	 * @returns its end
	 */
	async start(task: () => Promise<void>): Promise<void> {
		this.running++;
		try {
			await task();
		} finally {
			this.running--;
			this.announceEnd();
		}
	}

	/**
	 * Starts a task that takes no room, such as one that only waits.
	 *
	 * @param task must not reject
	 */
	async follow(task: () => Promise<void>): Promise<void> {
		this.following++;
		try {
			await task();
		} finally {
			this.following--;
			this.announceEnd();
		}
	}

	/** Waits until there is room for one more task. */
	async room(): Promise<void> {
		while (this.running >= this.max) await this.nextEnd();
	}

	/** Whether no task runs. */
	get isIdle(): boolean {
		return this.running + this.following === 0;
	}

	/** Resolves as soon as one more task has ended. */
	async nextEnd(): Promise<void> {
		await new Promise<void>((resolve) => this.onEnd.push(resolve));
	}

	private announceEnd(): void {
		for (const resolve of this.onEnd.splice(0)) resolve();
	}

	/** @returns a promise that resolves when the consumer has processed the value, or has left */
	async put(value: T): Promise<void> {
		if (this.isClosed) return;
		await new Promise<void>((consumed) => {
			this.waiting.push({ value, consumed });
			this.wake?.();
		});
	}

	/** No more values will come: the consumer gets those that wait, then the end. */
	close(): void {
		this.isClosed = true;
		this.wake?.();
	}

	/** The consumer has left: no task waits for it any longer. */
	abandon(): void {
		this.isAbandoned = true;
		this.close();
		for (const { consumed } of this.waiting.splice(0)) consumed();
	}

	/** Yields all values that wait, in one list. */
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
 * Runs tasks side by side: the concurrency of everything that sends. What the tasks put is returned in
 * slices. A slow consumer slows them down, and one that leaves early waits for the tasks that run.
 *
 * @param max maximum of tasks that run at once
 * @param feed starts the tasks
 * @throws what `feed` throws, after all tasks have ended and what they put has been returned
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
	// It is thrown below. Until then Node.js would take it for an error that nobody handles.
	feeding.catch(() => undefined);
	try {
		yield* tasks.slices();
	} finally {
		tasks.abandon();
		await feeding;
	}
}
