import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../sending/outcome';
import type { SourceRecord } from '../formats/record';
import type { Failure } from '../run/results';

export interface EntryOrigin {
	/**
	 * The input items that receive the entry's outcome. For a record, the only such item is the one that contains the
	 * file.
	 */
	readonly items: readonly number[];
	readonly record?: SourceRecord | undefined;
	/** Document ID, if the entry has one. It is checked for signs of mistakes (`input/id-checks.ts`). */
	readonly id?: string | undefined;
}

/** Returns the first input item that an entry comes from. */
export const itemOf = ({ items: [itemIndex = 0] }: EntryOrigin): number => itemIndex;

export type Success<R> = Extract<Outcome<R>, { ok: true }>;

export interface ResultFormat<E, R> {
	/** This function is called only if the output is one item per entry. */
	result(entry: E, response: R): IDataObject;
	/**
	 * Returns the name of the count that a successful entry increases, such as `notFound`. The default is the success
	 * count.
	 */
	countName?(response: R): string | undefined;
	failure(entry: E, failed: Failed): Pick<Failure, 'message' | 'id'>;
}

export interface SinkOptions {
	/** By default, each entry becomes an item. `summary` returns one item for all entries that succeeded. */
	output?: 'perDocument' | 'perInputItem' | 'summary';
	bytesPerFile: number;
}

export interface SinkResult {
	/** Name of the success count, such as `pushed`. */
	done: string;
	/** Additional counts, such as `notFound`. They are returned even if they are 0. */
	others?: readonly string[];
	/** Returns additional fields for a result that contains counts. This function is called when the sink is closed. */
	json?: () => IDataObject;
}

/** Returns the counts for a result, all set to 0. */
export const newCounts = ({ done, others = [] }: SinkResult): Record<string, number> =>
	Object.fromEntries([done, ...others].map((name) => [name, 0]));

/** Increases a count, which is created if necessary. */
export function increaseCount(counts: Record<string, number>, name: string, number: number): void {
	counts[name] = (counts[name] ?? 0) + number;
}

/** Accounts for each entry from a source exactly once. */
export interface Sink {
	addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		outcome: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void>;
	/**
	 * Accounts for an entry that succeeded, and returns the given items as the entry's output.
	 *
	 * @param counts numbers to add to a summary's counts
	 */
	addItems(
		entry: EntryOrigin,
		items: IDataObject[],
		counts?: Readonly<Record<string, number>>,
	): Promise<void>;
	/**
	 * Accounts for an entry that failed or was not sent. If the run is set to stop on failures, this failure ends the
	 * run.
	 */
	addFailure(entry: EntryOrigin, failure: Failure): Promise<void>;
	/** This function is called after all entries have an outcome. */
	close(): Promise<void>;
}

/** Reports an outcome to the sink once for each entry that shares the outcome. */
export async function account<E extends EntryOrigin, R>(
	sink: Sink,
	entries: readonly E[],
	outcome: Outcome<R>,
	resultFormat: ResultFormat<E, R>,
): Promise<void> {
	if (outcome.ok) return await sink.addSuccess(entries, outcome, resultFormat);
	const { reason, skipped, diagnosis } = outcome;
	for (const entry of entries) {
		const words = resultFormat.failure(entry, outcome);
		await sink.addFailure(entry, { reason, skipped, diagnosis, ...words });
	}
}
