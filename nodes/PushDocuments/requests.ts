import { requestBytes } from '../shared/flow/batches';
import type { BulkOptions } from '../shared/flow/bulk';
import { count } from '../shared/n8n/hints';
import type { PushEndpoint } from '../shared/n8n/push-endpoint';
import { requestLine } from '../shared/n8n/request-options';
import type { Run } from '../shared/n8n/run';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentAnswers,
	PUSH_BODY_BYTES,
	pushBody,
	pushPath,
	type DocumentAnswer,
	type DocumentFailure,
	type PushDocument,
} from '../shared/service/push';
import type { PushOptions } from './properties';

/** A document to push, as far as its request and the response need it. */
export interface Pushable {
	document: Pick<PushDocument, 'id'>;
}

/** The documents of a request, each with its size and what the response says about it. */
export type Sent<E> = ReadonlyMap<E, { bytes: number; answer: DocumentAnswer | undefined }>;

/** What to do about a document that is too large. */
export const SHORTEN =
	"Shorten the document, omit fields with 'Exclude Fields', or chunk it first.";

/**
 * How documents become requests, and what their responses say.
 *
 * @param textOf the JSON of a document
 * @param sent counts the bytes of all requests that were accepted, or that a dry run would have sent
 */
export function pushRequests<E extends Pushable>(
	run: Run,
	{ session, endpoint }: PushEndpoint,
	options: PushOptions,
	sent: { bytes: number },
	textOf: (entry: E) => string,
): BulkOptions<E, Sent<E>> {
	const path = pushPath(endpoint);
	const limits = {
		maxCount: options.documentsPerRequest,
		maxBytes: options.bytesPerRequest,
		...PUSH_BODY_BYTES,
	};
	const push = async (body: Uint8Array, batch: E[]): Promise<DocumentAnswer[]> => {
		const timeoutMs = options.timeoutSeconds * 1000;
		const response = await session.request({ method: 'POST', path, body, timeoutMs });
		const documents = batch.map(({ document }) => document);
		return documentAnswers(response.body, documents);
	};
	return {
		...requestLine(run, options, true),
		limits,
		keyOf: ({ document }) => document.id,
		textOf,
		tooLarge: (_entry, bytes) => tooLarge(bytes, limits.maxBytes),
		send: async (batch) => {
			const bytes = requestBytes(batch, limits);
			const body = pushBody(
				batch.map(({ text }) => text),
				bytes,
			);
			const entries = batch.map(({ entry }) => entry);
			const answers = options.dryRun ? [] : await push(body, entries);
			sent.bytes += bytes;
			return new Map(
				batch.map(({ entry, bytes }, at) => [entry, { bytes, answer: answers[at] }]),
			);
		},
		rejections: (response) => {
			const rejected = new Map<E, ServiceFailure>();
			for (const [entry, { answer }] of response) {
				if (answer?.failure) rejected.set(entry, rejection(answer.failure));
			}
			return rejected;
		},
	};
}

const tooLarge = (bytes: number, maxBytes: number): InputError =>
	new InputError(
		`the document has ${count(bytes, 'byte')}, more than the ${maxBytes.toLocaleString('en-US')} that a request may have`,
		SHORTEN,
	);

/** The service accepted the request but not this document, or it is unknown which one it rejected. */
function rejection({ words, status, isUnattributed }: DocumentFailure): ServiceFailure {
	const withStatus = status === undefined ? '' : ` with status ${status}`;
	const said = words === '' ? '' : `, "${words}"`;
	const what = isUnattributed
		? 'The push service reported an error for one or more documents of the request'
		: 'The push service rejected the document';
	return new ServiceFailure(`${what}${withStatus}${said}`, {
		kind: isUnattributed ? 'response' : 'rejected',
		...(status !== undefined && { status }),
		description: isUnattributed
			? "Push the documents again, with 'Documents per Request' set to 1 to find out which one it is."
			: 'Correct the document and push it again.',
	});
}
