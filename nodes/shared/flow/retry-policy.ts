/**
 * Decides what to do after a failed attempt. Each request has a `RetryPolicy`, which knows the request's history. All
 * requests of one kind share a `ServiceHealth`, which knows whether other requests succeed. If other requests succeed
 * while a batch keeps failing, one of the batch's entries is probably at fault. If all requests fail, the service is at
 * fault. These are the rules:
 *
 * 1. If a request receives a status that every other request would also receive (401, 407 or a redirect), the run ends.
 *    The run also ends if the token server refuses the client. The same applies if every attempt to obtain a token
 *    fails for the full Retry For time. If a request receives another status that is never retried, such as 404, all of
 *    its entries fail.
 * 2. If the service rejects entries (400, 413 or 422), they are sent in smaller requests. If a request with only one
 *    entry is rejected, that entry fails. Once ten single-entry requests have been rejected and nothing has been
 *    accepted, each rejected batch fails as a whole. There are two exceptions: requests that are too large, and batches
 *    that have already been split once.
 * 3. If anything has succeeded since the batch was first sent, a 403 is also treated as a rejection of entries.
 *    Otherwise, single entries are sent as probes. If three single-entry requests in a row receive a 403, the service
 *    rejects everything. Then the run ends.
 * 4. A request that receives a 429 is sent again. If all requests receive a 429 for five minutes, or if the service
 *    asks for a pause of five minutes, the run ends.
 * 5. After any other transient failure, the request is sent again after a pause. The pause starts at half a second and
 *    doubles each time. The maximum is 20 s, or 5 s while other requests succeed.
 * 6. A batch becomes suspect if both of the following are true: it has failed at least three times while other requests
 *    succeeded, and chance no longer explains these failures. A suspect batch is split into halves.
 * 7. If a batch has failed three times in a row while no other request succeeded, single entries are sent as probes
 *    until a probe succeeds. Then the batch is split into halves.
 * 8. If part of a suspect batch fails again, that part is split into halves. A single entry from a suspect batch fails
 *    if its failures are very unlikely to be due to chance. The probability must be below one in a million.
 * 9. If a request has been repeated for the full Retry For time, there are three cases. If the request has only one
 *    entry, that entry fails. If it has several entries and the service was up recently, the request is split into
 *    halves. In all other cases, single entries are sent as probes.
 * 10. The service is considered down if nothing has succeeded for the full Retry For time (at least 10 s). In addition,
 *    the number of failed requests must exceed the concurrency. If the service is considered down, the run ends.
 */
import { backoffMs } from './backoff';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** Bounds for the pause before a request is sent again, in milliseconds. */
const RETRY_PAUSE = { baseMs: 500, capMs: 20_000 };
const PAUSE_WHILE_UP_MS = 5000;
/** After a success, the service is considered to be up for this long. */
const RECENT_MS = 20_000;
/**
 * Minimum time without any success before the service is considered to be down. A shorter silence can simply mean that
 * requests are slow.
 */
export const OUTAGE = { minSilenceMs: 10_000 };
/** Time after which the run ends if every request receives a 429. */
const MAX_THROTTLED_MS = 5 * 60_000;
/** Minimum number of failures in a row before a batch may be suspected of containing a bad entry. */
const MIN_FAILURES = 3;
/**
 * A batch is suspected of containing a bad entry if `chanceOf` returns less than this value. A wrong suspicion leads to
 * additional requests, but it never makes an entry fail.
 */
const SUSPICION = 1 / 20;
/** A suspected entry that is sent alone fails if `chanceOf` returns less than this value. */
const CERTAINTY = 1 / 1_000_000;
/** If this many single entries are rejected and nothing has succeeded, batches are no longer split. */
const MAX_REJECTED_ALONE = 10;
/** If this many single-entry requests in a row receive a 403, the run ends. */
const MAX_FORBIDDEN_IN_A_ROW = 3;
/**
 * Factor by which each success reduces the weight of earlier requests. With this factor, mainly the last 30 requests
 * matter.
 */
const FADING = 0.97;

/** Tracks the health of all requests of one kind in a run. A failing request can then be compared with the others. */
export class ServiceHealth {
	/** Sequence number of the latest successful request, or 0 before the first success. */
	lastSuccess = 0;
	lastSuccessAt = -Infinity;
	rejectedAlone = 0;
	private forbiddenInARow = 0;
	/** Number of requests that have failed since the last success. */
	failingRequests = 0;
	private failingSince: number | undefined;
	/** Weighted counts of attempts and of failed attempts, for requests that eventually succeeded. */
	private attempts = 0;
	private failures = 0;

