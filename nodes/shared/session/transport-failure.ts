import { ServiceFailure } from '../service/failure';
import { membersOf, type Members } from '../service/json';
import { adviceForIsolated } from '../service/service-definitions';
import { capitalize } from '../service/strings';

export interface Endpoint {
	name: string;
	urlLabel: string;
	/** Kind of failure to report if a request to this server fails. The default is `transport`. */
	kind?: 'token' | 'transport';
	/** Time limit for requests to this server. It applies even if 'Request Timeout (Seconds)' in the node is longer. */
	maxTimeoutMs?: number;
	entry?: 'document' | 'text';
}

const NOT_CONNECTED: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'its host name is unknown',
	EAI_AGAIN: 'its host name could not be resolved',
	ETIMEDOUT: 'the connection timed out',
	EPROTO: 'it may not use TLS',
	ERR_SSL_WRONG_VERSION_NUMBER: 'it may not use TLS',
	ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it may not use TLS',
};

const CHECK_PROXY = 'If n8n uses a proxy, also check its HTTP_PROXY, HTTPS_PROXY and NO_PROXY';

/** Codes of Node.js's HTTP parser. */
const PARSER_CODE = /^HPE_/;
/** Codes of Node.js's decompression, and of a body that is compressed in a way that n8n does not support. */
const DECODER_CODE = /^(?:Z_|ZSTD_|ERR_BROTLI_|ERR__ERROR_|ERR_ENCODING_)/;

const CERTIFICATE_CODE =
	/CERT|CRL|^UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNKNOWN_CA$/;

/**
 * Returns the failure for a request without a complete response. The original error is left out, because it contains
 * the request and its secrets.
 *
 * @param error the error from n8n's HTTP helper, or the error that interrupted the body
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
		// The certificate stays the same, so the next request would fail too.
		isTransient: !isCertificate,
		wasNeverSent,
		description: `${advice} (code ${code}).`,
		...(!wasNeverSent && !isCertificate && isolatedAdvice(endpoint, code)),
	});
}

/**
 * Returns the advice for an entry whose requests alone get no complete response. For example, some gateways reset the
 * connection if a request is too large or if its content is suspicious.
 */
const isolatedAdvice = ({ entry, kind }: Endpoint, code: string) =>
	entry !== undefined &&
	kind !== 'token' && {
		descriptionIfIsolated: `${adviceForIsolated({ entry })} (code ${code}).`,
	};

/** Returns the failure for a request that was not answered in time. The request may still have reached the server. */
export function timeoutFailure(endpoint: Endpoint, ms: number): ServiceFailure {
	const { name, urlLabel, kind = 'transport', maxTimeoutMs = Infinity } = endpoint;
	const seconds = Math.ceil(ms / 100) / 10;
	const moreTime =
		ms < maxTimeoutMs
			? "If it needs more time, increase 'Request Timeout (Seconds)'."
			: 'No setting changes this time limit.';
	return new ServiceFailure(`${capitalize(name)} did not answer within ${seconds} s`, {
		kind,
		code: 'ETIMEDOUT',
		isTransient: true,
		description: `Check '${urlLabel}' in the credential and whether ${name} is up. ${moreTime}`,
		...(endpoint.entry !== undefined && {
			descriptionIfIsolated: `${adviceForIsolated(endpoint)}. ${moreTime}`,
		}),
	});
}

/**
 * Returns the failure for an error without a code. n8n throws such errors if it does not send a request, for example
 * because the domain is not allowed.
 */
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
				`${capitalize(name)} could not be reached: its certificate is not trusted`,
				`If you trust the host of '${urlLabel}', set n8n's environment variable NODE_EXTRA_CA_CERTS to a file with the certificate of its authority. If the certificate has expired or is for another host, ask the operator of ${name}`,
			]
		: [
				`The secure connection to ${name} failed: a certificate was rejected`,
				`Check whether ${name} requires a client certificate, because n8n does not send one`,
			];

function aboutConnection(
	code: string,
	{ name, urlLabel }: Endpoint,
	wasNeverSent: boolean,
): [string, string] {
	const check = `Check '${urlLabel}' in the credential and whether ${name} is up`;
	if (wasNeverSent) {
		const why = NOT_CONNECTED[code] ?? 'no connection could be made';
		return [`${capitalize(name)} could not be reached: ${why}`, `${check}. ${CHECK_PROXY}`];
	}
	if (code === 'ETIMEDOUT') return [`${capitalize(name)} did not answer in time`, check];
	const unreadable = `The response of ${name} cannot be read`;
	if (code === 'HPE_HEADER_OVERFLOW')
		return [
			`${unreadable}: its headers are too long`,
			`Ask the operator of ${name} for shorter headers. Node.js reads up to 16 KB, unless n8n's environment variable NODE_OPTIONS sets --max-http-header-size`,
		];
	if (PARSER_CODE.test(code))
		return [
			`${unreadable}: it is not valid HTTP`,
			`Check '${urlLabel}' in the credential, and also its port and whether it must begin with https://`,
		];
	if (DECODER_CODE.test(code))
		return [
			`${unreadable}: it is not compressed as its Content-Encoding header says`,
			`Report this to the operator of ${name}, or of a proxy before it`,
		];
	return [`The connection to ${name} closed before the response was complete`, check];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns an error and its causes, with the innermost cause last. n8n's HTTP client wraps the error from Node.js. n8n
 * wraps the client's error.
 */
function causes(error: unknown): Members[] {
	const chain: Members[] = [];
	for (let each = membersOf(error); each && !chain.includes(each); each = membersOf(each.cause))
		chain.push(each);
	return chain;
}

/** If the error has no cause, n8n stores the code in the `httpCode` field. This field may also contain a status. */
function codeOf(chain: Members[]): string | undefined {
	const codes = chain.map(({ code }) => code).filter((code) => typeof code === 'string');
	return codes[0] ?? chain.map(({ httpCode }) => text(httpCode)).find((each) => /\D/.test(each));
}

/** Returns true if an error contains a response, which means that the request was sent. */
const isFromResponse = ({ response, request, httpCode }: Members): boolean =>
	Boolean(response) || Boolean(membersOf(request)?.res) || text(httpCode) !== '';

/**
 * Returns true if the DNS lookup failed, or if the connections to all of the host's IP addresses failed. In both cases,
 * no byte of the request was sent. Only these failures and a failed TLS handshake prove that nothing was sent.
 * Node.js's count of written bytes proves nothing, because it includes bytes that are still waiting to be sent.
 */
function isFromConnecting(innermost: Members = {}): boolean {
	const { errors } = innermost;
	const all: unknown[] = Array.isArray(errors) && errors.length > 0 ? errors : [innermost];
	return all.every((each) => ['connect', 'getaddrinfo'].includes(text(membersOf(each)?.syscall)));
}

/**
 * Returns true if the failure occurred before the TLS handshake finished. A request is sent only after the handshake.
 */
const isInHandshake = ({ request }: Members): boolean =>
	membersOf(membersOf(request)?.socket)?.secureConnecting === true;
