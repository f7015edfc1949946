/** The meaning of a single failure, regardless of the request's earlier attempts. */
export interface Verdict {
	action:
		| /** Send the same request again. */ 'retry'
		| /** Send the entries in smaller requests. */ 'split'
		| /** Let the request fail and end the run, because every further request would also fail. */ 'stop'
		| /** Let this request fail. */ 'fail';
	/** Minimum delay before a retry, as requested by the service. */
	delayMs?: number;
	/** Whether the service asks the client to send fewer requests of every kind. */
	throttled?: boolean;
	/** Whether the limiter pauses all requests after this failure. If so, the request itself needs no pause. */
	pausesAll?: boolean;
	/** Whether the request was too large. If so, further requests must be smaller. */
	tooLarge?: boolean;
	/** Whether the cause of the failure affects all requests. If the cause persists, the run ends. */
	blocksAll?: boolean;
	/**
	 * Set if the service, rather than the entries, may be at fault. The service may be rejecting every request (403),
	 * or it may be down (5xx, no connection).
	 */
	serviceMayBe?: 'rejecting' | 'down';
}

/** Returns true if every further request may fail for the same reason. */
export const mayFailAll = ({ action, serviceMayBe }: Verdict): boolean =>
	action === 'stop' || serviceMayBe !== undefined;
