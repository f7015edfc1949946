/** Returns true if a service accepts one more request. The number in flight includes that request. */
export type Admission = (nowMs: number, inFlight: number) => boolean;

/** Accepts `rate` requests in each clock second. */
export function perSecond(rate: number): Admission {
	let second = -1;
	let count = 0;
	return (nowMs) => {
		if (Math.floor(nowMs / 1000) !== second) count = 0;
		second = Math.floor(nowMs / 1000);
		return ++count <= rate;
	};
}

/**
 * Accepts `rate` requests per second on average, and a burst of up to `burst` requests after a pause. Many
 * gateways use this kind of token bucket.
 */
export function bucket(rate: number, burst: number): Admission {
	let tokens = burst;
	let atMs = 0;
	return (nowMs) => {
		tokens = Math.min(burst, tokens + ((nowMs - atMs) / 1000) * rate);
		atMs = nowMs;
		if (tokens < 1) return false;
		tokens--;
		return true;
	};
}

export const atOnce =
	(count: number): Admission =>
	(_nowMs, inFlight) =>
		inFlight <= count;
