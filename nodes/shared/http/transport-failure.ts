import { ServiceFailure, type FailureKind } from '../service/failure';
import { transportFacts } from '../service/transport';

/** The other end of a connection, in messages. */
export interface Party {
	/** e.g. `the push service`. */
	name: string;
	/** Display name of the field with its URL. */
	urlLabel: string;
	/** No request to it gets more time than that, whatever the node's 'Request Timeout (Seconds)'. */
	maxTimeoutMs?: number;
}

/** Why a connection was not made. */
const NOT_CONNECTED: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'its host name is unknown',
	EAI_AGAIN: 'its host name could not be resolved',
	ECONNRESET: 'the connection was closed immediately',
	ETIMEDOUT: 'the connection timed out',
	EHOSTUNREACH: 'there is no route to its host',
	ENETUNREACH: 'there is no route to its network',
};

const CERTIFICATES: Record<string, string> = {
	CERT_HAS_EXPIRED: 'its certificate has expired',
	CERT_NOT_YET_VALID: 'its certificate is not valid yet',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

const TIMEOUTS = ['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED'];

/** What is known of a request that was, or may have been, sent. */
const BROKEN: Record<string, (name: string) => string> = {
	Z_BUF_ERROR: (name) => `The compressed response of ${name} is incomplete`,
	Z_DATA_ERROR: (name) => `The compressed response of ${name} is damaged`,
	ECONNRESET: (name) => `The connection to ${name} closed before the response was complete`,
	ERR_BAD_RESPONSE: (name) => `The connection to ${name} closed before the response was complete`,
	EPIPE: (name) => `The connection to ${name} closed while the request was being sent`,
};

/**
 * A request without a complete response, as a failure that says what is known and nothing else. The
 * original error holds the request with its credentials, so it is not passed on.
 *
 * @param error what n8n's HTTP helper threw, or what broke the body
 * @param party the server that was called
 * @param options.kind `transport` unless given
 * @param options.timedOutMs the time limit, if it was what ended the request
 */
export function transportFailure(
	error: unknown,
	party: Party,
	{ kind = 'transport', timedOutMs }: { kind?: FailureKind; timedOutMs?: number },
): ServiceFailure {
	if (timedOutMs !== undefined) return timeoutFailure(party, timedOutMs, kind);
	const { code, neverSent, permanent } = transportFacts(error);
	const transient = code !== undefined && !permanent;
	const details = {
		kind,
		transient,
		// Without a token the request itself was not sent, whatever happened to the token request.
		...(kind !== 'token' && { neverSent }),
		...(code !== undefined && { code }),
	};
	if (code === undefined) {
		const reason = error instanceof Error ? error.message : 'n8n did not send the request';
		return new ServiceFailure(reason, details);
	}
	return new ServiceFailure(connectionMessage(code, party.name, neverSent, permanent), {
		...details,
		description: `Check '${party.urlLabel}' in the credential and whether ${party.name} is up (code ${code}).`,
	});
}

/** A request that was not answered in time: it may have arrived. */
export function timeoutFailure(
	{ name, urlLabel, maxTimeoutMs = Infinity }: Party,
	ms: number,
	kind: FailureKind,
): ServiceFailure {
	const seconds = Math.ceil(ms / 100) / 10;
	const moreTime =
		ms < maxTimeoutMs
			? "If it needs more time, increase 'Request Timeout (Seconds)'."
			: 'No setting gives it more time.';
	return new ServiceFailure(`${capitalized(name)} did not answer within ${seconds} s`, {
		kind,
		code: 'ETIMEDOUT',
		transient: true,
		description: `Check '${urlLabel}' in the credential and whether ${name} is up. ${moreTime}`,
	});
}

function connectionMessage(
	code: string,
	name: string,
	neverSent: boolean,
	permanent: boolean,
): string {
	if (permanent) {
		const what = CERTIFICATES[code] ?? 'its certificate is not trusted';
		return neverSent
			? `${capitalized(name)} could not be reached: ${what}`
			: `The secure connection to ${name} failed: a certificate was refused`;
	}
	if (neverSent) {
		const what = NOT_CONNECTED[code] ?? 'no connection could be made';
		return `${capitalized(name)} could not be reached: ${what}`;
	}
	if (TIMEOUTS.includes(code)) return `${capitalized(name)} did not answer in time`;
	return BROKEN[code]?.(name) ?? `The connection to ${name} failed`;
}

/** A name at the beginning of a sentence. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
