import type { IDataObject } from 'n8n-workflow';

import { bulk } from '../shared/flow/bulk';
import { oneEach, sendOne } from '../shared/flow/one-each';
import { fieldOf } from '../shared/records/fields';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { doneText, troubleText } from '../shared/n8n/run/hints';
import type { Run } from '../shared/n8n/run/run';
import { requestSettings } from '../shared/n8n/session/request-options';
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
import { deleting, outcomeMessage, quoted } from '../shared/service/outcome-messages';
import { deleteProperties, type DeleteOptions, type DeleteParameters } from './properties';
import { CHECKED } from '../shared/n8n/sinks/dry-run';
import { count } from '../shared/service/numbers';

/** An ID to delete, and where it comes from. */
interface Entry extends EntryOrigin {
	id: string;
	/** A delete of it may have taken effect though it was never answered. */
	mayBeDeleted?: boolean;
}

/** What became of a document; `committed`: deleted, by a request whose commit the service accepted. */
type DeleteResult = 'deleted' | 'committed' | 'notFound' | 'checked';

/** What all deletes of a run have in common. */
interface Deletes {
	run: Run;
	parameters: DeleteParameters;
	options: DeleteOptions;
	session: Session;
	/** Whether the service accepted a delete with a commit. A 404 is no proof of one. */
	isCommitted: boolean;
	/** Documents by what became of them, and whether a slash in their ID is `%2F` in the path. */
	counts: Record<'deleted' | 'deletedWithSlash' | 'missing' | 'missingWithSlash', number>;
	/** Whether an ID has the form that Chunk Text gives to chunks, such as `a#0`. */
	hasChunkIds: boolean;
}

/**
 * Deletes the documents that the input items or their files name (docs/service-interface.md, Delete).
 *
 * @throws InputError for unusable options or an unusable credential
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
	const line = requestSettings(run, session, options, { idempotent: true });
	const commit = parameters.get('commit', 0);
	const commitsLast = commit === 'lastDeleteOnly';

	/** Results of documents whose commit follows. */
	const uncommitted: IDataObject[] = [];
	const resultFormat = deleteResultFormat(commitsLast ? uncommitted : []);
	const deleteAll = async ({ entries, sink, isLast }: Source<Entry>) => {
		const held: { last?: Entry } = {};
		const toSend = commitsLast && isLast ? allButLast(entries, held) : entries;
		const send = async (entry: Entry) =>
			await sendDelete(deletes, entry, commit === 'everyDelete');
		for await (const answers of bulk(toSend, oneEach(line, send))) {
			for (const { entries, outcome } of answers)
				await account(sink, entries, outcome, resultFormat);
		}
		const { last } = held;
		if (last === undefined) return;
		// All others have been answered, so the commit comes after them.
		const sendLast = async () => await sendDelete(deletes, last, true);
		await account(sink, [last], await sendOne(line, sendLast), resultFormat);
	};
	if (parameters.get('idSource', 0) === 'file') {
		const how = { ...options, takesLines: true };
		const readingOf = (origin: FileToRead) => fileReading(deletes, origin);
		await withFiles({ run, parameters, options: how, readingOf, use: deleteAll });
	} else {
		await withItems(run, itemReading(deletes), deleteAll);
	}
	if (deletes.isCommitted) for (const json of uncommitted) json.committed = true;
	addHints(deletes, commit);
}

const NOT_OF_SERVICE =
	"Something other than the service may have answered: check 'Push Service URL' in the credential.";
const SLASH_NOT_PROVEN =
	"A proxy in front of the service may have answered, since some refuse or decode %2F, which stands for a slash of the ID. So it is unknown whether the document exists. Check 'Push Service URL' in the credential, and whether the proxy passes on %2F. Status 404 counts as not found for IDs with a slash after the run has deleted another one.";
const NOT_FOUND =
	"Check 'Push Service URL' in the credential and the ID. If unknown IDs are fine, turn on 'Ignore Not Found'.";

/** One attempt to delete a document. */
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

/** @throws the error, unless the service itself says that the document is not there */
function afterFailure({ options, counts }: Deletes, entry: Entry, error: unknown): DeleteResult {
	if (!(error instanceof ServiceFailure)) throw error;
	entry.mayBeDeleted ||= error.outcomeUnknown;
	if (error.httpStatus !== 404) throw error;
	counts[hasSlash(entry) ? 'missingWithSlash' : 'missing']++;
	// A delete that succeeded shows that paths of its kind reach the service.
	if (hasSlash(entry)) {
		if (counts.deletedWithSlash === 0)
			throw error.with({ description: SLASH_NOT_PROVEN, outcomeUnknown: true });
	} else if (error.isText && counts.deleted + counts.deletedWithSlash === 0) {
		throw error.with({ description: NOT_OF_SERVICE });
	}
	// An earlier attempt has deleted it, though its response got lost.
	if (entry.mayBeDeleted) return 'deleted';
	if (options.ignoreNotFound) return 'notFound';
	throw error.with({ description: NOT_FOUND });
}

