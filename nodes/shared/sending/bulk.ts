/**
 * `bulk` sends documents, IDs and texts for all nodes. These documents, IDs and texts are called entries. A source
 * yields the entries. The `Batcher` packs the entries into batches, and the `BatchSender` sends several batches
 * concurrently until each entry has an outcome. All of this runs in parallel (`parallel.ts`), but one loop in the node
 * receives all outcomes. The retry policy decides what a failure means, and the limiter decides when a request may
 * start.
 */
import { Batcher } from './batcher';
import { BatchSender, entriesOf, type BatchResult, type BulkOptions } from './batch-sender';
import { inParallel, type Tasks } from './parallel';
import type { RunState } from './run-state';

/**
 * Sends entries in as few requests as the limits allow. Every entry receives exactly one outcome: it succeeded, it
 * failed, or it was never sent because the run had ended.
 *
 * Entries with the same key are sent one after another, in their original order. `bulk` reads more entries only when
 * the concurrency allows another request. To end early, stop the run and consume the remaining results. A consumer that
 * leaves the loop early still waits for the requests in flight.
 *
 * @param slices entries in lists of any length. After an empty list, the current batch is sent even if it is not full
 * @returns lists of results. Each result is yielded as soon as it is available
 * @throws the error from the source of the entries, after all requests in flight have ended
 */
export function bulk<E, A>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, A>,
): AsyncGenerator<Array<BatchResult<E, A>>, void, undefined> {
	return inParallel<BatchResult<E, A>>(options.concurrency, async (tasks) => {
		const sender = new BatchSender(options, tasks);
		await feed(slices, new Batcher(options, sender.limits), sender, tasks, options.run);
	});
}

async function feed<E, A>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	batcher: Batcher<E>,
	sender: BatchSender<E, A>,
	tasks: Tasks<BatchResult<E, A>>,
	run: RunState,
): Promise<void> {
	const sendBatch = (): void => {
		const last = batcher.flush();
		if (last.batch.length > 0) sender.start(last);
	};
	for await (const slice of slices) {
		for (const [at, entry] of slice.entries()) {
			const pause = run.yieldToOthers?.();
			if (pause) await pause;
			if (tasks.isAbandoned) return;
			if (run.ended) {
				await sender.skip(entriesOf(batcher.flush().batch), run.ended);
				await sender.skip(slice.slice(at), run.ended);
				break;
			}
			const made = batcher.add(entry);
			if (made === undefined) continue;
			if (made.type === 'unsendable') await sender.failUnsendable(made);
			else sender.start(made);
			await tasks.nextSlot();
		}
		if (tasks.isAbandoned) return;
		if (slice.length === 0) sendBatch();
	}
	sendBatch();
}
