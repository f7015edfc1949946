import { ItemSink } from '../shared/n8n/sinks/item-sink';
import { itemOf } from '../shared/n8n/sinks/sink';
import { fieldsOfItem } from '../shared/n8n/sources/files';
import { withItems, type ItemReading } from '../shared/n8n/sources/source';
import { itemsOf } from './output/chunk-records';
import type { Fetch } from './jobs/fetch';
import { ItemTexts, type IdSource } from './input/item-texts';
import type { TextEntry } from './input/text';
import { chunkAll, reportFetched, type Work } from './chunk-all';

/** Chunks the texts from all input items. An item without a valid text fails. */
export async function chunkItems(work: Work): Promise<void> {
	await withItems(work.run, readingOf(work, new ItemTexts(work)), async ({ entries, sink }) => {
		await chunkAll(entries, work, { sink, name: 'chunks' });
	});
}

/**
 * Fetches the chunks for the requests that the input items refer to.
 *
 * @param ids the reader for the chunking IDs in the input items
 * @param fetch function that polls the requests, either once or until they have ended
 */
export async function fetchItems(work: Work, ids: IdSource, fetch: Fetch): Promise<void> {
	const { run, jobs } = work;
	const items = new ItemTexts(work, ids);
	await withItems(run, readingOf(work, items), async ({ sink }) => {
		const since = run.now();
		for (const request of items.requests.values())
			jobs.add({ ...request, since, isOfThisRun: false, status: 'SUBMITTED' });
		await reportFetched(fetch([...jobs], work), work, sink);
	});
}

function readingOf(work: Work, items: ItemTexts): ItemReading<TextEntry, TextEntry> {
	const { run, options, jobs } = work;
	return {
		valuesOf: async (itemIndex) => {
			const values = await items.read(itemIndex);
			return values && { values, entryOf: (entry) => entry };
		},
		idOfItem: (itemIndex) => items.idOf(itemIndex),
		verb: 'chunk',
		resolve: async (entries, sink) => {
			const { files } = items;
			const texts = items.finish(
				files ? await files.withoutRepeatedNames(entries, sink) : entries,
			);
			const empty = files ? await files.withoutRepeatedNames(items.empty, sink) : items.empty;
			for (const text of empty) {
				const source = fieldsOfItem(run, itemOf(text));
				const covered = { missing: 0, isComplete: true };
				const withoutChunks = { text, chunks: [], covered, source };
				await sink.addItems(text, itemsOf(withoutChunks, [], work));
			}
			return texts;
		},
		sink: new ItemSink(run, options, {
			done: 'chunked',
			noun: 'text',
			repeating: '',
			describeProgress: () => jobs.progress(run.returnsNothing),
		}),
	};
}
