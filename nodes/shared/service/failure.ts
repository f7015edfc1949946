import type { Verdict } from '../flow/verdict';
import { MAX_SECRET_CHARACTERS } from './limits';
import { isCertificateCode } from './transport';

/** What went wrong with a request (docs/service-interface.md, Failures). */
export type FailureKind =
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
	retryAfterMs?: number;
	/** The service's own words, which the message ends with. */
	said?: string;
	/** What to do next. */
	description?: string;
	/**
	 * Whether a later attempt may succeed, for `token` and `transport`. Unless given, a token is not
	 * worth another attempt, and a connection is unless its certificate was refused.
	 */
	transient?: boolean;
	/** For `transport`: there is evidence that the request never left (see transport.ts). */
	neverSent?: boolean;
	/** Overrules what follows from the rest: an earlier attempt may have taken effect. */
	outcomeUnknown?: boolean;
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
	readonly transient: boolean;
	/** The request certainly did not reach the service. */
	readonly neverSent: boolean;
	readonly #what: string;
	readonly #details: FailureDetails;

	constructor(what: string, details: FailureDetails) {
		const { said = '' } = details;
		super(said === '' ? what : `${what}, "${said}"`);
		this.#what = what;
		this.#details = details;
		const { kind, code } = details;
		this.kind = kind;
		this.httpStatus = details.status;
		this.transportCode = code;
		this.retryAfterMs = details.retryAfterMs;
		this.description = details.description;
		const isConnection = kind === 'transport' && code !== undefined;
		this.transient = details.transient ?? (isConnection && !isCertificateCode(code));
		this.neverSent = details.neverSent ?? kind === 'token';
	}

	/** What happened, without the service's words. */
	get what(): string {
		return this.#what;
	}

	/** The service's own words, '' if there are none. */
	get said(): string {
		return this.#details.said ?? '';
	}

	/**
	 * The service may have carried out the request, or may still be doing so, although it never said so.
	 * This includes gateways that stopped waiting, and 2xx responses that cannot be read.
	 */
	get outcomeUnknown(): boolean {
		if (this.#details.outcomeUnknown !== undefined) return this.#details.outcomeUnknown;
		const { kind, httpStatus: status = 0, neverSent } = this;
		if (kind === 'status') return status === 408 || status >= 500;
		return kind === 'response' || (kind === 'transport' && !neverSent);
	}

	/** The same failure with other words on what to do next, and on what happened. */
	withAdvice(description: string, what = this.what): ServiceFailure {
		return new ServiceFailure(what, { ...this.#details, description });
	}

	/**
	 * The same failure after an earlier attempt that may have taken effect: a refused connection at the
	 * second attempt says nothing about the first one.
	 */
	afterUnknownOutcome(): ServiceFailure {
		return this.outcomeUnknown
			? this
			: new ServiceFailure(this.what, { ...this.#details, outcomeUnknown: true });
	}
}

/** The longest pause that a service can ask for: a person would not wait longer. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * The pause to make after a Retry-After header.
 *
 * @param retryAfterMs what the service asked for, in a failure or in a response without results
 */
export const pauseMs = (retryAfterMs: number): number => Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);

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
	const { retryAfterMs } = error;
	if (verdict.action !== 'retry' || retryAfterMs === undefined) return verdict;
	// A service that is unavailable for a while asks all requests to wait, as with 429.
	const isBusy = error.kind === 'status' && error.httpStatus === 503;
	return { ...verdict, delayMs: pauseMs(retryAfterMs), ...(isBusy && { throttled: true }) };
}

function verdictOf(failure: ServiceFailure, idempotent: boolean): Verdict {
	switch (failure.kind) {
		case 'status':
			return statusVerdict(failure.httpStatus ?? 0, idempotent);
		case 'transport':
			return transportVerdict(failure, idempotent);
		case 'token':
			return { action: failure.transient ? 'retry' : 'stop' };
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
	if (idempotent && isTransientStatus(status)) return { action: 'retry' };
	if (status === 413) return { action: 'split', tooLarge: true };
	if (status === 400 || status === 422) return { action: 'split' };
	const isRedirect = status >= 300 && status < 400;
	return { action: isRedirect || status === 401 || status === 403 ? 'stop' : 'fail' };
}

function transportVerdict(failure: ServiceFailure, idempotent: boolean): Verdict {
	// Without a code n8n itself refused to send the request, and would refuse again.
	if (failure.transportCode === undefined) return { action: 'fail' };
	if (!failure.transient) return { action: 'stop' };
	return { action: idempotent || failure.neverSent ? 'retry' : 'fail' };
}

/** Members of a response that may hold the service's words, the most telling first. */
export const MESSAGE_KEYS = [
	'error_description',
	'message',
	'title',
	'detail',
	'error',
	'errors',
	'reason',
];
const MAX_MESSAGE_CHARACTERS = 500;
/** Control characters may shrink to a space each. */
const MAX_READ_CHARACTERS = 8 * MAX_MESSAGE_CHARACTERS;

/** How many members of a list are searched for a message. */
const MAX_READ_MEMBERS = 1000;

/** Levels of a response that are searched for a message, so that none overflows the stack. */
const MAX_MESSAGE_DEPTH = 20;

/**
 * The service's own words in a response, whatever its shape (docs/service-interface.md, Error bodies).
 *
 * @param mask takes secrets out of the words before they are cut
 * @returns one line of up to 500 characters and an ellipsis, or '' if there is nothing a person could
 * read
 */
export function serverMessage(
	body: unknown,
	mask: (text: string) => string = (text) => text,
): string {
	return oneLine(wordsIn(body, mask, MAX_MESSAGE_DEPTH));
}

function wordsIn(body: unknown, mask: (text: string) => string, depth: number): string {
	if (typeof body === 'string') {
		const start = beginning(body.trimStart(), mask);
		// Markup such as an HTML page says nothing that its status does not.
		return isMarkup(start) ? '' : start.trim();
	}
	if (typeof body !== 'object' || body === null || depth === 0) return '';
	if (Array.isArray(body)) return joined(body, mask, depth);
	const members = body as Record<string, unknown>;
	for (const key of MESSAGE_KEYS) {
		const text = wordsIn(members[key], mask, depth - 1);
		if (text !== '') return text;
	}
	return '';
}

/** What may be shown of a text, masked. More is never shown, so the rest of a large body is not read. */
function beginning(text: string, mask: (text: string) => string): string {
	const masked = mask(text.slice(0, MAX_READ_CHARACTERS + MAX_SECRET_CHARACTERS));
	// A secret at the very end is cut, and so not recognized. With more text it is: there the two differ.
	const cut = mask(text.slice(0, MAX_READ_CHARACTERS));
	let length = 0;
	while (length < cut.length && cut.charAt(length) === masked.charAt(length)) length++;
	return masked.slice(0, length);
}

/** The words of all members of a list, as many as a message can take. */
function joined(list: unknown[], mask: (text: string) => string, depth: number): string {
	let text = '';
	for (const member of list.slice(0, MAX_READ_MEMBERS)) {
		if (text.length > MAX_MESSAGE_CHARACTERS) break;
		const words = wordsIn(member, mask, depth - 1);
		if (words !== '') text += text === '' ? words : `; ${words}`;
	}
	return text;
}

/** Whether a text is a page or XML, from its beginning: a message may begin with a tag too. */
const isMarkup = (text: string): boolean =>
	/^\s*<(?:!doctype|!--|\?xml|(?:html|head|body)[\s>])/i.test(text);

/** Text without control characters, which could change what a log or a terminal shows. */
function oneLine(text: string): string {
	const line = text
		.replace(/[\s\p{Cc}]+/gu, (gap) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(gap) ? ' ' : gap))
		.trim();
	return line.length > MAX_MESSAGE_CHARACTERS
		? `${line.slice(0, MAX_MESSAGE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
		: line;
}
