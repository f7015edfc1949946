import type { IDataObject } from 'n8n-workflow';

import { ItemSink } from '../../shared/n8n/sinks/item-sink';
import type { Sink } from '../../shared/n8n/sinks/sink';
import { fieldsOfItem } from '../../shared/n8n/sources/files';
import { withItems } from '../../shared/n8n/sources/source';
import { documentItem, itemsOf } from '../chunks/records';
import { mergedFailure } from '../chunks/report';
import { fetchAll } from '../fetch/fetch';
import { ItemTexts, type IdSource } from '../texts/item-texts';
import type { TextEntry } from '../texts/text';
import { chunkAll, reportEarlier, type Work } from './chunk-texts';

/**
 * Chunks the texts of all input items. Items without a usable text fail.
 *
 * @param ids where items say which earlier request they stand for; those that do are not submitted again
 */
export async function chunkItems(
	work: Work,
	ids?: IdSource,
	fetchEarlier = fetchAll,
): Promise<void> {
	const { run, options, mode, jobs } = work;
	const items = new ItemTexts(work, ids);
	const joined = (itemIndex: number, parts: IDataObject[]) =>
		documentItem(fieldsOfItem(run, itemIndex), options, parts);
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
			for (const ref of empty)
				await sink.returned(ref, itemsOf({ ref, chunks: [], isComplete: true }, [], mode));
			const since = run.now();
			for (const request of items.requests.values())
				jobs.add({ ...request, since, isOwn: false, status: 'SUBMITTED' });
			return texts;
		},
		sink: new ItemSink(run, options, {
			done: 'chunked',
			noun: 'text',
			repeating: '',
			merged: mergedFailure,
			joined: mode === 'perDocument' ? joined : undefined,
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
