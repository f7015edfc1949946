/**
 * Decides what the failure of an attempt means for its request. The rules:
 *
 * 1. A status that every request would meet (401, 407, a redirect) ends the run.
 * 2. Entries that the service rejects (400, 413, 422) are sent in smaller requests until the rejected ones stand
 *    alone and fail. After ten rejected entries, and while nothing was ever accepted, batches fail as a whole.
 * 3. A 403 is a rejection as well if anything has succeeded since the batch was first sent. Otherwise single entries
 *    are sent as probes. After three single requests in a row with 403, every request is refused, which ends the run.
 * 4. A request that gets 429 is sent again. Five minutes of 429 without any success end the run.
 * 5. Any other transient failure is repeated after a pause that doubles from half a second to 20 s, or to 5 s while
 *    other requests succeed.
 * 6. A batch is suspected once three failures in a row, amid successes of other requests, are no longer explained by
 *    how often requests fail at the moment. It is then sent in halves.
 * 7. A batch that has failed three times without any success to compare with sends probes, one entry each, until one
 *    succeeds. It is then sent in halves.
 * 8. A part of a suspected batch is halved again at its next failure. A single entry of such a batch fails once its
 *    failures are no longer explained by chance, with odds of a million to one.
 * 9. A request that has been repeated for Retry For is halved or, if it has only one entry, fails.
 * 10. If nothing has succeeded for Retry For, and more requests have failed than fit in flight, the service is down,
 *    which ends the run.
 */
import { backoffMs } from './backoff';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** Bounds of the pause before a request is sent again, in milliseconds. */
export const RETRY_PAUSE = { baseMs: 500, capMs: 20_000 };
/** The longest pause while other requests succeed. */
const PAUSE_AMID_SUCCESSES_MS = 5000;
/** For so long after a success the service counts as up. */
const RECENT_MS = 20_000;
/** Requests may take their time, so a shorter silence than `minSilenceMs` says nothing about the service. */
export const OUTAGE = { minSilenceMs: 10_000 };
/** How long a request is sent again after 429 while nothing succeeds. */
const MAX_THROTTLED_MS = 5 * 60_000;
/** Failures in a row before a batch is suspected. */
const MIN_FAILURES = 3;
/** A batch is suspected if chance alone would explain its failures less often. Halving costs requests, and no entry. */
const SUSPICION = 1 / 20;
/** An entry fails if chance alone would explain its failures less often. */
const CERTAINTY = 1 / 1_000_000;
/** After so many single rejections without a success, batches are no longer split. */
const MAX_REJECTED_ALONE = 10;
/** After so many single requests in a row with 403, every request is refused. */
const MAX_FORBIDDEN_IN_A_ROW = 3;
/** Weight of the earlier requests when one more has succeeded: the last 30 or so count. */
const FADING = 0.97;

/** What has become of the requests of one kind in a run, for a comparison with a request that fails. */
export class ServiceHealth {
	/** Sequence number of the latest request that succeeded, 0 before the first success. */
	lastSuccess = 0;
	/** When a request succeeded last, in milliseconds. */
	lastSuccessAt = -Infinity;
	/** Single entries that were rejected. */
	rejectedAlone = 0;
	private forbiddenInARow = 0;
	/** Requests that have failed since the last success. */
	failingRequests = 0;
	private failingSince: number | undefined;
	/** Attempts of requests that have succeeded, and those among them that had failed before. */
	private attempts = 0;
	private failures = 0;

	/**
	 * Notes that a request has succeeded.
	 *
	 * @param sequence its sequence number
	 * @param failures its attempts that had failed before
	 * @param now in milliseconds
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
	 * @param isNew no earlier attempt of its request has failed since the last success of any
	 */
	noteFailure(now: number, isNew: boolean): void {
		this.failingSince ??= now;
		if (isNew) this.failingRequests++;
	}

	/**
	 * Notes that a single entry got status 403.
	 *
	 * @returns whether every request is refused
	 */
	noteForbidden(): boolean {
		return ++this.forbiddenInARow >= MAX_FORBIDDEN_IN_A_ROW;
	}

	/** Returns for how many milliseconds requests have failed and none has succeeded. */
	silenceMs(now: number): number {
		return this.failingSince === undefined ? 0 : now - this.failingSince;
	}

	/** Returns whether something has succeeded lately. */
	isUp(now: number): boolean {
		return now - this.lastSuccessAt < RECENT_MS;
	}

