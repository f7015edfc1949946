/**
 * Decides what to do after a failed attempt. Each request has a `RetryPolicy`. All requests of one kind share a
 * `ServiceHealth`, which knows whether other requests succeed. These are the rules:
 *
 * 1. A failure that every other request would also meet (401, 407, a redirect, no token) ends the run.
 * 2. If the service rejects entries (400, 403, 413 or 422), they are sent in smaller requests. A rejected single entry
 *    fails. Three single entries in a row with 403 end the run. Ten rejected single entries before the first success
 *    make batches fail as a whole, unless they were split before or are too large.
 * 3. A 429 is repeated. Five minutes of 429 without any success end the run.
 * 4. After any other transient failure, the request is sent again after a pause. The pause starts at half a second and
 *    doubles each time. The maximum is 20 s, or 5 s while other requests succeed.
 * 5. A batch that fails three times is split. If other requests succeed, it is split into halves. Otherwise, one entry
 *    is singled out, once, and the rest is sent separately. A part is split as soon as it fails while others succeed.
 * 6. A batch is split after Retry For. A single entry fails after Retry For. An entry of a split batch fails earlier if
 *    it fails so often while others succeed that this cannot be chance.
 * 7. If nothing has succeeded for Retry For (at least 10 s) and more requests fail than can be in flight, the run ends.
 *
 * Two rules are elsewhere: whether a 429 or 503 pauses other requests (`limiter.ts`), and what a failed poll means for
 * its job (`poll.ts`, and `diagnosePoll` in `ChunkText/jobs/fetch.ts`).
 */
import { backoffMs, type RunState } from './run-state';
import { mayBeDown, type Diagnosis } from './diagnosis';

const RETRY_PAUSE = { baseMs: 500, capMs: 20_000 };
const PAUSE_WHILE_UP_MS = 5000;
/** After a success, the service is considered to be up for this long. */
const RECENT_MS = 20_000;
/** A shorter silence can simply mean that requests are slow. */
const MIN_SILENCE_MS = 10_000;
const MAX_THROTTLED_MS = 5 * 60_000;
/** A batch is split after this many failures. If no entry is at fault, splitting costs requests but no entry fails. */
const MIN_FAILURES = 3;
/** A single entry of a split batch fails if chance explains its failures with less than this probability. */
const CERTAINTY = 1 / 1_000_000;
const MAX_REJECTED_ALONE = 10;
const MAX_FORBIDDEN_IN_A_ROW = 3;
/** Factor by which each success reduces the weight of earlier requests, so that mainly the last 30 matter. */
const FADING = 0.97;

export class ServiceHealth {
	/** Sequence number of the latest successful request, or 0 before the first success. */
	lastSuccess = 0;
	rejectedAlone = 0;
	private lastSuccessAt = -Infinity;
	private forbiddenInARow = 0;
	/** The requests that have failed since the last success, and the time of the first failure. */
	private readonly failing = new Set<RetryPolicy>();
	private failingSince: number | undefined;
	private throttledSince: number | undefined;
	/** Weighted counts of attempts and of failed attempts, for requests that eventually succeeded. */
	private attempts = 0;
	private failures = 0;

	/** @param failures number of the request's earlier attempts, all of which failed */
	noteSuccess(sequence: number, failures: number, now: number): void {
		this.lastSuccess = Math.max(this.lastSuccess, sequence);
		this.lastSuccessAt = now;
		this.failingSince = undefined;
		this.throttledSince = undefined;
		this.failing.clear();
		this.forbiddenInARow = 0;
		this.attempts = this.attempts * FADING + failures + 1;
		this.failures = this.failures * FADING + failures;
	}

	noteFailure(request: RetryPolicy, now: number): void {
		this.failingSince ??= now;
		this.failing.add(request);
	}

	/** @returns how many milliseconds ago the first 429 since the last success arrived */
	noteThrottled(now: number): number {
		return now - (this.throttledSince ??= now);
	}

	/** @returns true if so many single entries in a row have received a 403 that the run must end */
	noteForbidden(): boolean {
		return ++this.forbiddenInARow >= MAX_FORBIDDEN_IN_A_ROW;
	}

	isDown(now: number, { retryForMs, concurrency }: RetrySettings): boolean {
		const silenceMs = now - (this.failingSince ?? now);
		return silenceMs >= Math.max(retryForMs, MIN_SILENCE_MS) && this.failing.size > concurrency;
	}

	isUp(now: number): boolean {
		return now - this.lastSuccessAt < RECENT_MS;
	}

	/** Returns the pause in milliseconds after this many failures in a row. `random` is a number from 0 up to 1. */
	pauseMs(failures: number, now: number, random: number): number {
		const capMs = this.isUp(now) ? PAUSE_WHILE_UP_MS : RETRY_PAUSE.capMs;
		return backoffMs(failures, random, { ...RETRY_PAUSE, capMs });
	}

	/** Returns the probability that a good request fails this many times in a row by chance. */
	chanceOf(failures: number): number {
		return ((this.failures + 1) / (this.attempts + 2)) ** failures;
	}
}

