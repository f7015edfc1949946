import { isTransientStatus, MAX_RETRY_AFTER_MS, ServiceFailure } from './failure';
import { pushUrl } from './push/push-url';
import { parseBaseUrl } from './url';
import { capitalized } from './outcome-messages';
import { isHtml, serverMessage } from './response-words';

/** A service: its credential, its URL, and what to do after its statuses. */
export interface Service {
	/** e.g. `the push service`. */
	name: string;
	credentialType: string;
	/** Display name of the credential's field with its URL. */
	urlLabel: string;
	/**
	 * The URL that paths are added to, without a slash at the end.
	 *
	 * @param fields of the credential
	 * @throws InputError for an unusable URL
	 */
	baseUrl(fields: Readonly<Record<string, unknown>>): string;
	/** Requests are signed with an access token of this scope. */
	scope?: string;
	/**
	 * What differs between services: `content` for statuses such as 400 that are about what was sent,
	 * `unavailable` for transient statuses, 413 for a request that cannot be split any further.
	 */
	advice: Advice;
	/** What its requests are about, in advice. */
	entry?: 'document' | 'text';
	/** The vendor operates it, so the vendor's status page tells whether it is down. */
	isHosted?: boolean;
	/** What differs in the test of its credential. */
	adviceInTest?: Advice;
}

/** A response of any status, its body read. */
export interface ReadResponse {
	status: number;
	/** Parsed JSON, or the text if it is not JSON. */
	body: unknown;
	/** How long the service asks to wait before the next request. */
	retryAfterMs?: number | undefined;
}

/** Advice by status. */
export type Advice = Partial<Record<401 | 403 | 404 | 413 | 'content' | 'unavailable', string>>;

/** Advice for status 407, which only a proxy sends. */
export const PROXY_LOGIN =
	"n8n's proxy asks for a password: add user and password to the URLs in HTTP_PROXY and HTTPS_PROXY of n8n";

/** Where the vendor reports incidents. */
const STATUS_PAGE = 'status.lucidworks.com';

/** The end of advice that an incident of the vendor makes wrong. */
export const IF_IT_WORKED = `If it worked before, see ${STATUS_PAGE}`;

const UNAVAILABLE = 'The service is busy or down: try again later';

/** The gateway answers so if its own rules deny access. In an incident, it did so to all requests. */
const GATEWAY_REJECTION = 'RBAC: access denied';

/** The AI service. A token was issued, so the client is right. */
export const AI_SERVICE: Service = {
	name: 'the AI service',
	credentialType: 'lucidworksAiOAuth2Api',
	urlLabel: 'AI Service URL',
	entry: 'text',
	isHosted: true,
	baseUrl: ({ aiUrl }) => parseBaseUrl(aiUrl, 'AI Service URL'),
	advice: {
		401: "The AI service rejected the access token: check 'AI Service URL' in the credential and 'Scope'",
		403: "The scope of the access token may not allow this: choose another 'Scope' in the node, which does not use that of the credential",
		404: "Check 'Model ID' and 'Chunker' in the node, and 'AI Service URL' in the credential",
		413: 'Requests with several texts were split already: split the text before this node',
		content:
			"Check what the service says, and then 'Model ID', 'Chunker' and its settings, the options of the model, and 'Additional Body Fields'",
	},
	adviceInTest: { 403: "The scope of the access token may not allow this: check 'Scope'" },
};

/** The push service. */
export const PUSH_SERVICE: Service = {
	name: 'the push service',
	credentialType: 'lucidworksPushApi',
	urlLabel: 'Push Service URL',
	entry: 'document',
	isHosted: true,
	baseUrl: pushUrl,
	advice: {
		401: "Check 'API Key' in the credential",
		403: "If other documents are accepted, a firewall may refuse this one: check its content. Otherwise the key may not be for this data source: check 'Endpoint Identifier' and 'API Key' in the credential",
		404: "Check 'Push Service URL' and 'Endpoint Identifier' in the credential, or paste the complete push URL as 'Push Service URL'",
		413: "Requests with several documents were split already: shorten the document, omit fields with 'Exclude Fields', or chunk it first",
		content: 'Check what the service says, and then the document and its ID',
	},
	adviceInTest: {
		403: "The key may not be for this data source: check 'Endpoint Identifier' and 'API Key' in the credential",
		content:
			"The service rejected the test's empty push. The URL and the key may still be correct: push a document to find out",
	},
};

