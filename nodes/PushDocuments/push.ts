import { requestBytes } from '../shared/flow/batches';
import { bulk, type BulkOptions } from '../shared/flow/bulk';
import { count } from '../shared/n8n/hints';
import { Parameters } from '../shared/n8n/parameters';
import { openPushEndpoint, type PushEndpoint } from '../shared/n8n/push-endpoint';
import { requestLine } from '../shared/n8n/request-options';
import type { Run } from '../shared/n8n/run';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentAnswers,
	documentText,
	PUSH_BODY_BYTES,
	pushBody,
	pushPath,
	type DocumentAnswer,
	type DocumentFailure,
} from '../shared/service/push';
import { readDocuments, type Entry } from './documents';
import { pushProperties, type PushOptions } from './properties';
import { PushReport, SHORTEN, type Sent } from './report';

/**
 * Pushes the documents of all input items (docs/service-interface.md, Push). The fields of all are
 * checked before the first request; documents that cannot be sent fail alone.
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options');
	const report = new PushReport(run, options);
	const pushing = pushRequests(run, await openPushEndpoint(run), options, report);
	run.progress = () => report.progress();

	const read = readDocuments(run, parameters, options, report);
	const documents = await withoutDuplicates(read, options.duplicates, report);
	for await (const answer of bulk(report.watch(documents), pushing)) await report.answer(answer);
	report.end();
}

/**
 * Applies the policy for equal IDs, once all documents have been read.
 *
 * @returns what to push, in the order of the input
 */
async function withoutDuplicates(
	entries: AsyncIterable<Entry>,
	duplicates: PushOptions['duplicates'],
	report: PushReport,
): Promise<Entry[]> {
	const kept = new Map<unknown, Entry>();
	for await (const entry of entries) {
		const key = duplicates === 'sendInOrder' ? entry : entry.document.id;
		const earlier = kept.get(key);
		if (earlier && duplicates === 'fail') {
			report.duplicate(entry);
			continue;
		}
		if (earlier) report.leftOut(earlier);
		// A map keeps the place of the earlier one otherwise.
		kept.delete(key);
		kept.set(key, entry);
	}
	return [...kept.values()];
}

/** How documents become requests, and what their responses say. */
function pushRequests(
	run: Run,
	{ session, endpoint }: PushEndpoint,
	options: PushOptions,
	report: PushReport,
): BulkOptions<Entry, Sent> {
	const path = pushPath(endpoint);
	const limits = {
		maxCount: options.documentsPerRequest,
		maxBytes: options.bytesPerRequest,
		...PUSH_BODY_BYTES,
	};
	const push = async (body: string, batch: Entry[]): Promise<DocumentAnswer[]> => {
		const timeoutMs = options.timeoutSeconds * 1000;
		const response = await session.request({ method: 'POST', path, body, timeoutMs });
		const documents = batch.map(({ document }) => document);
		return documentAnswers(response.body, documents);
	};
	return {
		...requestLine(run, options, true),
		limits,
		keyOf: ({ document }) => document.id,
		textOf: ({ document }) => documentText(document),
		tooLarge: (_entry, bytes) => tooLarge(bytes, limits.maxBytes),
		send: async (batch) => {
			const body = pushBody(batch.map(({ text }) => text));
			const entries = batch.map(({ entry }) => entry);
			const answers = options.dryRun ? [] : await push(body, entries);
			report.bytes += requestBytes(batch, limits);
			return new Map(
				batch.map(({ entry, bytes }, at) => [entry, { bytes, answer: answers[at] }]),
			);
		},
		rejections: (sent) => {
			const rejected = new Map<Entry, ServiceFailure>();
			for (const [entry, { answer }] of sent) {
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
