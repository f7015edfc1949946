const DAY_MS = 86_400_000;

/**
 * Reads the Retry-After header, which contains either seconds or an HTTP date (docs/service-interface.md,
 * Failures). If it contains a date, the wait is measured from the time in the response's Date header. A
 * date more than a day away is ignored, because one of the clocks must be wrong.
 *
 * @returns milliseconds to wait, or undefined if the header is missing or unreadable
 */
export function parseRetryAfter(headers: Readonly<Record<string, unknown>>): number | undefined {
	const header = headers['retry-after'];
	if (header === undefined) return undefined;
	const text = String(header).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
	const sentAt = Date.parse(String(headers.date)) || Date.now();
	const ms = Date.parse(text) - sentAt;
	return Math.abs(ms) <= DAY_MS ? Math.max(0, ms) : undefined;
}