	/**
	 * Notes that a request has succeeded.
	 *
	 * @param sequence sequence number of the request
	 * @param failures number of the request's earlier attempts, all of which failed
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
	 * @param isNew whether the request still has to be counted in `failingRequests`
	 */
	noteFailure(now: number, isNew: boolean): void {
		this.failingSince ??= now;
		if (isNew) this.failingRequests++;
	}

	/**
	 * Notes that a request with a single entry received status 403.
	 *
	 * @returns true if this has happened so many times in a row that the run must end
	 */
	noteForbidden(): boolean {
		return ++this.forbiddenInARow >= MAX_FORBIDDEN_IN_A_ROW;
	}

	/** Returns the time in milliseconds during which requests have been failing without any success. */
	silenceMs(now: number): number {
		return this.failingSince === undefined ? 0 : now - this.failingSince;
	}

	isUp(now: number): boolean {
		return now - this.lastSuccessAt < RECENT_MS;
	}

	/** Returns the pause in milliseconds after this many failures in a row. `random` is a number from 0 up to 1. */
	pauseMs(failures: number, now: number, random: number): number {
		const capMs = this.isUp(now) ? PAUSE_WHILE_UP_MS : RETRY_PAUSE.capMs;
		return backoffMs(failures, random, { ...RETRY_PAUSE, capMs });
	}

	/**
	 * Returns the probability that a request fails `failures` times in a row by chance. The estimate uses requests that
	 * eventually succeeded, because their failures were not caused by a bad entry.
	 */
	chanceOf(failures: number): number {
		return ((this.failures + 1) / (this.attempts + 2)) ** failures;
	}
}

/** The next step after a failed attempt. */
export type Decision =
	| /** Send it again. */ 'again'
	| /** Send a request with only one entry. */ 'probe'
	| /** Send the entries in two smaller requests. */ 'split'
	| /** Let the entries fail. */ 'fail'
	| /** Let the entries fail, and end the run. */ 'end';

export interface FailedAttempt {
	verdict: Verdict;
	sequence: number;
	size: number;
	/** Whether the attempt was a probe, which sends only one of the part's entries. */
	isProbe?: boolean;
}

/** The request that a part was split from. */
interface Origin {
	/** Sequence number of the first attempt to send the whole batch. */
	firstSequence: number;
	lastSequence: number;
	/** Whether one of the entries is suspected of being at fault. */
	isSuspected: boolean;
}

/** Retry settings that are shared by all requests of one kind in a run. */
export interface RetrySettings {
	run: RunState;
	health: ServiceHealth;
	/**
	 * Maximum time in milliseconds for repeating a request after transient failures. The request is repeated at least
	 * once.
	 */
	retryForMs: number;
	concurrency: number;
}

/** Decides what to do after each failed attempt of one request. */
export class RetryPolicy {
	/** When the next attempt may start, or undefined if it does not have to wait. */
	resumeAt: number | undefined;
	/**
	 * Whether the request's only entry is considered at fault. This is the case if the request keeps failing while
	 * other requests succeed.
	 */
	isAtFault = false;
	/** Number of failed attempts in a row, not counting attempts that received a 429. */
	failures = 0;
	/**
	 * Number of times that this request failed while other requests succeeded. A success counts only if the successful
	 * request started after the previous attempt to send this request. For a single entry from a suspect batch, any
	 * recent success counts.
	 */
	private failuresWhileOthersSucceeded = 0;
	/**
	 * Number of failed attempts since another request last succeeded. While no other request succeeds, failures do not
	 * show that the entries are at fault.
	 */
	private failuresWithoutComparison = 0;
	private failingSince: number | undefined;
	private throttledSince: number | undefined;
	private lastSequence = 0;
	private lastFailureAt = -Infinity;
	/** Sequence number of the first attempt to send the original batch. The parts of a split batch keep this number. */
	private firstSequence: number;
	/**
	 * If a request with a sequence number above this value succeeds, the service works. In that case, the entries of
	 * the failing request may be at fault.
	 */
	private comparedSince: number;
	/**
	 * Whether one of the entries is suspected of causing the failures. An entry is suspected if this request is part of
	 * a larger request that was split after transient failures.
	 */
	private readonly isSuspected: boolean;

