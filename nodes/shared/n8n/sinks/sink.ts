import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../../flow/outcome';
import type { SourceRecord } from '../../records/record';
import type { Failure } from '../run/results';

/** The input items and the record that an entry comes from. */
export interface EntryOrigin {
	/** The input items that get the outcome of the entry. For a record, this is the item of its file. */
	readonly items: readonly number[];
	readonly record?: SourceRecord | undefined;
}

/** Returns the first input item of an entry. */
export const itemOf = ({ items: [itemIndex = 0] }: EntryOrigin): number => itemIndex;

export type Success<R> = Extract<Outcome<R>, { ok: true }>;

/** Describes how a node reports the outcomes of its entries. */
export interface ResultFormat<E, R> {
	/** Returns the output for an entry that succeeded. It is not called if the output is a summary. */
	result(entry: E, response: R): IDataObject;
	/** Returns the name of a separate count for an entry that succeeded, such as `notFound`. */
	countName?(response: R): string | undefined;
	/** Returns the message and the ID for an entry that failed. */
	failure(entry: E, failed: Failed): Pick<Failure, 'message' | 'id'>;
}

export interface SinkResult {
	/** Name of the count of entries that succeeded, such as `pushed`. */
	done: string;
	/** Further counts that are returned even if they are 0, such as `notFound`. */
	others?: readonly string[];
	/** Returns further members of a result with counts. It is called when the sink is closed. */
	json?: () => IDataObject;
}

/** Returns the counts of a result, all of them 0. */
export const newCounts = ({ done, others = [] }: SinkResult): Record<string, number> =>
	Object.fromEntries([done, ...others].map((name) => [name, 0]));

/** Adds to a count, and creates it if necessary. */
export function add(counts: Record<string, number>, name: string, number: number): void {
	counts[name] = (counts[name] ?? 0) + number;
}

/** Accounts for the entries of one source, each exactly once. */
export interface Sink {
	/** Accounts for entries that succeeded. */
	addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		outcome: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void>;
	/**
	 * Accounts for an entry that succeeded and returns these items.
	 *
	 * @param counts numbers to add to the counts of a summary
	 */
	addItems(
		entry: EntryOrigin,
		items: IDataObject[],
		counts?: Readonly<Record<string, number>>,
	): Promise<void>;
	/** Accounts for an entry that failed or was not sent. The failure ends a run that stops at errors. */
	addFailure(entry: EntryOrigin, failure: Failure): Promise<void>;
	/** Returns the remaining results, after all entries have an outcome. */
	close(): Promise<void>;
}

/** Passes an outcome to the sink of the entries that share it. */
export async function account<E extends EntryOrigin, R>(
	sink: Sink,
	entries: readonly E[],
	outcome: Outcome<R>,
	resultFormat: ResultFormat<E, R>,
): Promise<void> {
	if (outcome.ok) return await sink.addSuccess(entries, outcome, resultFormat);
	const { reason, skipped, verdict } = outcome;
	for (const entry of entries) {
		const words = resultFormat.failure(entry, outcome);
		await sink.addFailure(entry, { reason, skipped, verdict, ...words });
	}
}
