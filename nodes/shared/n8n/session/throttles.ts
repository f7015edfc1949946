import { Pace } from '../../flow/limits/pace';
import { Throttle } from '../../flow/limits/throttle';

/**
 * The throttles of this process, each as long as a run uses it. Executions with the same credential
 * share what a service has told one of them; without it each would find out by itself.
 */
const throttles = new Map<string | symbol, Throttle>();

/** The paces of this process, each until it is over: a node that runs in a loop is many short runs. */
const paces = new Map<string | symbol, Pace>();

/**
 * Takes a place in the pace of a service and a credential, for a request that is sent later than it
 * started, or once more.
 *
 * @param now by the clock of all runs
 * @param startedAt when it started, if it has not been sent since
 * @returns milliseconds until it may be sent
 */
export const startAgain = (key: string | symbol, now: number, startedAt?: number): number =>
	paces.get(key)?.startAgain(now, startedAt) ?? 0;

/** What requests to a service share, and how to leave it. */
interface Shared {
	throttle: Throttle;
	pace: Pace;
	leave: () => void;
}

/**
 * Joins the throttle and the pace of a service and a credential.
 *
 * @param key names both and holds no secret; without one they are not shared
 * @param max of requests that the run sends at once
 * @param perMinute maximum of requests a minute; 0 for no limit
 * @param now by the clock of all runs
 */
export function joinThrottle(
	key: string | symbol = Symbol('not shared'),
	max: number,
	perMinute = 0,
	now = performance.now(),
): Shared {
	const throttle = throttles.get(key) ?? new Throttle();
	throttles.set(key, throttle);
	throttle.join(max);
	for (const [each, pace] of paces) if (pace.isOver(now)) paces.delete(each);
	const pace = paces.get(key) ?? new Pace();
	paces.set(key, pace);
	const leavePace = pace.join(perMinute);
	const leave = () => {
		leavePace();
		if (throttle.leave(max)) throttles.delete(key);
	};
	return { throttle, pace, leave };
}
