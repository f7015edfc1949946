const MINUTE_MS = 60_000;
/** The share of the limit that is used. Requests that start evenly may arrive closer together. */
const USED = 0.95;
/** Timers are late: starts may come this much early to make up for it. */
const CATCH_UP_MS = 20;

/**
 * Keeps a limit of requests per minute: what starts is spaced evenly, at 95 % of the limit, so that no
 * minute has more requests than that, wherever it begins. All that send to the same service as the same
 * client share one, and the lowest of their limits counts.
 */
export class Pace {
	private readonly limits: number[] = [];
	private intervalMs = 0;
	private next = -Infinity;

	/**
	 * Something that sends begins to use it.
	 *
	 * @param perMinute its limit; 0 for none
	 * @returns ends that
	 */
	join(perMinute: number): () => void {
		const limit = perMinute > 0 ? perMinute : Infinity;
		this.limits.push(limit);
		this.space();
		return () => {
			this.limits.splice(this.limits.indexOf(limit), 1);
			this.space();
		};
	}

	/** Whether there is a limit. */
	get isLimited(): boolean {
		return this.intervalMs > 0;
	}

	/** Whether it can be forgotten: nothing uses it, and a new run would not have to wait for earlier requests. */
	isOver(now: number): boolean {
		return this.limits.length === 0 && this.next <= now;
	}

	/** Milliseconds until the next request may start; not above 0 if it may now. */
	delayMs(now: number): number {
		return this.isLimited ? this.next - now : 0;
	}

	/** A request starts. */
	start(now: number): void {
		if (this.isLimited) this.next = Math.max(this.next, now - CATCH_UP_MS) + this.intervalMs;
	}

	/**
	 * Takes a place for a request that is sent later than it started, or once more.
	 *
	 * @param startedAt when it started, if it has not been sent since
	 * @returns milliseconds until it may be sent
	 */
	startAgain(now: number, startedAt = -Infinity): number {
		// Nothing has started after it: its place moves.
		if (this.next <= startedAt + this.intervalMs) this.next = now;
		const ms = Math.max(0, this.delayMs(now));
		this.start(now);
		return ms;
	}

	private space(): void {
		this.intervalMs = MINUTE_MS / (USED * Math.min(...this.limits));
	}
}