	/** Returns the pause after so many failures in a row, in milliseconds. `random` is from 0 up to 1. */
	pauseMs(failures: number, now: number, random: number): number {
		const capMs = this.isUp(now) ? PAUSE_AMID_SUCCESSES_MS : RETRY_PAUSE.capMs;
		return backoffMs(failures, random, { ...RETRY_PAUSE, capMs });
	}

	/**
	 * Returns how probable so many failures in a row are by chance. Only requests that have succeeded count: their
	 * failures were certainly not their own fault.
	 */
	chanceOf(failures: number): number {
		return ((this.failures + 1) / (this.attempts + 2)) ** failures;
	}
}

/** What to do with a request after an attempt that failed. */
export type Decision =
	| /** Send it again. */ 'again'
	| /** Send one of its entries alone. */ 'probe'
	| /** Send its entries in two smaller requests. */ 'split'
	| /** Its entries fail. */ 'fail'
	| /** Its entries fail, and nothing more is sent. */ 'end';

/** An attempt that failed, as the policy judges it. */
export interface FailedAttempt {
	verdict: Verdict;
	/** Sequence number of the attempt. */
	sequence: number;
	/** Number of entries of the request. */
	size: number;
	/** Only one of these entries was sent. */
	isProbe?: boolean;
}

/** The request of which another one is a part. */
interface Origin {
	/** Sequence number of its last attempt, which failed. */
	sequence: number;
	/** Sequence number of the first attempt of the batch that it belongs to. */
	firstSequence: number;
	/** One of its entries is suspected to be at fault. */
	isSuspected: boolean;
}

/** What the requests of one kind in a run have in common, as far as it concerns retries. */
export interface RetrySettings {
	run: RunState;
	health: ServiceHealth;
	/** How long transient failures are repeated, in milliseconds; at least once. */
	retryForMs: number;
	/** Maximum of requests in flight. */
	concurrency: number;
}

/** Decides about the attempts of one request. */
export class RetryPolicy {
	/** When the next attempt may start; undefined if it need not wait. */
	resumeAt: number | undefined;
	/** The entry stands alone and is at fault, since other requests succeed. */
	isAtFault = false;
	/** Attempts that failed in a row, those with 429 not counted. */
	failures = 0;
	/** Those before which another request had succeeded that started after the attempt before. */
	private failuresAmidSuccesses = 0;
	/** The latest of them that have no success to compare with. */
	private failuresAlone = 0;
	private failingSince: number | undefined;
	private throttledSince: number | undefined;
	private lastSequence = 0;
	private lastFailureAt = -Infinity;
	private firstSequence = 0;

	/** @param origin the request of which this one is a part, if it is one */
	constructor(
		private readonly settings: RetrySettings,
		private readonly origin?: Origin,
	) {}

	/** Decides what follows from an attempt that failed. */
	decide(attempt: FailedAttempt): Decision {
		const { verdict, sequence } = attempt;
		this.firstSequence ||= sequence;
		if (verdict.action === 'stop') return 'end';
		if (verdict.action !== 'retry') return this.afterRejection(attempt);
		if (verdict.throttled && verdict.serviceMayBe === undefined) return this.after429(verdict);
		return this.afterTransientFailure(attempt);
	}

	/** Returns the policy for a part of this request, which is sent on its own now. */
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
		if (verdict.serviceMayBe === 'denying') {
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

	/** The limiter makes the pauses of all requests. */
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

	/** Notes a transient failure, and when its request may be sent again. */
	private note({ verdict, sequence, size, isProbe }: FailedAttempt, now: number): void {
		const { run, health } = this.settings;
		const { throttled, delayMs = 0 } = verdict;
		const isNew = isProbe === true || this.lastFailureAt < health.lastSuccessAt;
		health.noteFailure(now, isNew || this.failures === 0);
		this.lastFailureAt = now;
		this.failingSince ??= now;
		this.failures++;
		// In an outage, only requests that started before it still succeed.
		const isAmidSuccesses =
			health.lastSuccess > this.lastSequence ||
			(size === 1 && this.origin?.isSuspected === true && health.isUp(now));
		if (isAmidSuccesses) this.failuresAmidSuccesses++;
		this.failuresAlone = isAmidSuccesses ? 0 : this.failuresAlone + 1;
		this.lastSequence = sequence;
		// The limiter makes the pauses of all requests.
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
	 * Whether a request has succeeded that started after this one had begun to fail or, for a part, after the request
	 * that it is a part of had failed.
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
