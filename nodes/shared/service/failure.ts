/**
 * A request that does not succeed ends with a `ServiceFailure`, whether the service, the connection, the
 * token server or n8n is the cause. A failure says what is known: its kind, whether the request may have
 * taken effect, and what the user can do. `judge` turns a failure into a verdict, which says what the
 * failure means by itself. The retry policy (`flow/retry-policy.ts`) also knows the history of the request
 * and of other requests, and decides what happens next.
 */
import type { ActionableCause } from 'n8n-workflow';

import type { Verdict } from '../flow/verdict';

/** Kinds of failures (docs/service-interface.md, Failures). */
type FailureKind =
	/** The service answered with a status other than 2xx. */
	| 'status'
	/** No complete response arrived, because of the connection, DNS, TLS or a timeout. */
	| 'transport'
	/** No access token could be obtained, so the request was not sent. */
	| 'token'
	/** The service answered with status 2xx, but the response cannot be used. */
	| 'response'
	/** The service answered with status 2xx, but the response says that this entry was not accepted. */
	| 'rejected';

export interface FailureDetails {
	kind: FailureKind;
	status?: number;
	/** Transport code, e.g. `ECONNREFUSED`. */
	code?: string;
	/** Wait before the next request that the service asks for. It may exceed `MAX_RETRY_AFTER_MS`. */
	retryAfterMs?: number | undefined;
	/** The service's own words, with which the message ends. */
	serviceWords?: string;
	/** Whether the response is text, such as the page of a proxy. Then it may not come from the service. */
	isText?: boolean;
	/** Advice for the user. */
	description?: string;
	/** Replaces `description` if requests without the entry succeed. */
	descriptionIfIsolated?: string;
	/**
	 * Whether a later attempt may succeed, for `token` and `transport`. The default is true for
	 * `transport`, otherwise false.
	 */
	isTransient?: boolean;
	/** For `transport`: whether the request provably never left n8n (see transport-failure.ts). */
	wasNeverSent?: boolean;
	/** Cause in n8n's terms, if it does not follow from kind and status. */
	actionableCause?: ActionableCause | undefined;
	/** For `transport` and `token`: how long the request was repeated without reaching the server. */
	triedForMs?: number | undefined;
	/**
	 * Overrides what follows from the other members, for example if an earlier attempt may have taken
	 * effect.
	 */
	isOutcomeUnknown?: boolean;
}

/**
 * The failure of a request. It contains no header and no URL, so it can be shown to the user. Its members
 * are not named `status` and `code`, because n8n would then replace the message.
 */
export class ServiceFailure extends Error {
	override readonly name = 'ServiceFailure';
	readonly kind: FailureKind;
	readonly httpStatus: number | undefined;
	readonly transportCode: string | undefined;
	readonly retryAfterMs: number | undefined;
	readonly description: string | undefined;
	readonly isTransient: boolean;
	/**
	 * Whether the request certainly did not reach the service. True for `token`, because a request without
	 * a token is not sent.
	 */
	readonly wasNeverSent: boolean;
	/**
	 * Whether the service may have carried out the request, or may still be doing so, without confirming
	 * it. This is also true if a gateway stopped waiting, and if a 2xx response cannot be read.
	 */
	readonly isOutcomeUnknown: boolean;
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
		// The message continues after the quotation, so the full stop at its end is removed.
		const quotation = (details.serviceWords ?? '').replace(/(?<!\.)\.$/, '');
		super(`${summary}${repeatTime(details)}${quotation === '' ? '' : `, "${quotation}"`}`);
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

	/** Returns the failure with the advice for an entry that fails while requests without it succeed. */
	forIsolatedEntry(): ServiceFailure {
		const { descriptionIfIsolated: description } = this.#details;
		return description === undefined ? this : this.with({ description });
	}

	/** Returns a copy of the failure in which some details are replaced. */
	with(
		details: Pick<FailureDetails, 'description' | 'isOutcomeUnknown' | 'triedForMs'>,
	): ServiceFailure {
		return new ServiceFailure(this.summary, { ...this.#details, ...details });
	}
}

/** Says how long a request was repeated. Returns '' for less than a second. */
const repeatTime = ({ triedForMs = 0 }: FailureDetails): string =>
	triedForMs < 1000 ? '' : ` (tried for ${Math.round(triedForMs / 1000)} s)`;

/** The longest Retry-After that the node waits for. A person would not wait longer. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns what a failure means by itself (docs/service-interface.md, Failures).
 *
 * @param error what a request threw
 * @param options.idempotent whether the request may take effect twice without harm. Otherwise it is
 *   repeated only after 429, or if it certainly never reached the service.
 * @returns `fail` for anything that is not a ServiceFailure
 */
export function judge(error: unknown, { idempotent }: { idempotent: boolean }): Verdict {
	if (!(error instanceof ServiceFailure)) return { action: 'fail' };
	const verdict = verdictOf(error, idempotent);
	if (verdict.action !== 'retry') return verdict;
	const { retryAfterMs } = error;
	// An overloaded proxy may answer with 503 where others answer with 429.
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

/**
 * These statuses are permanent, because the server does not support the operation (501) or the HTTP
 * version (505).
 */
const LASTING_STATUSES = [501, 505];

/** Tells whether the same request may succeed later after this status. */
export const isTransientStatus = (status: number): boolean =>
	[408, 425, 429].includes(status) || (status >= 500 && !LASTING_STATUSES.includes(status));

function statusVerdict(status: number, idempotent: boolean): Verdict {
	if (status === 429) return { action: 'retry', throttled: true };
	if (idempotent && isTransientStatus(status)) return { action: 'retry', serviceMayBe: 'down' };
	if (status === 413) return { action: 'split', tooLarge: true };
	if (status === 400 || status === 422) return { action: 'split' };
	// A firewall may reject a single document, but a key without rights is rejected with every document.
	if (status === 403) return { action: 'split', serviceMayBe: 'rejecting' };
	const isRedirect = status >= 300 && status < 400;
	return { action: isRedirect || status === 401 || status === 407 ? 'stop' : 'fail' };
}

function transportVerdict(failure: ServiceFailure, idempotent: boolean): Verdict {
	// An error without a code comes from n8n itself. Retrying would not help.
	if (failure.transportCode === undefined) return { action: 'fail' };
	if (!failure.isTransient) return { action: 'stop' };
	if (idempotent) return { action: 'retry', serviceMayBe: 'down' };
	return { action: failure.wasNeverSent ? 'retry' : 'fail' };
}
