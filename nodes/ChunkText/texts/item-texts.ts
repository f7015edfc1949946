import type { IDataObject } from 'n8n-workflow';

import { itemOf } from '../../shared/n8n/sinks/sink';
import { figure } from '../../shared/n8n/run/hints';
import { mapInSlices } from '../../shared/n8n/run/slices';
import { withItems, type ItemReading } from '../../shared/n8n/sources/source';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { chunksOfEmpty, documentItem, type DocumentChunks } from '../chunks/documents';
import { mergedFailure } from '../chunks/failed-texts';
import { isOfDocuments, keptOptionsOf } from '../chunks/records';
import { previousJob, type Chunking, type TextSource } from '../submit/chunking';
import { withoutAccepted } from '../submit/earlier-submissions';
import type { Job } from '../submit/job';
import { readPreviousRequests, type IdSource, type PreviousRequest } from './previous-requests';
import { hintAtRegexes, readSettings } from './settings';
import { MAX_PREVIOUS_CHUNKS, readSourceDocuments } from './source-documents';
import { placeInOrder, usableText, withFields, type SourceDocument, type TextEntry } from './text';
import { readTextFields } from './text-fields';
import { textInFile } from './text-in-file';

/**
 * The texts of all input items as one source. Items without a usable text fail.
 *
 * @param ids where items say which earlier request they stand for; those that do are not submitted again
 */
export async function withItemTexts(
	chunking: Chunking,
	ids: IdSource | undefined,
	use: (source: TextSource) => Promise<void>,
): Promise<void> {
	const known = await readKnown(chunking, ids);
	const earlier: Job[] = [];
	const answered = () => undefined;
	await withItems<TextEntry>(
		chunking.run,
		chunking.options,
		itemReading(chunking, known, earlier),
		async (source) => await use({ ...source, chunking, earlier, name: 'chunks', answered }),
	);
}

/** What is known of the items before their texts are read. */
interface Known {
	documents: ReadonlyMap<number, SourceDocument>;
	/** Documents without a text, which have no chunks, by their items. */
	empty: ReadonlyArray<[itemIndex: number, document: SourceDocument]>;
	/** What is fetched instead of submitting it again. */
	requests: readonly PreviousRequest[];
	/** Items of the two, and those that have failed. */
	taken: ReadonlySet<number>;
}

async function readKnown(
	{ run, parameters, options, mode }: Chunking,
	ids: IdSource | undefined,
): Promise<Known> {
	const taken = new Set<number>();
	if (!ids) return { documents: new Map(), empty: [], requests: [], taken };
	const documents = isOfDocuments(mode)
		? await readSourceDocuments(run, parameters, ids.idOf, taken)
		: new Map<number, SourceDocument>();
	const empty = [...documents].filter(([, { isEmpty }]) => isEmpty);
	for (const [itemIndex] of empty) taken.add(itemIndex);
	const path = options.resultsPath;
	const requests = await readPreviousRequests(run, parameters, path, ids, documents, taken);
	return { documents, empty, requests, taken };
}

/** @param earlier gets the jobs of earlier requests */
function itemReading(chunking: Chunking, known: Known, earlier: Job[]): ItemReading<TextEntry> {
	const { run, mode, jobs } = chunking;
	const { documents, empty, taken } = known;
	const reader = new ItemReader(chunking);
	const kept = keptOptionsOf(chunking);
	const joined = (itemIndex: number, texts: IDataObject[]) =>
		documentItem(run.items[itemIndex]?.json ?? {}, kept, texts as DocumentChunks[]);
	return {
		valuesOf: (itemIndex) =>
			taken.has(itemIndex) ? undefined : reader.textsOf(itemIndex, documents.get(itemIndex)),
		entryOf: (entry) => entry as TextEntry,
		idOfItem: (itemIndex) => documents.get(itemIndex)?.id,
		emptyList: {},
		resolve: async (entries, sink) => {
			for (const [itemIndex, document] of empty)
				await sink.returned({ items: [itemIndex] }, [chunksOfEmpty(document, itemIndex)]);
			hintAtRegexes(entries, run);
			earlier.push(...earlierJobs(chunking, known));
			const left = await withoutAccepted(bySettings(entries), chunking, earlier);
			placeInOrder([...earlier.flatMap(({ refs }) => refs), ...left]);
			return left;
		},
		sink: {
			done: 'chunked',
			noun: 'text',
			repeating: '',
			merged: mergedFailure,
			joined: mode === 'perDocument' ? joined : undefined,
			progress: () => jobs.progress(),
		},
	};
}

