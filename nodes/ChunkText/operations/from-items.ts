import { ItemSink } from '../../shared/n8n/sinks/item-sink';
import { itemOf, type Sink } from '../../shared/n8n/sinks/sink';
import { fieldsOfItem } from '../../shared/n8n/sources/files';
import { withItems } from '../../shared/n8n/sources/source';
import { itemsOf } from '../chunks/records';
import { fetchAll } from '../fetch/fetch';
import { ItemTexts, type IdSource } from '../texts/item-texts';
import type { TextEntry } from '../texts/text';
import { chunkAll, reportEarlier, type Work } from './chunk-texts';

/**
 * Chunks the texts of all input items. Items without a usable text fail.
 *
 * @param ids where items say which earlier request they stand for, if nothing is to be submitted
 */
export async function chunkItems(
	work: Work,
	ids?: IdSource,
	fetchEarlier = fetchAll,
): Promise<void> {
	const { run, options, jobs } = work;
	const items = new ItemTexts(work, ids);
	const reading = {
		valuesOf: async (itemIndex: number) => await items.read(itemIndex),
		entryOf: (entry: unknown) => entry as TextEntry,
		idOfItem: (itemIndex: number) => items.idOf(itemIndex),
		verb: 'chunk',
		emptyList: {},
		resolve: async (entries: TextEntry[], sink: Sink) => {
			const { files } = items;
			const texts = items.finish(files ? await files.distinct(entries, sink) : entries);
			const empty = files ? await files.distinct(items.empty, sink) : items.empty;
			for (const ref of empty) {
				const source = fieldsOfItem(run, itemOf(ref));
				const text = { ref, chunks: [], isComplete: true, source };
				await sink.returned(ref, itemsOf(text, [], work));
			}
			const since = run.now();
			for (const request of items.requests.values())
				jobs.add({ ...request, since, isOwn: false, status: 'SUBMITTED' });
			return texts;
		},
		sink: new ItemSink(run, options, {
			done: 'chunked',
			noun: 'text',
			repeating: '',
			progress: () => jobs.progress(),
		}),
	};
	await withItems<TextEntry>(run, reading, async ({ entries, sink }) => {
		await Promise.all([
			reportEarlier(fetchEarlier([...jobs], work), work, sink),
			chunkAll(entries, work, { sink, name: 'chunks' }),
		]);
	});
}
