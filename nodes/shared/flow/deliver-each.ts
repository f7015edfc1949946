import { deliver, failed, type Line, type Outcome } from './deliver';
import { inParallel } from './in-parallel';

/** An entry with the outcome of its request. */
interface Delivered<E, R> {
	entry: E;
	outcome: Outcome<R>;
}

/**
 * Sends one request for each entry, several concurrently. Every entry gets exactly one outcome. No
 * more slices are read than the requests in flight need. To end early, stop the run and consume the
 * rest.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @param send called once for each attempt, which counts from 1
 * @returns the outcomes there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function deliverEach<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	send: (entry: E, attempt: number) => Promise<R>,
	line: Line & { concurrency: number },
): AsyncGenerator<Array<Delivered<E, R>>, void, undefined> {
	return inParallel(line.concurrency, async (tasks) => {
		for await (const slice of slices) {
			for (const entry of slice) {
				if (tasks.isAbandoned) return;
				void tasks.start(async () => {
					const outcome = await deliver(
						async (attempt) => await send(entry, attempt),
						line,
						// An exception in handling one entry fails that entry, never the run.
					).catch((reason: unknown) => failed(reason, 1));
					await tasks.put({ entry, outcome });
				});
				await tasks.room();
			}
		}
	});
}
