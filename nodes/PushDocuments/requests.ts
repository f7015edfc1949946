import { requestBytes, type Packed } from '../shared/flow/batches';
import type { BulkOptions } from '../shared/flow/bulk';
import { count } from '../shared/n8n/run/hints';
import type { PushEndpoint } from '../shared/n8n/session/push-endpoint';
import { requestLine } from '../shared/n8n/session/request-options';
import type { Run } from '../shared/n8n/run/run';
import { inSteps } from '../shared/n8n/run/slices';
import type { Placed } from '../shared/n8n/sinks/sink';
import type { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentAnswerSteps,
	documentText,
	isVectorFree,
	PUSH_BODY_BYTES,
	pushBody,
	pushPath,
	rejection,
	type DocumentAnswer,
	type PushDocument,
} from '../shared/service/push/push';
import type { DocumentHints } from './hints';
import type { PushOptions } from './properties';

/** A document to push, and where it comes from. */
export interface Entry extends Placed {
	id: string;
	/** Undefined once it was written as JSON, since a record is in memory already. */
	document: PushDocument | undefined;
	/** Its JSON as it came in, if nothing of it was changed. */
	original?: string | undefined;
	/** Characters that it keeps in memory besides its JSON. */
	besides: number;
	/** Earlier documents with the same ID, which are not pushed because of this one. */
	replaces?: Entry[];
}

/** What is known of a request, by the IDs of its documents. */
export interface Answers {
	/** What the response says about a document; undefined in a dry run. */
	answerOf?: (id: string) => DocumentAnswer;
	/** Bytes of each document, in a dry run. */
	sizes?: ReadonlyMap<string, number>;
}

/** Counts everything that was accepted, or that a dry run would have sent. */
export interface Sent {
	documents: number;
	/** Documents that were not sent because a later one has the same ID. */
	leftOut: number;
	/** Those of them whose later one was pushed: otherwise they have failed with it. */
	skipped: number;
}

/** What to do about a document that is too large. */
const SHORTEN = "Shorten the document, omit fields with 'Exclude Fields', or chunk it first.";

/**
 * How documents become requests, and what their responses say.
 *
 * @param sent counts what was accepted, or what a dry run would have sent
 * @param hints is told of each document that is sent
 * @param mayRepeat whether several documents may have the same ID: they are sent one after the other
 */
export function pushRequests(
	run: Run,
	endpoint: PushEndpoint,
	options: PushOptions,
	sent: Sent,
	hints: DocumentHints,
	mayRepeat: boolean,
): BulkOptions<Entry, Answers> {
	const send = options.dryRun ? measure : sending(run, endpoint, options);
	const limits = {
		maxCount: options.documentsPerRequest,
		maxBytes: options.bytesPerRequest,
		...PUSH_BODY_BYTES,
	};
	return {
		...requestLine(run, endpoint.session, options, { idempotent: true }),
		limits,
		breathe: () => run.breathe(),
		...(mayRepeat && { keyOf: ({ id }: Entry) => id }),
		textOf: (entry) => {
			if (entry.document === undefined) return '';
			hints.pushing(entry.document);
			return written(entry, entry.document, options.bytesPerRequest / 4);
		},
		besidesOf: ({ besides }) => besides,
		tooLarge: (entry, bytes) => tooLarge(entry, bytes, limits.maxBytes),
		send: async (batch) => {
			const answers = await send(batch, requestBytes(batch, limits));
			sent.documents += batch.length;
			return answers;
		},
		rejections: ({ answerOf }, entries) => {
			const rejected = new Map<Entry, ServiceFailure>();
			for (const entry of entries) {
				const failure = answerOf?.(entry.id).failure;
				if (failure) rejected.set(entry, rejection(failure, 'push', entries.length));
			}
			return rejected;
		},
	};
}

type Batch = Array<Packed<Entry>>;

/** What a dry run does with a batch. */
const measure = async (batch: Batch): Promise<Answers> => ({
	sizes: new Map(batch.map(({ entry, bytes }) => [entry.id, bytes])),
});

/** Sends a batch, of so many bytes, and reads what the response says of each document. */
function sending(
	run: Run,
	{ session, endpoint }: PushEndpoint,
	{ timeoutSeconds }: PushOptions,
): (batch: Batch, bytes: number) => Promise<Answers> {
	const path = pushPath(endpoint);
	const timeoutMs = timeoutSeconds * 1000;
	return async (batch, bytes) => {
		const body = pushBody(batch, bytes);
		const response = await session.request({ method: 'POST', path, body, timeoutMs });
		const documents = batch.map(({ entry, text }) => ({ id: entry.id, text }));
		const steps = documentAnswerSteps(response.body, documents);
		return { answerOf: await inSteps(steps, () => run.breathe()) };
	};
}

/**
 * The JSON of a document. The original text is faster than writing it again, and keeps numbers of any
 * length; a long one is written again, since without its spaces and escapes it may fit into a request.
 */
function written(entry: Entry, document: PushDocument, maxTextCharacters: number): string {
	const { record, original = '' } = entry;
	const isUsable = original !== '' && original.length <= maxTextCharacters;
	const text = isUsable && isVectorFree(document) ? original : documentText(document);
	if (record === undefined) return text;
	// What is in flight for long is expensive for n8n's garbage collector.
	entry.document = undefined;
	entry.original = undefined;
	record.value = undefined;
	entry.besides = Math.max(0, record.text.length - text.length);
	return text;
}

function tooLarge({ replaces }: Entry, bytes: number, maxBytes: number): InputError {
	const size = `${count(bytes, 'byte')}, more than the ${maxBytes.toLocaleString('en-US')} that a request may have`;
	if (replaces === undefined) return new InputError(`the document has ${size}`, SHORTEN);
	return new InputError(
		`the last document with this ID has ${size}, and the earlier ones were skipped for it`,
		`${SHORTEN} To push the earlier ones, set 'Duplicate IDs' to 'Send in Order'.`,
	);
}
