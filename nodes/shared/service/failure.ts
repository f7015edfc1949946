import type { ActionableCause } from 'n8n-workflow';

import type { Verdict } from '../flow/verdict';

/** What went wrong with a request (docs/service-interface.md, Failures). */
type FailureKind =
	/** The service answered with a status other than 2xx. */
	| 'status'
	/** No complete response: connection, DNS, TLS, timeout. */
	| 'transport'
	/** No access token could be obtained, so the request was not sent. */
	| 'token'
	/** The service answered 2xx with something that cannot be used. */
	| 'response'
	/** The service answered 2xx and says in the response that it did not accept this entry. */
	| 'rejected';

/** What is known about a failure. */
export interface FailureDetails {
	kind: FailureKind;
	/** HTTP status, if there was a response. */
	status?: number;
	/** Transport code, e.g. `ECONNREFUSED`. */
	code?: string;
	/** How long the service asked to wait, not capped. */
	retryAfterMs?: number | undefined;
	/** The service's own words, which the message ends with. */
	serviceWords?: string;
	/** The response is text, such as the page of a proxy: it may not come from the service. */
	isText?: boolean;
	/** What to do next. */
	description?: string;
	/** What to do instead if requests without the entry succeed. */
	descriptionIfIsolated?: string;
	/** Whether a later attempt may succeed, for `token` and `transport`; true for `transport` unless given. */
	isTransient?: boolean;
	/** For `transport`: there is evidence that the request never left (see transport-failure.ts). */
	wasNeverSent?: boolean;
	/** Why it failed in n8n's terms, if kind and status do not tell. */
	actionableCause?: ActionableCause | undefined;
	/** For `transport` and `token`: how long the request was repeated without reaching the server. */
	triedForMs?: number | undefined;
	/** Overrules what follows from the rest: an earlier attempt may have taken effect. */
	isOutcomeUnknown?: boolean;
}

/**
 * A request that failed. Carries no header and no URL, so it can be shown as it is. Its members are not
 * called `status` and `code`, because n8n would replace the message.
 */
export class ServiceFailure extends Error {
	override readonly name = 'ServiceFailure';
	readonly kind: FailureKind;
	readonly httpStatus: number | undefined;
	readonly transportCode: string | undefined;
	readonly retryAfterMs: number | undefined;
	readonly description: string | undefined;
	readonly isTransient: boolean;
	/** The request certainly did not reach the service; true without a token, whatever became of the token request. */
	readonly wasNeverSent: boolean;
	/**
	 * The service may have carried out the request, or may still be doing so, although it never said so.
	 * This includes gateways that stopped waiting, and 2xx responses that cannot be read.
	 */
	readonly isOutcomeUnknown: boolean;
	/** The service's own words, '' if there are none. */
	readonly serviceWords: string;
	readonly isText: boolean;
	readonly actionableCause: ActionableCause | undefined;
	readonly #details: FailureDetails;

	/** @param summary what happened, without the service's words */
	constructor(
		readonly summary: string,
		details: FailureDetails,
	) {
		const { kind, code, status = 0 } = details;
		// The message continues after the quoted words.
		const quotation = (details.serviceWords ?? '').replace(/(?<!\.)\.$/, '');
		super(`${summary}${triedFor(details)}${quotation === '' ? '' : `, "${quotation}"`}`);
		this.#details = details;
		this.kind = kind;
		this.httpStatus = details.status;
		this.transportCode = code;
		this.retryAfterMs = details.retryAfterMs;
		this.description = details.description;
		this.serviceWords = quotation;
		this.isText = details.isText ?? false;
		this.actionableCause = details.actionableCause;
		this.isTransient = details.isTransient ?? kind === 'transport';
		this.wasNeverSent = kind === 'token' || details.wasNeverSent === true;
		const mayBeDone =
			kind === 'response' ||
			(kind === 'transport' && !this.wasNeverSent) ||
			(kind === 'status' && (status === 408 || status >= 500));
		this.isOutcomeUnknown = details.isOutcomeUnknown ?? mayBeDone;
	}

	/** Returns the failure of an entry without which requests succeed: its advice is about the entry. */
	forIsolatedEntry(): ServiceFailure {
		const { descriptionIfIsolated: description } = this.#details;
		return description === undefined ? this : this.with({ description });
	}

	/** Returns a copy of the failure with other advice, another outcome or the time it was tried. */
	with(
		details: Pick<FailureDetails, 'description' | 'isOutcomeUnknown' | 'triedForMs'>,
	): ServiceFailure {
		return new ServiceFailure(this.summary, { ...this.#details, ...details });
	}
}

/** How long a request was repeated, for a message; '' for less than a second. */
const triedFor = ({ triedForMs = 0 }: FailureDetails): string =>
	triedForMs < 1000 ? '' : ` (tried for ${Math.round(triedForMs / 1000)} s)`;

/** The longest Retry-After that is honored: a person would not wait longer. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Decides what to do after a failure (docs/service-interface.md, Failures).
 *
 * @param error what a request threw
 * @param options.idempotent whether the request may take effect twice without harm. If not, it is
 * repeated only if it certainly never reached the service, or after 429.
 * @returns `fail` for anything that is not a ServiceFailure
 */
export function judge(error: unknown, { idempotent }: { idempotent: boolean }): Verdict {
	if (!(error instanceof ServiceFailure)) return { action: 'fail' };
	const verdict = verdictOf(error, idempotent);
	if (verdict.action !== 'retry') return verdict;
	const { retryAfterMs } = error;
	// A proxy that sheds load answers with 503 where others answer with 429.
	const throttled = error.kind === 'status' && error.httpStatus === 503;
	return {
		...verdict,
		...(throttled && { throttled }),
		...(retryAfterMs !== undefined && { delayMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) }),
	};
}

function verdictOf(failure: ServiceFailure, idempotent: boolean): Verdict {
	switch (failure.kind) {
		case 'status':
			return statusVerdict(failure.httpStatus ?? 0, idempotent);
		case 'transport':
			return transportVerdict(failure, idempotent);
		case 'token':
			return failure.isTransient ? { action: 'retry', blocksAll: true } : { action: 'stop' };
		default:
			return { action: 'fail' };
	}
}

/** An unsupported operation (501) or version of HTTP (505) stays unsupported. */
const LASTING_STATUSES = [501, 505];

/** Whether a status says that the same request, of whatever kind, may succeed later. */
export const isTransientStatus = (status: number): boolean =>
	[408, 425, 429].includes(status) || (status >= 500 && !LASTING_STATUSES.includes(status));

function statusVerdict(status: number, idempotent: boolean): Verdict {
	if (status === 429) return { action: 'retry', throttled: true };
	if (idempotent && isTransientStatus(status)) return { action: 'retry', serviceMayBe: 'down' };
	if (status === 413) return { action: 'split', tooLarge: true };
	if (status === 400 || status === 422) return { action: 'split' };
	// A firewall may refuse a single document; a key without rights is refused with whatever is sent.
	if (status === 403) return { action: 'split', serviceMayBe: 'rejecting' };
	const isRedirect = status >= 300 && status < 400;
	return { action: isRedirect || status === 401 || status === 407 ? 'stop' : 'fail' };
}

function transportVerdict(failure: ServiceFailure, idempotent: boolean): Verdict {
	// Without a code n8n itself refused to send the request, and would refuse again.
	if (failure.transportCode === undefined) return { action: 'fail' };
	if (!failure.isTransient) return { action: 'stop' };
	if (idempotent) return { action: 'retry', serviceMayBe: 'down' };
	return { action: failure.wasNeverSent ? 'retry' : 'fail' };
}
