import type { IDataObject } from 'n8n-workflow';

import { bulk } from '../shared/flow/bulk';
import { oneEach, sendOne } from '../shared/flow/one-each';
import { fieldOf } from '../shared/records/fields';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { doneText, troubleText } from '../shared/n8n/run/hints';
import type { Run } from '../shared/n8n/run/run';
import { requestSettings } from '../shared/n8n/session/request-settings';
import { Session } from '../shared/n8n/session/session';
import { FileSink, type FileToRead } from '../shared/n8n/sinks/file-sink';
import { ItemSink } from '../shared/n8n/sinks/item-sink';
import { account, type EntryOrigin, type ResultFormat } from '../shared/n8n/sinks/sink';
import { PER_ITEM_OPTIONS } from '../shared/n8n/sources/file-properties';
import { withFiles, type FileReading } from '../shared/n8n/sources/file-source';
import { withItems, type ItemReading, type Source } from '../shared/n8n/sources/source';
import { documentOutcomes } from '../shared/service/accepted';
import { ServiceFailure } from '../shared/service/failure';
import { isObject } from '../shared/service/json';
import { documentId } from '../shared/service/push/document-id';
import { deletePath } from '../shared/service/push/push-url';
import { PUSH_SERVICE } from '../shared/service/service-definitions';
import { deleteAction, outcomeMessage } from '../shared/service/outcome-messages';
import { formatCount, quoted } from '../shared/service/strings';
import { deleteProperties, type DeleteOptions, type DeleteParameters } from './properties';
import { DRY_RUN_RESULT } from '../shared/n8n/sinks/dry-run';

interface Entry extends EntryOrigin {
	id: string;
	/** Whether an earlier attempt with an unknown outcome may have deleted the document. */
	mayBeDeleted?: boolean;
}

/**
 * The result for a document. `committed` means that the request also asked for a commit and that the service accepted
 * the request.
 */
type DeleteResult = 'deleted' | 'committed' | 'notFound' | 'checked';

interface Deletes {
	run: Run;
	parameters: DeleteParameters;
	options: DeleteOptions;
	session: Session;
	/**
	 * Whether the service accepted a delete with a commit. A delete that returns status 404 does not set this property,
	 * because the service may have ignored the commit.
	 */
	isCommitted: boolean;
	/**
	 * Number of documents by result. IDs with a slash are counted separately, because their paths contain %2F,
	 * which some proxies reject.
	 */
	counts: Record<'deleted' | 'deletedWithSlash' | 'missing' | 'missingWithSlash', number>;
	/** Whether any ID looks like a chunk ID, such as `a#0`. */
	hasChunkIds: boolean;
}

/**
 * Deletes the documents whose IDs are in the input items or their files (docs/service-interface.md, Delete).
 *
 * @throws InputError if an option or the credential is invalid
 */
export async function deleteDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, deleteProperties);
	const options = parameters.collection('options', [...PER_ITEM_OPTIONS, 'chunkCount']);
	const session = await Session.open(run, PUSH_SERVICE);
	const deletes: Deletes = {
		run,
		parameters,
		options,
		session,
		isCommitted: false,
		counts: { deleted: 0, deletedWithSlash: 0, missing: 0, missingWithSlash: 0 },
		hasChunkIds: false,
	};
	const settings = requestSettings(run, session, options, { idempotent: true });
	const commit = parameters.get('commit', 0);
	const commitsLast = commit === 'lastDeleteOnly';

	/** Results for documents that the last request will commit. */
	const uncommitted: IDataObject[] = [];
	const resultFormat = deleteResultFormat(commitsLast ? uncommitted : []);
	const deleteAll = async ({ entries, sink, isLast }: Source<Entry>) => {
		const tail: { last?: Entry } = {};
		const toSend = commitsLast && isLast ? allButLast(entries, tail) : entries;
		const send = async (entry: Entry) =>
			await sendDelete(deletes, entry, commit === 'everyDelete');
		for await (const results of bulk(toSend, oneEach(settings, send))) {
			for (const { entries, outcome } of results)
				await account(sink, entries, outcome, resultFormat);
		}
		const { last } = tail;
		if (last === undefined) return;
		// All other deletes have an outcome by now, so a commit that is sent with this delete applies to all of them.
		const sendLast = async () => await sendDelete(deletes, last, true);
		await account(sink, [last], await sendOne(settings, sendLast), resultFormat);
	};
	if (parameters.get('idSource', 0) === 'file') {
		const fileOptions = { ...options, takesLines: true };
		const readingOf = (fileToRead: FileToRead) => fileReading(deletes, fileToRead);
		await withFiles({ run, parameters, options: fileOptions, readingOf, use: deleteAll });
	} else {
		await withItems(run, itemReading(deletes), deleteAll);
	}
	if (deletes.isCommitted) for (const json of uncommitted) json.committed = true;
	addHints(deletes, commit);
}

