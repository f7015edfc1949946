import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../../flow/deliver';
import type { SourceRecord } from '../../records/record';

/** Where an entry comes from. */
export interface Placed {
	/** The input items that wait for its outcome; of a record the item of its file. */
	readonly items: readonly number[];
	/** The record of the file, if it comes from a file. */
	readonly record?: SourceRecord | undefined;
	/** Its position in the list of its item, if that has one. */
	readonly index?: number | undefined;
}

/** The first item that waits for an entry. */
export const itemOf = ({ items: [itemIndex = 0] }: Placed): number => itemIndex;

/** An entry that failed, and why. */
export interface EntryFailure {
	reason: unknown;
	/** Instead of the reason's own message. */
	message?: string;
	/** What to do, beyond what the reason says. */
	advice?: string | undefined;
	id?: string | undefined;
	/** The failure ended the run, since every further request would fail in the same way. */
	endsRun?: boolean;
	/** Further members of an error item. A `response` is data that may come only once. */
	json?: IDataObject;
}

/** The options that several nodes have, for what all sources and sinks do with them. */
export interface CommonOptions {
	/** An item for each entry unless given, for each input item, or one for all entries that succeeded. */
	output?: 'documents' | 'inputItems' | 'summary';
	/** What separates the cells of CSV; '' to detect it. */
	delimiter: string;
	/** Maximum size of a file that is returned. */
	bytesPerFile: number;
}

/** Accounts for the entries of one source, each exactly once. */
export interface Sink {
	/**
	 * Entries succeeded.
	 *
	 * @param result what an item gets for an entry; not called where items get a summary
	 * @param as counted under this name, such as `notFound`, instead of with those that were done
	 */
	done<E extends Placed>(
		entries: readonly E[],
		result: (entry: E) => IDataObject,
		as?: string,
	): Promise<void>;
	/**
	 * An entry succeeded and gave these records: each is an output item.
	 *
	 * @param counts of a summary, which these are added to
	 */
	returned(
		entry: Placed,
		records: IDataObject[],
		counts?: Readonly<Record<string, number>>,
	): Promise<void>;
	/** Entries of one request succeeded, and gave these records together. */
	shared(entries: readonly Placed[], records: IDataObject[]): Promise<void>;
	/** An entry failed; ends a run that stops at failures. */
	failed(entry: Placed, failure: EntryFailure): Promise<void>;
	/** Entries that were not sent, because the run had ended. */
	skipped<E extends Placed>(
		entries: readonly E[],
		failure: (entry: E) => EntryFailure,
	): Promise<void>;
	/** All entries have been answered: returns the rest. */
	end(): Promise<void>;
}

/** How a node reports what has become of its entries. */
export interface Wording<E, R> {
	/** What an item gets for an entry that succeeded. */
	result(entry: E, response: R, attempts: number): IDataObject;
	/** The name that a success is counted under, if it is not done in the usual way. */
	countedAs?(response: R): string | undefined;
	/** How a failure is shown. */
	failure(entry: E, failed: Failed): Omit<EntryFailure, 'reason' | 'endsRun'>;
}

/** Passes the outcome that some entries share to their sink. */
export async function account<E extends Placed, R>(
	sink: Sink,
	entries: readonly E[],
	outcome: Outcome<R>,
	wording: Wording<E, R>,
): Promise<void> {
	if (outcome.ok) {
		const { response, attempts } = outcome;
		const result = (entry: E) => wording.result(entry, response, attempts);
		return await sink.done(entries, result, wording.countedAs?.(response));
	}
	const { reason, verdict } = outcome;
	const endsRun = verdict.action === 'stop';
	const failure = (entry: E) => ({ reason, endsRun, ...wording.failure(entry, outcome) });
	if (outcome.skipped) return await sink.skipped(entries, failure);
	for (const entry of entries) await sink.failed(entry, failure(entry));
}
