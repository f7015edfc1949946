import { ItemSink } from '../shared/output/item-sink';
import { itemOf } from '../shared/output/sink';
import { fieldsOfItem } from '../shared/input/item-fields';
import { withItems, type ItemReading } from '../shared/input/source';
import { chunkAll, type Operation } from './chunk-all';
import { ItemTexts, type IdSource } from './input/item-texts';
import type { TextEntry } from './input/text-entry';
import type { ChunkService } from './jobs/chunk-service';
import type { Fetch } from './jobs/fetch';
import { itemsOf } from './output/chunk-records';
import { Report } from './output/report';
import type { ChunkTask } from './parameters';

/** Chunks the texts from all input items. An item without a valid text fails. */
export async function chunkItems(operation: Operation): Promise<void> {
	const { task, service, hints } = operation;
	const items = new ItemTexts(task);
	await withItems(task.run, readingOf(items, task, service), async ({ entries, sink }) => {
		await chunkAll(entries, operation, new Report(task, service.session, hints, sink));
	});
}

/**
 * Fetches the chunks for the requests that the input items refer to.
 *
 * @param ids the reader for the chunking IDs in the input items
 * @param fetch function that polls the requests, either once or until they have ended
 */
export async function fetchItems(
	{ task, service, hints }: Omit<Operation, 'waitForJob'>,
	ids: IdSource,
	fetch: Fetch,
): Promise<void> {
	const { run } = task;
	const { jobs } = service;
	const items = new ItemTexts(task, ids);
	await withItems(run, readingOf(items, task, service), async ({ sink }) => {
		const since = run.now();
		for (const request of items.requests.values())
			jobs.add({ ...request, since, isOfThisRun: false, status: 'SUBMITTED' });
		const report = new Report(task, service.session, hints, sink);
		for await (const slice of fetch([...jobs], service))
			for (const { job, outcome } of slice) await report.reportJob(job, outcome);
		await report.storeLastFile();
	});
}

function readingOf(
	items: ItemTexts,
	task: ChunkTask,
	{ jobs }: ChunkService,
): ItemReading<TextEntry, TextEntry> {
	const { run, options, done } = task;
	return {
		valuesOf: async (itemIndex) => await items.readTexts(itemIndex),
		entryOf: (text) => text,
		idOfItem: (itemIndex) => items.idOf(itemIndex),
		verb: 'chunk',
		resolve: async (entries, sink) => {
			const { files } = items;
			const texts = files ? await files.withoutRepeatedNames(entries, sink) : entries;
			items.markSharedDocuments();
			for (const text of items.empty) {
				const source = fieldsOfItem(run, itemOf(text));
				const covered = { missing: 0, isComplete: true };
				const withoutChunks = { text, chunks: [], covered, source };
				await sink.addItems(text, itemsOf(withoutChunks, [], task));
			}
			// Sorted so that as many texts as possible share a request.
			return [...texts].sort(
				(one, other) => Number(one.group > other.group) - Number(one.group < other.group),
			);
		},
		sink: new ItemSink(run, options, {
			done,
			noun: 'text',
			repeating: '',
			describeProgress: () => jobs.progress(run.returnsNothing),
		}),
	};
}
