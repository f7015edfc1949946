/**
 * Each failed request ends with a `ServiceFailure`, whether the service, the connection, the token server or n8n is
 * the cause. A failure says what is known: its kind, whether the service may have done the work, and what the user
 * can do.
 *
 * `judge` returns the verdict on a failure. It looks only at this failure. The retry policy (`flow/retry-policy.ts`)
 * also looks at earlier failures of this request and at other requests, and then decides what to do.
 */
import type { ActionableCause } from 'n8n-workflow';

import type { Verdict } from '../flow/verdict';

/** Kinds of failures (docs/service-interface.md, Failures). */
type FailureKind =
	/** The service has answered with a status other than 2xx. */
	| 'status'
	/** There is no complete response, because of a timeout or a problem with the connection, DNS or TLS. */
	| 'transport'
	/** There was no access token, so the request was not sent. */
	| 'token'
	/** The service has answered with 2xx, but the response is unusable. */
	| 'response'
	/** The service has answered with 2xx, but the response says that the document was rejected. */
	| 'rejected';

export interface FailureDetails {
	kind: FailureKind;
	status?: number;
	/** Code of the connection error, e.g. `ECONNREFUSED`. */
	code?: string;
	/** Pause that the service asks for. It may be longer than `MAX_RETRY_AFTER_MS`. */
	retryAfterMs?: number | undefined;
	/** Words of the service, which the error message quotes at its end. */
	serviceWords?: string;
	/** Whether the response is a text, such as the error page of a proxy. It may not come from the service. */
	isText?: boolean;
	description?: string;
	/** Advice that replaces `description` if requests without this document or text succeed. */
	descriptionIfIsolated?: string;
	/**
	 * Whether a later attempt may succeed, for the kinds `transport` (default: true) and `token` (default: false).
	 */
	isTransient?: boolean;
	/** Whether the request certainly never left n8n (see transport-failure.ts), for the kind `transport`. */
	wasNeverSent?: boolean;
	/** Cause in n8n's terms, if it does not follow from the kind and the status. */
	actionableCause?: ActionableCause | undefined;
	/** Time of retries that never reached the server, for the kinds `transport` and `token`. */
	triedForMs?: number | undefined;
	/**
	 * Whether the outcome is unknown. By default, this follows from the other details. An earlier attempt may make
	 * the outcome unknown too.
	 */
	isOutcomeUnknown?: boolean;
}

/**
 * The reason why a request has failed. It contains no headers and no URLs, so users may see it. It has no property
 * `status` or `code`, because n8n would then replace the message.
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
	 * Whether the request certainly never reached the service. It is always true for `token`, because a request
	 * without a token is not sent.
	 */
	readonly wasNeverSent: boolean;
	/**
	 * Whether the service may have done the work, or may still be doing it. This is also the case if a gateway
	 * stopped waiting, or if a 2xx response is unreadable.
	 */
	readonly isOutcomeUnknown: boolean;
	readonly serviceWords: string;
	readonly isText: boolean;
	readonly actionableCause: ActionableCause | undefined;
	readonly #details: FailureDetails;

	/** @param summary what happened, without the words of the service */
	constructor(
		readonly summary: string,
		details: FailureDetails,
	) {
		const { kind, code, status = 0 } = details;
		// The message continues after the quotation, so a final period is removed.
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

	/**
	 * Returns this failure with the advice for an isolated entry, which is a document or text that fails while
	 * requests without it succeed.
	 */
	forIsolatedEntry(): ServiceFailure {
		const { descriptionIfIsolated: description } = this.#details;
		return description === undefined ? this : this.with({ description });
	}

	/** Returns a copy of this failure with these details. */
	with(
		details: Pick<FailureDetails, 'description' | 'isOutcomeUnknown' | 'triedForMs'>,
	): ServiceFailure {
		return new ServiceFailure(this.summary, { ...this.#details, ...details });
	}
}

const repeatTime = ({ triedForMs = 0 }: FailureDetails): string =>
	triedForMs < 1000 ? '' : ` (tried for ${Math.round(triedForMs / 1000)} s)`;

/** Maximum pause that the node accepts from a Retry-After header. Users would not wait longer. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns the verdict on a failure, without a look at other failures (docs/service-interface.md, Failures).
 *
 * @param error the error of a request
 * @param options.idempotent whether the request can safely be repeated. If not, it is retried only after a 429, or if
 * it certainly never reached the service
 * @returns the action `fail` for each error that is not a ServiceFailure
 */
export function judge(error: unknown, { idempotent }: { idempotent: boolean }): Verdict {
	if (!(error instanceof ServiceFailure)) return { action: 'fail' };
	const verdict = verdictOf(error, idempotent);
	if (verdict.action !== 'retry') return verdict;
	const { retryAfterMs } = error;
	// An overloaded proxy may answer with 503 instead of 429.
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

/** Statuses that do not go away: the server does not support the operation (501) or the version of HTTP (505). */
const LASTING_STATUSES = [501, 505];

/** Returns true if a request that received this status may succeed later. */
export const isTransientStatus = (status: number): boolean =>
	[408, 425, 429].includes(status) || (status >= 500 && !LASTING_STATUSES.includes(status));

function statusVerdict(status: number, idempotent: boolean): Verdict {
	if (status === 429) return { action: 'retry', throttled: true };
	if (idempotent && isTransientStatus(status)) return { action: 'retry', serviceMayBe: 'down' };
	if (status === 413) return { action: 'split', tooLarge: true };
	if (status === 400 || status === 422) return { action: 'split' };
	// A firewall may reject a single document with 403. With a key that lacks a permission, all documents receive
	// 403.
	if (status === 403) return { action: 'split', serviceMayBe: 'rejecting' };
	const isRedirect = status >= 300 && status < 400;
	return { action: isRedirect || status === 401 || status === 407 ? 'stop' : 'fail' };
}

function transportVerdict(failure: ServiceFailure, idempotent: boolean): Verdict {
	// An error without a code comes from n8n itself, and would occur again.
	if (failure.transportCode === undefined) return { action: 'fail' };
	if (!failure.isTransient) return { action: 'stop' };
	if (idempotent) return { action: 'retry', serviceMayBe: 'down' };
	return { action: failure.wasNeverSent ? 'retry' : 'fail' };
}
