import { MAX_RETRY_AFTER_MS } from './backoff';
import type { Clock } from './clock';

/**
 * Bounds how many tasks run at once. Halves when the service is throttling, at most once for the
 * tasks that were under way at that time, and grows back by one for each full round of successes.
 */
export class Limiter {
	/** Tasks that may run at once now. */
	private window: number;
	private running = 0;
	private successes = 0;
	/** Tasks started before this one do not halve the window again. */
	private epoch = 0;
	private started = 0;
	private pausedUntil = 0;
	private readonly waiting: Array<() => void> = [];

	constructor(
		private readonly max: number,
		private readonly clock: Clock,
	) {
		this.window = max;
	}

	/** Runs a task as soon as there is room, after any pause the service asked for. */
	async run<T>(task: (ticket: number) => Promise<T>): Promise<T> {
		while (this.running >= this.window) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		this.running++;
		try {
			// Another task may have been asked for a longer pause meanwhile.
			for (let pauseMs; (pauseMs = this.pausedUntil - this.clock.now()) > 0; ) {
				await this.clock.sleep(pauseMs);
			}
			return await task(++this.started);
		} finally {
			this.running--;
			this.wake();
		}
	}

	/** A request went well: the window may grow. */
	succeeded(): void {
		if (this.window < this.max && ++this.successes >= this.window) {
			this.successes = 0;
			this.window++;
			this.wake();
		}
	}

	/** The service asked for less: halve the window and pause all for as long as it asked. */
	throttled(ticket: number, pauseMs = 0): void {
		this.pausedUntil = Math.max(
			this.pausedUntil,
			this.clock.now() + Math.min(pauseMs, MAX_RETRY_AFTER_MS),
		);
		if (ticket <= this.epoch) return;
		this.epoch = this.started;
		this.successes = 0;
		this.window = Math.max(1, Math.floor(this.window / 2));
	}

	private wake(): void {
		for (let free = this.window - this.running; free > 0; free--) this.waiting.shift()?.();
	}
}
