/**
 * The contract of the nodes as a program. It says what a run of Push Documents, Delete Document or Chunk Text does with
 * what it is given. The tests run the real node with the same input and compare (driver.ts).
 *
 * A prediction has the same steps as a run:
 *
 * 1. **Read** (push.ts, delete.ts, chunk.ts; files.ts for records). Each item, list or file becomes entries. An entry is
 *    one document, ID or text. The check of its fields may already decide its fate.
 * 2. **Pack and send** (sending.ts). Entries share requests up to the limits. A model of the service answers each
 *    request. The answer decides the fate of the request's entries, or splits the request, or ends the run.
 * 3. **Return** (sinks.ts). The fates become output items, linked to their input items, or the summary of a file.
 *
 * Each entry has exactly one fate. What a failed entry claims is one of three things: its data is `invalid`, the service
 * certainly did `not` do it, or the outcome is `unknown`.
 *
 * The model knows no streams, no clock and no wording. Where the contract depends on time, the prediction leaves the
 * aspect out. It comes from docs/ and never from nodes/. If a run differs, the docs decide which of the two is wrong.
 */
import type { IDataObject } from 'n8n-workflow';

import type { SourceFile } from './files';

export type OnError = 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';

export interface Item {
	json: IDataObject;
	file?: SourceFile;
}

/** What the service does with a request that contains the word `hit` in its body, or at the end of its path. */
export type Fault =
	| 'nothing'
	/** A status. */
	| 400
	| 401
	| 403
	| 404
	| 409
	| 413
	| 422
	| 501
	| 302
	/** A status that lasts. How often the node repeats the request depends on time. */
	| 503
	/** Only the first of these requests fails. */
	| 'once 429'
	| 'once 500'
	| 'once lost'
	/** A page of a proxy, with status 200. */
	| 'page'
	/** Status 200, but the response says that the entry with the ID `hit` failed. */
	| 'rejects'
	/** Status 200, but the response reports a failure and names no entry. */
	| 'complains';

export interface Given {
	items: Item[];
	onError: OnError;
	fault: Fault;
	concurrency: number;
	dryRun: boolean;
	output: 'perDocument' | 'perInputItem' | 'summary';
	/** Source fields to keep in the output. */
	keep: string[];
	skipRecords: number;
	maxRecords: number;
	/** Only for deletes. */
	ignoreNotFound?: boolean;
}

/** What is known about a failed entry. */
export interface Failure {
	/** `job`: the service accepted the text, but its job has returned no chunks that the node can use. */
	claim: 'invalid' | 'not' | 'unknown' | 'job';
	id?: string;
	httpStatus?: number;
	/** Where Get Results finds the chunks: the texts of the job, and the position of the failed one. */
	job?: string[];
	textPosition?: number;
	/** The failed item contains a response that the node could not use. */
	hasResponse?: true;
}

export type Fate =
	/** `shown` is what the output item says about it, for example the number of the request. */
	| { is: 'done'; shown: IDataObject }
	| { is: 'failed'; failure: Failure }
	/** Only for deletes: the service does not know the ID, and this counts as a success. */
	| { is: 'notFound' }
	/** An item or row without any value. */
	| { is: 'blank' }
	/** A list without entries. */
	| { is: 'emptyList' }
	/** Another document with the same ID was sent instead. */
	| { is: 'replaced' }
	/** A text whose job has not ended. It is returned with the status of the job. */
	| { is: 'unfinished' }
	/** Left out by Skip Records, or not reached because the run ended. */
	| { is: 'skipped' };

export interface Entry {
	item: number;
	/** The position of the record in its file, from 1. */
	record?: number;
	/** The record as it stands in the file. */
	source?: string;
	/** The record could not be parsed. */
	isUnreadable?: boolean;
	/** An error names only the line, not the record. */
	hasOnlyLine?: boolean;
	id?: string;
	/** What is sent. */
	payload?: unknown;
	fate?: Fate;
}

/** A request as the service receives it. Status 0 means that the client received no response. */
export interface Sent {
	status: number;
	/** Documents, an ID, or texts. Left out if the service answered before it read them. */
	content?: unknown;
	bytes?: number;
	commit?: true;
}

export interface Figures {
	requests: number;
	retries: number;
	splits: number;
	throttled: number;
	bytes: number;
}

/** An output item: the items that it is linked to, and its fields except sentences and times. */
export interface Shown {
	of: number[];
	json: IDataObject;
	failure?: Failure;
}

export interface FileSummary {
	of: number;
	json: IDataObject;
	/** The records in the files of failed and of unreadable records. */
	failed: string[];
	unreadable: string[];
	failures: Array<Failure & { record: number }>;
	/** The number of records that have a result, as Skip Records needs it, if the file was not read to its end. */
	continueAt?: number;
}

export interface Expected {
	sent: Sent[];
	figures: Figures;
	output: Shown[];
	failed: Shown[];
	files: FileSummary[];
	facts: Record<string, number>;
	/** The records of the files that the node returns instead of items. */
	written?: IDataObject[];
	/** The error of a run that stops. `confirmed` is what the error says about the others. */
	error?: Failure & { item?: number; record?: number; confirmed?: number; of?: number };
	/**
	 * Aspects that depend on time, so they are not compared. `request` stands for the numbers of requests in the output, and
	 * `retries` for one of the figures.
	 */
	untimed: Array<keyof Expected | 'request' | 'retries'>;
}

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that an empty spreadsheet cell could have. */
export const isBlank = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns the field, which can be a path such as `meta.sku`. */
export const fieldOf = (value: unknown, path: string): unknown =>
	isRecord(value) && path in value
		? value[path]
		: path
				.split('.')
				.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);

/**
 * Checks an ID or a name. Whole numbers become text, and dates have the ISO format.
 *
 * @returns the text, or why there is none: the value is missing, or it is wrong
 */
export function textOf(value: unknown, isId: boolean): { text?: string; is?: 'missing' | 'wrong' } {
	if (value === undefined || value === null || value === '') return { is: 'missing' };
	if (typeof value === 'number')
		return Number.isSafeInteger(value) ? { text: String(value) } : { is: 'wrong' };
	if (typeof value !== 'string') return { is: 'wrong' };
	if (!isId) return { text: value };
	if (value.trim() === '') return { is: 'missing' };
	// A spreadsheet protects an ID as ="00123", and shortens a long number.
	const text = /^="(.*)"$/.exec(value)?.[1] ?? value;
	// Spreadsheets shorten numbers with at least 12 digits.
	const isShortened = Number(/^\d([.,]\d+)?E\+(\d+)$/i.exec(text)?.[2] ?? 0) >= 11;
	return isShortened || !text.isWellFormed() ? { text, is: 'wrong' } : { text };
}
