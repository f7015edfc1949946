import type { IDataObject } from 'n8n-workflow';

import type { Packed } from '../shared/sending/batcher';
import type { BatchResult, BulkOptions } from '../shared/sending/batch-sender';
import type { Run } from '../shared/run/run';
import { requestSettings } from '../shared/session/request-settings';
import type { Session } from '../shared/session/session';
import type { EntryOrigin, ResultFormat } from '../shared/output/sink';
import { exactJson, hasLongNumbers, parseExactly } from '../shared/formats/exact-numbers';
import { documentOutcomes, type DocumentOutcome } from '../shared/service/accepted';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentText,
	PUSH_BODY_BYTES,
	pushBody,
	type PushDocument,
} from '../shared/service/push/push-document';
import { outcomeMessage, pushAction } from '../shared/service/outcome-messages';
import type { PushOptions } from './properties';
import { figure, formatCount } from '../shared/service/strings';

export interface Entry extends EntryOrigin {
	id: string;
	/** To save memory, it is removed after it has been written as JSON. */
	document: PushDocument | undefined;
	/** The record's original JSON, which is sent as it is. Set only if the document is unchanged. */
	original?: string | undefined;
	/** Rebuilds the document from a record in which long numbers keep all their digits. */
	remake?: ((value: unknown) => PushDocument) | undefined;
	/** Earlier documents that this document replaces, because they have the same ID. */
	replaces?: Entry[];
}

/** Facts about the documents in a request, by document ID. In a dry run, only the size of a document is known. */
export type PushOutcomes = ReadonlyMap<string, Partial<DocumentOutcome> & { bytes?: number }>;

/** Describes how documents are sent and how responses are read. */
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
		textOf: writeDocument,
		tooLarge: (_entry, bytes) =>
			new InputError(
				`the document has ${formatCount(bytes, 'byte')}, more than the ${figure(limits.maxBytes)} that 'Bytes per Request' allows`,
				"Shorten the document, omit fields with 'Exclude Fields', or chunk it first.",
				{
					commonMessage: `the document has more bytes than the ${figure(limits.maxBytes)} that 'Bytes per Request' allows`,
				},
			),
		send: async (batch, bytes) =>
			options.dryRun
				? new Map(batch.map((each) => [each.entry.id, { bytes: each.bytes }]))
				: await push(session, batch, bytes, options.timeoutSeconds * 1000),
		rejectionOf: (outcomes, { id }) => outcomes.get(id)?.failure,
	};
}

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

function writeDocument(entry: Entry): string {
	const { record, document, original, remake } = entry;
	if (document === undefined) return '';
	let text = documentText(document, original);
	if (record === undefined) return text;
	if (remake && text !== original && hasLongNumbers(record.text)) {
		const { id, name } = document;
		text = exactJson(documentText({ ...remake(parseExactly(record.text)), id, name }));
	}
	// Objects that stay in memory for the whole request are expensive for n8n's garbage collector.
	entry.document = undefined;
	entry.original = undefined;
	record.value = undefined;
	return text;
}

/** Describes how to report the documents in a request. */
export const pushResultFormat = (
	{ dryRun }: PushOptions,
	{ request, attempts, bytes }: BatchResult<Entry, PushOutcomes>,
): ResultFormat<Entry, PushOutcomes> => ({
	result: ({ id }, outcomes) => {
		const { bytes, response } = outcomes.get(id) ?? {};
		if (dryRun) return { id, pushed: false, dryRun, request, bytes };
		const result: IDataObject = { id, pushed: true, request };
		if (attempts > 1) result.attempts = attempts;
		if (response !== undefined) result.response = response as IDataObject[string];
		return result;
	},
	failure: ({ id }, { reason, skipped }) => {
		const isTooLarge =
			reason instanceof ServiceFailure && reason.httpStatus === 413 && !skipped;
		const action = pushAction(id);
		if (isTooLarge) action.subject += ` of ${formatCount(bytes, 'byte')}`;
		return { id, message: outcomeMessage(action, reason, skipped) };
	},
});

/** Describes how to report documents that a later document with the same ID has replaced. */
export const formatOfReplaced = (
	resultFormat: ResultFormat<Entry, PushOutcomes>,
): ResultFormat<Entry, PushOutcomes> => ({
	...resultFormat,
	result: ({ id }) => ({ id, pushed: false, reason: 'A later document has the same ID' }),
	countName: () => 'skipped',
});
