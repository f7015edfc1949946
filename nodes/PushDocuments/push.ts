import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { batches, requestBytes, type BatchSource } from '../shared/flow/batches';
import type { BulkStats, RequestInfo } from '../shared/flow/bulk';
import { runRequests, timeoutMs, type RequestOptions } from '../shared/n8n/bulk-requests';
import { replyJson } from '../shared/n8n/fields';
import { addHint, addTroubleHint, count } from '../shared/n8n/hints';
import { readOptions } from '../shared/n8n/options';
import { openPushEndpoint } from '../shared/n8n/push-endpoint';
import type { Results } from '../shared/n8n/results';
import { isCancelled } from '../shared/n8n/run';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	documentAnswers,
	documentText,
	missingRecommended,
	PUSH_BODY_BYTES,
	pushBody,
	pushPath,
	type DocumentAnswer,
} from '../shared/service/push';
import { readDocuments, type Entry } from './documents';
import { properties } from './properties';

interface PushOptions extends RequestOptions {
	bytesPerRequest: number;
	convertToString?: boolean;
	documentsPerRequest: number;
	dropEmpty?: boolean;
	dryRun?: boolean;
	duplicates?: 'fail' | 'keepLast' | 'sendInOrder';
	excludeFields?: unknown;
	output?: 'documents' | 'summary';
}

/**
 * Pushes the documents of all input items (spec, endpoint 3). The fields of all are checked before
 * the first request; documents that cannot be sent fail alone.
 *
 * @param results gets an answer for each document: that it was pushed, left out or failed
 * @throws InputError for unusable options or an unusable credential; the first failure where the
 * node is set to stop; Cancelled when the execution was stopped
 */
export async function pushDocuments(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readOptions<PushOptions>(context, properties);
	const { session, endpoint } = await openPushEndpoint(context);
	const path = pushPath(endpoint);
	const read = readDocuments(context, {
		nonStrings: options.convertToString ? 'convert' : 'fail',
		excludeFields: excludedFields(options.excludeFields),
		dropEmpty: options.dropEmpty ?? false,
	});
	for (const { itemIndex, id, error } of read.refused) {
		results.fail(itemIndex, error, {
			prefix: `Item ${itemIndex}`,
			...(id !== undefined && { json: { id } }),
		});
	}
	const { entries, dropped } = withoutDuplicates(read.entries, options, results);
	results.throwIfStopping();

	/** Items that the summary stands for, where one is asked for. */
	const summarised = options.output === 'summary' ? new Set<number>() : undefined;
	const answer = (itemIndex: number, json: IDataObject) =>
		summarised ? summarised.add(itemIndex) : results.add(itemIndex, json);
	for (const { itemIndex, document } of dropped) {
		const reason = 'A later document has the same ID';
		answer(itemIndex, { id: document.id, pushed: false, reason });
	}
	for (const itemIndex of read.empty) {
		answer(itemIndex, { pushed: false, reason: 'The list of documents is empty' });
	}
	hintAtMissingFields(context, entries);

	const startedAt = Date.now();
	const run = { documents: 0, bytes: 0 };
	results.progress = () =>
		options.dryRun
			? 'Nothing was sent, since this was a dry run.'
			: `${count(run.documents, 'document')} of ${entries.length.toLocaleString('en-US')} had been pushed; pushing them again does no harm.`;

	const fail = ({ itemIndex, document }: Entry, error: unknown, bytes = 0) => {
		const isTooLarge = error instanceof ServiceFailure && error.httpStatus === 413;
		const size = isTooLarge && bytes > 0 ? ` of ${count(bytes, 'byte')}` : '';
		results.fail(itemIndex, error, {
			prefix: `Document "${document.id}"${size} was not pushed`,
			...(isTooLarge && { advice: SHORTEN }),
			json: { id: document.id },
		});
	};
	const pushed = ({ itemIndex, document }: Entry, json: IDataObject) =>
		answer(itemIndex, { id: document.id, ...json });

	const source: BatchSource<Entry> = {
		entries,
		keyOf: ({ document }) => document.id,
		// A canceled run goes through what is left without making texts of it, so that it ends at once.
		textOf: ({ document }) => (isCancelled(context) ? '' : documentText(document)),
		limits: {
			maxCount: options.documentsPerRequest,
			maxBytes: options.bytesPerRequest,
			...PUSH_BODY_BYTES,
		},
		tooLarge: (_entry, bytes) =>
			new InputError(
				`it has ${count(bytes, 'byte')}, more than the ${options.bytesPerRequest.toLocaleString('en-US')} a request may have`,
				SHORTEN,
			),
	};
	let stats: BulkStats;
	if (options.dryRun) {
		stats = dryRun({ source, fail, pushed, run });
		addHint(
			context,
			`Dry run: ${count(run.documents, 'document')} in ${count(stats.requests, 'request')} of ${run.bytes.toLocaleString('en-US')} bytes in all. Nothing was sent.`,
			'info',
		);
	} else {
		stats = await runRequests(context, results, options, {
			...source,
			send: async (batch) =>
				await session.request({
					method: 'POST',
					path,
					body: pushBody(batch.map(({ text }) => text)),
					timeoutMs: timeoutMs(options),
				}),
			onDone: (batch, reply, info) => {
				run.bytes += info.bytes;
				const answers = documentAnswers(
					reply.body,
					batch.map(({ document }) => document),
				);
				batch.forEach((entry, index) => {
					const answer = answers[index];
					if (answer?.failure) return fail(entry, refusedDocument(answer.failure));
					run.documents++;
					pushed(entry, {
						pushed: true,
						...requestJson(info),
						...replyJson(answer?.reply),
					});
				});
			},
			onFailed: (batch, error, info) => {
				for (const entry of batch) fail(entry, error, info.bytes);
			},
			onSkipped: (batch, error) => {
				for (const entry of batch) fail(entry, error);
			},
		});
	}
	addTroubleHint(
		context,
		stats,
		dropped.length === 0
			? []
			: [`${count(dropped.length, 'document')} left out for a later one of the same ID`],
	);
	if (summarised) {
		const seconds = (Date.now() - startedAt) / 1000;
		const summary = {
			documents: run.documents,
			requests: stats.requests,
			bytes: run.bytes,
			retries: stats.retries,
			failures: results.failures,
			seconds,
			documentsPerSecond: Math.round(run.documents / Math.max(seconds, 0.001)),
			...(options.dryRun && { dryRun: true }),
		};
		// Where all have failed there is still an item to come from.
		results.add(0, summary, summarised.size > 0 ? [...summarised] : [0]);
	}
}

