import type { RunState } from './run-state';

/**
 * Limits the concurrent requests. Halves the bound when the service throttles, once
 * for all requests that were in flight at that time, and raises it by one with each full round of
 * successes.
 */
export class Limiter {
	/** Tasks that may run at once now. */
	private window: number;
	private running = 0;
	private successes = 0;
	private started = 0;
	/** Tasks up to this ticket do not halve the window again. */
	private halvedUpTo = 0;
	private pausedUntil = -Infinity;
	private readonly waiting: Array<() => void> = [];

	/**
	 * @param max maximum of tasks that run at once
	 * @param run ends all pauses when it ends
	 */
	constructor(
		private readonly max: number,
		private readonly run: RunState,
	) {
		this.window = max;
	}

	/**
	 * Runs a task as soon as there is room and any pause is over. A run that has ended meanwhile
	 * still gets its task called, which has to check that.
	 *
	 * @param task gets its ticket, by which `throttled` knows when it began
	 * @returns what the task returns
	 * @throws what the task throws
	 */
	async schedule<T>(task: (ticket: number) => Promise<T>): Promise<T> {
		while (this.running >= this.window) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		this.running++;
		try {
			// Another task may have been asked for a longer pause meanwhile.
			for (let ms; !this.run.ended && (ms = this.pausedUntil - this.run.now()) > 0; ) {
				await this.run.sleep(ms);
			}
			return await task(++this.started);
		} finally {
			this.running--;
			this.wake();
		}
	}

	/** A request succeeded: the window may grow. */
	succeeded(): void {
		if (this.window < this.max && ++this.successes >= this.window) {
			this.successes = 0;
			this.window++;
			this.wake();
		}
	}

	/**
	 * The service asked for fewer requests.
	 *
	 * @param ticket of the task that was told so
	 * @param pauseMs how long to start nothing
	 */
	throttled(ticket: number, pauseMs = 0): void {
		this.pausedUntil = Math.max(this.pausedUntil, this.run.now() + pauseMs);
		if (ticket <= this.halvedUpTo) return;
		this.halvedUpTo = this.started;
		this.successes = 0;
		this.window = Math.max(1, Math.floor(this.window / 2));
	}

	private wake(): void {
		for (let free = this.window - this.running; free > 0; free--) this.waiting.shift()?.();
	}
}
