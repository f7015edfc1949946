import { CATCH_UP_MS, LearnedLimit } from './learned-limit';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

export { backoffMs } from './backoff';

const MINUTE_MS = 60_000;
/** Share of a limit per minute that is used, since requests that start evenly may arrive closer together. */
const USED_SHARE = 0.95;

/** A request that waits for its turn. */
interface Waiter {
	readonly limiterClient: LimiterClient;
	/** It starts by then, even in a pause that the service asked for. */
	readonly until: number;
	/** Ends its sleep; a request that starts at once needs none. */
	waker?: AbortController;
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
	 * @param send gets the sequence number of the request
	 * @param until by then it starts as soon as the client has room, even in a pause of the service
	 * @returns what `send` returns
	 * @throws what `send` throws
	 */
	async schedule<T>(send: (sequence: number) => Promise<T>, until = Infinity): Promise<T> {
		const { limiter, run } = this;
		const { waiting } = limiter;
		const waiter: Waiter = { limiterClient: this, until };
		if (waiting.length === 0 && limiter.running === 0)
			limiter.learned.idled(run.now() - limiter.endedAt);
		waiting.push(waiter);
		for (let ms; (ms = this.delayMs(waiter)) > 0; ) {
			waiter.waker = new AbortController();
			await run.sleep(ms, waiter.waker.signal);
		}
		waiting.splice(waiting.indexOf(waiter), 1);
		const sequence = ++limiter.started;
		const { learned } = limiter;
		limiter.running++;
		this.running++;
		// After the end of the run, `send` sends nothing.
		if (!run.ended) {
			const now = run.now();
			limiter.nextStart =
				Math.max(limiter.nextStart, now - CATCH_UP_MS) + limiter.intervalMs();
			learned.started(sequence, now);
		}
		limiter.next()?.waker?.abort();
		try {
			return await send(sequence);
		} finally {
			limiter.running--;
			limiter.endedAt = run.now();
			learned.ended(sequence);
			this.running--;
			limiter.next()?.waker?.abort();
		}
	}

	/** The service accepted the request with this sequence number. */
	succeeded(sequence: number): void {
		const { limiter, run } = this;
		limiter.learned.succeeded(sequence, run.now());
		limiter.next()?.waker?.abort();
	}

	/**
	 * The service refused the request with this sequence number.
	 *
	 * @returns whether all requests pause; if not, this one has to back off by itself
	 */
	refused(
		sequence: number,
		{ delayMs, serviceMayBe }: Pick<Verdict, 'delayMs' | 'serviceMayBe'>,
	): boolean {
		const { limiter, run } = this;
		const refusal = { askedMs: delayMs, mayBeFailure: serviceMayBe === 'down' };
		return limiter.learned.refuse(sequence, refusal, {
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
	private delayMs(waiter: Waiter): number {
		const { limiter, run } = this;
		// The caller has to notice that the run has ended.
		if (run.ended) return 0;
		if (this.running >= this.max) return Infinity;
		const now = run.now();
		const delayMs = limiter.next() === waiter ? limiter.learned.delayMs(now) : Infinity;
		const spacingMs = limiter.intervalMs() > 0 ? limiter.nextStart - now : 0;
		return Math.max(Math.min(delayMs, waiter.until - now), spacingMs);
	}
}
