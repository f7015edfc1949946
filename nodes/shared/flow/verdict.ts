/** The meaning of a failure by itself, without the history of the request. */
export interface Verdict {
	action:
		| /** Send the same request again. */ 'retry'
		| /** Send the entries in smaller requests. */ 'split'
		| /** Let the request fail and end the run, because every further request would fail too. */ 'stop'
		| /** Let this request fail. */ 'fail';
	/** Shortest delay before a retry that the service asks for. */
	delayMs?: number;
	/** Whether the service asks for fewer requests of all kinds. */
	throttled?: boolean;
	/** Whether the request was too large, so that further requests must be smaller. */
	tooLarge?: boolean;
	/** Whether the cause blocks all requests. If it persists, the run ends. */
	blocksAll?: boolean;
	/** If the entries may be fine: the service may reject every request (403), or be down (5xx, no connection). */
	serviceMayBe?: 'rejecting' | 'down';
}

/** Returns whether every further request may fail for the same reason. */
export const mayFailAll = ({ action, serviceMayBe }: Verdict): boolean =>
	action === 'stop' || serviceMayBe !== undefined;
