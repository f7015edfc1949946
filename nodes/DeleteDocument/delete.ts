import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	retryPolicy,
	runRequests,
	timeoutMs,
	type RequestOptions,
} from '../shared/n8n/bulk-requests';
import { fieldOf } from '../shared/n8n/fields';
import { addHint, addTroubleHint, count } from '../shared/n8n/hints';
import { readOptions } from '../shared/n8n/options';
import { openPushEndpoint } from '../shared/n8n/push-endpoint';
import type { Results } from '../shared/n8n/results';
import { executionClock, isCancel } from '../shared/n8n/run';
import type { SessionRequest } from '../shared/n8n/session';
import { judge, mayBeGoingOn, ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { deletePath } from '../shared/service/push';
import { properties } from './properties';

interface DeleteOptions extends RequestOptions {
	ignoreNotFound?: boolean;
}

type Commit = 'everyDelete' | 'lastDeleteOnly' | 'serviceDefault';

/** One delete is one request (spec, Limits), whatever its size. */
const ONE_PER_REQUEST = { maxCount: 1, maxBytes: Infinity, envelope: 0, separator: 0 };

/**
 * Deletes the documents all input items name, each once (spec, endpoint 4; Limits, Commit of
 * deletions). All IDs are checked before the first request.
 *
 * @param results gets an answer for each ID of each item
 * @throws InputError for unusable options or an unusable credential; the first failure where the
 * node is set to stop; Cancelled when the execution was stopped
 */
export async function deleteDocuments(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readOptions<DeleteOptions>(context, properties);
	const commit = context.getNodeParameter('commit', 0) as Commit;
	const { session, endpoint } = await openPushEndpoint(context);
	const targets = readTargets(context, results, endpoint);
	results.throwIfStopping();

	/** IDs the service has deleted. */
	const deleted: string[] = [];
	results.progress = () =>
		`${count(deleted.length, 'document')} of ${targets.size.toLocaleString('en-US')} had been deleted; deleting them again does no harm if 'Ignore Not Found' is on.`;

	const answer = (id: string, json: IDataObject) => {
		for (const itemIndex of targets.get(id) ?? []) results.add(itemIndex, { ...json, id });
	};
	const fail = (id: string, error: unknown) => {
		for (const itemIndex of targets.get(id) ?? []) {
			results.fail(itemIndex, error, {
				prefix: `Document "${id}" was not deleted`,
				json: { id },
			});
		}
	};
	const requestFor = (id: string, commits: boolean): SessionRequest => ({
		method: 'DELETE',
		path: deletePath(endpoint, id),
		...(commits && { qs: { commit: 'true' } }),
		timeoutMs: timeoutMs(options),
	});

	let retries = 0;
	/** The failure that all further requests would meet too. */
	let ended: { error: unknown } | undefined;
	/** IDs whose delete may have been carried out though it was never answered. */
	const maybeDeleted = new Set<string>();
	const deleteAll = async (ids: string[], commits: boolean) => {
		const stats = await runRequests(context, results, options, {
			entries: ids,
			keyOf: (id) => id,
			textOf: (id) => id,
			limits: ONE_PER_REQUEST,
			tooLarge: (id) => new InputError(`"${id}" is too large`, 'Check the ID.'),
			send: async ([entry]) => {
				const id = entry?.entry ?? '';
				return await session.request(requestFor(id, commits)).then(
					() => 'deleted',
					(error: unknown) => {
						if (mayBeGoingOn(error)) maybeDeleted.add(id);
						if (!isNotFound(error)) throw error;
						// An earlier attempt has deleted it though its reply got lost.
						if (maybeDeleted.has(id)) return 'deleted';
						if (options.ignoreNotFound) return 'notFound';
						throw error;
					},
				);
			},
			onDone: (done, outcome) => {
				for (const id of done) {
					if (outcome === 'notFound') answer(id, { deleted: false, notFound: true });
					else {
						deleted.push(id);
						answer(id, { deleted: true });
					}
				}
			},
			onFailed: (failed, error) => {
				if (judge(error, true).hopeless) ended ??= { error };
				failed.forEach((id) => fail(id, error));
			},
			onSkipped: (skipped, error) => skipped.forEach((id) => fail(id, error)),
		});
		retries += stats.retries;
	};

	const ids = [...targets.keys()];
	if (commit === 'lastDeleteOnly') await deleteAndCommit();
	else await deleteAll(ids, commit === 'everyDelete');
	addTroubleHint(context, { retries, splits: 0 });

	/** The last delete, sent when all others have been answered, commits them all. */
	async function deleteAndCommit(): Promise<void> {
		const last = ids.slice(-1);
		await deleteAll(ids.slice(0, -1), false);
		const before = deleted.length;
		if (ended) for (const id of last) fail(id, ended.error);
		else if (!results.stopsOnFailure || results.failures === 0) await deleteAll(last, true);
		const [again] = deleted;
		if (again === undefined || deleted.length > before) return;
		// The request that was to commit did not get through: repeat one that did.
		if (ended) hintAtCommit(ended.error);
		else await commitWith(again);
	}

	/** Deletes a document once more, with the commit that did not get through. */
	async function commitWith(id: string): Promise<void> {
		const clock = executionClock(context);
		const how = { idempotent: true, policy: retryPolicy(options), clock };
		await session.requestWithRetry(requestFor(id, true), how).catch((error: unknown) => {
			if (isCancel(error)) throw error;
			hintAtCommit(error);
		});
	}

	/** A 404 does not tell whether the commit that came with it was taken. */
	function hintAtCommit(error: unknown): void {
		addHint(
			context,
			`The deletes may not have been committed at once (${(error as Error).message}). The service commits them by itself within about a minute.`,
		);
	}
}

const isNotFound = (error: unknown): boolean =>
	error instanceof ServiceFailure && error.httpStatus === 404;

/** IDs in the order of their first mention, with the items that name them; bad ones fail. */
function readTargets(
	context: IExecuteFunctions,
	results: Results,
	endpoint: string,
): Map<string, number[]> {
	const targets = new Map<string, number[]>();
	const isList = fromList(context);
	context.getInputData().forEach((item, itemIndex) => {
		let ids: unknown[];
		try {
			ids = idsOf(context, item.json, itemIndex);
		} catch (error) {
			return results.fail(itemIndex, error, { prefix: `Item ${itemIndex}` });
		}
		if (ids.length === 0) {
			results.add(itemIndex, { deleted: false, reason: 'The list of IDs is empty' });
		}
		const seen = new Set<unknown>();
		for (const [position, value] of ids.entries()) {
			if (seen.has(value)) continue;
			seen.add(value);
			try {
				const id = textOf(value);
				deletePath(endpoint, id);
				const items = targets.get(id) ?? [];
				// A list may name the same ID as a number and as a text.
				if (items.at(-1) !== itemIndex) items.push(itemIndex);
				targets.set(id, items);
			} catch (error) {
				const prefix = `Item ${itemIndex}`;
				results.fail(itemIndex, isList ? ofEntry(position, error) : error, { prefix });
			}
		}
	});
	return targets;
}

/** An ID as text: a number in an expression or a list is meant as one. */
function textOf(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string') return value;
	if (value === undefined || value === null) return '';
	throw new InputError(
		`'Document ID' is not a text but ${Array.isArray(value) ? 'a list' : `of type ${typeof value}`}`,
		"Point 'Document ID' to a text. For several IDs in one item choose 'List Field'.",
	);
}

/** Says which entry of a list it is. */
const ofEntry = (position: number, error: unknown): unknown =>
	error instanceof InputError
		? new InputError(
				`Entry ${position + 1} of the list: ${error.message}`,
				'Each entry must be the ID of one document: correct it, or remove it from the list.',
			)
		: error;

/**
 * IDs an item names.
 *
 * @throws InputError for a list field that holds no list
 */
function idsOf(context: IExecuteFunctions, json: IDataObject, itemIndex: number): unknown[] {
	if (!fromList(context)) return [context.getNodeParameter('documentId', itemIndex)];
	const field = context.getNodeParameter('idsField', itemIndex) as string;
	const list = fieldOf(json, field);
	if (Array.isArray(list)) return list;
	throw notAList(field);
}

const fromList = (context: IExecuteFunctions): boolean =>
	context.getNodeParameter('idSource', 0) === 'listField';

const notAList = (field: string): InputError =>
	new InputError(
		`The field '${field}' is not a list`,
		"Enter the name of a field with a list of IDs as 'List Field', or take the ID from an expression.",
	);
