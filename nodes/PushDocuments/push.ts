import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { batches, type BatchLimits, type Packed } from '../shared/flow/batches';
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
	missingRecommended,
	PUSH_BODY_BYTES,
	pushBody,
	pushBodyBytes,
	pushPath,
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
	excludeFields?: string;
	output?: 'documents' | 'summary';
}

/**
 * Pushes the documents of all input items (spec, endpoint 3). All are checked before the first
 * request; those that cannot be sent fail alone.
 */
export async function pushDocuments(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readOptions<PushOptions>(context, properties);
	const { session, endpoint } = await openPushEndpoint(context);
	const path = pushPath(endpoint);
	const read = readDocuments(context, {
		nonStrings: options.convertToString ? 'convert' : 'fail',
		excludeFields: (options.excludeFields ?? '')
			.split(',')
			.map((field) => field.trim())
			.filter((field) => !['', 'id', 'name'].includes(field)),
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

	const limits: BatchLimits = {
		maxCount: options.documentsPerRequest,
		maxBytes: options.bytesPerRequest,
		...PUSH_BODY_BYTES,
	};
	const startedAt = Date.now();
	const run = { documents: 0, bytes: 0 };
	results.progress = () =>
		options.dryRun
			? 'Nothing was sent, since this was a dry run.'
			: `${count(run.documents, 'document')} of ${entries.length.toLocaleString('en-US')} had been pushed; pushing them again does no harm.`;

	// A canceled run goes through what is left without making texts of it, so that it ends at once.
	const textOf = ({ document }: Entry) => (isCancelled(context) ? '' : JSON.stringify(document));
	const keyOf = ({ document }: Entry) => document.id;
	const fail = (entry: Entry, error: unknown) => {
		const { itemIndex, document } = entry;
		const isTooLarge = error instanceof ServiceFailure && error.httpStatus === 413;
		const size = isTooLarge ? ` of ${count(Buffer.byteLength(textOf(entry)), 'byte')}` : '';
		results.fail(itemIndex, error, {
			prefix: `Document "${document.id}"${size} was not pushed`,
			...(isTooLarge && { advice: shorten }),
			json: { id: document.id },
		});
	};
	const shorten =
		"Shorten the document, leave out fields with 'Exclude Fields', or chunk it first.";
	const tooLarge = (_entry: Entry, bytes: number) =>
		new InputError(
			`it has ${count(bytes, 'byte')}, more than the ${limits.maxBytes.toLocaleString('en-US')} a request may have`,
			shorten,
		);
	const pushed = ({ itemIndex, document }: Entry, json: IDataObject) =>
		answer(itemIndex, { id: document.id, ...json });

	let stats: BulkStats;
	if (options.dryRun) {
		stats = dryRun({ entries, textOf, keyOf, limits, tooLarge, fail, pushed, run });
		addHint(
			context,
			`Dry run: ${count(run.documents, 'document')} in ${count(stats.requests, 'request')} of ${run.bytes.toLocaleString('en-US')} bytes in all. Nothing was sent.`,
			'info',
		);
	} else {
		stats = await runRequests(context, results, options, {
			entries,
			keyOf,
			textOf,
			limits,
			tooLarge,
			send: async (batch) => {
				const reply = await session.request({
					method: 'POST',
					path,
					body: pushBody(batch.map(({ text }) => text)),
					timeoutMs: timeoutMs(options),
				});
				return { reply, bytes: pushBodyBytes(batch.map(({ bytes }) => bytes)) };
			},
			onDone: (batch, { reply, bytes }, info) => {
				run.bytes += bytes;
				const answers = documentAnswers(reply.body, batch.map(keyOf));
				batch.forEach((entry, index) => {
					const answer = answers[index];
					if (answer?.failure !== undefined) {
						return fail(entry, refusedDocument(answer.failure));
					}
					run.documents++;
					pushed(entry, {
						pushed: true,
						...requestJson(info),
						...replyJson(answer?.reply),
					});
				});
			},
			onFailed: (batch, error) => {
				for (const entry of batch) fail(entry, error);
			},
			onSkipped: (batch, error) => {
				for (const entry of batch) fail(entry, error);
			},
		});
		addTroubleHint(
			context,
			stats,
			dropped.length === 0
				? []
				: [`${count(dropped.length, 'document')} left out for a later one of the same ID`],
		);
	}
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
		results.add(0, summary, [...summarised]);
	}
}

const requestJson = ({ request, attempts }: RequestInfo): IDataObject => ({ request, attempts });

const refusedDocument = (words: string): ServiceFailure =>
	new ServiceFailure(`The push service refused it, "${words}"`, {
		kind: 'reply',
		description: 'Correct the document. The others of its request were taken.',
	});

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

/** Counts what would be sent. */
function dryRun(job: {
	entries: Entry[];
	textOf: (entry: Entry) => string;
	keyOf: (entry: Entry) => string;
	limits: BatchLimits;
	tooLarge: (entry: Entry, bytes: number) => Error;
	fail: (entry: Entry, error: unknown) => void;
	pushed: (entry: Entry, json: IDataObject) => unknown;
	run: { documents: number; bytes: number };
}): BulkStats {
	const stats: BulkStats = { requests: 0, retries: 0, splits: 0, bytes: 0 };
	const pack = (entry: Entry): Packed<Entry> => {
		const text = job.textOf(entry);
		return { entry, text, bytes: Buffer.byteLength(text) };
	};
	for (const batch of batches(job.entries, pack, job.keyOf, job.limits)) {
		const [first] = batch;
		if (
			batch.length === 1 &&
			first &&
			first.bytes + job.limits.envelope > job.limits.maxBytes
		) {
			job.fail(first.entry, job.tooLarge(first.entry, first.bytes));
			continue;
		}
		stats.requests++;
		job.run.bytes += pushBodyBytes(batch.map(({ bytes }) => bytes));
		job.run.documents += batch.length;
		for (const packed of batch) {
			job.pushed(packed.entry, {
				pushed: false,
				dryRun: true,
				request: stats.requests,
				bytes: packed.bytes,
			});
		}
	}
	return stats;
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