const OTHER_SERVER_ADVICE =
	"Check 'Push Service URL' in the credential, because another server may have answered.";
const SLASH_ADVICE =
	"It is unknown whether the document exists, because a proxy in front of the service may have answered. Some proxies reject or decode %2F, which stands for a slash in the ID. Check 'Push Service URL' in the credential, and whether the proxy passes on %2F. Once the run has deleted another ID with a slash, status 404 counts as not found.";
const NOT_FOUND_ADVICE =
	"Check 'Push Service URL' in the credential and the ID. If unknown IDs are fine, turn on 'Ignore Not Found'.";

async function sendDelete(deletes: Deletes, entry: Entry, commits: boolean): Promise<DeleteResult> {
	const { options, session } = deletes;
	if (options.dryRun) return 'checked';
	const request = {
		method: 'DELETE' as const,
		path: deletePath(entry.id),
		...(commits && { qs: { commit: 'true' } }),
		timeoutMs: options.timeoutSeconds * 1000,
	};
	try {
		const { body } = await session.request(request);
		const failure = documentOutcomes(body, [entry], 'delete').get(entry.id)?.failure;
		if (failure) throw failure;
	} catch (error) {
		return afterFailure(deletes, entry, error);
	}
	deletes.counts[hasSlash(entry) ? 'deletedWithSlash' : 'deleted']++;
	deletes.hasChunkIds ||= CHUNK_ID.test(entry.id);
	deletes.isCommitted ||= commits;
	return commits ? 'committed' : 'deleted';
}

const CHUNK_ID = /#\d+$/;

const hasSlash = ({ id }: Entry): boolean => id.includes('/');

/** Returns a result if the failure is an acceptable 404. Otherwise, throws the error. */
function afterFailure({ options, counts }: Deletes, entry: Entry, error: unknown): DeleteResult {
	if (!(error instanceof ServiceFailure)) throw error;
	entry.mayBeDeleted ||= error.isOutcomeUnknown;
	if (error.httpStatus !== 404) throw error;
	counts[hasSlash(entry) ? 'missingWithSlash' : 'missing']++;
	// Until another delete has succeeded, a 404 might come from a proxy instead of the service. Some proxies reject %2F
	// in paths. So the 404 for an ID with a slash is accepted only after another ID with a slash has been deleted.
	if (hasSlash(entry)) {
		if (counts.deletedWithSlash === 0)
			throw error.with({ description: SLASH_ADVICE, isOutcomeUnknown: true });
	} else if (error.isText && counts.deleted + counts.deletedWithSlash === 0) {
		throw error.with({ description: OTHER_SERVER_ADVICE });
	}
	// An earlier attempt deleted the document, but the response was lost.
	if (entry.mayBeDeleted) return 'deleted';
	if (options.ignoreNotFound) return 'notFound';
	throw error.with({ description: NOT_FOUND_ADVICE });
}

function addHints(deletes: Deletes, commit: string): void {
	const { run, parameters, options, isCommitted, counts } = deletes;
	const { stats, meter } = run;
	if (options.dryRun) {
		run.hint(`Dry run: ${formatCount(stats.done, 'ID')} checked. Nothing was sent.`, 'info');
		return;
	}
	// The hint says "accepted", because the service does not say whether a document existed.
	const accepted = `${formatCount(stats.done, 'delete')} accepted`;
	const done = doneText(stats, meter, 'delete', 'accepted') || accepted;
	const isOne = stats.done === 1;
	const stay = isOne ? 'The document stays' : 'The documents stay';
	const until = `${stay} searchable until the service commits, about once a minute.`;
	if (isCommitted)
		run.hint(
			`${done}. The service accepted the commit. Searches should soon stop finding the ${isOne ? 'document' : 'documents'}.`,
			'info',
		);
	else if (stats.done > 0 && commit === 'serviceDefault') run.hint(`${done}. ${until}`, 'info');
	else if (stats.done > 0) run.hint(`The deletes may not be committed yet. ${until}`);
	const idSource = parameters.get('idSource', 0);
	if (stats.done > 0 && idSource !== 'item' && !deletes.hasChunkIds)
		run.hint(`${CHUNKS_REMAIN} ${DELETE_CHUNKS_ADVICE[idSource]}`, 'info');
	const isOnlySlashes = counts.missing + counts.deletedWithSlash === 0;
	if (isOnlySlashes && counts.missingWithSlash > 0 && counts.deleted > 0)
		run.hint(
			'The service answered with status 404 for all IDs with a slash, and for no others. Check whether a proxy rejects or decodes %2F in paths.',
		);
	run.hint(troubleText(stats));
}

