import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../../flow/outcome';
import type { SourceRecord } from '../../records/record';
import type { Failure } from '../run/results';

/** Where an entry comes from. */
export interface EntryOrigin {
	/** The input items that wait for its outcome; of a record the item of its file. */
	readonly items: readonly number[];
	/** The record of the file, if it comes from a file. */
	readonly record?: SourceRecord | undefined;
}

/** The first item that waits for an entry. */
export const itemOf = ({ items: [itemIndex = 0] }: EntryOrigin): number => itemIndex;

/** The outcome of entries that succeeded. */
export type Success<R> = Extract<Outcome<R>, { ok: true }>;

/** How a node reports what has become of its entries. */
export interface ResultFormat<E, R> {
	/** What an item gets for an entry that succeeded; not called where items get a summary. */
	result(entry: E, response: R): IDataObject;
	/** The name that a success is counted under, such as `notFound`, if it is not done in the usual way. */
	countedAs?(response: R): string | undefined;
	/** How a failure is shown. */
	failure(entry: E, failed: Failed): Pick<Failure, 'message' | 'id'>;
}

/** What a node returns of a source. */
export interface SinkResult {
	/** What becomes of an entry that succeeds, such as `pushed`: a count of the result. */
	done: string;
	/** Further counts that are there even if nothing counts, such as `notFound`. */
	others?: readonly string[];
	/** Further members of a result with counts, read when the sink is closed. */
	json?: () => IDataObject;
}

/** The counts of a result before anything is counted. */
export const newCounts = ({ done, others = [] }: SinkResult): Record<string, number> =>
	Object.fromEntries([done, ...others].map((name) => [name, 0]));

/** Adds to a count, which may be a new one. */
export function add(counts: Record<string, number>, name: string, number: number): void {
	counts[name] = (counts[name] ?? 0) + number;
}

/** Accounts for the entries of one source, each exactly once. */
export interface Sink {
	/** Entries succeeded. */
	addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		outcome: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void>;
	/**
	 * An entry succeeded and gave these output items.
	 *
	 * @param counts of a summary, which these are added to
	 */
	addItems(
		entry: EntryOrigin,
		items: IDataObject[],
		counts?: Readonly<Record<string, number>>,
	): Promise<void>;
	/** An entry failed, or was not sent; a failure ends a run that stops at failures. */
	addFailure(entry: EntryOrigin, failure: Failure): Promise<void>;
	/** All entries have been answered: returns the rest. */
	close(): Promise<void>;
}

/** Passes the outcome that some entries share to their sink. */
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
