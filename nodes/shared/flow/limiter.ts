import { CATCH_UP_MS, LearnedLimit } from './learned-limit';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

const MINUTE_MS = 60_000;
/** Share of a limit per minute that is used, since requests that start evenly may arrive closer together. */
const USED_SHARE = 0.95;
/** Shorter gaps between requests belong to the work; in longer ones nothing could have been accepted. */
const MIN_GAP_MS = 1000;

/** A request that waits for its turn. */
interface Waiter {
	readonly limiterClient: LimiterClient;
	/** It starts by then, even in a pause that the service asked for. */
	readonly until: number;
	/** Ends its sleep; a request that starts at once needs none. */
	waker?: AbortController;
}

/** A request whose turn it is. */
export interface Turn {
	/** Numbers the requests of the limiter in the order in which they start. */
	readonly sequence: number;
	/** When its turn came, by the clock of the run. */
	readonly startedAt: number;
	/** When the service accepted the request. Whoever sends it notes this for the limiter. */
	acceptedAt?: number;
}

/**
 * Limits what all runs of this process send to one service with one credential. Requests start in the order in
 * which they came, whatever run they belong to. Three things hold a request back: its client has as many in flight
 * as it may, a limit per minute that the user knows spaces all starts evenly (of several the lowest counts), or
 * the service has refused requests (429 or 503). What refusals teach is in `LearnedLimit`: how many requests may
 * be in flight and at which rate they start, slightly below the rate at which the service has accepted them.
 * The AWS SDKs and Vector adapt in a similar way, but return to the refused rate within seconds: with a service
 * that asks for a pause of five seconds after each refusal, they would wait most of the time. So here a raise is
 * rare compared with the pause that a refusal costs. The memory of a service ends with the last run that uses it.
 *
 * Only its clients use its members.
 */
export class Limiter {
	readonly clients = new Set<LimiterClient>();
	readonly waiting: Waiter[] = [];
	learned = new LearnedLimit();
	/** Requests in flight. */
	running = 0;
	/** Sequence number of the request that started last. */
	started = 0;
	/** When a request ended last. */
	endedAt = -Infinity;
	/** When the limit per minute allows the next start. */
	nextStart = -Infinity;

	/** The request whose turn it is. */
	next(): Waiter | undefined {
		return this.waiting.find(({ limiterClient }) => limiterClient.running < limiterClient.max);
	}

	/** Milliseconds between two starts. */
	intervalMs(): number {
		let least = Infinity;
		for (const { perMinute } of this.clients) least = Math.min(least, perMinute || Infinity);
		return MINUTE_MS / (USED_SHARE * least);
	}
}

/** The requests of one kind in a run, of which so many are in flight at once. */
export class LimiterClient {
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
		limiter.clients.add(this);
	}

	/**
	 * Sends a request as soon as it is its turn. If the run ends meanwhile, `send` is called all the same, and
	 * has to check that.
	 *
	 * @param until by then it starts as soon as the client has room, even in a pause of the service
	 * @returns what `send` returns
	 * @throws what `send` throws
	 */
	async schedule<T>(send: (turn: Turn) => Promise<T>, until = Infinity): Promise<T> {
		const { limiter, run } = this;
		const { waiting } = limiter;
		const waiter: Waiter = { limiterClient: this, until };
		let now = run.now();
		const idleMs = waiting.length + limiter.running === 0 ? now - limiter.endedAt : 0;
		if (idleMs >= MIN_GAP_MS) limiter.learned.noteIdle(idleMs);
		waiting.push(waiter);
		for (let ms; (ms = this.delayMs(waiter, now)) > 0; now = run.now()) {
			waiter.waker = new AbortController();
			await run.sleep(ms, waiter.waker.signal);
		}
		waiting.splice(waiting.indexOf(waiter), 1);
		const turn: Turn = { sequence: ++limiter.started, startedAt: now };
		const { learned } = limiter;
		limiter.running++;
		this.running++;
		// After the end of the run, `send` sends nothing.
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
	 * The service refused the request with this sequence number.
	 *
	 * @returns whether all requests pause; if not, this one has to back off by itself
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
			lastSequence: limiter.started,
		});
	}

	/** No more requests follow. */
	leave(): void {
		const { clients } = this.limiter;
		clients.delete(this);
		// The next run inherits nothing: it asks the service.
		if (clients.size === 0) this.limiter.learned = new LearnedLimit();
	}

	/** Milliseconds until a request may start; Infinity until it is woken. */
	private delayMs(waiter: Waiter, now: number): number {
		const { limiter, run } = this;
		// The caller has to notice that the run has ended.
		if (run.ended) return 0;
		if (this.running >= this.max) return Infinity;
		const spacingMs = limiter.intervalMs() > 0 ? limiter.nextStart - now : 0;
		const delayMs = limiter.next() === waiter ? limiter.learned.delayMs(now) : Infinity;
		return Math.max(Math.min(delayMs, waiter.until - now), spacingMs);
	}
}