const SHORTEN = "Shorten the document, leave out fields with 'Exclude Fields', or chunk it first.";

const requestJson = ({ request, attempts }: RequestInfo): IDataObject => ({ request, attempts });

/** The service took the request but not this document. */
function refusedDocument({
	words,
	status,
}: NonNullable<DocumentAnswer['failure']>): ServiceFailure {
	const withStatus = status === undefined ? '' : ` with status ${status}`;
	const said = words === '' ? withStatus : `, "${words}"`;
	return new ServiceFailure(`The push service refused it${said}`, {
		kind: 'reply',
		...(status !== undefined && { status }),
		description: 'Correct the document and push it again.',
	});
}

/**
 * Names of fields to leave out. Those every document needs are not among them.
 *
 * @param value names separated by commas, or a list of names from an expression
 * @throws InputError for anything else
 */
function excludedFields(value: unknown): string[] {
	const names: unknown[] =
		typeof value === 'string'
			? value.split(',').map((name) => name.trim())
			: Array.isArray(value)
				? value
				: [value ?? ''];
	const isText = (name: unknown): name is string => typeof name === 'string';
	if (names.every(isText)) return names.filter((name) => !['', 'id', 'name'].includes(name));
	throw new InputError(
		"'Exclude Fields' is neither a text nor a list of texts",
		"Enter names of fields, separated by commas, as 'Exclude Fields'.",
	);
}

/** Applies the policy for equal ids; refused ones go to the results as failures. */
function withoutDuplicates(
	all: Entry[],
	{ duplicates = 'keepLast' }: PushOptions,
	results: Results,
): { entries: Entry[]; dropped: Entry[] } {
	if (duplicates === 'sendInOrder') return { entries: all, dropped: [] };
	const chosen = new Map<string, Entry>();
	for (const entry of all) {
		const { id } = entry.document;
		if (duplicates === 'keepLast' || !chosen.has(id)) chosen.set(id, entry);
	}
	if (chosen.size === all.length) return { entries: all, dropped: [] };

	const isChosen = (entry: Entry) => chosen.get(entry.document.id) === entry;
	const others = all.filter((entry) => !isChosen(entry));
	const entries = all.filter(isChosen);
	if (duplicates === 'keepLast') return { entries, dropped: others };
	for (const { itemIndex, document } of others) {
		const error = new InputError(
			'an earlier document of this run has the same ID',
			"Remove one of the two, or choose another value of the option 'Duplicate IDs'.",
		);
		const prefix = `Document "${document.id}" was not pushed`;
		results.fail(itemIndex, error, { prefix, json: { id: document.id } });
	}
	return { entries, dropped: [] };
}

/** Counts what would be sent, in the batches a real run begins with. */
function dryRun({
	source,
	fail,
	pushed,
	run,
}: {
	source: BatchSource<Entry>;
	fail: (entry: Entry, error: unknown) => void;
	pushed: (entry: Entry, json: IDataObject) => unknown;
	run: { documents: number; bytes: number };
}): BulkStats {
	let request = 0;
	for (const batch of batches(source)) {
		if ('error' in batch) {
			fail(batch.entry, batch.error);
			continue;
		}
		request++;
		run.bytes += requestBytes(batch, source.limits);
		run.documents += batch.length;
		for (const { entry, bytes } of batch) {
			pushed(entry, { pushed: false, dryRun: true, request, bytes });
		}
	}
	return { requests: request, retries: 0, splits: 0 };
}

function hintAtMissingFields(context: IExecuteFunctions, entries: Entry[]): void {
	const missing = new Map<string, number>();
	for (const { document } of entries) {
		for (const field of missingRecommended(document)) {
			missing.set(field, (missing.get(field) ?? 0) + 1);
		}
	}
	if (missing.size === 0) return;
	const parts = [...missing].map(
		([field, number]) => `'${field}' (${count(number, 'document')})`,
	);
	addHint(context, `Recommended fields are missing: ${parts.join(', ')}`, 'info');
}
