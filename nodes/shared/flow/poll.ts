import { backoffMs, MAX_RETRY_AFTER_MS, type RetryPolicy } from './backoff';
import type { Clock } from './clock';
import { Limiter } from './limiter';

export interface PollIntervals {
	/** Wait after the first look. */
	startMs: number;
	/** No wait is longer. */
	capMs: number;
}

/** Each wait is so many times the one before: a job of 60 s is looked at 14 times. */
const GROWTH = 1.4;
/** Waits vary by so much either way, so that jobs do not fall into step. */
const JITTER = 0.1;
/** How long a loop may take to see that something changed. */
const TICK_MS = 20;

/** A service that answers none of the last looks for so long is not asked for more. */
export const LAST_LOOKS_MS = 5000;

/** What a look at a job found; the service may ask to wait before the next one. */
export type Look = 'pending' | 'ended' | { retryAfterMs: number };

export interface PollJudgement {
	/** A fault that may pass: look again later. */
	retry: boolean;
	throttled: boolean;
	retryAfterMs?: number;
}

export interface PollOptions<J> {
	/** Looks at a job once; whatever it found has been taken care of when it returns. */
	look: (job: J) => Promise<Look>;
	judge: (error: unknown, job: J) => PollJudgement;
	isFatal: (error: unknown) => boolean;
	/** A look failed for good. */
	onFailed: (job: J, error: unknown) => void;
	/** The deadline has passed; `lastError` is the fault of the last look, if it had one. */
	onTimeout: (job: J, lastError?: unknown) => void;
	intervals: PollIntervals;
	/** Backoff after a fault. Its number of attempts does not count: the deadline does. */
	policy: RetryPolicy;
	/** Epoch ms; Infinity as long as there is none. Never moved back once it has passed. */
	deadline: () => number;
	concurrency: number;
	clock: Clock;
}

interface Watched<J> {
	job: J;
	since: number;
	next: number;
	intervalMs: number;
	faults: number;
	/** Was called forward once because another job had finished, or is to be left alone. */
	nudged: boolean;
	lastError?: unknown;
}

/**
 * Watches many jobs at once until each has ended or the deadline has passed. Looks at once, then at
 * growing, jittered intervals, the last one clipped to the deadline. Jobs of a run tend to take
 * equally long, so once one has finished, the others of its age are looked at without delay (each
 * once, so that it costs at most one look more).
 */
export class PollLoop<J> {
	private readonly watched = new Set<Watched<J>>();
	private readonly looking = new Set<Promise<void>>();
	private readonly limiter: Limiter;
	private fatal: { error: unknown } | undefined;
	private stopped = false;
	private pausedUntil = 0;
	/** When the first look after the deadline, and after the last job was added, began. */
	private lateSince: number | undefined;
	/** Looks after the deadline are answered, so that each job gets its last one. */
	private answersLate = false;
	/** Looks that ended in a fault and were followed by another. */
	retries = 0;

	constructor(private readonly options: PollOptions<J>) {
		this.limiter = new Limiter(options.concurrency, options.clock);
	}

	/** Adds a job, also while the loop runs. */
	add(job: J): void {
		if (this.stopped) return;
		const now = this.options.clock.now();
		this.lateSince = undefined;
		this.watched.add({
			job,
			since: now,
			next: now,
			intervalMs: this.options.intervals.startMs,
			faults: 0,
			nudged: false,
		});
	}

	/** Watches no job any longer; looks under way come to their end. */
	stop(): void {
		this.stopped = true;
		this.watched.clear();
	}

	/**
	 * Runs until all jobs have ended and `more` says that none will be added.
	 *
	 * @throws what `isFatal` accepts
	 */
	async run(more: () => boolean): Promise<void> {
		const { clock } = this.options;
		while (this.watched.size > 0 || this.looking.size > 0 || more()) {
			if (this.fatal) throw this.fatal.error;
			this.start();
			await clock.sleep(TICK_MS);
		}
		if (this.fatal) throw this.fatal.error;
	}

