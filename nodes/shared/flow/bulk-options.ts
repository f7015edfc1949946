import type { RequestSettings } from './attempt';
import type { Batch, Packing } from './batcher';
import type { Budget } from './budget';
import type { Outcome, Unfinished } from './outcome';
import type { Consumer } from './parallel';

/** How entries are sent in bulk. `A` is what the service answers, `R` what the entries get in the end. */
export interface BulkOptions<E, A, R = A> extends Packing<E>, RequestSettings {
	/** Sends one request, of so many bytes. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/** Why a successful response rejects an entry, if it does. */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/**
	 * Waits for what follows after a request was accepted, such as a job. Requests that wait take no part of the
	 * concurrency. `again` sends the request once more as it was, `split` sends each of its entries alone. Once the
	 * consumer has left, nothing more needs to be waited for.
	 */
	settle?: (accepted: A, consumer: Consumer) => Promise<Outcome<R> | Unfinished>;
	/** The requests only ask for something, so they are not counted. */
	arePolls?: boolean;
	/** Called before the entries of an accepted request are sent once more. */
	onRepeat?: (accepted: A) => void;
	/** Bounds what is in flight, waiting requests included. */
	budget?: Budget;
	/** Bytes of an entry in the budget. */
	bytesInBudget?: (entry: E) => number;
}

/** What answers say of the request they belong to. */
export interface RequestInfo<A> {
	/** What the service answered, if it accepted the request. */
	accepted?: A;
	/** Number of the request in this run, from 1; 0 if it was never sent. */
	request: number;
	/** Times it was sent. */
	attempts: number;
	/** Bytes of its body; of an entry that could not be sent, its own. */
	bytes: number;
}

/** The entries of one request, or of a part of it, that share an outcome. */
export interface BatchResult<E, R, A = R> extends RequestInfo<A> {
	entries: E[];
	outcome: Outcome<R>;
}
