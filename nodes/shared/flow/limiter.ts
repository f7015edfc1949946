import type { RunState } from './run-state';

const MINUTE_MS = 60_000;
/** Share of a limit per minute that is used, since requests that start evenly may arrive closer together. */
const USED_SHARE = 0.95;
/** Timers are late: starts may come this much early to make up for it. */
const CATCH_UP_MS = 20;
/** At least so many successes make a round, so that slow services are not refused twice for each success. */
const MIN_ROUND = 4;
/** Bounds of the first and of any pause after a 429 without Retry-After. */
const REFUSED_PAUSE = { baseMs: 50, capMs: 30_000 };

/**
 * A pause before another attempt: exponential with full jitter, so that many workers do not repeat their
 * requests at the same moment.
 *
 * @param failures how many there were in a row, from 1
 * @param random from 0 up to 1
 * @param bounds `baseMs`: upper bound of the first pause, which doubles with each failure up to `capMs`
 */
export const backoffMs = (
	failures: number,
	random: number,
	{ baseMs, capMs }: { baseMs: number; capMs: number },
): number => random * Math.min(capMs, baseMs * 2 ** (failures - 1));

/** A request that waits for its turn. */
interface Waiter {
	readonly lane: Lane;
	/** It starts by then, even in a pause that the service asked for. */
	readonly until: number;
	/** Ends its sleep; a request that starts at once needs none. */
	waker?: AbortController;
}

/**
 * Limits what all runs of this process send to one service with one credential:
 *
 * - a refusal (429) halves the window of requests in flight, once for all that were in flight; each full
 *   round of successes widens it by one;
 * - a refusal pauses all starts, as long as the service asks or by backoff;
 * - a limit per minute spaces all starts evenly; of several limits the lowest counts.
 *
 * Shared by its lanes; only they use its members.
 */
export class Limiter {
	readonly lanes = new Set<Lane>();
	readonly waiting: Waiter[] = [];
	running = 0;
	/** Number of requests that may be in flight. */
	window = Infinity;
	/** Successes of the round after which the window widens. */
	inRound = 0;
	started = 0;
	/** Requests up to this ticket were in flight at the last refusal: their answers say nothing new. */
	refusedUpTo = 0;
	/** How far the pauses have grown: one more with a refusal, one less with a success. */
	refusals = 0;
	pausedUntil = -Infinity;
	nextStart = -Infinity;

	/** The request whose turn it is. */
	next(): Waiter | undefined {
		return this.waiting.find(({ lane }) => lane.running < lane.max);
	}

	/** Milliseconds between two starts. */
	intervalMs(): number {
		let least = Infinity;
		for (const { perMinute } of this.lanes) least = Math.min(least, perMinute || Infinity);
		return MINUTE_MS / (USED_SHARE * least);
	}
}

/** The requests of one kind in a run, of which so many are in flight at once. */
export class Lane {
	/** Requests in flight. */
	running = 0;

	/**
	 * Opens it, until `leave`.
	 *
	 * @param max maximum of its requests in flight
	 * @param perMinute maximum of requests per minute, 0 for none
	 */
	constructor(
		private readonly limiter: Limiter,
		private readonly run: RunState,
		readonly max: number,
		readonly perMinute = 0,
	) {
		limiter.lanes.add(this);
	}

	/**
	 * Sends a request as soon as it is its turn. If the run ends meanwhile, `send` is called all the same, and
	 * has to check that.
	 *
	 * @param send gets its ticket, which tells when it began
	 * @param until by then it starts as soon as the lane has room, even in a pause of the service
	 * @returns what `send` returns
	 * @throws what `send` throws
	 */
	async schedule<T>(send: (ticket: number) => Promise<T>, until = Infinity): Promise<T> {
		const { limiter, run } = this;
		const { waiting } = limiter;
		const waiter: Waiter = { lane: this, until };
		waiting.push(waiter);
		for (let ms; (ms = this.delayMs(waiter)) > 0; ) {
			waiter.waker = new AbortController();
			await run.sleep(ms, waiter.waker.signal);
		}
		waiting.splice(waiting.indexOf(waiter), 1);
		limiter.running++;
		this.running++;
		// After the end of the run, `send` sends nothing.
		if (!run.ended)
			limiter.nextStart =
				Math.max(limiter.nextStart, run.now() - CATCH_UP_MS) + limiter.intervalMs();
		limiter.next()?.waker?.abort();
		try {
			return await send(++limiter.started);
		} finally {
			limiter.running--;
			this.running--;
			limiter.next()?.waker?.abort();
		}
	}

	/** The service accepted the request with this ticket: more may be in flight. */
	succeeded(ticket: number): void {
		const { limiter } = this;
		limiter.refusals = Math.max(0, limiter.refusals - 1);
		if (ticket <= limiter.refusedUpTo) return;
		if (++limiter.inRound < Math.max(MIN_ROUND, limiter.window)) return;
		limiter.inRound = 0;
		limiter.window++;
		limiter.next()?.waker?.abort();
	}

	/** The service refused the request with this ticket, and asks for this pause, if for any. */
	refused(ticket: number, askedMs = 0): void {
		const { limiter, run } = this;
		const now = run.now();
		const random = run.random();
		limiter.pausedUntil = Math.max(limiter.pausedUntil, now + askedMs);
		if (ticket <= limiter.refusedUpTo) return;
		limiter.refusedUpTo = limiter.started;
		limiter.inRound = 0;
		limiter.window = Math.max(1, Math.floor(Math.min(limiter.window, limiter.running) / 2));
		const pauseMs = backoffMs(++limiter.refusals, (1 + random) / 2, REFUSED_PAUSE);
		limiter.pausedUntil = Math.max(limiter.pausedUntil, now + pauseMs);
	}

	/** No more requests follow. */
	leave(): void {
		const { lanes } = this.limiter;
		lanes.delete(this);
		// The next run inherits no pause: it asks the service.
		if (lanes.size === 0) this.limiter.pausedUntil = -Infinity;
	}

	/** Milliseconds until a request may start; Infinity until it is woken. */
	private delayMs(waiter: Waiter): number {
		const { limiter, run } = this;
		// The caller has to notice that the run has ended.
		if (run.ended) return 0;
		if (this.running >= this.max) return Infinity;
		const now = run.now();
		const isNext = limiter.running < limiter.window && limiter.next() === waiter;
		const delayMs = isNext ? limiter.pausedUntil - now : Infinity;
		const spacingMs = limiter.intervalMs() > 0 ? limiter.nextStart - now : 0;
		return Math.max(Math.min(delayMs, waiter.until - now), spacingMs);
	}
}
