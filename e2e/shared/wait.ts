const CHECK_EVERY_MS = 100;

export async function pause(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Waits until a condition holds.
 * @param everyMs interval between checks
 * @returns false if the condition does not hold in time
 */
export async function until(
	holds: () => boolean | Promise<boolean>,
	withinMs: number,
	everyMs = CHECK_EVERY_MS,
): Promise<boolean> {
	const deadline = Date.now() + withinMs;
	while (!(await holds())) {
		if (Date.now() > deadline) return false;
		await pause(everyMs);
	}
	return true;
}
