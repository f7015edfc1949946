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
import type { Diagnosis } from './diagnosis';

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

interface Member {
	readonly run: RunState;
	readonly max: number;
	readonly perMinute: number;
	running: number;
}

interface Waiter {
	readonly member: Member;
	/** Time after which the request starts even if the service has asked for a longer pause. */
	readonly ignorePausesAfter: number;
	waker?: AbortController;
}

/** A request's turn, which lasts until the request ends. */
export interface Turn {
	/** The limiter numbers requests in the order in which they start. */
	readonly sequence: number;
	/** Time when the turn began, according to the run's clock. */
	readonly startedAt: number;
	/** The sender sets this time, and the limiter reads it. */
	acceptedAt?: number;
}

export interface LimiterClient {
	/**
	 * Sends a request as soon as its turn comes. If the run ends first, `send` is called immediately, so `send` must
	 * check whether the run has ended.
	 *
	 * @param ignorePausesAfter time after which the request ignores any pause that the service has asked for
	 */
	schedule<T>(send: (turn: Turn) => Promise<T>, ignorePausesAfter?: number): Promise<T>;
	/** @returns true if all requests pause, or false if only this request must back off */
	noteRefusal(sequence: number, diagnosis: Pick<Diagnosis, 'delayMs' | 'kind'>): boolean;
	/** Leaves the limiter. The client must not send any more requests. */
	leave(): void;
}

export class Limiter {
	private readonly members = new Set<Member>();
	private readonly waiting: Waiter[] = [];
	private learned = new LearnedLimit();
	private running = 0;
	private lastSequence = 0;
	private endedAt = -Infinity;
	/** Earliest time at which the limit per minute allows the next request to start. */
	private nextStart = -Infinity;

	/**
	 * The client stays until its `leave` is called.
	 *
	 * @param max maximum number of requests in flight
	 * @param perMinute maximum number of requests per minute, or 0 for no limit
	 */
	join(run: RunState, max: number, perMinute = 0): LimiterClient {
		const member = { run, max, perMinute, running: 0 };
		this.members.add(member);
		return {
			schedule: async (send, ignorePausesAfter = Infinity) =>
				await this.schedule({ member, ignorePausesAfter }, send),
			noteRefusal: (sequence, diagnosis) => this.noteRefusal(run, sequence, diagnosis),
			leave: () => this.leave(member),
		};
	}

	private async schedule<T>(waiter: Waiter, send: (turn: Turn) => Promise<T>): Promise<T> {
		const { waiting } = this;
		const { member } = waiter;
		const { run } = member;
		let now = run.now();
		const idleMs = waiting.length + this.running === 0 ? now - this.endedAt : 0;
		if (idleMs >= MIN_GAP_MS) this.learned.noteIdle(idleMs);
		waiting.push(waiter);
		let waitMs = this.waitMs(waiter, now);
		while (waitMs > 0) {
			waiter.waker = new AbortController();
			await run.sleep(waitMs, waiter.waker.signal);
			now = run.now();
			waitMs = this.waitMs(waiter, now);
		}
		waiting.splice(waiting.indexOf(waiter), 1);
		const turn: Turn = { sequence: ++this.lastSequence, startedAt: now };
		const { learned } = this;
		this.running++;
		member.running++;
		// After the run ends, `send` sends nothing, so there is nothing to count.
		if (!run.ended) {
			learned.noteStart(turn.sequence, now);
			this.nextStart = Math.max(this.nextStart, now - CATCH_UP_MS) + this.intervalMs();
		}
		this.wakeNext();
		try {
			return await send(turn);
		} finally {
			this.running--;
			this.endedAt = turn.acceptedAt ?? run.now();
			learned.noteEnd(turn.sequence, this.endedAt, turn.acceptedAt !== undefined);
			member.running--;
			this.wakeNext();
		}
	}

	private noteRefusal(
		run: RunState,
		sequence: number,
		{ delayMs, kind }: Pick<Diagnosis, 'delayMs' | 'kind'>,
	): boolean {
		const refusal = { askedMs: delayMs, mayBeFailure: kind === 'overloaded' };
		return this.learned.noteRefusal(sequence, refusal, {
			now: run.now(),
			random: run.random(),
			lastSequence: this.lastSequence,
		});
	}

	private leave(member: Member): void {
		this.members.delete(member);
		// The service may change its limit before the next run, so the learned limit is dropped.
		if (this.members.size === 0) this.learned = new LearnedLimit();
	}

	private next(): Waiter | undefined {
		return this.waiting.find(({ member }) => member.running < member.max);
	}

	private wakeNext(): void {
		// Without a reason, `abort` would record the stack trace of an error for each request, which is slow.
		this.next()?.waker?.abort(null);
	}

	/** Returns how many milliseconds apart requests must start, or 0 if there is no limit per minute. */
	private intervalMs(): number {
		let least = Infinity;
		for (const { perMinute } of this.members) least = Math.min(least, perMinute || Infinity);
		return MINUTE_MS / (USED_SHARE * least);
	}

	/**
	 * Returns how many milliseconds to wait before a request may start, or Infinity if the request must wait until it
	 * is woken.
	 */
	private waitMs(waiter: Waiter, now: number): number {
		const { member, ignorePausesAfter } = waiter;
		// After the run has ended, nothing is sent anymore. Therefore, requests do not have to wait.
		if (member.run.ended) return 0;
		if (member.running >= member.max) return Infinity;
		const spacingMs = this.intervalMs() > 0 ? this.nextStart - now : 0;
		const pauseMs = this.next() === waiter ? this.learned.delayMs(now) : Infinity;
		return Math.max(Math.min(pauseMs, ignorePausesAfter - now), spacingMs);
	}
}
