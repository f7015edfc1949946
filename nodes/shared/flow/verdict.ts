/** What to do after a failure. */
export interface Verdict {
	action:
		| /** Send the same request again. */ 'retry'
		| /** Send its entries in smaller requests. */ 'split'
		| /** Give up, and send nothing more: every further request would fail too. */ 'stop'
		| /** Give up this request. */ 'fail';
	/** Least delay before a retry, asked for by the service. */
	delayMs?: number;
	/** The service asks for fewer requests, of all kinds: with a retry, time bounds it, not attempts. */
	throttled?: boolean;
	/** The request was too large: further ones must be smaller. */
	tooLarge?: boolean;
}