/** The blob service. */
export const BLOB_SERVICE: Service = {
	name: 'the blob service',
	credentialType: 'lucidworksBlobApi',
	urlLabel: 'Blob Service URL',
	baseUrl: ({ baseUrl }) => parseBaseUrl(baseUrl, 'Blob Service URL'),
	advice: {
		401: "Check 'Authentication', 'User' and 'Password' in the credential",
		403: "Enter a 'User' in the credential who is allowed to convert blobs",
		// The migration may be running.
		unavailable: 'The service is busy or down: check its log and the manifests',
	},
	adviceInTest: { 403: "Enter a 'User' who is allowed to list blobs", unavailable: UNAVAILABLE },
};

/**
 * Returns what to do after a status other than 2xx (docs/service-interface.md, Failures), without a full stop.
 *
 * @param isTest in the test of the credential
 */
export function statusAdvice(
	{ status, body }: ReadResponse,
	service: Service,
	isTest = false,
): string {
	const isGatewayRejection = status === 403 && serverMessage(body).includes(GATEWAY_REJECTION);
	const advice =
		isGatewayRejection && service.isHosted
			? 'A gateway in front of the service denied access. In an earlier outage, it did so to every request: try again later'
			: adviceFor(status, service, isTest);
	const mayBeIncident = status === 401 || status === 403 || status >= 500;
	return mayBeIncident && service.isHosted ? `${advice}. ${IF_IT_WORKED}` : advice;
}

function adviceFor(
	status: number,
	{ urlLabel, advice, adviceInTest }: Service,
	isTest: boolean,
): string {
	const serviceAdvice = isTest ? { ...advice, ...adviceInTest } : advice;
	const checkUrl = `Check '${urlLabel}' in the credential`;
	if (status >= 300 && status < 400) {
		return `The URL has moved. To protect the credential, redirects are not followed: enter the final URL as '${urlLabel}'`;
	}
	if (status === 407) return PROXY_LOGIN;
	if (status === 413) {
		return ['The service accepts no request of this size', serviceAdvice[413]]
			.filter(Boolean)
			.join('. ');
	}
	if (status === 429) {
		return "The service receives too many requests: lower 'Concurrency' in the nodes that use it, or try again later";
	}
	if (isTransientStatus(status)) return serviceAdvice.unavailable ?? UNAVAILABLE;
	if (status >= 500) {
		return `${checkUrl}: the server does not support this request, so it may not be the service`;
	}
	if (status === 401 || status === 403 || status === 404)
		return serviceAdvice[status] ?? checkUrl;
	const isContent = !isTest || status === 400 || status === 422;
	return (isContent ? serviceAdvice.content : undefined) ?? checkUrl;
}

/**
 * Returns what to do about a document or text that fails with a transient status while requests without it succeed,
 * without a full stop.
 */
export function adviceForIsolated({ entry = 'document' }: Service): string {
	return `Requests without this ${entry} succeed, so the service is up and probably fails because of it: check the ${entry} for anything unusual, change it, or leave it out`;
}

/**
 * The failure of a request that a service answered with a status other than 2xx. If it asks for a longer wait
 * than a run makes, the message says so.
 *
 * @param response its body without secrets
 */
export function statusFailure(service: Service, response: ReadResponse): ServiceFailure {
	const { status, body, retryAfterMs } = response;
	const isLong = retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS;
	const wait = isLong ? ` and asks to wait ${durationOf(retryAfterMs)}` : '';
	return new ServiceFailure(
		`${capitalized(service.name)} answered with status ${status}${wait}`,
		{
			kind: 'status',
			status,
			serviceWords: serverMessage(body),
			isText: typeof body === 'string' && body.trim() !== '',
			description: `${statusAdvice(response, service)}.`,
			...(isTransientStatus(status) && {
				descriptionIfIsolated: `${adviceForIsolated(service)}.`,
			}),
			retryAfterMs,
		},
	);
}

function durationOf(ms: number): string {
	const minutes = Math.ceil(ms / 60_000);
	return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/**
 * A 2xx response that is an HTML page: it comes from something other than the service, such as a proxy
 * or a login page, so nobody knows what became of the request (docs/service-interface.md, Failures).
 *
 * @returns undefined for any other body
 */
export function pageFailure(
	body: unknown,
	{ name, urlLabel }: Service,
): ServiceFailure | undefined {
	if (typeof body !== 'string' || !isHtml(body)) return undefined;
	return new ServiceFailure(`${capitalized(name)} answered with an HTML page`, {
		kind: 'response',
		description: `Check '${urlLabel}' in the credential: a proxy or a login page may have answered instead of the service.`,
	});
}
