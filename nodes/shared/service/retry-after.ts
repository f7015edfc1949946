const DAY_MS = 86_400_000;

/**
 * Reads the header Retry-After: seconds, or an HTTP date, which counts from that of the response
 * (docs/service-interface.md, Failures). A date more than a day away means that a clock is wrong, so it is ignored.
 *
 * @returns ms to wait, or undefined if there is no readable header
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
