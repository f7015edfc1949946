import { membersOf, type Members } from './json';

/** What the error of a request without a usable response proves. */
export interface TransportFacts {
	/** Code of Node.js or of n8n's HTTP client, e.g. `ECONNREFUSED`; undefined if n8n refused to send. */
	code: string | undefined;
	/** There is evidence that no byte of the request left. */
	neverSent: boolean;
	/** The next request would fail in the same way: only certificates are like that. */
	permanent: boolean;
	/** n8n's SSRF protection refused to send it. */
	isBlocked?: true;
	/** Where the connection was to go, e.g. `10.0.0.1:3128`, as far as the error says it. */
	peer?: { host: string; port: number };
}

/** n8n wraps the error of its HTTP client, which wraps that of Node.js: three levels in practice. */
const MAX_CAUSES = 10;

/** System calls that come before the first byte of a request. */
const CALLS_BEFORE_SENDING = ['connect', 'getaddrinfo'];

/** Codes of certificates that were refused, on either side. */
const CERTIFICATE_CODE =
	/CERT|CRL|^UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNKNOWN_CA$/;

/** An alert may arrive while the request is being written; its name is then in the message only. */
const CERTIFICATE_ALERT = /\balert (?:\w+ )?(?:certificate|unknown ca)\b/i;

/**
 * Reads the evidence in an error: whether the request can have reached the service, and whether
 * sending it again can help. Whatever is not proven counts as "may have arrived". How many bytes were
 * written proves nothing, since Node.js also counts what waits for the TLS handshake.
 *
 * @param error what n8n's HTTP helper threw before it returned a response, with its causes
 * @see docs/service-interface.md, Failures
 */
export function transportFacts(error: unknown): TransportFacts {
	const chain = causes(error);
	const code = codeOf(chain);
	if (code === undefined) {
		// n8n throws an error of its own if it refuses to send, such as for a blocked domain.
		const neverSent = chain.length > 0 && !chain.some(isFromResponse);
		const isBlocked = chain.some(({ name }) => text(name).startsWith('SsrfBlocked'));
		return { code, neverSent, permanent: false, ...(isBlocked && { isBlocked }) };
	}
	const peer = peerOf(chain.at(-1));
	return {
		code,
		...(peer && { peer }),
		neverSent: failedBeforeSending(chain.at(-1)) || chain.some(isInHandshake),
		permanent:
			CERTIFICATE_CODE.test(code) ||
			(code === 'EPROTO' && CERTIFICATE_ALERT.test(text(chain.at(-1)?.message))),
	};
}

/** Whether a transport code says that a certificate was refused. */
export const isCertificateCode = (code: string): boolean => CERTIFICATE_CODE.test(code);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An error and its causes, the innermost last; empty if they do not end. */
function causes(error: unknown): Members[] {
	const chain: Members[] = [];
	for (let each = membersOf(error); each !== undefined; each = membersOf(each.cause)) {
		if (chain.length === MAX_CAUSES) return chain.slice(0, -1).concat(UNKNOWN);
		chain.push(each);
	}
	return chain;
}

/** Stands for a cause that was not reached. */
const UNKNOWN: Members = { response: 'unknown' };

/** n8n keeps the code of an error without causes as `httpCode`, and a status under the same name. */
function codeOf(chain: Members[]): string | undefined {
	const codes = chain.map(({ code }) => code).filter((code) => typeof code === 'string');
	return codes[0] ?? chain.map(({ httpCode }) => text(httpCode)).find((each) => /\D/.test(each));
}

/** Whether an error speaks of a response, so that its request was sent. */
const isFromResponse = ({ response, request, httpCode }: Members): boolean =>
	Boolean(response) || Boolean(membersOf(request)?.res) || text(httpCode) !== '';

/** Of several IP addresses of a host the first one. */
function peerOf(innermost: Members | undefined): TransportFacts['peer'] {
	const errors: unknown[] = Array.isArray(innermost?.errors) ? innermost.errors : [];
	const { address, port } = membersOf(errors[0]) ?? innermost ?? {};
	return typeof port === 'number' ? { host: text(address), port } : undefined;
}

/** Whether an error comes from the DNS lookup or from connecting to all IP addresses of the host. */
function failedBeforeSending(innermost: Members | undefined): boolean {
	if (innermost === undefined) return false;
	const { syscall, errors, messages } = innermost;
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((each) => isCallBeforeSending(membersOf(each)?.syscall));
	}
	return (
		isCallBeforeSending(syscall) || (Array.isArray(messages) && messages.some(isFromConnecting))
	);
}

/** n8n 1.x keeps of an error only what Node.js said, such as `connect ECONNREFUSED 127.0.0.1:80`. */
const isFromConnecting = (message: unknown): boolean =>
	/^(?:connect|getaddrinfo) E[A-Z_]+\b/.test(text(message));

const isCallBeforeSending = (syscall: unknown): boolean =>
	CALLS_BEFORE_SENDING.includes(text(syscall));

/** Whether the TLS handshake had not ended: the request is sent after it. */
const isInHandshake = ({ request }: Members): boolean =>
	membersOf(membersOf(request)?.socket)?.secureConnecting === true;
