import { backoffMs, type RetryPolicy } from './backoff';

/** After fewer accepted requests than this, a refusal does not show how many a second are fine. */
const MIN_ACCEPTED = 10;
/** Rates are measured over this time, by which services count too. */
const PERIOD_MS = 1000;
/** While starts are spaced, less may have been sent than the service would have accepted. */
const HEADROOM = 1.25;
/** A refusal after so many accepted requests is one of few: it pauses, but slows nothing down. */
const SPARSE = 15;
/** Starts per millisecond. For a slower service pauses are enough, and starts are not spaced. */
const MIN_RATE = 3 / 1000;
/** After a refusal, starts continue at this share below the refused rate. */
const CUT = 0.1;
/** They are back at that rate after this time, as far above it after twice the time, and then soon much faster. */
const REGAIN_MS = 10_000;
/** How flat the curve is in between. */
const FLATNESS = 5;
/** At least this many pauses fit into the time that a request may wait. */
const MIN_TRIES = 10;
/** Timers are late: starts may come this much early to make up for it. */
const CATCH_UP_MS = 20;

/** What waits for its turn. */
export interface Waiting {
	/** It may be its turn now. */
	wake(): void;
	/** Whether it comes before all others. */
	readonly isFirst?: boolean;
}

/**
 * What a service can take, learned from what it refuses with 429: all that send to it with the same
 * credential share one. It narrows what runs at once, pauses, and spaces starts:
 *
 * - a refusal halves the window of tasks that run at once, once for all that were in flight; each full
 *   round of successes widens it by one, up to what its limiters allow together;
 * - a refusal pauses all starts, as long as the service asks or by backoff;
 * - once enough was accepted to tell the rate at which it was, starts are spaced just below that rate
 *   after a refusal; the rate grows back to it, slowly beyond it, then fast;
 * - a refusal that comes after many successes only pauses: if there are too many requests, the next one is
 *   refused as well.
 *
 * A limiter waits in one place of the queue, however much it has to start, so all get the same share,
 * after those that come first.
 */
export class Throttle {
	/** What all limiters together allow to run at once. */
	private max = 0;
	private running = 0;
	/** Tasks that may run at once now. */
	private window = Infinity;
	/** Successes of the round after which the window widens. */
	private inRound = 0;
	private started = 0;
	/** Tasks up to this ticket were in flight at the last refusal: a refusal of these says nothing new. */
	private refusedUpTo = 0;
	private pausedUntil = -Infinity;
	/** Refusals since the last success. */
	private refusals = 0;
	private firstRefusal: number | undefined;
	/** Starts per millisecond at the last refusal that said something about it. */
	private refusedRate = Infinity;
	private slowedAt = 0;
	private nextStart = -Infinity;
	/** Successes since the last refusal. */
	private successes = 0;
	/** Successes since the rate was measured last. */
	private accepted = 0;
	/** Those of a period, and the most in any. */
	private inPeriod = 0;
	private periodStart = -Infinity;
	private mostInPeriod = 0;
	private readonly queue: Waiting[] = [];

	/** A limiter begins to use it. */
	join(max: number): void {
		this.max += max;
	}

	/** @returns whether no limiter uses it any longer */
	leave(max: number): boolean {
		this.max -= max;
		return this.max === 0;
	}

	/** Since when everything has been refused; undefined if the last answer was no refusal. */
	get refusedSince(): number | undefined {
		return this.firstRefusal;
	}

	/**
	 * Milliseconds until the next task of a limiter may start; Infinity until it is woken. The limiter
	 * keeps its place in the queue until it starts a task.
	 */
	delayMs(limiter: Waiting, now: number): number {
		if (!this.queue.includes(limiter)) this.enqueue(limiter);
		const isNext = this.queue[0] === limiter && this.running < this.window;
		return isNext ? Math.max(this.pausedUntil, this.nextStart) - now : Infinity;
	}

	private enqueue(limiter: Waiting): void {
		const place = limiter.isFirst ? this.queue.findIndex(({ isFirst }) => !isFirst) : -1;
		this.queue.splice(place < 0 ? this.queue.length : place, 0, limiter);
	}

	/** @returns the ticket of a task that starts, by which a refusal of it is dated */
	start(limiter: Waiting, now: number): number {
		const place = this.queue.indexOf(limiter);
		if (place >= 0) this.queue.splice(place, 1);
		this.nextStart = Math.max(this.nextStart, now - CATCH_UP_MS) + 1 / this.rateAt(now);
		this.running++;
		this.queue[0]?.wake();
		return ++this.started;
	}

	/** A task has ended, however it did. */
	end(): void {
		this.running--;
		this.queue[0]?.wake();
	}

	/** The service accepted a request. */
	succeeded(now: number): void {
		this.count(now);
		this.refusals = 0;
		this.firstRefusal = undefined;
		if (this.window === Infinity || ++this.inRound < this.window) return;
		this.inRound = 0;
		this.window = this.window + 1 < this.max ? this.window + 1 : Infinity;
		this.queue[0]?.wake();
	}

	/**
	 * The service refused a request because there are too many.
	 *
	 * @param ticket of the task that sent it
	 * @param askedMs how long the service asks to wait
	 * @param backoff how long to pause if it does not ask
	 */
	refused(
		now: number,
		random: number,
		ticket: number,
		askedMs: number,
		backoff?: RetryPolicy,
	): void {
		this.pausedUntil = Math.max(this.pausedUntil, now + askedMs);
		this.firstRefusal ??= now;
		const isSparse = this.successes >= SPARSE;
		this.successes = 0;
		if (ticket <= this.refusedUpTo) return;
		if (!isSparse) {
			this.refusedUpTo = this.started;
			this.inRound = 0;
			this.window = Math.max(1, Math.floor(Math.min(this.window, this.max) / 2));
			this.slowDown(now);
		}
		if (!backoff) return;
		const capMs = Math.min(backoff.capMs, backoff.maxRefusedMs / MIN_TRIES);
		const pauseMs = backoffMs(++this.refusals, { ...backoff, capMs }, random, askedMs);
		this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
	}

	/** Starts per millisecond now. */
	private rateAt(now: number): number {
		const regained = (now - this.slowedAt) / REGAIN_MS - 1;
		return this.refusedRate * (1 + CUT * regained ** FLATNESS);
	}

	private count(now: number): void {
		this.accepted++;
		this.successes++;
		if (now - this.periodStart >= PERIOD_MS) {
			this.periodStart = now;
			this.inPeriod = 0;
		}
		this.mostInPeriod = Math.max(this.mostInPeriod, ++this.inPeriod);
	}

	private slowDown(now: number): void {
		if (this.accepted < MIN_ACCEPTED) return;
		const measured = this.mostInPeriod / PERIOD_MS;
		const most = this.refusedRate < Infinity ? HEADROOM * measured : measured;
		this.refusedRate = Math.max(MIN_RATE, Math.min(this.rateAt(now), most));
		this.slowedAt = now;
		this.accepted = this.inPeriod = this.mostInPeriod = 0;
		this.periodStart = now;
	}
}
