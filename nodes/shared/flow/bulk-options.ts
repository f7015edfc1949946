import type { RequestSettings } from './attempt';
import type { Batch, Packing } from './batcher';
import type { Budget } from './budget';
import type { Outcome, Unfinished } from './outcome';
import type { Consumer } from './parallel';

/** Options for `bulk`. `A` is the response to a request, and `R` is the final result for the request's entries. */
export interface BulkOptions<E, A, R = A> extends Packing<E>, RequestSettings {
	/** Sends one request. `bytes` is the size of the request body. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/**
	 * Returns the reason why a successful response rejects an entry. Returns undefined if the service accepted the
	 * entry.
	 */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/**
	 * Waits for the job that an accepted request has started. Requests that wait here do not count toward the
	 * concurrency limit. If the result is `again`, the same request is sent once more. If the result is `split`, each
	 * entry is sent in a separate request. When the consumer leaves, the function should stop waiting.
	 */
	waitForJob?: (accepted: A, consumer: Consumer) => Promise<Outcome<R> | Unfinished>;
	/**
	 * Returns whether a result comes from a job that the service has finished. By default, every successful result
	 * comes from a finished job. A finished job proves that the service works.
	 */
	isFinished?: (result: R) => boolean;
	/** Whether the requests are polls. Polls are not counted as requests. */
	arePolls?: boolean;
	/** Called before the entries of an accepted request are sent again. */
	onRepeat?: (accepted: A) => void;
	/** Limits the total size of all entries in flight, including entries whose request is waiting for its job. */
	budget?: Budget;
	bytesInBudget?: (entry: E) => number;
}

/** The request that a result belongs to. */
export interface RequestInfo<A> {
	/** The response, if the service accepted the request. */
	accepted?: A;
	/**
	 * Position of the request among all requests of the run. The first request has position 1. The position is 0 if the
	 * request was never sent.
	 */
	request: number;
	attempts: number;
	/** Size of the request body. If an entry is too large to be sent, this is the size of the entry. */
	bytes: number;
}

/** Entries from one request that have the same outcome. */
export interface BatchResult<E, A, R = A> extends RequestInfo<A> {
	entries: E[];
	outcome: Outcome<R>;
}
