/**
 * A `LearnedLimit` learns how many requests a service accepts. It learns from refusals. A refusal is a response that
 * asks for fewer requests. Before the first refusal, there is no limit.
 *
 * A refusal pauses all requests. The pause lasts as long as the service asks for, but at least as long as exponential
 * backoff requires. After the pause, requests start again one by one, and each success allows one more request in
 * flight. The window is the limit for requests in flight. What happens next depends on the number of requests in flight
 * at the refusal. If the service had never accepted that many requests at the same time, the window shrinks to the
 * number that it did accept. Otherwise, the rate was too high, so the rate is lowered.
 *
 * The rate that the service allows lies between two estimates. The lower estimate is the number of accepted requests
 * divided by the total time since the last refusal. The higher estimate excludes the pause from that time. Neither
 * estimate is exact, because the service's token bucket fills up during the pause but may be full before the pause
 * ends. The new rate is 95% of the geometric mean of the two estimates. It is normally kept for 20 times the length of
 * the pause, and until 20 requests have been accepted. Then it rises by 5%. If the rate is far below the refused rate,
 * it rises sooner and by more. In this case, it rises to the geometric mean of the current rate and the refused rate.
 * If the service refuses a request at the higher rate, the limit returns to the earlier rate.
 *
 * A 503 without Retry-After may come from a rate limit or from random failures of the service. Therefore, such a
 * response does not pause other requests. If requests still fail at 80% of the accepted rate, slowing down does not
 * help. Such failures are then ignored for a while.
 */
import { backoffMs } from './run-state';

/** Fraction of the estimated rate that is used. The unused part lets the service's token bucket refill. */
const USED_SHARE = 0.95;
/**
 * Fraction of the measured rate to use after a 503 that may be a random failure. In that case, the rate is measured
 * over only 20 requests, so it can be 10% too high. Therefore, this fraction is lower than `USED_SHARE`.
 */
const USED_SHARE_OF_DOUBT = 0.8;
/**
 * Factor for the first increase above a refused rate: 5%. Each further increase is twice as large: 10%, 20%, and so on.
 */
const RAISE = 1.05;
/**
 * Maximum factor by which the rate is increased. With this factor, the rate recovers soon after the service lifts a
 * limit.
 */
const MAX_RAISE = 2;
/**
 * Before the limiter increases a rate, it waits 20 times as long as the last pause lasted. If the service refuses the
 * higher rate, the resulting pause costs only 5% of that time.
 */
const PAUSES_PER_RAISE = 20;
/**
 * If the rate is below this share of the refused rate, there is much to gain from increasing it. Therefore, the next
 * increase follows after only 4 times the length of the pause instead of 20 times.
 */
const SEARCH = { belowShare: 0.9, pauses: 4 };
/**
 * Maximum time to keep a rate, even if the last pause was long. After this time, the service might have changed its
 * limits.
 */
const MAX_HOLD_MS = 10 * 60_000;
/**
 * A rate is not increased until the service has accepted this many requests per refused request. This keeps refusals
 * rare.
 */
const ACCEPTED_PER_REFUSAL = 20;
/**
 * If failures may be random, a rate is measured over at least this many requests. With fewer requests, the rate would
 * depend on chance.
 */
const MIN_MEASURED = 20;
/** If slowing down has not helped, failures are ignored for this number of requests. The number doubles each time. */
const FIRST_EXEMPTION = 200;
/** Timers fire late. To make up for the delay, the next request can start up to this many milliseconds early. */
export const CATCH_UP_MS = 20;
/** Bounds for the pause after a refusal without Retry-After. */
const REFUSED_PAUSE = { baseMs: 50, capMs: 30_000 };

interface Refusal {
	askedMs: number | undefined;
	/** Whether the refusal may be a random failure of the service. If it is, sending fewer requests does not help. */
	mayBeFailure: boolean;
}

