import type { IExecuteFunctions } from 'n8n-workflow';

import { backoffMs, type RetryPolicy } from '../flow/backoff';
import type { Clock } from '../flow/clock';
import { judge } from '../service/failure';
import { executionClock, isCancel } from './run';
import { Session, type SessionRequest, type SessionResponse, type SessionRun } from './session';

/** What a session needs, from the context alone. */
export function sessionRun(context: IExecuteFunctions): SessionRun {
	const clock = executionClock(context);
	return {
		context,
		signal: context.getExecutionCancelSignal(),
		now: () => performance.now(),
		random: () => clock.random(),
		// The session finds out about a cancel by itself.
		sleep: async (ms) => await clock.sleep(ms).catch(() => undefined),
	};
}

/** @deprecated A session that also retries: until the nodes use `deliver`. */
export class ServiceSession extends Session {
	/** Sends a request and repeats it as far as its nature allows. */
	async requestWithRetry(
		request: SessionRequest,
		options: { idempotent: boolean; policy: RetryPolicy; clock: Clock },
	): Promise<SessionResponse> {
		const { policy, clock } = options;
		for (let attempt = 1; ; attempt++) {
			const outcome = await this.request(request).then(
				(response) => ({ response }),
				(error: unknown) => ({ error }),
			);
			if ('response' in outcome) return outcome.response;
			const { error } = outcome;
			const verdict = judge(error, options.idempotent);
			if (isCancel(error) || !verdict.retry || attempt >= policy.maxAttempts) throw error;
			await clock.sleep(
				backoffMs(attempt, policy, () => clock.random(), verdict.retryAfterMs),
			);
		}
	}
}
