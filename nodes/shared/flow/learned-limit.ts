import { backoffMs } from './backoff';

/** Share of the estimated rate that is used, so that a bucket of the service fills again. */
const USED_SHARE = 0.95;
/** Where failures may be random, the share is lower, since a rate measured over 20 requests may be 10 % too high. */
const USED_SHARE_OF_DOUBT = 0.8;
/** Factor of the first raise beyond a rate that was refused. Each further one doubles what it adds. */
const RAISE = 1.05;
/** Largest factor of a raise: a limit that was lifted is soon forgotten. */
const MAX_RAISE = 2;
/** A rate is kept for so many pauses: a raise that is refused then costs a twentieth of the time. */
const PAUSES_PER_RAISE = 20;
/** Below this share of the rate that was refused, a raise gains much, so it comes after fewer pauses. */
const SEARCH = { belowShare: 0.9, pauses: 4 };
/** However long the pauses are, a rate is raised after this time: limits change. */
const MAX_HOLD_MS = 10 * 60_000;
/** A rate is kept until this many requests were accepted for each refused one, so refusals stay rare. */
const ACCEPTED_PER_REFUSAL = 20;
/** Where failures may be random, a rate is measured over so many requests: fewer would show mere chance. */
const MIN_MEASURED = 20;
/** If slowing down does not help, so many requests are answered before failures count again: twice as many each time. */
const FIRST_EXEMPTION = 200;
/** Timers are late: starts may come this much early to make up for it. */
export const CATCH_UP_MS = 20;
/** Bounds of the first and of any pause after a refusal without Retry-After. */
const REFUSED_PAUSE = { baseMs: 50, capMs: 30_000 };

/** A response that asks for fewer requests. */
export interface Refusal {
	/** How long the service asks to wait. */
	askedMs: number | undefined;
	/** The service may also have failed at random: then sending less does not help. */
	mayBeFailure: boolean;
}

/**
 * Learns from refusals how many requests a service accepts. It limits nothing before the first one.
 *
 * A refusal pauses all requests, for as long as the service asks or with exponential backoff. Then they start
 * again one by one, one more in flight for each success. If more were in flight than the service has accepted
 * together, the window of requests in flight shrinks to that number. Otherwise the rate was too high. The rate
 * that the service allows lies between two figures: the accepted requests divided by all the time since the last
 * refusal, and divided by that time without the pause, in which a bucket may have been full. The new rate is 95 %
 * of their geometric mean. It is kept for 20 pauses and at least 20 accepted requests, then it is raised by 5 %.
 * While it is far below the rate that was refused, it is raised sooner, to the geometric mean of both. A raise
 * that is refused is taken back.
 *
 * A 503 without Retry-After comes from a limiter or from a service that fails at random. It pauses nobody. If 80 %
 * of the accepted rate fails before it was raised, slowing down does not help. Then such failures are ignored for a
 * while.
 */
export class LearnedLimit {
	/** Requests per millisecond. */
	private rate = Infinity;
	/** The rate that was refused last. */
	private refusedRate = Infinity;
	/** Factor of the next raise beyond that rate. */
	private raise = RAISE;
	/** Requests that may be in flight; 0 if none was accepted yet that could tell. */
	private window = Infinity;
	/** The same while requests start again one by one. */
	private restart = Infinity;
	private pausedUntil = -Infinity;
	private nextStart = -Infinity;
	/** Pauses without an accepted request in between. */
	private pausesInARow = 0;
	/** Sequence number of the last request before the pause: refusals of earlier ones report the same overload. */
	private sentBeforePause = 0;

	/** What the present measurement began with, and when. */
	private begin: 'start' | 'refusal' | 'raise' = 'start';
	private since: number | undefined;
	private accepted = 0;
	private gapsMs = 0;
	/** The rate before the raise with which the measurement began, else 0. */
	private rateBefore = 0;
	/** From the last refusal to the next accepted request. */
	private pauseMs = 0;
	/** Requests that were refused since the limit was lowered. */
	private refused = 0;
	/** Whether a request had to wait for the rate, or for the window. */
	private isRateUsed = false;
	private isWindowUsed = false;

	/** Requests in flight, with the number of those in flight when they started. */
	private readonly inFlight = new Map<number, number>();
	/** The largest such number of an accepted request, since the last refusal and before it. */
	private most = 0;
	private mostBefore = 0;

	/** The rate was lowered below the accepted one because of failures that may be random. */
	private isDoubtful = false;
	/** Requests to be answered before random failures count again. */
	private exempt = 0;
	private nextExemption = FIRST_EXEMPTION;

	/** Returns the milliseconds until a request may start; Infinity until another one has ended. */
	delayMs(now: number): number {
		const running = this.inFlight.size;
		if (running >= this.restart) return Infinity;
		if (running >= (this.window || Infinity)) {
			this.isWindowUsed = true;
			return Infinity;
		}
		if (now >= this.pausedUntil && now < this.nextStart) this.isRateUsed = true;
		return Math.max(this.pausedUntil, this.nextStart) - now;
	}

	/** A request starts. Sequence numbers ascend. */
	noteStart(sequence: number, now: number): void {
		this.since ??= now;
		this.inFlight.set(sequence, this.inFlight.size + 1);
		if (this.rate === Infinity) return;
		this.nextStart = Math.max(this.nextStart, now - CATCH_UP_MS) + 1 / this.rate;
	}