const CHUNKS_REMAIN =
	'No ID has the form of a chunk ID, such as a#0. If these documents were chunked, their chunks are still in the index.';
const DELETE_CHUNKS_ADVICE = {
	list: "To delete chunks, list their IDs, or turn each ID into an item with Split Out and use 'One ID per Item' with the option 'Chunk Count'.",
	file: "To delete chunks, add their IDs to the file, or turn each ID into an item with Extract from File and use 'One ID per Item' with the option 'Chunk Count'.",
};

const resultsOf = ({ dryRun, ignoreNotFound }: DeleteOptions) => ({
	done: 'deleted',
	others: ignoreNotFound ? ['notFound'] : [],
	...(dryRun && DRY_RUN_RESULT),
});

/** @param uncommitted list for the results of deletes that might not be committed */
const deleteResultFormat = (uncommitted: IDataObject[]): ResultFormat<Entry, DeleteResult> => ({
	result: ({ id }, result) => {
		if (result === 'checked') return { id, deleted: false, dryRun: true };
		if (result === 'notFound') return { id, deleted: false, notFound: true };
		if (result === 'committed') return { id, deleted: true, committed: true };
		const json: IDataObject = { id, deleted: true };
		uncommitted.push(json);
		return json;
	},
	countName: (result) => (result === 'notFound' ? result : undefined),
	failure: ({ id }, { reason, skipped }) => ({
		id,
		message: outcomeMessage(deleteAction(id), reason, skipped),
	}),
});

/** Describes how IDs are read from items. Each ID is deleted only once, even if several items contain it. */
function itemReading({ run, parameters, options }: Deletes): ItemReading<Entry> {
	const isList = parameters.get('idSource', 0) === 'list';
	return {
		valuesOf: (itemIndex) =>
			isList
				? parameters.list('listField', itemIndex, LIST_ADVICE).list
				: idsOf(parameters, itemIndex),
		entryOf: (value, origin) =>
			entryOf(
				isList
					? documentId(value, 'The ID', ENTRY_ADVICE)
					: documentId(
							value,
							"'Document ID'",
							Array.isArray(value) ? SEVERAL_IDS_ADVICE : undefined,
						),
				origin,
			),
		verb: 'delete',
		emptyList: { deleted: false, reason: 'The list of IDs is empty' },
		resolve: mergeRepeated,
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: "Deleting all of them again is safe if 'Ignore Not Found' is on",
		}),
	};
}

/**
 * Returns the document ID in an item. If Chunk Count is set, the IDs of the document's chunks are returned
 * instead.
 */
function idsOf(parameters: DeleteParameters, itemIndex: number): unknown[] {
	const chunkCount = parameters.get('options.chunkCount', itemIndex);
	const id = parameters.value('documentId', itemIndex);
	if (chunkCount === 0) return [id];
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
function mergeRepeated(entries: readonly Entry[]): Entry[] {
	const items = new Map<string, Set<number>>();
	for (const { id, items: one } of entries) {
		const all = items.get(id) ?? new Set();
		for (const itemIndex of one) all.add(itemIndex);
		items.set(id, all);
	}
	return [...items].map(([id, all]) => ({ id, items: [...all] }));
}

/**
 * Describes how IDs are read from a file. Only the IDs in flight are kept in memory. Therefore, an ID that occurs twice
 * is deleted twice.
 */
function fileReading(deletes: Deletes, fileToRead: FileToRead): FileReading<Entry> {
	const { run, parameters, options } = deletes;
	const idField = parameters.requiredText('idField', fileToRead.itemIndex);
	return {
		requiredFields: [[idField, 'ID Field']],
		entryOf: (value, origin) => {
			const id = isObject(value)
				? documentId(fieldOf(value, idField), `The field ${quoted(idField)}`, NO_ID_ADVICE)
				: documentId(value, 'The record', NO_ID_ADVICE);
			return entryOf(id, origin);
		},
		sink: new FileSink(run, fileToRead, options, {
			json: () => (deletes.isCommitted ? { committed: true } : {}),
			...resultsOf(options),
		}),
	};
}

/** @throws InputError if a URL cannot contain the ID */
function entryOf(id: string, { items, record }: EntryOrigin): Entry {
	deletePath(id);
	return { items, record, id };
}

/** Yields all entries except the last one, which it stores in `tail`. */
async function* allButLast(
	slices: AsyncIterable<Entry[]>,
	tail: { last?: Entry },
): AsyncGenerator<Entry[], void, undefined> {
	for await (const slice of slices) {
		const last = slice.pop();
		if (last === undefined) continue;
		yield tail.last ? [tail.last, ...slice] : slice;
		tail.last = last;
	}
}