/** The jobs of earlier requests, their texts with the documents of the items that ask for them. */
const earlierJobs = (chunking: Chunking, { requests, documents }: Known): Job[] =>
	requests.map((request) => {
		for (const ref of request.refs) {
			const document = ref.document ?? documents.get(itemOf(ref));
			if (document) ref.document = document;
		}
		return previousJob(chunking, request);
	});

/** So that as many as possible share a request. */
function bySettings(entries: readonly TextEntry[]): TextEntry[] {
	const groups = new Map<string, TextEntry[]>();
	for (const entry of entries) {
		const group = groups.get(entry.group) ?? [];
		groups.set(entry.group, group);
		group.push(entry);
	}
	return [...groups.values()].flat();
}

/** Reads the texts of items and how each is to be chunked. */
class ItemReader {
	/** Settings by their group: most items share them. */
	private readonly settings = new Map<string, ChunkSettings>();

	constructor(private readonly chunking: Chunking) {}

	/** @throws InputError for an item without a usable text */
	async textsOf(itemIndex: number, document?: SourceDocument): Promise<TextEntry[]> {
		const { run, parameters } = this.chunking;
		const texts = await this.listOf(itemIndex);
		checkPreviousChunks(document, texts.length);
		const own = readSettings(parameters, itemIndex);
		const group = JSON.stringify(own);
		const settings = this.settings.get(group) ?? own;
		this.settings.set(group, settings);
		const fieldsOf = readTextFields(parameters, itemIndex, texts.length);
		const breathe = () => run.breathe();
		return await mapInSlices(texts, breathe, (text, at) => ({
			...text,
			...withFields(fieldsOf(at)),
			...(document && { document }),
			items: [itemIndex],
			settings,
			group,
		}));
	}

	private async listOf(itemIndex: number): Promise<Array<Pick<TextEntry, 'text' | 'index'>>> {
		const { run, parameters, options } = this.chunking;
		const { bytesPerRequest: maxBytes } = options;
		if (parameters.choice('textSource') === 'item') {
			const problem = textInFile(run, parameters, itemIndex);
			if (problem) throw problem;
			const value = parameters.value('text', itemIndex);
			return [{ text: usableText(value, "'Text'", maxBytes) }];
		}
		const { field, list } = parameters.list('textsField', itemIndex, LIST_ADVICE);
		if (list.length === 0) {
			throw new InputError(`The field '${field}' is an empty list`, LIST_ADVICE);
		}
		const breathe = () => run.breathe();
		const called = (index: number) => `Text ${index} of the field '${field}', counted from 0,`;
		return await mapInSlices(list, breathe, (value, index) => ({
			index,
			text: usableText(value, called(index), maxBytes, ELEMENT_ADVICE),
		}));
	}
}

const ELEMENT_ADVICE =
	"For a list of objects, put n8n's node 'Split Out' before this one, and choose 'One Text per Item'.";
const LIST_ADVICE =
	"Enter the name of a field that has a list of texts as 'List Field', or set 'Texts From' to 'One Text per Item'.";

/** An item for each chunk that no longer exists could exhaust the memory of n8n. */
function checkPreviousChunks(document: SourceDocument | undefined, texts: number): void {
	const each = document?.previousChunkCount ?? 0;
	if (each * texts <= MAX_PREVIOUS_CHUNKS) return;
	throw new InputError(
		`'Previous Chunk Count' is ${figure(each)} for each of ${figure(texts)} texts, ${figure(each * texts)} in total, more than the maximum of ${figure(MAX_PREVIOUS_CHUNKS)}`,
		'Lower it, or split the list of texts into several items.',
	);
}
