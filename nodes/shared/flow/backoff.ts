/**
 * A pause before another attempt: exponential with full jitter, so that many workers do not repeat their
 * requests at the same moment.
 *
 * @param failures how many there were in a row, from 1
 * @param random from 0 up to 1
 * @param bounds `baseMs`: upper bound of the first pause, which doubles with each failure up to `capMs`
 */
export const backoffMs = (
	failures: number,
	random: number,
	{ baseMs, capMs }: { baseMs: number; capMs: number },
): number => random * Math.min(capMs, baseMs * 2 ** (failures - 1));
