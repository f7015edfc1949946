import type { IDataObject } from 'n8n-workflow';

import { deliver } from '../shared/flow/deliver';
import { deliverEach } from '../shared/flow/deliver-each';
import { fieldOf } from '../shared/records/fields';
import { count, doneText, troubleText } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { openPushEndpoint } from '../shared/n8n/session/push-endpoint';
import { requestLine } from '../shared/n8n/session/request-options';
import type { Run } from '../shared/n8n/run/run';
import { account, type Placed, type Wording } from '../shared/n8n/sinks/sink';
import { OWN_OPTIONS } from '../shared/n8n/sources/file-properties';
import {
	openFiles,
	withFiles,
	withItems,
	type FileReading,
	type ItemReading,
	type Source,
} from '../shared/n8n/sources/source';
import { documentId } from '../shared/service/push/document-id';
import { InputError } from '../shared/service/input-error';
import { isObject } from '../shared/service/json';
import { deletePath } from '../shared/service/push/push';
import { deleting, outcomeMessage } from '../shared/service/wording';
import { deleteProperties, type DeleteOptions, type DeleteParameters } from './properties';
import { DeleteSender, type Answer } from './sender';

/** An ID to delete, and where it comes from. */
interface Entry extends Placed {
	id: string;
}

/**
 * Deletes the documents that the input items or their files name (docs/service-interface.md, Delete).
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function deleteDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, deleteProperties);
	const options = parameters.collection('options', OWN_OPTIONS);
	const service = await openPushEndpoint(run);
	const isOfItems = parameters.choice('idSource') !== 'file';
	const line = requestLine(run, service.session, options, { idempotent: true });
	const sender = new DeleteSender(run, service, options, isOfItems);
	const commit = parameters.choice('commit');

	/** Results of documents whose commit follows. */
	const uncommitted: IDataObject[] = [];
	const wording = deleteWording(commit === 'lastDeleteOnly' ? uncommitted : [], sender);

	const deleteAll = async ({ entries, sink, isLast }: Source<Entry>) => {
		const held: { last?: Entry } = {};
		const toSend = commit === 'lastDeleteOnly' && isLast ? allButLast(entries, held) : entries;
		const send = async ({ id }: Entry, attempt: number) =>
			await sender.delete(id, attempt, commit === 'everyDelete');
		for await (const slice of deliverEach(toSend, send, line)) {
			for (const { entry, outcome } of slice) await account(sink, [entry], outcome, wording);
		}
		const { last } = held;
		if (last === undefined) return;
		// All others have been answered, so the commit comes after them.
		const sendLast = async (attempt: number) => await sender.delete(last.id, attempt, true);
		await account(sink, [last], await deliver(sendLast, line), wording);
	};
	if (isOfItems) {
		const reading = itemReading(parameters, options, service.endpoint);
		await withItems(run, options, reading, deleteAll);
	} else {
		const how = { ...options, otherwise: 'lines' as const };
		const readingOf = fileReading(parameters, options, service.endpoint, sender);
		const files = openFiles<Entry, FileReading<Entry>>(run, parameters, how, readingOf);
		await withFiles(run, files, deleteAll);
	}
	if (commit === 'lastDeleteOnly') await sender.ensureCommit(line);
	if (sender.isCommitted) for (const json of uncommitted) json.committed = true;
	addHints(run, sender.isCommitted, commit === 'serviceDefault');
}

function addHints(run: Run, isCommitted: boolean, isCommittedLater: boolean): void {
	const { stats, meter } = run;
	const deleted = count(stats.done, 'document');
	const done = doneText(stats, meter.seconds, 'document', 'deleted') || `${deleted} deleted`;
	const them = stats.done === 1 ? 'it' : 'them';
	if (isCommitted) run.hint(`${done}. ${committedText(them)}`, 'info');
	else if (stats.done > 0 && isCommittedLater)
		run.hint(`${done}. ${untilCommitText(them)}`, 'info');
	const trouble = troubleText(stats);
	if (trouble !== '') run.hint(trouble);
}

