import { sleep } from 'n8n-workflow';

/** How long one execution may block all others. */
const SLICE_MS = 25;

/** Splits a long piece of synchronous work into slices, so that n8n stays responsive. */
export class Slices {
	private startedAt = performance.now();

	/**
	 * Await it between two small steps, e.g. once per item: there is nothing to wait for until the slice
	 * is used up; then everything else in n8n has its turn.
	 */
	breathe(): Promise<void> | undefined {
		return performance.now() - this.startedAt < SLICE_MS ? undefined : this.pause();
	}

	private async pause(): Promise<void> {
		await sleep(0);
		this.startedAt = performance.now();
	}
}

/**
 * Work that is done in steps, to its end.
 *
 * @param breathe called between two steps
 */
export async function inSteps<T>(
	steps: Generator<undefined, T, undefined>,
	breathe: () => Promise<void> | undefined,
): Promise<T> {
	for (;;) {
		const { done, value } = steps.next();
		if (done) return value;
		await breathe();
	}
}

/**
 * `map` of a list that may be long.
 *
 * @param breathe called between two entries
 */
export async function mapInSlices<T, R>(
	list: readonly T[],
	breathe: () => Promise<void> | undefined,
	step: (entry: T, index: number) => R,
): Promise<R[]> {
	const mapped: R[] = [];
	for (const [index, entry] of list.entries()) {
		await breathe();
		mapped.push(step(entry, index));
	}
	return mapped;
}
