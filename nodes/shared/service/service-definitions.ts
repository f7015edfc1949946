import { isTransientStatus, MAX_RETRY_AFTER_MS, ServiceFailure } from './failure';
import { pushUrl } from './push/push-url';
import { parseBaseUrl } from './url';
import { capitalize } from './strings';
import { serverMessage } from './response-words';

export interface Service {
	/** Name that is used in messages, e.g. `the push service`. */
	name: string;
	credentialType: string;
	urlLabel: string;
	/**
	 * Returns a URL without a trailing slash. Paths are appended to this URL.
	 *
	 * @param fields the credential's fields
	 * @throws InputError if the URL cannot be used
	 */
	baseUrl(fields: Readonly<Record<string, unknown>>): string;
	scope?: string;
	/**
	 * Advice that depends on the service. `content` is for statuses such as 400, which indicate a problem with
	 * the content of the request. `unavailable` is for transient statuses. `413` is for a request that cannot
	 * be split any further.
	 */
	advice: Advice;
	entry?: 'document' | 'text';
	/**
	 * Whether the vendor operates the service. If so, outages of the service appear on the vendor's status
	 * page.
	 */
	isHosted?: boolean;
	adviceInTest?: Advice;
}

export interface ReadResponse {
	status: number;
	/** The parsed body if the body is JSON, otherwise the text of the body. */
	body: unknown;
	/** Whether the body is an HTML page. */
	isPage?: boolean;
	retryAfterMs?: number | undefined;
}

export type Advice = Partial<Record<401 | 403 | 404 | 413 | 'content' | 'unavailable', string>>;

/** Advice for status 407, which only a proxy sends. */
export const PROXY_LOGIN =
	"n8n's proxy requires a login. Add user and password to the URLs in n8n's environment variables HTTP_PROXY and HTTPS_PROXY";

const STATUS_PAGE = 'status.lucidworks.com';

/** Added to advice that says to check the credential, because the real cause may be an outage at the vendor. */
export const IF_IT_WORKED = `If it worked before, see ${STATUS_PAGE}`;

const UNAVAILABLE = 'The service is busy or down: try again later';

/**
 * The gateway sends this response if its own rules reject a request. During one outage, it sent this response
 * to every request.
 */
const GATEWAY_REJECTION = 'RBAC: access denied';

/** The advice does not mention the OAuth client, because the token server has already accepted it. */
export const AI_SERVICE: Service = {
	name: 'the AI service',
	credentialType: 'lucidworksAiOAuth2Api',
	urlLabel: 'AI Service URL',
	entry: 'text',
	isHosted: true,
	baseUrl: ({ aiUrl }) => parseBaseUrl(aiUrl, 'AI Service URL'),
	advice: {
		401: "The AI service rejected the access token: check 'AI Service URL' in the credential and 'Scope'",
		403: "The scope of the access token may not allow this: choose another 'Scope' in the node. The node does not use the scope of the credential",
		404: "Check 'Model ID' and 'Chunker' in the node, and 'AI Service URL' in the credential",
		413: 'Requests with several texts were already split, so split the text before this node',
		content:
			"Check what the service says, and then 'Model ID', 'Chunker' and its settings, the options of the model, and 'Additional Body Fields'",
	},
	adviceInTest: { 403: "The scope of the access token may not allow this: check 'Scope'" },
};

export const PUSH_SERVICE: Service = {
	name: 'the push service',
	credentialType: 'lucidworksPushApi',
	urlLabel: 'Push Service URL',
	entry: 'document',
	isHosted: true,
	baseUrl: pushUrl,
	advice: {
		401: "Check 'API Key' in the credential",
		403: "If other documents are accepted, a firewall may reject this one, so check its content. Otherwise the key may not be for this data source: check 'Endpoint Identifier' and 'API Key' in the credential",
		404: "Check 'Push Service URL' and 'Endpoint Identifier' in the credential, or paste the complete push URL as 'Push Service URL'",
		413: "Requests with several documents were already split. Shorten the document, omit fields with 'Exclude Fields', or chunk the document first",
		content: 'Check what the service says, and then the document and its ID',
	},
	adviceInTest: {
		403: "The key may not be for this data source: check 'Endpoint Identifier' and 'API Key' in the credential",
		content:
			"The service rejected the test's empty push. The URL and the key may still be correct: push a document to find out",
	},
};

