import { bulk } from '../../../nodes/shared/flow/bulk';
import { oneEach } from '../../../nodes/shared/flow/one-each';
import type { Verdict } from '../../../nodes/shared/flow/verdict';
import { Lane, Limiter } from '../../../nodes/shared/flow/limiter';
import { ServiceHealth } from '../../../nodes/shared/flow/retry-policy';
import { flat } from './slices';
import type { Admission } from '../../../sandbox/rates';
import { VirtualClock } from './virtual-clock';
import { VirtualRun } from './virtual-run';

/** So many in any minute, wherever it begins; what it refuses counts too. */
export function perMinute(limit: number): Admission {
	const seen: number[] = [];
	return (now) => {
		while (seen.length > 0 && seen[0] <= now - 60_000) seen.shift();
		return seen.push(now) <= limit;
	};
}

/** The most of these moments that any minute has. */
export function mostInAMinute(moments: number[]): number {
	const sorted = [...moments].sort((one, other) => one - other);
	let most = 0;
	for (let first = 0, end = 0; first < sorted.length; first++) {
		while (end < sorted.length && sorted[end] < sorted[first] + 60_000) end++;
		most = Math.max(most, end - first);
	}
	return most;
}

export interface Load {
	admits: Admission;
	executions: number;
	requests: number;
	concurrency?: number;
	latencyMs?: number;
	retryAfterMs?: number;
	/** Each execution has a limiter of its own. */
	apart?: boolean;
	/** The limit that each execution is set to. */
	limitPerMinute?: number;
	seed?: number;
}

/** Runs executions of a node against such a service, in virtual time. */
export async function play({
	admits,
	executions,
	requests,
	concurrency = 4,
	latencyMs = 20,
	retryAfterMs,
	apart = false,
	limitPerMinute = 0,
	seed = 1,
}: Load) {
	const clock = new VirtualClock(seed);
	const shared = new Limiter();
	const sent: number[] = [];
	const accepted: number[] = [];
	let refused = 0;
	let failed = 0;
	let inFlight = 0;
	const execution = async () => {
		const run = new VirtualRun({ clock });
		const limiter = apart ? new Limiter() : shared;
		const lane = new Lane(limiter, run, concurrency, limitPerMinute);
		const send = async () => {
			inFlight++;
			sent.push(clock.now());
			const isAdmitted = admits(clock.now(), inFlight);
			await clock.sleep((isAdmitted ? 1 : 0.2) * latencyMs * (0.5 + clock.random()));
			inFlight--;
			if (!isAdmitted) {
				refused++;
				const delayMs = retryAfterMs === undefined ? {} : { delayMs: retryAfterMs };
				throw { action: 'retry', throttled: true, ...delayMs } satisfies Verdict;
			}
			accepted.push(clock.now());
		};
		const line = {
			run,
			lane,
			health: new ServiceHealth(),
			concurrency,
			retryForMs: 60_000,
			judge: (error: unknown) => error as Verdict,
		};
		const entries = Array.from({ length: requests }, (_, at) => at);
		for await (const { outcome } of flat(bulk([entries], oneEach(line, send)))) {
			if (!outcome.ok) failed++;
		}
	};
	await clock.run(Promise.all(Array.from({ length: executions }, execution)));
	/** Accepted requests per second from a time until the last half second. */
	const rate = (fromMs: number) => {
		const end = clock.now();
		return accepted.filter((at) => at >= fromMs).length / ((end - fromMs) / 1000);
	};
	return { sent, accepted, refused, failed, rate, endedAt: clock.now() };
}