const committedText = (them: string) =>
	`The service accepted the commit: searches stop finding ${them} shortly.`;
const untilCommitText = (them: string) =>
	`Searches find ${them} until the service commits, which it does about once a minute.`;

/** The count of IDs that the service does not know, if that is no failure. */
const NOT_FOUND = 'notFound';

const resultsOf = ({ ignoreNotFound }: DeleteOptions) => ({
	done: 'deleted',
	others: ignoreNotFound ? [NOT_FOUND] : [],
});

/** @param uncommitted gets the results of documents that are not known to be committed */
const deleteWording = (
	uncommitted: IDataObject[],
	sender: DeleteSender,
): Wording<Entry, Answer> => ({
	result: ({ id }, answer) => {
		if (answer === 'notFound') return { id, deleted: false, notFound: true };
		if (answer === 'committed') return { id, deleted: true, committed: true };
		const json: IDataObject = { id, deleted: true };
		uncommitted.push(json);
		return json;
	},
	countedAs: (answer) => (answer === 'notFound' ? NOT_FOUND : undefined),
	failure: ({ id }, { reason, skipped }) => ({
		id,
		message: outcomeMessage(deleting(id), reason, {
			attempted: !skipped,
			mayBeDone: sender.mayBeDeleted(id),
		}),
	}),
});

/** IDs of items, each deleted once for all items that name it. */
function itemReading(
	parameters: DeleteParameters,
	options: DeleteOptions,
	endpoint: string,
): ItemReading<Entry> {
	const isList = parameters.choice('idSource') === 'listField';
	const label = parameters.label('documentId');
	return {
		valuesOf: (itemIndex) =>
			isList
				? parameters.list('idsField', itemIndex, LIST_ADVICE).list
				: [parameters.value('documentId', itemIndex)],
		entryOf: (value, place) => entryOf(documentId(value, label, ID_ADVICE), place, endpoint),
		emptyList: { deleted: false, reason: 'The list of IDs is empty' },
		...(isList && { wrong: ofEntry }),
		resolve: eachOnce,
		sink: {
			...resultsOf(options),
			repeating: "deleting them again does no harm if 'Ignore Not Found' is on",
		},
	};
}

const ID_ADVICE = "Point 'Document ID' to a field that contains text, or enter an ID.";

const LIST_ADVICE =
	"Enter the name of a field with a list of IDs as 'List Field', or choose 'One ID per Item'.";

/** Says which entry of a list it is. */
const ofEntry = (error: unknown, position: number): unknown =>
	error instanceof InputError
		? new InputError(
				`Entry ${position} of the list, counted from 0: ${error.message}`,
				'Each entry must be the ID of one document: correct it, or remove it from the list.',
			)
		: error;

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

/** IDs of files. One that occurs twice is deleted twice, since no more is held than is in flight. */
const fileReading =
	(
		parameters: DeleteParameters,
		options: DeleteOptions,
		endpoint: string,
		sender: DeleteSender,
	) =>
	(itemIndex: number): FileReading<Entry> => {
		const idField = parameters.requiredText('idField', itemIndex);
		return {
			needed: [[idField, 'ID Field']],
			entryOf: (value, place) => entryOf(idIn(value, idField), place, endpoint),
			sink: {
				...resultsOf(options),
				details: () => (sender.isCommitted ? { committed: true } : {}),
			},
		};
	};

/** @throws InputError for an ID that cannot be used */
function idIn(record: unknown, idField: string): string {
	if (!isObject(record)) {
		return documentId(record, 'ID');
	}
	return documentId(fieldOf(record, idField), idField);
}

/** @throws InputError for an ID that no URL can contain */
function entryOf(id: string, { items, record }: Placed, endpoint: string): Entry {
	deletePath(endpoint, id);
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
