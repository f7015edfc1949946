/** Where a request ended that did not succeed. */
export type FailureKind =
	/** The service answered with another status than 2xx. */
	| 'status'
	/** No complete answer: connection, DNS, TLS, time-out. */
	| 'transport'
	/** No access token could be had. */
	| 'token'
	/** The service answered 2xx with something that cannot be used. */
	| 'reply';

/** What is known about a failure. */
export interface FailureDetails {
	kind: FailureKind;
	/** HTTP status, where there was an answer. */
	status?: number;
	/** Transport code, e.g. `ECONNREFUSED`. */
	code?: string;
	/** How long the service asked to wait. */
	retryAfterMs?: number;
	/** What to do next. */
	description?: string;
	/** For `token`: whether a later attempt may succeed. */
	transient?: boolean;
}

/**
 * A request that failed. Carries no header and no address, so it can be shown as it is. Its members
 * are not called `status` and `code`: n8n would put words of its own in place of the message.
 */
export class ServiceFailure extends Error {
	override readonly name = 'ServiceFailure';
	readonly kind: FailureKind;
	readonly httpStatus: number | undefined;
	readonly transportCode: string | undefined;
	readonly retryAfterMs: number | undefined;
	readonly description: string | undefined;
	readonly transient: boolean;

	constructor(message: string, details: FailureDetails) {
		super(message);
		this.kind = details.kind;
		this.httpStatus = details.status;
		this.transportCode = details.code;
		this.retryAfterMs = details.retryAfterMs;
		this.description = details.description;
		this.transient = details.transient ?? false;
	}
}

/** What may be done after a failure. */
export interface Verdict {
	/** The same request may be sent again. */
	retry: boolean;
	/** The service is too busy: send less at once. */
	throttled: boolean;
	/** The request is larger than the service takes. */
	tooLarge: boolean;
	/** The service refused the content; a part of it may be fine. */
	rejected: boolean;
	/** Every further request would fail in the same way. */
	hopeless: boolean;
	retryAfterMs?: number;
}

/** What the service does not do (501) and a version of HTTP it does not speak (505) stays so. */
const LASTING_STATUSES = [501, 505];

/** Whether a status says that the same request may go well later. */
const mayPass = (status: number): boolean =>
	[408, 425, 429].includes(status) || (status >= 500 && !LASTING_STATUSES.includes(status));

/** Codes of connections that were never made: nothing can have arrived. */
const NOT_SENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Codes of connections that TLS does not let come about; the next one meets the same. */
const NOT_SECURED = /^(EPROTO|ERR_SSL_|ERR_TLS_|UNABLE_TO_)|CERT|HOSTNAME_MISMATCH/;

/**
 * Whether a service may have taken a request it did not reply to.
 *
 * @param code transport code; none if n8n refused to send the request
 */
const mayHaveArrived = (code: string | undefined): boolean =>
	code !== undefined && !NOT_SENT_CODES.includes(code) && !NOT_SECURED.test(code);

/**
 * Whether the service may have carried out what failed, or may still be at it, though it never said
 * so. A status of a gateway that gave up waiting counts, and so does a 2xx nobody can read.
 */
export function mayBeGoingOn(error: unknown): error is ServiceFailure {
	if (!(error instanceof ServiceFailure)) return false;
	const { kind, httpStatus: status, transportCode } = error;
	if (kind === 'status') return status === 408 || (status ?? 0) >= 500;
	return kind === 'reply' || (kind === 'transport' && mayHaveArrived(transportCode));
}

/**
 * Judges a failure.
 *
 * @param error what a request threw
 * @param idempotent whether the request may be carried out twice without harm. If not, it is
 * repeated only when it surely did not arrive or was surely not carried out (429).
 * @returns what may follow; nothing for what is no ServiceFailure
 */
export function judge(error: unknown, idempotent: boolean): Verdict {
	const verdict: Verdict = {
		retry: false,
		throttled: false,
		tooLarge: false,
		rejected: false,
		hopeless: false,
	};
	if (!(error instanceof ServiceFailure)) return verdict;
	const { kind, httpStatus: status, transportCode: code } = error;
	if (error.retryAfterMs !== undefined) verdict.retryAfterMs = error.retryAfterMs;

	if (kind === 'token') {
		verdict.retry = error.transient;
		verdict.hopeless = !error.transient;
	} else if (kind === 'transport') {
		verdict.hopeless = code !== undefined && NOT_SECURED.test(code);
		// Without a code it was n8n that refused to send it, as it would again.
		verdict.retry =
			code !== undefined && !verdict.hopeless && (idempotent || !mayHaveArrived(code));
	} else if (kind === 'status' && status !== undefined) {
		verdict.throttled = status === 429;
		verdict.retry = status === 429 || (idempotent && mayPass(status));
		verdict.tooLarge = status === 413;
		verdict.rejected = status === 400 || status === 422;
		verdict.hopeless = status === 401 || status === 403 || (status >= 300 && status < 400);
	}
	return verdict;
}

const MESSAGE_KEYS = [
	'error_description',
	'message',
	'title',
	'detail',
	'error',
	'errors',
	'reason',
];
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * The service's own words in a reply, whatever its shape (error bodies are not specified; those
 * seen across the platform differ): error_description, message, title, detail, error, errors, reason
 * or raw text.
 *
 * @returns one line of at most 500 characters, or '' if there is nothing a person could read
 */
export function serverMessage(body: unknown): string {
	if (typeof body === 'string') {
		// An HTML page says nothing that its status does not.
		return /^\s*</.test(body) ? '' : tidy(body);
	}
	if (Array.isArray(body)) return tidy(body.map(serverMessage).filter(Boolean).join('; '));
	if (typeof body !== 'object' || body === null) return '';
	const members = body as Record<string, unknown>;
	for (const key of MESSAGE_KEYS) {
		const text = serverMessage(members[key]);
		if (text !== '') return text;
	}
	return '';
}

function tidy(text: string): string {
	const line = text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	return line.length > MAX_MESSAGE_CHARACTERS
		? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…`
		: line;
}
