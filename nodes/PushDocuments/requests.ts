import type { IDataObject } from 'n8n-workflow';

import type { Packed } from '../shared/flow/batcher';
import type { BatchResult, BulkOptions } from '../shared/flow/bulk-options';
import type { Run } from '../shared/n8n/run/run';
import { requestSettings } from '../shared/n8n/session/request-options';
import type { Session } from '../shared/n8n/session/session';
import type { EntryOrigin, ResultFormat } from '../shared/n8n/sinks/sink';
import { exactJson, hasLongNumbers, parseExactly } from '../shared/records/exact-numbers';
import { documentOutcomes, type DocumentOutcome } from '../shared/service/accepted';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentText,
	PUSH_BODY_BYTES,
	pushBody,
	type PushDocument,
} from '../shared/service/push/push';
import { outcomeMessage, pushing } from '../shared/service/outcome-messages';
import type { PushOptions } from './properties';
import { count, figure } from '../shared/service/numbers';

/** A document to push, and where it comes from. */
export interface Entry extends EntryOrigin {
	id: string;
	/** Undefined once it was written as JSON, since a record is in memory already. */
	document: PushDocument | undefined;
	/** Its JSON as it came in, if nothing of it was changed. */
	original?: string | undefined;
	/** Makes the document again of a value of its record that has numbers of any length. */
	remake?: ((value: unknown) => PushDocument) | undefined;
	/** Earlier documents with the same ID, which are not pushed because of this one. */
	replaces?: Entry[];
}

/** What is known of the documents of a request, by their IDs: their bytes in a dry run, else what the response says. */
export type PushOutcomes = ReadonlyMap<string, Partial<DocumentOutcome> & { bytes?: number }>;

/** What is known of the IDs of all documents of a run. */
export interface Sent {
	/** Documents that were not sent because a later one with the same ID was. */
	skipped: number;
	/** IDs of documents that were sent, and how many of these had the ID of an earlier one. */
	ids: Set<string>;
	repeated: number;
}

/** How many IDs are remembered: memory must not grow with a file. */
export const MAX_IDS = 100_000;

/** Remembers the IDs of documents that were sent, and counts those that others had before. */
export function noteSent(sent: Sent, entries: readonly Entry[]): void {
	const { ids } = sent;
	for (const { id } of entries) {
		const { size } = ids;
		if (size < MAX_IDS) ids.add(id);
		if (ids.size === size && (size < MAX_IDS || ids.has(id))) sent.repeated++;
	}
}

/** How documents become requests, and what their responses say. */
export function pushRequests(
	run: Run,
	session: Session,
	options: PushOptions,
): BulkOptions<Entry, PushOutcomes> {
	const limits = {
		maxCount: options.documentsPerRequest,
		maxBytes: options.bytesPerRequest,
		...PUSH_BODY_BYTES,
	};
	return {
		...requestSettings(run, session, options, { idempotent: true }),
		limits,
		keyOf: ({ id }) => id,
		replace: (later, { replaces = [], ...earlier }) => {
			later.replaces = [...replaces, earlier];
		},
		textOf: written,
		tooLarge: (_entry, bytes) =>
			new InputError(
				`the document has ${count(bytes, 'byte')}, more than the ${figure(limits.maxBytes)} that 'Bytes per Request' allows`,
				"Shorten the document, omit fields with 'Exclude Fields', or chunk it first.",
			),
		send: async (batch, bytes) =>
			options.dryRun
				? new Map(batch.map((each) => [each.entry.id, { bytes: each.bytes }]))
				: await push(session, batch, bytes, options.timeoutSeconds * 1000),
		rejectionOf: (answers, { id }) => answers.get(id)?.failure,
	};
}

/** Sends a batch, of so many bytes, and reads what the response says of each document. */
async function push(
	session: Session,
	batch: Array<Packed<Entry>>,
	bytes: number,
	timeoutMs: number,
): Promise<PushOutcomes> {
	const body = pushBody(batch, bytes);
	const response = await session.request({ method: 'POST', body, timeoutMs });
	const documents = batch.map(({ entry, text }) => ({ id: entry.id, text }));
	return documentOutcomes(response.body, documents, 'push');
}

/** The JSON of a document. */
function written(entry: Entry): string {
	const { record, document, original, remake } = entry;
	if (document === undefined) return '';
	let text = documentText(document, original);
	if (record === undefined) return text;
	if (remake && text !== original && hasLongNumbers(record.text)) {
		const { id, name } = document;
		text = exactJson(documentText({ ...remake(parseExactly(record.text)), id, name }));
	}
	// What is in flight for long is expensive for n8n's garbage collector.
	entry.document = undefined;
	entry.original = undefined;
	record.value = undefined;
	return text;
}

/**
 * How the documents of a request are reported.
 *
 * @param answer what is known of the request
 */
export const pushResultFormat = (
	{ dryRun }: PushOptions,
	{ request, attempts, bytes }: BatchResult<Entry, PushOutcomes>,
): ResultFormat<Entry, PushOutcomes> => ({
	result: ({ id }, answers) => {
		const { bytes, response } = answers.get(id) ?? {};
		if (dryRun) return { id, pushed: false, dryRun, request, bytes };
		const result: IDataObject = { id, pushed: true, request };
		if (attempts > 1) result.attempts = attempts;
		if (response !== undefined) result.response = response as IDataObject[string];
		return result;
	},
	failure: ({ id }, { reason, skipped }) => {
		const isTooLarge =
			reason instanceof ServiceFailure && reason.httpStatus === 413 && !skipped;
		const action = pushing(id);
		if (isTooLarge) action.subject += ` of ${count(bytes, 'byte')}`;
		return { id, message: outcomeMessage(action, reason, skipped) };
	},
});

/** How documents are reported that were not sent because a later one has the same ID. */
export const replacedResultFormat = (
	resultFormat: ResultFormat<Entry, PushOutcomes>,
): ResultFormat<Entry, PushOutcomes> => ({
	...resultFormat,
	result: ({ id }) => ({ id, pushed: false, reason: 'A later document has the same ID' }),
	countedAs: () => 'skipped',
});
