/**
 * Every unsuccessful request ends with a `ServiceFailure`. The cause may be the service, the connection, the token
 * server or n8n. A failure states what is known: its kind, whether the request may have taken effect, and what the user
 * can do.
 *
 * `diagnose` returns a diagnosis that is based on a single failure. The retry policy (`sending/retry-policy.ts`) also considers
 * earlier attempts and other requests, and then decides what happens next.
 */
import type { ActionableCause } from 'n8n-workflow';

import type { Diagnosis } from '../sending/diagnosis';

/** Kinds of failures (docs/service-interface.md, Failures). */
type FailureKind =
	/** The service answered with a status other than 2xx. */
	| 'status'
	/** A timeout or a problem with the connection, DNS or TLS prevented a complete response. */
	| 'transport'
	/** No access token could be obtained, so the request was not sent. */
	| 'token'
	/** The service answered with a 2xx status, but the response cannot be used. */
	| 'response'
	/** The service answered with a 2xx status, but the response says that the document was rejected. */
	| 'rejected';

export interface FailureDetails {
	kind: FailureKind;
	status?: number;
	code?: string;
	/**
	 * Time to wait before the next request, as requested by the service. May exceed `MAX_RETRY_AFTER_MS`.
	 */
	retryAfterMs?: number | undefined;
	/** The service's own words, which are quoted at the end of the error message. */
	serviceWords?: string;
	/**
	 * Whether the response is text, for example a proxy's error page. Such text might not come from the
	 * service.
	 */
	isText?: boolean;
	description?: string;
	/**
	 * Used instead of `description` if requests without this document or text succeed. In that case, only this document
	 * or text is at fault.
	 */
	descriptionIfIsolated?: string;
	/**
	 * Whether a later attempt may succeed. Used only for `transport` (default: true) and `token` (default: false).
	 */
	isTransient?: boolean;
	/**
	 * Whether the request provably never left n8n (see transport-failure.ts). Used only for `transport`.
	 */
	wasNeverSent?: boolean;
	/**
	 * One of the causes that n8n defines. Set only if the cause does not follow from the kind and the status.
	 */
	actionableCause?: ActionableCause | undefined;
	/**
	 * Time during which the request was retried without reaching the server. Used only for `transport` and
	 * `token`.
	 */
	triedForMs?: number | undefined;
	/**
	 * Whether the outcome is unknown. By default, the other details determine this. Set this field if the other details
	 * are not enough, for example after an earlier attempt that may have taken effect.
	 */
	isOutcomeUnknown?: boolean;
}

