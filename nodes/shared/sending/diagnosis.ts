/** The meaning of a single failure, regardless of the request's earlier attempts. */
export interface Diagnosis {
	action:
		| 'retry'
		| 'split'
		| /** Let the request fail and end the run, because every further request would also fail. */ 'stop'
		| 'fail';
	/** The meaning for other requests. Undefined if the failure means nothing for them. */
	kind?:
		| /** The service asks for fewer requests (429). */ 'throttled'
		| /** The service asks for fewer requests or is down (503). */ 'overloaded'
		| /** The service may be down (other 5xx, no connection). */ 'down'
		| /** The service may be refusing every request, or only these entries (403). */ 'forbidden'
		| /** Further requests must be smaller (413). */ 'tooLarge'
		| 'noToken';
	/** Minimum delay before a retry, as requested by the service. */
	delayMs?: number;
}

export const asksForFewerRequests = ({ kind }: Diagnosis): boolean =>
	kind === 'throttled' || kind === 'overloaded';

/** Returns true if the entries may be at fault, but the service may also be down. */
export const mayBeDown = ({ kind }: Diagnosis): boolean => kind === 'down' || kind === 'overloaded';

/** Returns true if every further request may fail for the same reason. */
export const mayFailAll = (diagnosis: Diagnosis): boolean =>
	diagnosis.action === 'stop' || diagnosis.kind === 'forbidden' || mayBeDown(diagnosis);
