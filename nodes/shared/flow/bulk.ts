import { Batcher, entriesOf, type Packed } from './batches';
import { BatchSender, type Answer, type BulkOptions } from './batch-sender';
import { inParallel, type Tasks } from './in-parallel';

export type { Answer, BulkOptions } from './batch-sender';

/**
 * Sends entries in as few requests as the limits allow, several concurrently. Every entry gets
 * exactly one answer: done, failed, or never sent because the run had ended.
 *
 * Entries of one key are sent one after the other, in their order. A request that is too large, or
 * in part rejected, is split until what cannot be sent stands alone. No more entries are read than
 * the requests in flight need. To end early, stop the run and consume the rest: leaving the loop
 * waits for the requests in flight.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @returns the answers there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function bulk<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, R>,
): AsyncGenerator<Array<Answer<E, R>>, void, undefined> {
	return inParallel(options.concurrency, async (tasks) => await feed(slices, options, tasks));
}

/** Starts the batches that the slices fill; waits only where one is full, or an entry fails. */
async function feed<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, R>,
	tasks: Tasks<Answer<E, R>>,
): Promise<void> {
	const { run, breathe, keyOf } = options;
	const sender = new BatchSender(options, async (answer) => await tasks.put(answer));
	const batcher = new Batcher(options, sender.limits);
	const start = inOrder(keyOf, (work) => tasks.start(work));
	const send = (batch: Array<Packed<E>>) => start(batch, async () => await sender.send(batch));
	for await (const slice of slices) {
		let at = 0;
		for (const entry of slice) {
			const pause = breathe?.();
			if (pause) await pause;
			if (tasks.isAbandoned) return;
			if (run.ended) {
				await sender.skip(entriesOf(batcher.flush()), run.ended);
				await sender.skip(slice.slice(at), run.ended);
				break;
			}
			at++;
			const made = batcher.add(entry);
			if (made === undefined) continue;
			if ('reason' in made) await sender.refuse(made);
			else send(made);
			await tasks.room();
		}
		if (tasks.isAbandoned) return;
	}
	const last = batcher.flush();
	if (last.length > 0) send(last);
}

/** Starts the work of batches, each as soon as that of earlier ones with one of its keys has ended. */
function inOrder<E>(
	keyOf: ((entry: E) => string) | undefined,
	start: (work: () => Promise<void>) => Promise<void>,
): (batch: Array<Packed<E>>, work: () => Promise<void>) => void {
	/** The last work of each key. */
	const busy = new Map<string, Promise<void>>();
	return (batch, work) => {
		const keys = keyOf ? batch.map(({ entry }) => keyOf(entry)) : [];
		const earlier = new Set(keys.map((key) => busy.get(key)));
		const working = start(async () => {
			await Promise.all(earlier);
			await work();
			for (const key of keys) if (busy.get(key) === working) busy.delete(key);
		});
		for (const key of keys) busy.set(key, working);
	};
}