/**
 * It contains no headers or URLs, so it can be shown to the user. No property is named `status` or `code`. If there
 * were such a property, n8n would replace the message.
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
	 * Whether it is certain that the request did not reach the service. Always true for `token`, because a
	 * request without a token is not sent.
	 */
	readonly wasNeverSent: boolean;
	/**
	 * Whether the service may have carried out the request, or may still be working on it, without confirming it.
	 * Examples are a gateway that stopped waiting and a 2xx response that cannot be read.
	 */
	readonly isOutcomeUnknown: boolean;
	readonly serviceWords: string;
	readonly isText: boolean;
	readonly actionableCause: ActionableCause | undefined;
	/** The message without the time for which the request was retried (see `commonMessageOf`). */
	readonly commonMessage: string;
	readonly #details: FailureDetails;

	/** @param summary what happened, without the service's own words */
	constructor(
		readonly summary: string,
		details: FailureDetails,
	) {
		const { kind, code, status = 0 } = details;
		// The message continues after the quotation, so a period at the end of the quotation is removed.
		const serviceWords = (details.serviceWords ?? '').replace(/(?<!\.)\.$/, '');
		const quotation = serviceWords === '' ? '' : `, "${serviceWords}"`;
		super(`${summary}${repeatTime(details)}${quotation}`);
		this.commonMessage = `${summary}${quotation}`;
		this.#details = details;
		this.kind = kind;
		this.httpStatus = details.status;
		this.transportCode = code;
		this.retryAfterMs = details.retryAfterMs;
		this.description = details.description;
		this.serviceWords = serviceWords;
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
	 * Returns this failure with the advice for an isolated entry. An entry (a document or a text) is isolated if
	 * requests with the entry fail but requests without the entry succeed.
	 */
	forIsolatedEntry(): ServiceFailure {
		const { descriptionIfIsolated: description } = this.#details;
		return description === undefined ? this : this.with({ description });
	}

	with(
		details: Pick<FailureDetails, 'description' | 'isOutcomeUnknown' | 'triedForMs'>,
	): ServiceFailure {
		return new ServiceFailure(this.summary, { ...this.#details, ...details });
	}
}

const repeatTime = ({ triedForMs = 0 }: FailureDetails): string =>
	triedForMs < 1000 ? '' : ` (tried for ${Math.round(triedForMs / 1000)} s)`;

/** Maximum wait that the node accepts from a Retry-After header. A person would not wait any longer. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns the diagnosis on a failure without considering other failures (docs/service-interface.md, Failures).
 *
 * @param error the error that a request threw
 * @param options.idempotent whether the request can be repeated without harm. If not, it is retried only after status
 *   429, or if it definitely never reached the service.
 * @returns the diagnosis. For any error that is not a ServiceFailure, the action is `fail`.
 */
export function diagnose(error: unknown, { idempotent }: { idempotent: boolean }): Diagnosis {
	if (!(error instanceof ServiceFailure)) return { action: 'fail' };
	const diagnosis = diagnosisOf(error, idempotent);
	const { retryAfterMs } = error;
	if (diagnosis.action !== 'retry' || retryAfterMs === undefined) return diagnosis;
	return { ...diagnosis, delayMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) };
}

function diagnosisOf(failure: ServiceFailure, idempotent: boolean): Diagnosis {
	switch (failure.kind) {
		case 'status':
			return statusDiagnosis(failure.httpStatus ?? 0, idempotent);
		case 'transport':
			return transportDiagnosis(failure, idempotent);
		case 'token':
			return failure.isTransient ? { action: 'retry', kind: 'noToken' } : { action: 'stop' };
		default:
			return { action: 'fail' };
	}
}

/**
 * These statuses are permanent, because the server does not support the operation (501) or the HTTP
 * version (505).
 */
const LASTING_STATUSES = [501, 505];

/** Returns true if a request that was answered with this status may succeed later. */
export const isTransientStatus = (status: number): boolean =>
	[408, 425, 429].includes(status) || (status >= 500 && !LASTING_STATUSES.includes(status));

function statusDiagnosis(status: number, idempotent: boolean): Diagnosis {
	if (status === 429) return { action: 'retry', kind: 'throttled' };
	// An overloaded proxy may answer with status 503 instead of 429.
	if (idempotent && status === 503) return { action: 'retry', kind: 'overloaded' };
	if (idempotent && isTransientStatus(status)) return { action: 'retry', kind: 'down' };
	if (status === 413) return { action: 'split', kind: 'tooLarge' };
	if (status === 400 || status === 422) return { action: 'split' };
	// There are two possible reasons for a 403. Either a firewall rejects a single document, or the key has no
	// permission. Without permission, every document is rejected.
	if (status === 403) return { action: 'split', kind: 'forbidden' };
	const isRedirect = status >= 300 && status < 400;
	return { action: isRedirect || status === 401 || status === 407 ? 'stop' : 'fail' };
}

function transportDiagnosis(failure: ServiceFailure, idempotent: boolean): Diagnosis {
	// An error without a code comes from n8n itself. Retrying would not help.
	if (failure.transportCode === undefined) return { action: 'fail' };
	if (!failure.isTransient) return { action: 'stop' };
	if (idempotent) return { action: 'retry', kind: 'down' };
	return { action: failure.wasNeverSent ? 'retry' : 'fail' };
}
