import type { IDataObject } from 'n8n-workflow';

import { bulk } from '../shared/sending/bulk';
import { oneEach, sendOne } from '../shared/sending/one-each';
import { fieldOf } from '../shared/formats/fields';
import { Parameters } from '../shared/parameters/parameters';
import { troubleText } from '../shared/run/hints';
import type { Run } from '../shared/run/run';
import { requestSettings } from '../shared/session/request-settings';
import { Session } from '../shared/session/session';
import { DRY_RUN_RESULT, FileSink } from '../shared/output/file-sink';
import type { RecordFile } from '../shared/output/record-file';
import { ItemSink } from '../shared/output/item-sink';
import { account, itemOf, type EntryOrigin, type ResultFormat } from '../shared/output/sink';
import { PER_ITEM_OPTIONS } from '../shared/input/file-properties';
import { idIn } from '../shared/input/field-mapping';
import { withFiles, type FileReading } from '../shared/input/file-source';
import { withItems, type ItemReading, type Source } from '../shared/input/source';
import { keptFieldsOf } from '../shared/input/source-fields';
import { documentOutcomes } from '../shared/service/accepted';
import { isObject } from '../shared/service/json';
import { documentId } from '../shared/service/push/document-id';
import { deletePath } from '../shared/service/push/push-url';
import { PUSH_SERVICE } from '../shared/service/service-definitions';
import { deleteAction, outcomeMessage } from '../shared/service/outcome-messages';
import { formatCount, quoted } from '../shared/service/strings';
import { Commit } from './commit';
import { NotFound } from './not-found';
import { deleteProperties, type DeleteOptions, type DeleteParameters } from './properties';

interface Entry extends EntryOrigin {
	id: string;
}

const RESULT_FIELDS = ['deleted', 'notFound', 'checked', 'dryRun'];

/** `committed` means that the service also accepted the commit. */
type DeleteResult = 'deleted' | 'committed' | 'notFound' | 'checked';

interface Deletes {
	run: Run;
	parameters: DeleteParameters;
	options: DeleteOptions;
	session: Session;
	commit: Commit<Entry>;
	notFound: NotFound;
	hasChunkIds: boolean;
	/** Number of items whose Chunk Count is 0 although the user has added this option. */
	zeroCounts: number;
}

/**
 * Deletes the documents whose IDs are in the input items or their files (docs/service-interface.md, Delete).
 *
 * @throws InputError if an option or the credential is invalid
 */
export async function deleteDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, deleteProperties);
	const options = parameters.collection('options', [...PER_ITEM_OPTIONS, 'chunkCount']);
	run.results.keptFields = keptFieldsOf(run, options, RESULT_FIELDS);
	const session = await Session.open(run, PUSH_SERVICE);
	const settings = requestSettings(run, session, options, { idempotent: true });
	const commit = new Commit<Entry>(parameters.get('commit', 0));
	const notFound = new NotFound(options.ignoreNotFound);
	const counts = { hasChunkIds: false, zeroCounts: 0 };
	const deletes = { run, parameters, options, session, commit, notFound, ...counts };
	const resultFormat = deleteResultFormat(commit);

	const deleteAll = async ({ entries, sink, isLast }: Source<Entry>) => {
		const first = isLast ? commit.withoutLast(entries) : entries;
		const send = async (entry: Entry) => await sendDelete(deletes, entry);
		for await (const results of bulk(first, oneEach(settings, send))) {
			for (const { entries, outcome } of results)
				await account(sink, entries, outcome, resultFormat);
		}
		const { last } = commit;
		if (last === undefined) return;
		const outcome = await sendOne(settings, async () => await send(last));
		await account(sink, [last], outcome, resultFormat);
	};
	if (parameters.get('idSource', 0) === 'file') {
		const files = { run, parameters, options, areDeleted: true };
		await withFiles(files, (file) => fileReading(deletes, file), deleteAll);
	} else {
		await withItems(run, itemReading(deletes), deleteAll);
	}
	commit.markCommitted();
	addHints(deletes);
}

async function sendDelete(deletes: Deletes, entry: Entry): Promise<DeleteResult> {
	const { options, session, commit, notFound } = deletes;
	if (options.dryRun) return 'checked';
	const isCommit = commit.isAskedWith(entry);
	const request = {
		method: 'DELETE' as const,
		path: deletePath(entry.id),
		...(isCommit && { qs: { commit: 'true' } }),
		timeoutMs: options.timeoutSeconds * 1000,
	};
	try {
		const { body } = await session.request(request);
		const failure = documentOutcomes(body, [entry], 'delete').get(entry.id)?.failure;
		if (failure) throw failure;
	} catch (error) {
		return notFound.resultAfter(error, entry);
	}
	notFound.countDeleted(entry);
	deletes.hasChunkIds ||= CHUNK_ID.test(entry.id);
	commit.isAccepted ||= isCommit;
	return isCommit ? 'committed' : 'deleted';
}

/** Matches the ID of a chunk, such as `a#0`. */
const CHUNK_ID = /#\d+$/;

function addHints(deletes: Deletes): void {
	const { run, parameters, options, commit, notFound, hasChunkIds, zeroCounts } = deletes;
	const { stats } = run;
	if (zeroCounts > 0)
		run.hint(
			`'Chunk Count' is 0 for ${formatCount(zeroCounts, 'item')}, so the node deletes only the document with this ID, and no chunks.`,
		);
	if (options.dryRun) {
		run.hint(`Dry run: ${formatCount(stats.done, 'ID')} checked. Nothing was sent.`, 'info');
		return;
	}
	commit.addHintTo(run);
	const idSource = parameters.get('idSource', 0);
	if (stats.done > 0 && !hasChunkIds && zeroCounts === 0)
		run.hint(`${CHUNKS_REMAIN} ${DELETE_CHUNKS_ADVICE[idSource]}`, 'info');
	run.hint(notFound.hint());
	run.hint(troubleText(stats));
}

