import { produced } from './channel';
import { deliver, failed, type Line, type Outcome } from './deliver';

/** An entry with the outcome of its request. */
export interface Delivered<E, R> {
	entry: E;
	outcome: Outcome<R>;
}

/**
 * Sends one request for each entry, several concurrently. Every entry gets exactly one outcome. No
 * more entries are read than the requests in flight need. To end early, stop the run and consume the
 * rest.
 *
 * @param send called once for each attempt, which counts from 1
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function deliverEach<E, R>(
	entries: AsyncIterable<E> | Iterable<E>,
	send: (entry: E, attempt: number) => Promise<R>,
	line: Line & { concurrency: number },
): AsyncGenerator<Delivered<E, R>, void, undefined> {
	return produced(async (channel) => {
		const inFlight = new Set<Promise<void>>();
		const start = (entry: E) => {
			const delivery: Promise<void> = deliver(
				async (attempt) => await send(entry, attempt),
				line,
			)
				// An exception in handling one entry fails that entry, never the run.
				.catch((reason: unknown) => failed(reason, 1))
				.then(async (outcome) => await channel.put({ entry, outcome }))
				.finally(() => inFlight.delete(delivery));
			inFlight.add(delivery);
		};
		try {
			for await (const entry of entries) {
				if (channel.isAbandoned) break;
				start(entry);
				while (inFlight.size >= line.concurrency) await Promise.race(inFlight);
			}
		} finally {
			await Promise.all(inFlight);
		}
	});
}
