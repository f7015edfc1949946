import { ServiceFailure } from '../service/failure';
import { membersOf, type Members } from '../service/json';
import { capitalized } from '../service/outcome-messages';

/** The other end of a connection, in messages. */
export interface Endpoint {
	/** e.g. `the push service`. */
	name: string;
	/** Display name of the field with its URL. */
	urlLabel: string;
	/** The kind of its failures: `token` for the token server; `transport` unless given. */
	kind?: 'token' | 'transport';
	/** No request to it gets more time than that, whatever the node's 'Request Timeout (Seconds)'. */
	maxTimeoutMs?: number;
}

/** Why a connection was not made. */
const NOT_CONNECTED: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'its host name is unknown',
	EAI_AGAIN: 'its host name could not be resolved',
	ETIMEDOUT: 'the connection timed out',
	EPROTO: 'it may not use TLS',
};

const CHECK_PROXY = 'If n8n uses a proxy, also check its HTTP_PROXY, HTTPS_PROXY and NO_PROXY';

/** Codes of certificates that were refused, on either side. */
const CERTIFICATE_CODE =
	/CERT|CRL|^UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNKNOWN_CA$/;

/**
 * A request without a complete response, as a failure that says what is known and nothing else. The
 * original error holds the request with its credentials, so it is not passed on.
 *
 * @param error what n8n's HTTP helper threw, or what broke the body
 * @param endpoint the server that was called
 */
export function transportFailure(error: unknown, endpoint: Endpoint): ServiceFailure {
	const chain = causes(error);
	const code = codeOf(chain);
	if (code === undefined) return failureOfN8n(error, chain, endpoint);
	const wasNeverSent = isFromConnecting(chain.at(-1)) || chain.some(isInHandshake);
	const isCertificate = CERTIFICATE_CODE.test(code);
	const [message, advice] = isCertificate
		? aboutCertificate(endpoint, wasNeverSent)
		: aboutConnection(code, endpoint, wasNeverSent);
	return new ServiceFailure(message, {
		kind: endpoint.kind ?? 'transport',
		code,
		// The next request would meet the same certificate.
		isTransient: !isCertificate,
		wasNeverSent,
		description: `${advice} (code ${code}).`,
	});
}

/** A request that was not answered in time: it may have arrived. */
export function timeoutFailure(
	{ name, urlLabel, kind = 'transport', maxTimeoutMs = Infinity }: Endpoint,
	ms: number,
): ServiceFailure {
	const seconds = Math.ceil(ms / 100) / 10;
	const moreTime =
		ms < maxTimeoutMs
			? "If it needs more time, increase 'Request Timeout (Seconds)'."
			: 'No setting changes this time limit.';
	return new ServiceFailure(`${capitalized(name)} did not answer within ${seconds} s`, {
		kind,
		code: 'ETIMEDOUT',
		isTransient: true,
		description: `Check '${urlLabel}' in the credential and whether ${name} is up. ${moreTime}`,
	});
}

/** n8n throws an error without a code if it refuses to send, such as for a domain that is not allowed. */
function failureOfN8n(
	error: unknown,
	chain: Members[],
	{ name, urlLabel, kind = 'transport' }: Endpoint,
): ServiceFailure {
	const wasNeverSent = chain.length > 0 && !chain.some(isFromResponse);
	const details = { kind, isTransient: false, wasNeverSent };
	if (chain.some((each) => text(each.name).startsWith('SsrfBlocked')))
		return new ServiceFailure(`The request to ${name} was blocked by n8n's SSRF protection`, {
			...details,
			description: `Ask the administrator of n8n to allow the host of '${urlLabel}': its name in N8N_SSRF_ALLOWED_HOSTNAMES or its IP address in N8N_SSRF_ALLOWED_IP_RANGES.`,
		});
	const reason = error instanceof Error ? error.message : 'n8n did not send the request';
	if (!wasNeverSent) return new ServiceFailure(reason, details);
	return new ServiceFailure(
		kind === 'token' ? `The token request was not sent: ${reason}` : reason,
		{
			...details,
			description: /domain/i.test(reason)
				? `If the credential restricts 'Allowed HTTP Request Domains', add the host of '${urlLabel}'.`
				: `Check '${urlLabel}' in the credential. ${CHECK_PROXY}.`,
		},
	);
}

const aboutCertificate = ({ name, urlLabel }: Endpoint, wasNeverSent: boolean): [string, string] =>
	wasNeverSent
		? [
				`${capitalized(name)} could not be reached: its certificate is not trusted`,
				`If you trust the host of '${urlLabel}', set NODE_EXTRA_CA_CERTS of n8n to a file with the certificate of its authority; if it has expired or is for another host, ask the operator of ${name}`,
			]
		: [
				`The secure connection to ${name} failed: a certificate was refused`,
				`Check whether ${name} requires a client certificate: n8n sends none`,
			];

function aboutConnection(
	code: string,
	{ name, urlLabel }: Endpoint,
	wasNeverSent: boolean,
): [string, string] {
	const check = `Check '${urlLabel}' in the credential and whether ${name} is up`;
	if (wasNeverSent) {
		const why = NOT_CONNECTED[code] ?? 'no connection could be made';
		return [`${capitalized(name)} could not be reached: ${why}`, `${check}. ${CHECK_PROXY}`];
	}
	return code === 'ETIMEDOUT'
		? [`${capitalized(name)} did not answer in time`, check]
		: [`The connection to ${name} closed before the response was complete`, check];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** n8n wraps the error of its HTTP client, which wraps that of Node.js. The innermost is the last. */
function causes(error: unknown): Members[] {
	const chain: Members[] = [];
	for (let each = membersOf(error); each && !chain.includes(each); each = membersOf(each.cause))
		chain.push(each);
	return chain;
}

/** n8n keeps the code of an error without causes as `httpCode`, and a status under the same name. */
function codeOf(chain: Members[]): string | undefined {
	const codes = chain.map(({ code }) => code).filter((code) => typeof code === 'string');
	return codes[0] ?? chain.map(({ httpCode }) => text(httpCode)).find((each) => /\D/.test(each));
}

/** Whether an error speaks of a response, so that its request was sent. */
const isFromResponse = ({ response, request, httpCode }: Members): boolean =>
	Boolean(response) || Boolean(membersOf(request)?.res) || text(httpCode) !== '';

/**
 * Whether an error comes from the DNS lookup or from connecting, to all IP addresses of the host: no byte
 * of the request has left. Only that and the handshake prove it: Node.js counts bytes as written that wait.
 */
function isFromConnecting(innermost: Members = {}): boolean {
	const { errors } = innermost;
	const all: unknown[] = Array.isArray(errors) && errors.length > 0 ? errors : [innermost];
	return all.every((each) => ['connect', 'getaddrinfo'].includes(text(membersOf(each)?.syscall)));
}

/** Whether the TLS handshake had not ended: the request is sent after it. */
const isInHandshake = ({ request }: Members): boolean =>
	membersOf(membersOf(request)?.socket)?.secureConnecting === true;