const CHUNKS_REMAIN =
	'No deleted ID has the form of a chunk ID, such as a#0. If these documents were chunked, their chunks are still in the index.';
const DELETE_CHUNKS_ADVICE = {
	item: "To delete chunks, set the option 'Chunk Count'.",
	list: "To delete chunks, list their IDs, or turn each ID into an item with Split Out and use 'One ID per Item' with the option 'Chunk Count'.",
	file: "To delete chunks, add their IDs to the file, or turn each ID into an item with Extract from File and use 'One ID per Item' with the option 'Chunk Count'.",
};

const resultsOf = ({ dryRun, ignoreNotFound }: DeleteOptions) => ({
	done: 'deleted',
	others: ignoreNotFound ? ['notFound'] : [],
	...(dryRun && DRY_RUN_RESULT),
});

const deleteResultFormat = (commit: Commit<Entry>): ResultFormat<Entry, DeleteResult> => ({
	result: ({ id }, result) => {
		if (result === 'checked') return { id, deleted: false, dryRun: true };
		if (result === 'notFound') return { id, deleted: false, notFound: true };
		if (result === 'committed') return { id, deleted: true, committed: true };
		const json: IDataObject = { id, deleted: true };
		commit.addUncommitted(json);
		return json;
	},
	countName: (result) => (result === 'notFound' ? result : undefined),
	failure: ({ id }, { reason, skipped }) => ({
		id,
		message: outcomeMessage(deleteAction(id), reason, skipped),
	}),
});

/** Each ID is deleted only once, even if several items contain it. */
function itemReading(deletes: Deletes): ItemReading<Entry> {
	const { run, parameters, options } = deletes;
	const isList = parameters.get('idSource', 0) === 'list';
	return {
		valuesOf: (itemIndex) =>
			isList
				? parameters.list('listField', itemIndex, LIST_ADVICE).list
				: idsOf(deletes, itemIndex),
		entryOf: (value, origin) => {
			const advice = Array.isArray(value) ? SEVERAL_IDS_ADVICE : undefined;
			const id = isList
				? documentId(value, 'The ID', ENTRY_ADVICE)
				: documentId(value, "'Document ID'", advice);
			return entryOf(id, origin);
		},
		idOf: (id) => idIn({ id }, 'id'),
		verb: 'delete',
		emptyList: { deleted: false, reason: 'The list of IDs is empty' },
		resolve: async (entries) => await mergeRepeated(run, entries),
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: "Deleting all of them again is safe if 'Ignore Not Found' is on",
		}),
	};
}

/** If Chunk Count is set, the IDs of the document's chunks are returned instead. */
function idsOf(deletes: Deletes, itemIndex: number): unknown[] {
	const { parameters } = deletes;
	const chunkCount = parameters.get('options.chunkCount', itemIndex);
	const id = parameters.value('documentId', itemIndex);
	if (chunkCount === 0) {
		if (parameters.membersAdded('options').has('chunkCount')) deletes.zeroCounts++;
		return [id];
	}
	const documentOfChunks = documentId(id);
	return Array.from({ length: chunkCount }, (_, at) => `${documentOfChunks}#${at}`);
}

const NO_ID_ADVICE = "Correct the record, or enter another field as 'ID Field'.";
const ENTRY_ADVICE =
	'Each entry must be the ID of one document. Correct the entry, or remove it from the list.';
const SEVERAL_IDS_ADVICE =
	"Enter one ID, or choose 'List in a Field' in 'Document IDs From' and enter the field with the list.";
const LIST_ADVICE =
	"Enter the name of a field with a list of IDs as 'List Field', or choose 'One ID per Item'.";

/**
 * Merges entries with the same ID into one entry, which is linked to the items of all merged entries. The result keeps
 * the order in which the IDs first occur.
 */
async function mergeRepeated(run: Run, entries: readonly Entry[]): Promise<Entry[]> {
	const merged = new Map<string, { id: string; items: number[] }>();
	for (const entry of entries) {
		const pause = run.yieldToOthers();
		if (pause) await pause;
		const itemIndex = itemOf(entry);
		const known = merged.get(entry.id);
		if (!known) merged.set(entry.id, { id: entry.id, items: [itemIndex] });
		// The entries are in the order of the items, so an item that is already linked is the last one.
		else if (known.items.at(-1) !== itemIndex) known.items.push(itemIndex);
	}
	return [...merged.values()];
}

/** Only the IDs in flight are kept in memory. Therefore, an ID that occurs twice is deleted twice. */
function fileReading(deletes: Deletes, file: RecordFile): FileReading<Entry> {
	const { run, parameters, options } = deletes;
	const idField = parameters.requiredText('idField', file.itemIndex);
	return {
		requiredFields: [[idField, 'ID Field']],
		entryOf: (value, origin) => {
			const id = isObject(value)
				? documentId(fieldOf(value, idField), `The field ${quoted(idField)}`, NO_ID_ADVICE)
				: documentId(value, 'The record', NO_ID_ADVICE);
			return entryOf(id, origin);
		},
		idOf: (value) => (isObject(value) ? idIn(value, idField) : idIn({ id: value }, 'id')),
		sink: new FileSink(run, file, options, {
			json: () => (deletes.commit.isAccepted ? { committed: true } : {}),
			...resultsOf(options),
		}),
	};
}

/** @throws InputError if a URL cannot contain the ID */
function entryOf(id: string, { items, record }: EntryOrigin): Entry {
	deletePath(id);
	return { items, record, id };
}