export const BLOB_SERVICE: Service = {
	name: 'the blob service',
	credentialType: 'lucidworksBlobApi',
	urlLabel: 'Blob Service URL',
	baseUrl: ({ baseUrl }) => parseBaseUrl(baseUrl, 'Blob Service URL'),
	advice: {
		401: "Check 'Authentication', 'User' and 'Password' in the credential",
		403: "Enter a 'User' in the credential who is allowed to convert blobs",
		// The migration may still be running, so the user should not simply try again.
		unavailable: 'The service is busy or down: check its log and the manifests',
	},
	adviceInTest: { 403: "Enter a 'User' who is allowed to list blobs", unavailable: UNAVAILABLE },
};

/**
 * Returns advice for a status other than 2xx (docs/service-interface.md, Failures). The advice does not end with a
 * period.
 *
 * @param isTest whether the credential is being tested
 */
export function statusAdvice(
	{ status, body }: ReadResponse,
	service: Service,
	isTest = false,
): string {
	const isGatewayRejection = status === 403 && serverMessage(body).includes(GATEWAY_REJECTION);
	const advice =
		isGatewayRejection && service.isHosted
			? 'A gateway in front of the service rejected the request. In an earlier outage, it rejected every request. Try again later'
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
	if (status >= 300 && status < 400 && status !== 304) {
		return `The URL has moved. To protect the credential, redirects are not followed. Enter the final URL as '${urlLabel}'`;
	}
	if (status === 407) return PROXY_LOGIN;
	if (status === 413) {
		return ['The request is too large for the service', serviceAdvice[413]]
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
 * Returns advice about a document or text that fails with a transient status, a lost connection or a timeout while
 * other requests succeed. The advice does not end with a period.
 */
export function adviceForIsolated({ entry = 'document' }: Pick<Service, 'entry'>): string {
	return `Requests without this ${entry} succeed, so the service is up and probably fails because of it: check the ${entry} for anything unusual, change it, or leave it out`;
}

/**
 * Returns the failure for a response with a status other than 2xx. If the service asks for a longer wait
 * than the node allows, the message says so.
 *
 * @param response a response without secrets
 */
export function statusFailure(service: Service, response: ReadResponse): ServiceFailure {
	const { status, body, retryAfterMs } = response;
	const isLong = retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS;
	const wait = isLong ? ` and asks to wait ${durationOf(retryAfterMs)}` : '';
	return new ServiceFailure(`${capitalize(service.name)} answered with status ${status}${wait}`, {
		kind: 'status',
		status,
		serviceWords: serverMessage(body),
		isText: typeof body === 'string' && body.trim() !== '',
		description: `${statusAdvice(response, service)}.`,
		...(isTransientStatus(status) && {
			descriptionIfIsolated: `${adviceForIsolated(service)}.`,
		}),
		retryAfterMs,
	});
}

function durationOf(ms: number): string {
	const minutes = Math.ceil(ms / 60_000);
	return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/**
 * Returns the failure for a 2xx response that is an HTML page (docs/service-interface.md, Failures). An
 * HTML page comes from something other than the service, for example a proxy. Therefore, the outcome of the
 * request is unknown.
 *
 * @returns undefined for any other response
 */
export function pageFailure(
	response: ReadResponse,
	{ name, urlLabel }: Service,
): ServiceFailure | undefined {
	if (!response.isPage) return undefined;
	return new ServiceFailure(`${capitalize(name)} answered with an HTML page`, {
		kind: 'response',
		description: `Check '${urlLabel}' in the credential: a proxy or a login page may have answered instead of the service.`,
	});
}
