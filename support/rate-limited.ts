import { bulk } from '../nodes/shared/sending/bulk';
import { oneEach } from '../nodes/shared/sending/one-each';
import { Limiter } from '../nodes/shared/sending/limiter';
import { ServiceHealth } from '../nodes/shared/sending/retry-policy';
import { diagnose, ServiceFailure } from '../nodes/shared/service/failure';
import type { Admission } from '../sandbox/rates';
import { VirtualClock } from './virtual-clock';
import { VirtualRun } from './virtual-run';

/** Accepts `limit` requests in any 60-second period. Rejected requests also count toward the limit. */
export function perMinute(limit: number): Admission {
	const seen: number[] = [];
	return (now) => {
		while (seen.length > 0 && seen[0] <= now - 60_000) seen.shift();
		return seen.push(now) <= limit;
	};
}

/** Returns the maximum count of `moments` in any 60-second window. */
export function mostInAMinute(moments: number[]): number {
	const sorted = [...moments].sort((one, other) => one - other);
	let most = 0;
	for (let first = 0, end = 0; first < sorted.length; first++) {
		while (end < sorted.length && sorted[end] < sorted[first] + 60_000) end++;
		most = Math.max(most, end - first);
	}
	return most;
}

/** Accepts `limit` requests in each clock minute. */
export function refilledEachMinute(limit: number): Admission {
	let minute = -1;
	let count = 0;
	return (now) => {
		if (Math.floor(now / 60_000) !== minute) count = 0;
		minute = Math.floor(now / 60_000);
		return ++count <= limit;
	};
}

export const untilNextMinute = (now: number): number => 60_000 - (now % 60_000);

/** Rejects this share of all requests, regardless of their rate. */
export const atRandom =
	(share: number): Load['admits'] =>
	(_now, _inFlight, random) =>
		random() >= share;

export interface Load {
	admits: (nowMs: number, inFlight: number, random: () => number) => boolean;
	executions?: number;
	/** Number of requests in each burst of an execution. By default, the number is unlimited. */
	requests?: number;
	/** Number of bursts of each execution. The default is 1. */
	bursts?: number;
	/** Time between the end of a burst and the next burst. */
	idleMs?: number;
	seconds?: number;
	/** Number of entries per request, before any batch is split. */
	perRequest?: number;
	concurrency?: number;
	latencyMs?: number;
	status?: number;
	retryAfterMs?: number | ((nowMs: number) => number);
	apart?: boolean;
	limitPerMinute?: number;
	seed?: number;
}

/** Simulates executions of a node against a rate-limited service, in virtual time. */
export async function play({
	admits,
	executions = 1,
	requests = Infinity,
	bursts = 1,
	idleMs = 0,
	seconds = Infinity,
	perRequest = 1,
	concurrency = 4,
	latencyMs = 20,
	status = 429,
	retryAfterMs,
	apart = false,
	limitPerMinute = 0,
	seed = 1,
}: Load) {
	const clock = new VirtualClock(seed);
	const random = () => clock.random();
	const shared = new Limiter();
	const sent: number[] = [];
	const accepted: number[] = [];
	const refusals: number[] = [];
	let failed = 0;
	let inFlight = 0;
	const send = async () => {
		inFlight++;
		sent.push(clock.now());
		const isAdmitted = admits(clock.now(), inFlight, random);
		await clock.sleep((isAdmitted ? 1 : 0.2) * latencyMs * (0.5 + clock.random()));
		inFlight--;
		if (isAdmitted) return void accepted.push(clock.now());
		refusals.push(clock.now());
		const asked = typeof retryAfterMs === 'function' ? retryAfterMs(clock.now()) : retryAfterMs;
		throw new ServiceFailure('refused', { kind: 'status', status, retryAfterMs: asked });
	};
	const execution = async () => {
		const run = new VirtualRun({ clock });
		if (seconds < Infinity) clock.at(seconds * 1000, () => run.stop('the time is over'));
		const limiterClient = (apart ? new Limiter() : shared).join(
			run,
			concurrency,
			limitPerMinute,
		);
		const line = {
			run,
			limiterClient,
			health: new ServiceHealth(),
			concurrency,
			retryForMs: 60_000,
			diagnose: (error: unknown) => diagnose(error, { idempotent: true }),
		};
		function* entries() {
			for (let at = 0; at < requests * perRequest && !run.ended; at++) yield [at];
		}
		const limits = { maxCount: perRequest, maxBytes: Infinity };
		const options = { ...oneEach(line, send), limits, send };
		for (let burst = 0; burst < bursts; burst++) {
			if (burst > 0) await run.sleep(idleMs);
			for await (const answers of bulk(entries(), options))
				for (const { outcome } of answers)
					if (!outcome.ok && !outcome.skipped && !run.ended) failed++;
		}
		limiterClient.leave();
	};
	await clock.run(Promise.all(Array.from({ length: executions }, execution)));
	const endedAt = Math.min(clock.now(), seconds * 1000);
	const since = (moments: number[], fromMs: number) =>
		moments.filter((at) => at >= fromMs && at <= endedAt).length;
	const rate = (fromMs: number) => since(accepted, fromMs) / ((endedAt - fromMs) / 1000);
	const refusedShare = (fromMs: number) => since(refusals, fromMs) / since(accepted, fromMs);
	return { sent, accepted, refused: refusals.length, failed, rate, refusedShare, endedAt };
}
