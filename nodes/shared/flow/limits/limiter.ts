import type { RetryPolicy } from './backoff';
import { Pace } from './pace';
import type { RunState } from '../run-state';
import { Throttle, type Waiting } from './throttle';

interface Waiter {
	/** By then it starts, even in a pause that the service asked for, though not faster than its pace. */
	until: number;
	waker: AbortController;
}

/** Limits the concurrent requests of one kind in a run, and starts no more than the service can take. */
export class Limiter implements Waiting {
	private running = 0;
	private readonly waiting: Waiter[] = [];

	/**
	 * @param max maximum of tasks that run at once
	 * @param run ends all waits when it ends
	 * @param throttle what the service can take; the caller joins and leaves it
	 * @param pace how many requests a minute are allowed; the caller joins and leaves it
	 * @param isFirst whether its tasks start before those of other limiters with the same throttle
	 */
	constructor(
		private readonly max: number,
		private readonly run: RunState,
		private readonly throttle = joined(max),
		readonly pace = new Pace(),
		readonly isFirst = false,
	) {}

	/** Since when the service has refused everything, by the clock of the run. */
	get refusedSince(): number | undefined {
		return this.throttle.refusedSince;
	}

	/**
	 * Runs a task as soon as there is room and the service can take it; tasks start in their order. A
	 * run that has ended meanwhile still gets its task called, which has to check that.
	 *
	 * @param task gets its ticket, by which `throttled` knows when it began
	 * @param until by then the task starts as soon as there is room, even in a pause of the service
	 * @returns what the task returns
	 * @throws what the task throws
	 */
	async schedule<T>(task: (ticket: number) => Promise<T>, until = Infinity): Promise<T> {
		const ticket =
			this.waiting.length === 0 && this.delayMs(true, until) <= 0
				? this.start()
				: await this.turn(until);
		try {
			return await task(ticket);
		} finally {
			this.running--;
			this.throttle.end();
			this.wake();
		}
	}

	/** A request succeeded: more may run at once. */
	succeeded(): void {
		this.throttle.succeeded(this.run.now());
	}

	/**
	 * The service asked for fewer requests.
	 *
	 * @param ticket of the task that was told so
	 * @param askedMs how long it asks to start nothing
	 * @param backoff how long to start nothing if it does not ask; without it, not at all
	 */
	throttled(ticket: number, askedMs = 0, backoff?: RetryPolicy): void {
		this.run.stats.throttled++;
		this.throttle.refused(this.run.now(), this.run.random(), ticket, askedMs, backoff);
	}

	/** Wakes the first that wait, as many as there is room for, and those whose time has come. */
	wake(): void {
		const now = this.run.now();
		let free = this.max - this.running;
		for (const waiter of this.waiting) {
			if (free <= 0) return;
			if (waiter !== this.waiting[0] && waiter.until > now) continue;
			waiter.waker.abort();
			free--;
		}
	}

	/** Waits for its turn and takes it. */
	private async turn(until: number): Promise<number> {
		const waiter = { until, waker: new AbortController() };
		this.waiting.push(waiter);
		for (let ms; (ms = this.delayMs(this.waiting[0] === waiter, until)) > 0; ) {
			waiter.waker = new AbortController();
			await this.run.sleep(ms, waiter.waker.signal);
		}
		this.waiting.splice(this.waiting.indexOf(waiter), 1);
		const ticket = this.start();
		this.wake();
		return ticket;
	}

	private delayMs(isFirst: boolean, until: number): number {
		if (this.run.ended) return 0;
		if (this.running >= this.max) return Infinity;
		const now = this.run.now();
		const delayMs = isFirst ? this.throttle.delayMs(this, now) : Infinity;
		return Math.max(Math.min(delayMs, until - now), this.pace.delayMs(now));
	}

	private start(): number {
		this.running++;
		this.pace.start(this.run.now());
		return this.throttle.start(this, this.run.now());
	}
}

/** A throttle of its own. */
function joined(max: number): Throttle {
	const throttle = new Throttle();
	throttle.join(max);
	return throttle;
}
