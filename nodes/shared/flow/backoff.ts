/**
 * Returns the pause before the next attempt, in milliseconds. The pause is calculated by exponential backoff with full
 * jitter. The jitter keeps many workers from repeating their requests at the same moment.
 *
 * @param failures number of failures in a row, from 1
 * @param random a number from 0 up to 1
 * @param bounds `baseMs` is the upper bound of the first pause. The bound doubles with each failure, up to `capMs`
 */
export const backoffMs = (
	failures: number,
	random: number,
	{ baseMs, capMs }: { baseMs: number; capMs: number },
): number => random * Math.min(capMs, baseMs * 2 ** (failures - 1));