function addHints(deletes: Deletes, commit: string): void {
	const { run, parameters, options, isCommitted, counts } = deletes;
	const { stats, meter } = run;
	if (options.dryRun) {
		run.hint(`Dry run: ${count(stats.done, 'ID')} checked. Nothing was sent.`, 'info');
		return;
	}
	// The service does not say whether there was a document.
	const accepted = `${count(stats.done, 'delete')} accepted`;
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
		run.hint(`${CHUNKS_STAY} ${INSTEAD[idSource]}`, 'info');
	const isOnlySlashes = counts.missing + counts.deletedWithSlash === 0;
	if (isOnlySlashes && counts.missingWithSlash > 0 && counts.deleted > 0)
		run.hint(
			'The service answered with status 404 for all IDs with a slash, and for no others. Check whether a proxy refuses or decodes %2F in paths.',
		);
	run.hint(troubleText(stats));
}

const CHUNKS_STAY =
	'No ID has the form of a chunk, such as a#0. If these documents were chunked, their chunks are still in the index.';
const INSTEAD = {
	list: "To delete chunks, list their IDs, or make an item of each ID with Split Out and use 'One ID per Item' with the option 'Chunk Count'.",
	file: "To delete chunks, give the file their IDs, or make an item of each ID with Extract from File and use 'One ID per Item' with the option 'Chunk Count'.",
};

const resultsOf = ({ dryRun, ignoreNotFound }: DeleteOptions) => ({
	done: 'deleted',
	others: ignoreNotFound ? ['notFound'] : [],
	...(dryRun && CHECKED),
});

/** @param uncommitted gets the results of documents that are not known to be committed */
const deleteResultFormat = (uncommitted: IDataObject[]): ResultFormat<Entry, DeleteResult> => ({
	result: ({ id }, answer) => {
		if (answer === 'checked') return { id, deleted: false, dryRun: true };
		if (answer === 'notFound') return { id, deleted: false, notFound: true };
		if (answer === 'committed') return { id, deleted: true, committed: true };
		const json: IDataObject = { id, deleted: true };
		uncommitted.push(json);
		return json;
	},
	countedAs: (answer) => (answer === 'notFound' ? answer : undefined),
	failure: ({ id }, { reason, skipped }) => ({
		id,
		message: outcomeMessage(deleting(id), reason, skipped),
	}),
});

/** IDs of items, each deleted once for all items that name it. */
function itemReading({ run, parameters, options }: Deletes): ItemReading<Entry> {
	const isList = parameters.get('idSource', 0) === 'list';
	return {
		valuesOf: (itemIndex) =>
			isList
				? parameters.list('listField', itemIndex, LIST_ADVICE).list
				: idsOf(parameters, itemIndex),
		entryOf: (value, place) =>
			entryOf(
				isList
					? documentId(value, 'The ID', ENTRY_ADVICE)
					: documentId(
							value,
							"'Document ID'",
							Array.isArray(value) ? SEVERAL : undefined,
						),
				place,
			),
		verb: 'delete',
		emptyList: { deleted: false, reason: 'The list of IDs is empty' },
		resolve: eachOnce,
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: "Deleting all of them again is safe if 'Ignore Not Found' is on",
		}),
	};
}

/** The ID of an item, or those of the chunks that it stands for. */
function idsOf(parameters: DeleteParameters, itemIndex: number): unknown[] {
	const chunkCount = parameters.get('options.chunkCount', itemIndex);
	const id = parameters.value('documentId', itemIndex);
	if (chunkCount === 0) return [id];
	const documentOfChunks = documentId(id);
	return Array.from({ length: chunkCount }, (_, at) => `${documentOfChunks}#${at}`);
}

const NO_ID = "Correct the record, or enter another field as 'ID Field'.";
const ENTRY_ADVICE =
	'Each entry must be the ID of one document: correct it, or remove it from the list.';
const SEVERAL =
	"Enter one ID, or choose 'List in a Field' in 'Document IDs From' and enter the field with the list.";
const LIST_ADVICE =
	"Enter the name of a field with a list of IDs as 'List Field', or choose 'One ID per Item'.";

/** Each ID once, in the order of their first mention, with all items that name it. */
function eachOnce(entries: readonly Entry[]): Entry[] {
	const items = new Map<string, Set<number>>();
	for (const { id, items: one } of entries) {
		const all = items.get(id) ?? new Set();
		for (const itemIndex of one) all.add(itemIndex);
		items.set(id, all);
	}
	return [...items].map(([id, all]) => ({ id, items: [...all] }));
}

/** IDs of a file. One that occurs twice is deleted twice, since no more is held than is in flight. */
function fileReading(deletes: Deletes, origin: FileToRead): FileReading<Entry> {
	const { run, parameters, options } = deletes;
	const idField = parameters.requiredText('idField', origin.itemIndex);
	return {
		needed: [[idField, 'ID Field']],
		entryOf: (value, place) => {
			const id = isObject(value)
				? documentId(fieldOf(value, idField), `The field ${quoted(idField)}`, NO_ID)
				: documentId(value, 'The record', NO_ID);
			return entryOf(id, place);
		},
		sink: new FileSink(run, origin, options, {
			json: () => (deletes.isCommitted ? { committed: true } : {}),
			...resultsOf(options),
		}),
	};
}

/** @throws InputError for an ID that no URL can contain */
function entryOf(id: string, { items, record }: EntryOrigin): Entry {
	deletePath(id);
	return { items, record, id };
}

/** All entries but the last one, which is put into `held`. */
async function* allButLast(
	slices: AsyncIterable<Entry[]>,
	held: { last?: Entry },
): AsyncGenerator<Entry[], void, undefined> {
	for await (const slice of slices) {
		const last = slice.pop();
		if (last === undefined) continue;
		yield held.last ? [held.last, ...slice] : slice;
		held.last = last;
	}
}
