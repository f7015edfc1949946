/**
 * Decides what follows from a failed attempt. Each request has a `RetryPolicy`, which knows the history of the request.
 * All requests of one kind share a `ServiceHealth`, which knows how other requests fare. If others succeed while a
 * batch keeps failing, one of its entries is probably at fault. If all fail, the service is at fault. The rules:
 *
 * 1. A status that every request would meet (401, 407, a redirect) ends the run.
 * 2. If the service rejects entries (400, 413, 422), they are sent in smaller requests. An entry that is rejected alone
 *    fails. Batches fail as a whole if nothing was ever accepted and ten single entries were rejected.
 * 3. A 403 is a rejection too if anything has succeeded since the batch was first sent. Otherwise single entries are
 *    sent as probes. Three single requests in a row with 403 mean that the service rejects all, which ends the run.
 * 4. A request with status 429 is sent again. Five minutes of 429 without any success end the run.
 * 5. A request with any other transient failure is sent again after a pause. Pauses double from half a second up to
 *    20 s, or up to 5 s while other requests succeed.
 * 6. A batch is suspected if it has failed at least three times while other requests succeeded, and chance no longer
 *    explains these failures. A suspected batch is sent in halves.
 * 7. If a batch has failed three times without any success to compare with, single entries are sent as probes until
 *    one succeeds. Then the batch is sent in halves.
 * 8. A part of a suspected batch is halved again at its next failure. A single entry of such a batch fails when the
 *    odds that its failures are chance drop below one in a million.
 * 9. A request that has been repeated for Retry For is halved. If it has only one entry, it fails.
 * 10. The service is down if nothing has succeeded for Retry For and more requests have failed than fit in flight.
 *    Then the run ends.
 */
import { backoffMs } from './backoff';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** Bounds of the pause before a request is sent again, in milliseconds. */
export const RETRY_PAUSE = { baseMs: 500, capMs: 20_000 };
/** The longest pause while other requests succeed. */
const PAUSE_AMID_SUCCESSES_MS = 5000;
/** Time after a success during which the service counts as up. */
const RECENT_MS = 20_000;
/** Slow requests are no outage, so a silence shorter than `minSilenceMs` says nothing about the service. */
export const OUTAGE = { minSilenceMs: 10_000 };
/** Time after which the run ends if all requests get 429. */
const MAX_THROTTLED_MS = 5 * 60_000;
/** Number of failures in a row before a batch may be suspected. */
const MIN_FAILURES = 3;
/** A batch is suspected below this probability of its failures. A wrong suspicion costs requests, but no entry. */
const SUSPICION = 1 / 20;
/** A suspected single entry fails below this probability of its failures. */
const CERTAINTY = 1 / 1_000_000;
/** Number of rejected single entries, without any success, after which batches are no longer split. */
const MAX_REJECTED_ALONE = 10;
/** Number of single requests in a row with 403 after which the run ends. */
const MAX_FORBIDDEN_IN_A_ROW = 3;
/** Weight of earlier requests at each success. With this weight, roughly the last 30 requests count. */
const FADING = 0.97;

/** Records how the requests of one kind in a run fare, to compare a failing request with them. */
export class ServiceHealth {
	/** Sequence number of the latest request that succeeded, or 0 before the first success. */
	lastSuccess = 0;
	/** Time of the last success, in milliseconds. */
	lastSuccessAt = -Infinity;
	rejectedAlone = 0;
	private forbiddenInARow = 0;
	/** Number of requests that have failed since the last success. */
	failingRequests = 0;
	private failingSince: number | undefined;
	/** Weighted numbers of attempts and of failed attempts. Only requests that succeeded in the end count. */
	private attempts = 0;
	private failures = 0;

	/**
	 * Notes that a request has succeeded.
	 *
	 * @param sequence sequence number of the request
	 * @param failures number of its earlier attempts, which failed
	 * @param now the time in milliseconds
	 */
	noteSuccess(sequence: number, failures: number, now: number): void {
		this.lastSuccess = Math.max(this.lastSuccess, sequence);
		this.lastSuccessAt = now;
		this.failingSince = undefined;
		this.failingRequests = 0;
		this.forbiddenInARow = 0;
		this.attempts = this.attempts * FADING + failures + 1;
		this.failures = this.failures * FADING + failures;
	}

