/**
 * A `Limiter` limits the requests that all runs in this process send to one service with one credential. Each kind of
 * request in a run has its own `LimiterClient`. Requests start in the order in which they arrive, even if they belong
 * to different runs. A request may have to wait for three reasons:
 *
 * - Its client already has the maximum number of requests in flight.
 * - The user has set a limit per minute, which spaces all starts evenly. If several runs set this limit, the lowest
 *   limit applies.
 * - The service has refused requests with 429 or 503. `LearnedLimit` then decides how many requests may be in flight,
 *   and how fast they start.
 *
 * The AWS SDKs and Vector adapt in a similar way, but they return to the refused rate within seconds. If a service asks
 * for a pause of five seconds after each refusal, that approach spends most of the time waiting. This limiter rarely
 * increases the rate, because each increase that the service refuses costs a pause. When the last run that uses the
 * service ends, the limiter forgets what it has learned.
 */
import { CATCH_UP_MS, LearnedLimit } from './learned-limit';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

const MINUTE_MS = 60_000;
/**
 * The node uses this fraction of the per-minute limit. Requests can arrive closer together than they were sent. If the
 * node used the full limit, the service might count too many requests in one minute.
 */
const USED_SHARE = 0.95;
/**
 * If there is no request for at least this long, the gap does not count toward the measured time. Shorter gaps are
 * normal.
 */
const MIN_GAP_MS = 1000;

interface Waiter {
	readonly limiterClient: LimiterClient;
	/** Time after which the request starts even if the service has asked for a longer pause. */
	readonly ignorePausesAfter: number;
	waker?: AbortController;
}

/** A request's turn, which lasts until the request ends. */
export interface Turn {
	/** Sequence number of the request. The limiter numbers requests in the order in which they start. */
	readonly sequence: number;
	/** Time when the turn began, according to the run's clock. */
	readonly startedAt: number;
	/** Time at which the service accepted the request. The sender sets this time, and the limiter reads it. */
	acceptedAt?: number;
}

/**
 * Limits the requests that are sent to one service with one credential. Only the limiter's clients may use its fields
 * and methods.
 */
export class Limiter {
	readonly clients = new Set<LimiterClient>();
	readonly waiting: Waiter[] = [];
	learned = new LearnedLimit();
	/** Number of requests in flight. */
	running = 0;
	/** Sequence number of the latest request. */
	lastSequence = 0;
	endedAt = -Infinity;
	/** Earliest time at which the limit per minute allows the next request to start. */
	nextStart = -Infinity;

	/** Returns the first waiting request whose client may send another request. */
	next(): Waiter | undefined {
		return this.waiting.find(({ limiterClient }) => limiterClient.running < limiterClient.max);
	}

	/** Returns how many milliseconds apart requests must start, or 0 if there is no limit per minute. */
	intervalMs(): number {
		let least = Infinity;
		for (const { perMinute } of this.clients) least = Math.min(least, perMinute || Infinity);
		return MINUTE_MS / (USED_SHARE * least);
	}
}

/** Schedules all requests of one kind in a run. */
export class LimiterClient {
	running = 0;

	/**
	 * Joins a limiter. The client stays joined until `leave` is called.
	 *
	 * @param max maximum number of requests in flight
	 * @param perMinute maximum number of requests per minute, or 0 for no limit
	 */
	constructor(
		private readonly limiter: Limiter,
		private readonly run: RunState,
		readonly max: number,
		readonly perMinute = 0,
	) {
		limiter.clients.add(this);
	}

	/**
	 * Sends a request as soon as its turn comes. If the run ends first, `send` is called immediately, so `send` must
	 * check whether the run has ended.
	 *
	 * @param ignorePausesAfter time after which the request ignores any pause that the service has asked for
	 * @returns the result of `send`
	 * @throws the error that `send` throws
	 */
	async schedule<T>(send: (turn: Turn) => Promise<T>, ignorePausesAfter = Infinity): Promise<T> {
		const { limiter, run } = this;
		const { waiting } = limiter;
		const waiter: Waiter = { limiterClient: this, ignorePausesAfter };
		let now = run.now();
		const idleMs = waiting.length + limiter.running === 0 ? now - limiter.endedAt : 0;
		if (idleMs >= MIN_GAP_MS) limiter.learned.noteIdle(idleMs);
		waiting.push(waiter);
		let waitMs = this.waitMs(waiter, now);
		while (waitMs > 0) {
			waiter.waker = new AbortController();
			await run.sleep(waitMs, waiter.waker.signal);
			now = run.now();
			waitMs = this.waitMs(waiter, now);
		}
		waiting.splice(waiting.indexOf(waiter), 1);
		const turn: Turn = { sequence: ++limiter.lastSequence, startedAt: now };
		const { learned } = limiter;
		limiter.running++;
		this.running++;
		// After the run ends, `send` sends nothing, so there is nothing to count.
		if (!run.ended) {
			learned.noteStart(turn.sequence, now);
			limiter.nextStart =
				Math.max(limiter.nextStart, now - CATCH_UP_MS) + limiter.intervalMs();
		}
		limiter.next()?.waker?.abort();
		try {
			return await send(turn);
		} finally {
			limiter.running--;
			limiter.endedAt = turn.acceptedAt ?? run.now();
			learned.noteEnd(turn.sequence, limiter.endedAt, turn.acceptedAt !== undefined);
			this.running--;
			limiter.next()?.waker?.abort();
		}
	}

	/**
	 * Notes that the service has refused the request with this sequence number.
	 *
	 * @returns true if all requests pause, or false if only this request must back off
	 */
	noteRefusal(
		sequence: number,
		{ delayMs, serviceMayBe }: Pick<Verdict, 'delayMs' | 'serviceMayBe'>,
	): boolean {
		const { limiter, run } = this;
		const refusal = { askedMs: delayMs, mayBeFailure: serviceMayBe === 'down' };
		return limiter.learned.noteRefusal(sequence, refusal, {
			now: run.now(),
			random: run.random(),
			lastSequence: limiter.lastSequence,
		});
	}

	/** Leaves the limiter. The client must not send any more requests. */
	leave(): void {
		const { clients } = this.limiter;
		clients.delete(this);
		// The service may change its limit before the next run, so the learned limit is dropped.
		if (clients.size === 0) this.limiter.learned = new LearnedLimit();
	}

	/**
	 * Returns how many milliseconds to wait before a request may start, or Infinity if the request must wait until it
	 * is woken.
	 */
	private waitMs(waiter: Waiter, now: number): number {
		const { limiter, run } = this;
		// After the run has ended, nothing is sent anymore. Therefore, requests do not have to wait.
		if (run.ended) return 0;
		if (this.running >= this.max) return Infinity;
		const spacingMs = limiter.intervalMs() > 0 ? limiter.nextStart - now : 0;
		const pauseMs = limiter.next() === waiter ? limiter.learned.delayMs(now) : Infinity;
		return Math.max(Math.min(pauseMs, waiter.ignorePausesAfter - now), spacingMs);
	}
}
