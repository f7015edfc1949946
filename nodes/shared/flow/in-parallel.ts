import { produced, type Channel } from './channel';

/** Tasks that run side by side, and one consumer of what they give. */
export class Tasks<T> {
	private running = 0;
	private wake: () => void = () => undefined;

	constructor(
		private readonly max: number,
		private readonly channel: Channel<T>,
	) {}

	/** The consumer has left: nothing more is to be started. */
	get isAbandoned(): boolean {
		return this.channel.isAbandoned;
	}

	/** Calls the listener when the consumer has left. */
	onAbandoned(listener: () => void): void {
		this.channel.onAbandoned = listener;
	}

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
			this.wake();
		}
	}

	/** Waits until there is room for one more task. */
	async room(): Promise<void> {
		await this.atMost(this.max - 1);
	}

	/** Waits until all tasks have ended. */
	async end(): Promise<void> {
		await this.atMost(0);
	}

	/** Passes a value to the consumer, and waits until it is processed. */
	async put(value: T): Promise<void> {
		await this.channel.put(value);
	}

	private async atMost(count: number): Promise<void> {
		while (this.running > count) await new Promise<void>((wake) => (this.wake = wake));
	}
}

/**
 * Runs tasks side by side: the concurrency of everything that sends. What the tasks put is returned in
 * slices. A slow consumer slows them down, and one that leaves early waits for the tasks that run.
 *
 * @param max maximum of tasks that run at once
 * @param feed starts the tasks
 * @throws what `feed` throws, after all tasks have ended
 */
export function inParallel<T>(
	max: number,
	feed: (tasks: Tasks<T>) => Promise<void>,
): AsyncGenerator<T[], void, undefined> {
	return produced(async (channel) => {
		const tasks = new Tasks(max, channel);
		try {
			await feed(tasks);
		} finally {
			await tasks.end();
		}
	});
}