	/**
	 * Notes that an attempt has failed.
	 *
	 * @param isNew whether the request fails for the first time since the last success of any request
	 */
	noteFailure(now: number, isNew: boolean): void {
		this.failingSince ??= now;
		if (isNew) this.failingRequests++;
	}

	/**
	 * Notes that a single entry got status 403.
	 *
	 * @returns whether so many single entries in a row got 403 that the run must end
	 */
	noteForbidden(): boolean {
		return ++this.forbiddenInARow >= MAX_FORBIDDEN_IN_A_ROW;
	}

	/** Returns for how many milliseconds requests have failed without any success. */
	silenceMs(now: number): number {
		return this.failingSince === undefined ? 0 : now - this.failingSince;
	}

	/** Returns whether a request has succeeded recently. */
	isUp(now: number): boolean {
		return now - this.lastSuccessAt < RECENT_MS;
	}

	/** Returns the pause in milliseconds after a number of failures in a row. `random` is a number from 0 up to 1. */
	pauseMs(failures: number, now: number, random: number): number {
		const capMs = this.isUp(now) ? PAUSE_AMID_SUCCESSES_MS : RETRY_PAUSE.capMs;
		return backoffMs(failures, random, { ...RETRY_PAUSE, capMs });
	}

	/**
	 * Returns the probability that a request fails so often in a row by chance. It is estimated from requests that have
	 * succeeded in the end, because their failures were not their own fault.
	 */
	chanceOf(failures: number): number {
		return ((this.failures + 1) / (this.attempts + 2)) ** failures;
	}
}

/** The next step after a failed attempt of a request. */
export type Decision =
	| /** Send it again. */ 'again'
	| /** Send one entry alone. */ 'probe'
	| /** Send the entries in two smaller requests. */ 'split'
	| /** Let the entries fail. */ 'fail'
	| /** Let the entries fail, and end the run. */ 'end';

export interface FailedAttempt {
	verdict: Verdict;
	sequence: number;
	/** Number of entries of the request. */
	size: number;
	/** Whether only one of these entries was sent. */
	isProbe?: boolean;
}

/** The request that a part was split from. */
interface Origin {
	/** Sequence number of its last attempt. */
	sequence: number;
	/** Sequence number of the first attempt of the whole batch. */
	firstSequence: number;
	/** Whether one of its entries is suspected to be at fault. */
	isSuspected: boolean;
}

/** Settings for retries that all requests of one kind in a run share. */
export interface RetrySettings {
	run: RunState;
	health: ServiceHealth;
	/** Time for which a request is repeated after transient failures, in milliseconds. It is repeated at least once. */
	retryForMs: number;
	concurrency: number;
}

/** Decides what follows from each failed attempt of one request. */
export class RetryPolicy {
	/** When the next attempt may start, or undefined if it does not have to wait. */
	resumeAt: number | undefined;
	/** Whether the request has a single entry that is at fault, because requests without it succeed. */
	isAtFault = false;
	/** Number of failed attempts in a row, not counting status 429. */
	failures = 0;
	/** Number of failures before which a request succeeded that was sent later than the previous attempt. */
	private failuresAmidSuccesses = 0;
	/** Number of latest failures in a row for which there is no success to compare with. */
	private failuresAlone = 0;
	private failingSince: number | undefined;
	private throttledSince: number | undefined;
	private lastSequence = 0;
	private lastFailureAt = -Infinity;
	private firstSequence = 0;

	/** @param origin the request that this part was split from, if any */
	constructor(
		private readonly settings: RetrySettings,
		private readonly origin?: Origin,
	) {}

	decide(attempt: FailedAttempt): Decision {
		const { verdict, sequence } = attempt;
		this.firstSequence ||= sequence;
		if (verdict.action === 'stop') return 'end';
		if (verdict.action !== 'retry') return this.afterRejection(attempt);
		if (verdict.throttled && verdict.serviceMayBe === undefined) return this.after429(verdict);
		return this.afterTransientFailure(attempt);
	}

	/** Returns the policy for a part that is split from this request. */
	forPart(): RetryPolicy {
		return new RetryPolicy(this.settings, {
			sequence: this.lastSequence,
			firstSequence: this.origin?.firstSequence ?? this.firstSequence,
			isSuspected: this.failures > 0 || this.origin?.isSuspected === true,
		});
	}

