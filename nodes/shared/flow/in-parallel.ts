import { Channel, produced } from './channel';

/** Tasks that run side by side, and what they pass to one consumer. */
export class Tasks<T> extends Channel<T> {
	private running = 0;
	private onRoom: () => void = () => undefined;

	constructor(private readonly max: number) {
		super();
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
			this.onRoom();
		}
	}

	/** Waits until there is room for one more task. */
	async room(): Promise<void> {
		await this.atMost(this.max - 1);
	}

	/** Waits until all tasks have ended. */
	async allEnded(): Promise<void> {
		await this.atMost(0);
	}

	private async atMost(count: number): Promise<void> {
		while (this.running > count) await new Promise<void>((done) => (this.onRoom = done));
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
	const tasks = new Tasks<T>(max);
	return produced(tasks, async () => {
		try {
			await feed(tasks);
		} finally {
			await tasks.allEnded();
		}
	});
}
