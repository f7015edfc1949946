import type { RunState } from './run-state';

const MINUTE_MS = 60_000;
/** Share of a limit per minute that is used, since requests that start evenly may arrive closer together. */
const USED_SHARE = 0.95;
/** Timers are late: starts may come this much early to make up for it. */
const CATCH_UP_MS = 20;
/** At least so many successes make a round, so that slow services are not refused twice for each success. */
const MIN_ROUND = 4;
/** Bounds of the pause after a 429 that names none: of the first one, and of any. */
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
	/** By then it starts, even in a pause that the service asked for. */
	readonly until: number;
	waker: AbortController;
}

/**
 * Limits what all runs of this process send to one service with one credential:
 *
 * - a refusal (429) halves the window of requests in flight, once for all that were in flight; each full
 *   round of successes widens it by one;
 * - a refusal pauses all starts, as long as the service asks or by backoff;
 * - a limit per minute spaces all starts evenly; of several limits the lowest counts.
 */
export class Limiter {
	private readonly lanes = new Set<Lane>();
	private readonly waiting: Waiter[] = [];
	private running = 0;
	/** Number of requests that may be in flight. */
	private window = Infinity;
	/** Successes of the round after which the window widens. */
	private inRound = 0;
	private started = 0;
	/** Requests up to this ticket were in flight at the last refusal: their answers say nothing new. */
	private refusedUpTo = 0;
	/** How far the pauses have grown: one more with a refusal, one less with a success. */
	private refusals = 0;
	private pausedUntil = -Infinity;
	private intervalMs = 0;
	private nextStart = -Infinity;

	/**
	 * Opens a lane for the requests of one kind in a run, until `Lane.leave`.
	 *
	 * @param max maximum of its requests in flight
	 * @param perMinute maximum of requests per minute, 0 for none
	 * @param isFirst whether its requests start before those of other lanes
	 */
	lane(run: RunState, max: number, { perMinute = 0, isFirst = false } = {}): Lane {
		const lane = new Lane(this, run, max, perMinute, isFirst);
		this.lanes.add(lane);
		this.space();
		return lane;
	}

	/** Called by a lane that is left. */
	left(lane: Lane): void {
		this.lanes.delete(lane);
		// Nobody knows how long ago that was when the next run begins: it asks the service.
		if (this.lanes.size === 0) this.pausedUntil = -Infinity;
		this.space();
	}

	/** Called by a lane: waits for the turn of a request and takes it. @returns its ticket */
	async enter(lane: Lane, until: number): Promise<number> {
		const waiter: Waiter = { lane, until, waker: new AbortController() };
		const place = lane.isFirst ? this.waiting.findIndex((each) => !each.lane.isFirst) : -1;
		this.waiting.splice(place < 0 ? this.waiting.length : place, 0, waiter);
		for (let ms; (ms = this.delayMs(waiter)) > 0; ) {
			waiter.waker = new AbortController();
			await lane.run.sleep(ms, waiter.waker.signal);
		}
		this.waiting.splice(this.waiting.indexOf(waiter), 1);
		this.running++;
		lane.running++;
		this.nextStart = Math.max(this.nextStart, lane.run.now() - CATCH_UP_MS) + this.intervalMs;
		this.wakeNext();
		return ++this.started;
	}

	/** Called by a lane: a request has ended, however it did. */
	exit(lane: Lane): void {
		this.running--;
		lane.running--;
		this.wakeNext();
	}

	/** Called by a lane: the service accepted a request. */
	succeeded(ticket: number): void {
		this.refusals = Math.max(0, this.refusals - 1);
		if (ticket <= this.refusedUpTo || ++this.inRound < Math.max(MIN_ROUND, this.window)) return;
		this.inRound = 0;
		this.window++;
		this.wakeNext();
	}

	/** Called by a lane: the service refused a request, and asks for this pause, if for any. */
	refused(
		ticket: number,
		{ now, random, askedMs }: Record<'now' | 'random' | 'askedMs', number>,
	) {
		this.pausedUntil = Math.max(this.pausedUntil, now + askedMs);
		if (ticket <= this.refusedUpTo) return;
		this.refusedUpTo = this.started;
		this.inRound = 0;
		this.window = Math.max(1, Math.floor(Math.min(this.window, this.running) / 2));
		const pauseMs = backoffMs(++this.refusals, (1 + random) / 2, REFUSED_PAUSE);
		this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
	}

	/** Milliseconds until a request may start; Infinity until it is woken. */
	private delayMs(waiter: Waiter): number {
		const { lane, until } = waiter;
		// The caller has to notice that the run has ended.
		if (lane.run.ended) return 0;
		if (lane.isFull) return Infinity;
		const now = lane.run.now();
		const isNext = this.running < this.window && this.next() === waiter;
		const delayMs = isNext ? this.pausedUntil - now : Infinity;
		const spacingMs = this.intervalMs > 0 ? this.nextStart - now : 0;
		return Math.max(Math.min(delayMs, until - now), spacingMs);
	}

	private next(): Waiter | undefined {
		return this.waiting.find(({ lane }) => !lane.isFull);
	}

	private wakeNext(): void {
		this.next()?.waker.abort();
	}

	private space(): void {
		const limits = [...this.lanes]
			.map(({ perMinute }) => perMinute)
			.filter((limit) => limit > 0);
		this.intervalMs = limits.length > 0 ? MINUTE_MS / (USED_SHARE * Math.min(...limits)) : 0;
	}
}

/** The requests of one kind in a run, of which so many are in flight at once. */
export class Lane {
	/** Requests in flight. */
	running = 0;

	constructor(
		private readonly limiter: Limiter,
		readonly run: RunState,
		private readonly max: number,
		readonly perMinute: number,
		readonly isFirst: boolean,
	) {}

	get isFull(): boolean {
		return this.running >= this.max;
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
		const ticket = await this.limiter.enter(this, until);
		try {
			return await send(ticket);
		} finally {
			this.limiter.exit(this);
		}
	}

	/** The service accepted the request with this ticket: more may be in flight. */
	succeeded(ticket: number): void {
		this.limiter.succeeded(ticket);
	}

	/** The service refused the request with this ticket, and asks for this pause, if for any. */
	refused(ticket: number, askedMs = 0): void {
		const { run } = this;
		this.limiter.refused(ticket, { now: run.now(), random: run.random(), askedMs });
	}

	/** No more requests follow. */
	leave(): void {
		this.limiter.left(this);
	}
}