export type Decision =
	| 'again'
	| 'singleOut'
	| /** Send the entries in two smaller requests. */ 'split'
	| 'fail'
	| /** Let the entries fail, and end the run. */ 'end';

export interface FailedAttempt {
	diagnosis: Diagnosis;
	sequence: number;
	size: number;
	/** Whether the limiter pauses all requests, so that this request needs no pause of its own. */
	pausesAll?: boolean | undefined;
}

export interface RetrySettings {
	run: RunState;
	health: ServiceHealth;
	/** The request is repeated at least once, even if this time has passed. */
	retryForMs: number;
	concurrency: number;
}

export class RetryPolicy {
	/** When the next attempt may start, or undefined if it does not have to wait. */
	resumeAt: number | undefined;
	/** Whether the request's only entry keeps failing while other requests succeed. */
	isAtFault = false;
	/** Number of failed attempts in a row, not counting attempts that received a 429. */
	failures = 0;
	private failuresWhileUp = 0;
	private failingSince: number | undefined;
	private lastSequence = 0;
	/**
	 * Sequence number of the first attempt, or of the last attempt to send the batch that this part belongs to. Only
	 * later requests show whether the service works, because earlier ones may have started before an outage.
	 */
	private comparedSince: number;
	/** Whether this is a part of a batch that was split after transient failures. */
	private readonly isSuspected: boolean;
	private hasSingledOut: boolean;

	/** @param origin policy of the batch that this part was split from */
	constructor(
		private readonly settings: RetrySettings,
		private readonly origin?: RetryPolicy,
	) {
		this.comparedSince = origin?.lastSequence ?? 0;
		this.isSuspected = origin !== undefined && (origin.failures > 0 || origin.isSuspected);
		this.hasSingledOut = origin?.hasSingledOut ?? false;
	}

	forPart(): RetryPolicy {
		return new RetryPolicy(this.settings, this);
	}

	decide(attempt: FailedAttempt): Decision {
		const { diagnosis, sequence } = attempt;
		this.comparedSince ||= sequence;
		this.lastSequence = sequence;
		if (diagnosis.action === 'stop') return 'end';
		if (diagnosis.action !== 'retry') return this.afterRejection(attempt);
		if (diagnosis.kind === 'throttled') return this.after429(diagnosis);
		return this.afterTransientFailure(attempt);
	}

	private afterRejection({ diagnosis, size }: FailedAttempt): Decision {
		const { health } = this.settings;
		if (diagnosis.kind === 'forbidden') {
			if (size > 1) return this.haveOthersSucceeded ? 'split' : 'singleOut';
			return !this.haveOthersSucceeded && health.noteForbidden() ? 'end' : 'fail';
		}
		if (size === 1) health.rejectedAlone++;
		if (size === 1 || diagnosis.action === 'fail') return 'fail';
		const isHopeless = health.lastSuccess === 0 && health.rejectedAlone >= MAX_REJECTED_ALONE;
		return diagnosis.kind === 'tooLarge' || this.origin || !isHopeless ? 'split' : 'fail';
	}

	/** Sets no pause, because the limiter pauses all requests. */
	private after429({ delayMs = 0 }: Diagnosis): Decision {
		const { run, health } = this.settings;
		return health.noteThrottled(run.now()) + delayMs >= MAX_THROTTLED_MS ? 'end' : 'again';
	}

	private afterTransientFailure({ diagnosis, size, pausesAll }: FailedAttempt): Decision {
		const { settings, haveOthersSucceeded, isSuspected } = this;
		const { run, health, retryForMs } = settings;
		const now = run.now();
		health.noteFailure(this, now);
		this.failingSince ??= now;
		this.failures++;
		if (health.isUp(now)) this.failuresWhileUp++;
		if (!pausesAll) this.pause(diagnosis, now);
		if (health.isDown(now, settings)) return 'end';
		const isOver = this.failures > 1 && now - this.failingSince >= retryForMs;
		if (isOver && diagnosis.kind === 'noToken') return 'end';
		if (!mayBeDown(diagnosis)) return isOver ? 'fail' : 'again';
		if (size === 1) {
			const isUnlikely = health.chanceOf(this.failuresWhileUp) < CERTAINTY;
			this.isAtFault = (isSuspected || isOver) && haveOthersSucceeded && isUnlikely;
			return isOver || this.isAtFault ? 'fail' : 'again';
		}
		if (isOver || (isSuspected && haveOthersSucceeded)) return 'split';
		if (this.failures < MIN_FAILURES) return 'again';
		if (haveOthersSucceeded) return 'split';
		if (this.hasSingledOut) return 'again';
		this.hasSingledOut = true;
		return 'singleOut';
	}

	private pause({ delayMs = 0 }: Diagnosis, now: number): void {
		const { run, health } = this.settings;
		this.resumeAt = now + Math.max(delayMs, health.pauseMs(this.failures, now, run.random()));
	}

	private get haveOthersSucceeded(): boolean {
		return this.settings.health.lastSuccess > this.comparedSince;
	}
}
