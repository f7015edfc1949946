import type { RequestSettings } from './attempt';
import type { Batch, Packing } from './batcher';
import type { Budget } from './budget';
import type { Outcome, Unfinished } from './outcome';
import type { Consumer } from './parallel';

/** Options of `bulk`. `A` is the response to a request, and `R` is the result that entries get in the end. */
export interface BulkOptions<E, A, R = A> extends Packing<E>, RequestSettings {
	/** Sends one request. `bytes` is the size of its body. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/** Returns why a successful response rejects an entry, or undefined if the entry is accepted. */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/**
	 * Waits for the work that an accepted request has started, such as a job. Waiting requests do not count toward the
	 * concurrency. If it returns `again`, the request is sent once more as it was. If it returns `split`, each entry is
	 * sent alone. When the consumer has left, it should stop waiting.
	 */
	settle?: (accepted: A, consumer: Consumer) => Promise<Outcome<R> | Unfinished>;
	/** Whether the requests only poll. Polls are not counted as requests. */
	arePolls?: boolean;
	/** Is called before the entries of an accepted request are sent again. */
	onRepeat?: (accepted: A) => void;
	/** Limits the bytes of all entries in flight, including entries whose request waits in `settle`. */
	budget?: Budget;
	bytesInBudget?: (entry: E) => number;
}

/** The request that a result belongs to. */
export interface RequestInfo<A> {
	/** The response, if the service accepted the request. */
	accepted?: A;
	/** Number of the request in this run, from 1. It is 0 if the request was never sent. */
	request: number;
	/** Number of times the request was sent. */
	attempts: number;
	/** Bytes of the request body, or of the entry if the entry is too large to be sent. */
	bytes: number;
}

/** Entries of one request that have the same outcome. */
export interface BatchResult<E, R, A = R> extends RequestInfo<A> {
	entries: E[];
	outcome: Outcome<R>;
}