	/** Notes that a request has ended, and whether the service accepted it. */
	noteEnd(sequence: number, now: number, isAccepted: boolean): void {
		if (isAccepted) this.noteSuccess(sequence, now);
		this.inFlight.delete(sequence);
	}

	/** Notes for how many milliseconds there was nothing to send. */
	noteIdle(ms: number): void {
		if (this.since !== undefined) this.gapsMs += ms;
	}

	private noteSuccess(sequence: number, now: number): void {
		const inFlight = this.inFlight.get(sequence) ?? 1;
		this.pausesInARow = 0;
		this.exempt--;
		if (sequence <= this.sentBeforePause) {
			this.window = Math.max(this.window, inFlight);
			this.mostBefore = Math.max(this.mostBefore, inFlight);
			return;
		}
		this.most = Math.max(this.most, inFlight);
		this.restart++;
		this.accepted++;
		const { since = now } = this;
		if (this.begin === 'refusal' && this.accepted === 1)
			this.pauseMs = now - since - this.gapsMs;
		if (this.refused > 0 && this.hasProvedItself(now)) this.raiseLimit(now);
	}

	/**
	 * The service refused a request that is in flight.
	 *
	 * @param circumstances.random from 0 up to 1
	 * @param circumstances.lastSequence number of the request that started last
	 * @returns whether all requests pause; if not, this one has to back off by itself
	 */
	noteRefusal(
		sequence: number,
		{ askedMs = 0, mayBeFailure }: Refusal,
		circumstances: { now: number; random: number; lastSequence: number },
	): boolean {
		const { now, random, lastSequence } = circumstances;
		const pausesAll = !mayBeFailure || askedMs > 0;
		this.refused++;
		if (pausesAll) {
			this.pausedUntil = Math.max(this.pausedUntil, now + askedMs);
			if (sequence <= this.sentBeforePause) return true;
			this.sentBeforePause = lastSequence;
			this.restart = 1;
			const pauseMs = backoffMs(++this.pausesInARow, (1 + random) / 2, REFUSED_PAUSE);
			this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
		} else if (this.exempt-- > 0) return false;
		const isAfterRefusal = this.begin === 'refusal';
		// The service accepts too little yet: this belongs to the refusal before.
		if (isAfterRefusal && this.accepted < (pausesAll ? 1 : MIN_MEASURED)) return pausesAll;
		const inFlight = this.inFlight.get(sequence) ?? 1;
		if (!pausesAll && isAfterRefusal && this.isDoubtful) this.ignoreFailures();
		else if (inFlight > Math.max(this.most, this.mostBefore)) this.window = this.most;
		else this.lowerRate(now, !pausesAll);
		this.mostBefore = this.most;
		this.most = 0;
		this.refused = 1;
		this.raise = RAISE;
		this.measure('refusal', now);
		return pausesAll;
	}

	private lowerRate(now: number, mayBeRandom: boolean): void {
		const { low, high } = this.acceptedRates(now);
		this.refusedRate = this.rate < Infinity ? this.rate : high;
		this.isDoubtful = mayBeRandom && this.begin === 'refusal';
		this.rate = this.isDoubtful
			? USED_SHARE_OF_DOUBT * low
			: Math.max(this.rateBefore, USED_SHARE * Math.sqrt(low * high));
	}

	/** Returns the bounds of the rate that the service allows. */
	private acceptedRates(now: number): { low: number; high: number } {
		const { accepted, since = now, rateBefore } = this;
		const totalMs = now - since - this.gapsMs;
		const pauseMs = this.begin === 'refusal' ? this.pauseMs : 0;
		const high = Math.min(this.rate, accepted / (totalMs - pauseMs));
		return { low: rateBefore || accepted / totalMs, high };
	}

	/** Slowing down has not helped. */
	private ignoreFailures(): void {
		this.rate = Infinity;
		this.window = Infinity;
		this.isDoubtful = false;
		this.exempt = this.nextExemption;
		this.nextExemption *= 2;
	}

	/** Tells whether the limit has proved itself for so long that a higher one is worth a refusal. */
	private hasProvedItself(now: number): boolean {
		const { since = now, pauseMs } = this;
		const isSearching = this.isRateUsed && this.rate < SEARCH.belowShare * this.refusedRate;
		const pauses = isSearching ? SEARCH.pauses : PAUSES_PER_RAISE;
		const provenMs = now - since - (this.begin === 'refusal' ? pauseMs : 0);
		return (
			provenMs >= Math.min(MAX_HOLD_MS, pauses * pauseMs) &&
			this.accepted >= ACCEPTED_PER_REFUSAL * this.refused
		);
	}

	/** Raises what requests had to wait for. */
	private raiseLimit(now: number): void {
		const { rate, refusedRate } = this;
		this.rateBefore = this.isRateUsed ? rate : this.acceptedRates(now).high;
		if (this.isWindowUsed) this.window++;
		if (this.isRateUsed && rate < refusedRate)
			this.rate = Math.max(RAISE * rate, Math.sqrt(rate * refusedRate));
		else if (this.isRateUsed) {
			this.rate *= this.raise;
			this.raise = Math.min(MAX_RAISE, 2 * this.raise - 1);
		}
		this.measure('raise', now);
	}

	private measure(begin: 'refusal' | 'raise', now: number): void {
		this.begin = begin;
		this.since = now;
		this.accepted = 0;
		this.gapsMs = 0;
		this.isRateUsed = false;
		this.isWindowUsed = false;
		if (begin === 'refusal') this.rateBefore = 0;
	}
}
