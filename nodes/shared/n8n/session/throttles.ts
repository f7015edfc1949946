import { Throttle } from '../../flow/throttle';

/**
 * The throttles of this process, each as long as a run uses it. Executions with the same credential
 * share what a service has told one of them; without it each would find out by itself.
 */
const throttles = new Map<string, Throttle>();

/**
 * Joins the throttle of a service and a credential.
 *
 * @param key names both and holds no secret; without one the throttle is not shared
 * @param max of requests that the run sends at once
 */
export function joinThrottle(
	key: string | undefined,
	max: number,
): { throttle: Throttle; leave: () => void } {
	const throttle = (key !== undefined && throttles.get(key)) || new Throttle();
	throttle.join(max);
	if (key !== undefined) throttles.set(key, throttle);
	const leave = () => {
		if (throttle.leave(max) && key !== undefined) throttles.delete(key);
	};
	return { throttle, leave };
}
