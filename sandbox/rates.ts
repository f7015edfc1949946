/** Whether a service takes one more request, at a time in ms and with so many others in flight. */
export type Admission = (nowMs: number, inFlight: number) => boolean;

/** So many in each second of the clock. */
export function perSecond(rate: number): Admission {
	let second = -1;
	let count = 0;
	return (nowMs) => {
		if (Math.floor(nowMs / 1000) !== second) count = 0;
		second = Math.floor(nowMs / 1000);
		return ++count <= rate;
	};
}

/** So many a second on average, and a number at once after a pause, as gateways count. */
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

/** So many at once. */
export const atOnce =
	(count: number): Admission =>
	(_nowMs, inFlight) =>
		inFlight <= count;