	/** @param origin the request that this part was split from, if any */
	constructor(
		private readonly settings: RetrySettings,
		private readonly origin?: Origin,
	) {
		this.firstSequence = origin?.firstSequence ?? 0;
		this.comparedSince = origin?.lastSequence ?? 0;
		this.isSuspected = origin?.isSuspected ?? false;
	}

	decide(attempt: FailedAttempt): Decision {
		const { verdict, sequence } = attempt;
		this.firstSequence ||= sequence;
		this.comparedSince ||= sequence;
		if (verdict.action === 'stop') return 'end';
		if (verdict.action !== 'retry') return this.afterRejection(attempt);
		const isOf429 = verdict.throttled && verdict.serviceMayBe === undefined;
		if (isOf429) return this.after429(verdict);
		return this.afterTransientFailure(attempt);
	}

	forPart(): RetryPolicy {
		return new RetryPolicy(this.settings, {
			firstSequence: this.firstSequence,
			lastSequence: this.lastSequence,
			isSuspected: this.failures > 0 || this.isSuspected,
		});
	}

	private afterRejection({ verdict, sequence, size, isProbe = false }: FailedAttempt): Decision {
		const { health } = this.settings;
		this.lastSequence = sequence;
		const isAlone = size === 1 || isProbe;
		if (verdict.serviceMayBe === 'rejecting') {
			const isForEntries = health.lastSuccess > this.firstSequence;
			if (!isAlone) return isForEntries ? 'split' : 'probe';
			return !isForEntries && health.noteForbidden() ? 'end' : 'fail';
		}
		if (isAlone) health.rejectedAlone++;
		if (isAlone || verdict.action === 'fail') return 'fail';
		const isHopeless = health.lastSuccess === 0 && health.rejectedAlone >= MAX_REJECTED_ALONE;
		return verdict.tooLarge || this.origin || !isHopeless ? 'split' : 'fail';
	}

	/** Decides what to do after a 429. Sets no pause, because the limiter pauses all requests. */
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

		const { isSuspected } = this;
		const hasSuccessSince = this.hasSuccessSince();
		if (size === 1) {
			this.isAtFault = isSuspected && hasSuccessSince && this.areFailuresUnlikely(CERTAINTY);
			return isOver || this.isAtFault ? 'fail' : 'again';
		}
		if (isSuspected && hasSuccessSince) return 'split';
		if (this.areFailuresUnlikely(SUSPICION) || (isOver && health.isUp(now))) return 'split';
		return isOver || this.failuresWithoutComparison >= MIN_FAILURES ? 'probe' : 'again';
	}

	/** Notes a transient failure and sets the time of the next attempt. */
	private note({ verdict, sequence, size, isProbe }: FailedAttempt, now: number): void {
		const { run, health } = this.settings;
		const { pausesAll, delayMs = 0 } = verdict;
		const isNew = isProbe === true || this.lastFailureAt < health.lastSuccessAt;
		health.noteFailure(now, isNew || this.failures === 0);
		this.lastFailureAt = now;
		this.failingSince ??= now;
		this.failures++;
		// A request that started before an outage may still succeed during the outage. Its success does not show that
		// the service is up. Therefore, only requests that started after the previous attempt count.
		const haveOthersSucceeded =
			health.lastSuccess > this.lastSequence ||
			(size === 1 && this.isSuspected && health.isUp(now));
		if (haveOthersSucceeded) {
			this.failuresWhileOthersSucceeded++;
			this.failuresWithoutComparison = 0;
		} else this.failuresWithoutComparison++;
		this.lastSequence = sequence;
		// No pause is set, because the limiter already pauses all requests.
		if (pausesAll) return;
		const pauseMs = health.pauseMs(this.failures, now, run.random());
		this.resumeAt = now + Math.max(delayMs, pauseMs);
	}

	private isDown(now: number): boolean {
		const { health, retryForMs, concurrency } = this.settings;
		const silenceMs = Math.max(retryForMs, OUTAGE.minSilenceMs);
		return health.silenceMs(now) >= silenceMs && health.failingRequests > concurrency;
	}

	/**
	 * Returns true if any later request has succeeded. A request is later if it started after this request's first
	 * attempt. If this request is part of a split request, a later request is one that started after the last attempt
	 * to send the whole request.
	 */
	hasSuccessSince(): boolean {
		return this.settings.health.lastSuccess > this.comparedSince;
	}

	private areFailuresUnlikely(limit: number): boolean {
		const failures = this.failuresWhileOthersSucceeded;
		return failures >= MIN_FAILURES && this.settings.health.chanceOf(failures) < limit;
	}
}