	private start(): void {
		const { clock, deadline } = this.options;
		const now = clock.now();
		if (this.pauses()) return;
		for (const watched of this.watched) {
			if (Math.min(watched.next, deadline()) > now) continue;
			this.watched.delete(watched);
			const look: Promise<void> = this.limiter
				.run(async (ticket) => await this.look(watched, ticket))
				.catch((error: unknown) => {
					this.fatal ??= { error };
				})
				.finally(() => this.looking.delete(look));
			this.looking.add(look);
		}
	}

	private async look(watched: Watched<J>, ticket: number): Promise<void> {
		const { look, isFatal, judge, onFailed, policy, clock } = this.options;
		// The loop may have ended, or a pause begun, while this one was waiting for its turn.
		if (this.stopped || this.fatal) return;
		if (this.pauses()) return void this.watched.add(watched);
		const now = clock.now();
		if (now > this.options.deadline()) {
			this.lateSince ??= now;
			const isSilent = now - this.lateSince > LAST_LOOKS_MS && !this.answersLate;
			if (isSilent) return this.timeOut(watched);
		}
		const outcome = await look(watched.job).then(
			(found) => ({ found }),
			(error: unknown) => ({ error }),
		);
		if ('found' in outcome) {
			this.limiter.succeeded();
			const { found } = outcome;
			this.answersLate = clock.now() > this.options.deadline();
			if (found === 'ended') return this.callForward(clock.now() - watched.since);
			watched.faults = 0;
			delete watched.lastError;
			let waitMs = this.grow(watched);
			if (found !== 'pending') {
				waitMs = Math.max(waitMs, Math.min(found.retryAfterMs, MAX_RETRY_AFTER_MS));
				watched.nudged = true;
			}
			this.again(watched, waitMs);
			return;
		}
		const { error } = outcome;
		if (isFatal(error)) {
			this.fatal ??= { error };
			return;
		}
		const verdict = judge(error, watched.job);
		if (verdict.throttled) {
			this.limiter.throttled(ticket);
			const pauseMs = Math.min(verdict.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
			this.pausedUntil = Math.max(this.pausedUntil, clock.now() + pauseMs);
		}
		if (!verdict.retry) return onFailed(watched.job, error);
		watched.lastError = error;
		watched.faults++;
		const random = () => clock.random();
		const waitMs = backoffMs(watched.faults, policy, random, verdict.retryAfterMs);
		if (this.again(watched, Math.max(waitMs, watched.intervalMs))) this.retries++;
	}

	private grow(watched: Watched<J>): number {
		const { intervals, clock } = this.options;
		const base = Math.min(watched.intervalMs, intervals.capMs);
		watched.intervalMs = Math.min(base * GROWTH, intervals.capMs);
		return base * (1 + JITTER * (2 * clock.random() - 1));
	}

	/** @returns whether it is watched on; at the deadline there is a last look */
	private again(watched: Watched<J>, waitMs: number): boolean {
		const now = this.options.clock.now();
		if (now >= this.options.deadline()) {
			this.timeOut(watched);
			return false;
		}
		watched.next = now + waitMs;
		if (!this.stopped) this.watched.add(watched);
		return true;
	}

	private timeOut({ job, lastError }: Watched<J>): void {
		this.options.onTimeout(job, lastError);
	}

	/** The service asked for a pause: it holds for all jobs, though not beyond the deadline. */
	private pauses(): boolean {
		return this.options.clock.now() < Math.min(this.pausedUntil, this.options.deadline());
	}

	/** One job took so long: look at the others at that age rather than at their next turn. */
	private callForward(ageMs: number): void {
		for (const watched of this.watched) {
			if (watched.nudged || watched.faults > 0) continue;
			watched.nudged = true;
			watched.next = Math.min(watched.next, watched.since + ageMs);
		}
	}
}