export class LearnedLimit {
	/** Requests per millisecond. */
	private rate = Infinity;
	private refusedRate = Infinity;
	/** Factor for the next increase. It applies once the rate is higher than at the last refusal. */
	private raise = RAISE;
	/**
	 * Maximum number of requests in flight. Infinity means that there is no limit, and 0 means that the limit is still
	 * unknown.
	 */
	private window = Infinity;
	/**
	 * Maximum number of requests in flight after a pause. It grows by one with each success. Infinity before the first
	 * pause.
	 */
	private restart = Infinity;
	private pausedUntil = -Infinity;
	private nextStart = -Infinity;
	private pausesInARow = 0;
	/**
	 * Sequence number of the last request before the pause. If this request or an earlier one is refused, the refusal
	 * belongs to the overload that caused the pause.
	 */
	private sentBeforePause = 0;

	private begin: 'start' | 'refusal' | 'raise' = 'start';
	private since: number | undefined;
	private accepted = 0;
	private gapsMs = 0;
	/**
	 * The rate before the increase that started the measurement, or 0 if the measurement did not start with an
	 * increase.
	 */
	private rateBefore = 0;
	/** Time from the last refusal to the next accepted request. */
	private pauseMs = 0;
	/** Number of refused requests since the limit was last lowered. */
	private refused = 0;
	/** Whether a request had to wait because of the rate (`isRateUsed`) or because of the window (`isWindowUsed`). */
	private isRateUsed = false;
	private isWindowUsed = false;

	/**
	 * The keys are the sequence numbers of the requests in flight. Each value is the number of requests that were in
	 * flight when that request started.
	 */
	private readonly inFlight = new Map<number, number>();
	/**
	 * The largest number of requests that the service has accepted at the same time. `most` covers the time since the
	 * last refusal, and `mostBefore` covers the time before that refusal.
	 */
	private most = 0;
	private mostBefore = 0;

	/** Whether the rate was lowered below the accepted rate because of failures that may have been random. */
	private isDoubtful = false;
	/** Number of further requests whose random failures are ignored. */
	private exempt = 0;
	private nextExemption = FIRST_EXEMPTION;

	/**
	 * Returns how many milliseconds to wait before a request may start, or Infinity if another request must end first.
	 */
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

	/** Each sequence number must be higher than the previous one. */
	noteStart(sequence: number, now: number): void {
		this.since ??= now;
		this.inFlight.set(sequence, this.inFlight.size + 1);
		if (this.rate === Infinity) return;
		this.nextStart = Math.max(this.nextStart, now - CATCH_UP_MS) + 1 / this.rate;
	}

	noteEnd(sequence: number, now: number, isAccepted: boolean): void {
		if (isAccepted) this.noteSuccess(sequence, now);
		this.inFlight.delete(sequence);
	}

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
	 * @param circumstances.random a number from 0 up to 1
	 * @param circumstances.lastSequence sequence number of the latest request
	 * @returns true if all requests pause, or false if only this request must back off
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
		// Too few requests have been accepted since the last refusal, so this refusal is treated as part of the same
		// overload.
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

	private acceptedRates(now: number): { low: number; high: number } {
		const { accepted, since = now, rateBefore } = this;
		const totalMs = now - since - this.gapsMs;
		const pauseMs = this.begin === 'refusal' ? this.pauseMs : 0;
		const high = Math.min(this.rate, accepted / (totalMs - pauseMs));
		return { low: rateBefore || accepted / totalMs, high };
	}

	private ignoreFailures(): void {
		this.rate = Infinity;
		this.window = Infinity;
		this.isDoubtful = false;
		this.exempt = this.nextExemption;
		this.nextExemption *= 2;
	}

	/** Returns true if the limit has worked long enough that a higher limit is worth the risk of a refusal. */
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

	private raiseLimit(now: number): void {
		const { rate, refusedRate } = this;
		this.rateBefore = this.acceptedRates(now).high;
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