	private afterRejection({ verdict, sequence, size, isProbe = false }: FailedAttempt): Decision {
		const { health } = this.settings;
		this.lastSequence = sequence;
		const isAlone = size === 1 || isProbe;
		if (verdict.serviceMayBe === 'rejecting') {
			const isForEntries =
				health.lastSuccess > (this.origin?.firstSequence ?? this.firstSequence);
			if (!isAlone) return isForEntries ? 'split' : 'probe';
			return !isForEntries && health.noteForbidden() ? 'end' : 'fail';
		}
		if (isAlone) health.rejectedAlone++;
		if (isAlone || verdict.action === 'fail') return 'fail';
		const isHopeless = health.lastSuccess === 0 && health.rejectedAlone >= MAX_REJECTED_ALONE;
		return verdict.tooLarge || this.origin || !isHopeless ? 'split' : 'fail';
	}

	/** Sets no pause, because the limiter pauses all requests after a 429. */
	private after429({ delayMs = 0 }: Verdict): Decision {
		const { run, health } = this.settings;
		const now = run.now();
		this.throttledSince ??= now;
		const sinceMs = now - Math.max(this.throttledSince, health.lastSuccessAt);
		return sinceMs + delayMs >= MAX_THROTTLED_MS ? 'end' : 'again';
	}

	private afterTransientFailure(attempt: FailedAttempt): Decision {
		const { verdict, size } = attempt;
		const { run, health, retryForMs } = this.settings;
		const now = run.now();
		this.note(attempt, now);
		if (this.isDown(now)) return 'end';
		const isOver = this.failures > 1 && now - (this.failingSince ?? now) >= retryForMs;
		if (isOver && verdict.blocksAll) return 'end';
		if (verdict.serviceMayBe === undefined) return isOver ? 'fail' : 'again';

		const isSuspected = this.origin?.isSuspected === true;
		const hasSuccessSince = this.hasSuccessSince();
		if (size === 1) {
			this.isAtFault = isSuspected && hasSuccessSince && this.isUnlikely(CERTAINTY);
			return isOver || this.isAtFault ? 'fail' : 'again';
		}
		if (isSuspected && hasSuccessSince) return 'split';
		if (this.isUnlikely(SUSPICION) || (isOver && health.isUp(now))) return 'split';
		return isOver || this.failuresAlone >= MIN_FAILURES ? 'probe' : 'again';
	}

	/** Notes a transient failure, and sets the time of the next attempt. */
	private note({ verdict, sequence, size, isProbe }: FailedAttempt, now: number): void {
		const { run, health } = this.settings;
		const { throttled, delayMs = 0 } = verdict;
		const isNew = isProbe === true || this.lastFailureAt < health.lastSuccessAt;
		health.noteFailure(now, isNew || this.failures === 0);
		this.lastFailureAt = now;
		this.failingSince ??= now;
		this.failures++;
		// In an outage, only requests that started before the outage can still succeed.
		const isAmidSuccesses =
			health.lastSuccess > this.lastSequence ||
			(size === 1 && this.origin?.isSuspected === true && health.isUp(now));
		if (isAmidSuccesses) this.failuresAmidSuccesses++;
		this.failuresAlone = isAmidSuccesses ? 0 : this.failuresAlone + 1;
		this.lastSequence = sequence;
		// The limiter already pauses all requests.
		if (throttled) return;
		const pauseMs = health.pauseMs(this.failures, now, run.random());
		this.resumeAt = now + Math.max(delayMs, pauseMs);
	}

	private isDown(now: number): boolean {
		const { health, retryForMs, concurrency } = this.settings;
		const silenceMs = Math.max(retryForMs, OUTAGE.minSilenceMs);
		return health.silenceMs(now) >= silenceMs && health.failingRequests > concurrency;
	}

	/**
	 * Returns whether a request has succeeded that started after the first attempt of this request. For a part, it must
	 * have started after the last attempt of the request that the part was split from.
	 */
	hasSuccessSince(): boolean {
		const since = this.origin?.sequence ?? this.firstSequence;
		return this.settings.health.lastSuccess > since;
	}

	private isUnlikely(limit: number): boolean {
		const failures = this.failuresAmidSuccesses;
		return failures >= MIN_FAILURES && this.settings.health.chanceOf(failures) < limit;
	}
}
