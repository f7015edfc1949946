import type { RequestSettings } from '../sending/attempt';
import { Limiter } from '../sending/limiter';
import { ServiceHealth } from '../sending/retry-policy';
import { diagnose, ServiceFailure } from '../service/failure';
import { RETRY_FOR_SECONDS, RETRY_FOR_SECONDS_IN_TOOLS } from '../parameters/request-properties';
import type { Run } from '../run/run';
import type { Session } from './session';

/** Limiters by service and credential. All executions in this process share what a limiter has learned. */
export const limiters = new Map<string, Limiter>();

/**
 * Creates the settings that all requests of one kind share during a run. Call this function once for each kind of
 * request.
 *
 * @param idempotent whether a request can safely take effect twice
 */
export function requestSettings(
	run: Run,
	session: Session,
	{
		concurrency = 1,
		retryForSeconds = RETRY_FOR_SECONDS,
		maxRequestsPerMinute,
		dryRun = false,
	}: {
		concurrency?: number;
		retryForSeconds?: number;
		maxRequestsPerMinute?: number;
		dryRun?: boolean;
	},
	{ idempotent }: { idempotent: boolean },
): RequestSettings {
	// A dry run sends nothing, so it does not have to share a limiter with other executions.
	const limiterKey = dryRun ? undefined : session.limiterKey;
	const limiter = (limiterKey !== undefined && limiters.get(limiterKey)) || new Limiter();
	if (limiterKey !== undefined) limiters.set(limiterKey, limiter);
	const limiterClient = limiter.join(run, concurrency, dryRun ? 0 : maxRequestsPerMinute);
	run.limiterClients.push(limiterClient);
	const retryFor = run.isTool
		? Math.min(retryForSeconds, RETRY_FOR_SECONDS_IN_TOOLS)
		: retryForSeconds;
	const firstFailures = new WeakMap<ServiceFailure, number>();
	return {
		run,
		concurrency,
		limiterClient,
		health: new ServiceHealth(),
		retryForMs: retryFor * 1000,
		diagnose: (error) => {
			if (error instanceof ServiceFailure && !firstFailures.has(error))
				firstFailures.set(error, run.now());
			return diagnose(error, { idempotent });
		},
		forEntry: (reason) =>
			reason instanceof ServiceFailure ? reason.forIsolatedEntry() : reason,
		withHistory: (reason, earlier) => {
			if (!(reason instanceof ServiceFailure && earlier instanceof ServiceFailure))
				return reason;
			const now = run.now();
			const since = firstFailures.get(earlier) ?? now;
			const all = reason.with({
				// Even if the connection is refused now, an earlier attempt may have taken effect.
				...(earlier.isOutcomeUnknown && { isOutcomeUnknown: true }),
				...(reason.transportCode !== undefined && { triedForMs: now - since }),
			});
			firstFailures.set(all, since);
			return all;
		},
	};
}
