/** The decision after a failure. */
export interface Verdict {
	action:
		| /** Send the same request again. */ 'retry'
		| /** Send its entries in smaller requests. */ 'split'
		| /** Give up, and send nothing more: every further request would fail too. */ 'stop'
		| /** Give up this request. */ 'fail';
	/** Least delay before a retry, asked for by the service. */
	delayMs?: number;
	/** The service asks for fewer requests, of all kinds. */
	throttled?: boolean;
	/** The request was too large: further ones must be smaller. */
	tooLarge?: boolean;
	/** Blocks all requests; if it persists, the run ends. */
	blocksAll?: boolean;
	/** Either the entries are at fault, or every request is refused (403) or lost (5xx, no connection). */
	serviceMayBe?: 'rejecting' | 'down';
}

/** Whether every further request may fail for the same reason. */
export const mayFailAll = ({ action, serviceMayBe }: Verdict): boolean =>
	action === 'stop' || serviceMayBe !== undefined;
