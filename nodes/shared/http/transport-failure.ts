import { ServiceFailure, type FailureDetails, type FailureKind } from '../service/failure';
import { transportFacts, type TransportFacts } from '../service/transport';
import { capitalized } from '../service/wording';

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

/** The operator of the service, or of n8n, has to do something about these certificates. */
const CERTIFICATE_ADVICE: Record<string, (party: Party) => string> = {
	CERT_HAS_EXPIRED: ({ name }) => `Ask the operator of ${name} to renew it`,
	CERT_NOT_YET_VALID: () => "Check the clock of n8n's machine",
	ERR_TLS_CERT_ALTNAME_INVALID: ({ urlLabel }) => `Check the host of '${urlLabel}'`,
};

/** Codes of an https request to a server without TLS. */
const NO_TLS = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

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
 * @param options.url where the request was sent, for advice on its beginning
 */
export function transportFailure(
	error: unknown,
	party: Party,
	{
		kind = 'transport',
		timedOutMs,
		url = '',
	}: { kind?: FailureKind; timedOutMs?: number; url?: string | undefined },
): ServiceFailure {
	if (timedOutMs !== undefined) return timeoutFailure(party, timedOutMs, kind);
	const facts = transportFacts(error);
	const { code, neverSent, permanent } = facts;
	const transient = code !== undefined && !permanent;
	const details = {
		kind,
		transient,
		// Without a token the request itself was not sent, whatever happened to the token request.
		...(kind !== 'token' && { neverSent }),
		...(code !== undefined && { code }),
	};
	if (facts.isBlocked) return blocked(party, details);
	if (code === undefined) {
		const reason = error instanceof Error ? error.message : 'n8n did not send the request';
		return new ServiceFailure(reason, details);
	}
	return new ServiceFailure(connectionMessage(code, party.name, neverSent, permanent), {
		...details,
		description: `${connectionAdvice(code, facts, party, url)} (code ${code}).`,
	});
}

const blocked = ({ name, urlLabel }: Party, details: FailureDetails): ServiceFailure =>
	new ServiceFailure(`The request to ${name} was blocked by n8n's SSRF protection`, {
		...details,
		description: `Ask the administrator of n8n to allow the host of '${urlLabel}': its name in N8N_SSRF_ALLOWED_HOSTNAMES or its IP address in N8N_SSRF_ALLOWED_IP_RANGES.`,
	});

/** What to check after a connection that failed. */
function connectionAdvice(
	code: string,
	{ permanent, neverSent, peer }: TransportFacts,
	party: Party,
	url: string,
): string {
	const { name, urlLabel } = party;
	if (permanent && !neverSent)
		return `Check whether ${name} requires a client certificate: n8n sends none`;
	if (permanent) {
		return (
			CERTIFICATE_ADVICE[code]?.(party) ??
			`If you trust the host of '${urlLabel}', set NODE_EXTRA_CA_CERTS of n8n to a file with the certificate of its authority, and restart n8n`
		);
	}
	if (peer && neverSent && !isPortOf(url, peer.port)) {
		return `The connection was to be made to n8n's proxy at ${peer.host}:${peer.port}: check whether it is up, and HTTP_PROXY, HTTPS_PROXY and NO_PROXY of n8n`;
	}
	const check = `Check '${urlLabel}' in the credential and whether ${name} is up`;
	if (url.startsWith('http:') && code === 'ECONNRESET') {
		return `${check}. If it uses TLS, begin '${urlLabel}' with https://`;
	}
	if (url.startsWith('https:') && NO_TLS.includes(code)) {
		return `${check}. If it does not use TLS, begin '${urlLabel}' with http://`;
	}
	return check;
}

/** Whether a URL is one of this port; one that cannot be read says nothing. */
function isPortOf(url: string, port: number): boolean {
	const [, scheme, own] = /^(https?):\/\/[^/?#]*?(?::(\d+))?(?:[/?#]|$)/i.exec(url) ?? [];
	if (scheme === undefined) return true;
	return port === Number(own ?? (scheme.toLowerCase() === 'https' ? 443 : 80));
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
