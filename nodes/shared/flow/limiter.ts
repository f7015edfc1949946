import { MAX_RETRY_AFTER_MS } from './backoff';
import type { Clock } from './clock';

/** Longest single sleep: what is left of one when all pauses end goes on for no longer than that. */
const SLEEP_SLICE_MS = 500;

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
	private readonly sleeping = new Set<() => void>();
	private hasEnded = false;

	/**
	 * @param max tasks that may run at once at most
	 * @param clock ends all pauses with an error when the run is cancelled
	 */
	constructor(
		private readonly max: number,
		private readonly clock: Clock,
	) {
		this.window = max;
	}

	/**
	 * Runs a task as soon as there is room, after any pause the service asked for.
	 *
	 * @param task gets its ticket, by which `throttled` knows when it began
	 * @returns what the task returns
	 * @throws what the task throws; the clock's error, without running it, on a cancel in a pause
	 */
	async run<T>(task: (ticket: number) => Promise<T>): Promise<T> {
		while (this.running >= this.window) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		this.running++;
		try {
			// Another task may have been asked for a longer pause meanwhile.
			for (let pauseMs; (pauseMs = this.pausedUntil - this.clock.now()) > 0; ) {
				if (this.hasEnded) break;
				await this.sleep(pauseMs);
			}
			return await task(++this.started);
		} finally {
			this.running--;
			this.wake();
		}
	}

	/**
	 * Sleeps until the time is over or `end` is called, in parts, so that the clock is not kept busy
	 * long after that.
	 *
	 * @throws the clock's error on a cancel
	 */
	async sleep(ms: number): Promise<void> {
		const until = this.clock.now() + ms;
		for (let left = ms; left > 0 && !this.hasEnded; left = until - this.clock.now()) {
			const slice = this.clock.sleep(Math.min(left, SLEEP_SLICE_MS));
			await new Promise<void>((resolve, reject) => {
				this.sleeping.add(resolve);
				void slice.then(resolve, reject).finally(() => this.sleeping.delete(resolve));
			});
		}
	}

	/** Nothing is to be sent any more: ends all sleeps and pauses, those to come included. */
	end(): void {
		this.hasEnded = true;
		for (const wake of this.sleeping) wake();
	}

	/** A request went well: the window may grow. */
	succeeded(): void {
		if (this.window < this.max && ++this.successes >= this.window) {
			this.successes = 0;
			this.window++;
			this.wake();
		}
	}

	/**
	 * The service asked for less: halves the window, once for the tasks that were under way, and
	 * pauses all for as long as it asked, five minutes at most.
	 *
	 * @param ticket of the task that was told so
	 */
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
