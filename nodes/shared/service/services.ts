import { isTransientStatus } from './failure';
import { parsePushEndpoint } from './push/push-endpoint';
import { parseBaseUrl } from './url';

/** What advice depends on beside the status. */
interface AdviceContext {
	/** In the credential's test, whose fields need not be named as the credential's. */
	isTest: boolean;
	/** Scope of the token, if the service takes tokens. */
	scope?: string | undefined;
}

type Advice = string | ((context: AdviceContext) => string);

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
	advice: Partial<Record<401 | 403 | 404 | 413 | 'content' | 'unavailable', Advice>>;
}

/** What to do about status 407, which no service answers. */
export const PROXY_LOGIN =
	"n8n's proxy asks for a password: add user and password to the URLs in HTTP_PROXY and HTTPS_PROXY of n8n";

const UNAVAILABLE = 'The service is busy or down: try again later';

const where = ({ isTest }: AdviceContext): string => (isTest ? '' : ' in the credential');

/** The AI service. Its token was just issued, so that it is not the client that is wrong. */
export const AI_SERVICE: Service = {
	name: 'the AI service',
	credentialType: 'aiServiceOAuth2Api',
	urlLabel: 'AI Service URL',
	baseUrl: ({ aiUrl }) => parseBaseUrl(aiUrl, 'AI Service URL'),
	advice: {
		401: (context) =>
			`It refused the access token: check 'AI Service URL'${where(context)} and 'Scope'`,
		403: ({ isTest, scope }) =>
			isTest
				? "The access token does not allow this: check 'Scope'"
				: `The scope ${scope} does not allow this: choose another 'Scope' in the node, which may differ from that of the credential`,
		404: "Check 'AI Service URL' in the credential, and in the node the chunking ID, 'Chunker' and 'Model ID'",
		413: 'Requests with several texts were split already: split the text before this node',
		content:
			"Check what the service says, and then 'Model ID', 'Chunker' and its settings, and the options of the model and 'Additional Body Fields'",
	},
};

/** The push service. Its URL ends before `/api/v1/push`. */
export const PUSH_SERVICE: Service = {
	name: 'the push service',
	credentialType: 'pushEndpointApi',
	urlLabel: 'Push Service URL',
	baseUrl: (fields) => parsePushEndpoint(fields).baseUrl,
	advice: {
		401: (context) => `Check 'API Key'${where(context)}`,
		403: (context) =>
			`The key is not for this data source: check 'Endpoint Identifier' and 'API Key'${where(context)}`,
		404: (context) => `Check 'Push Service URL' and 'Endpoint Identifier'${where(context)}`,
		413: "Requests with several documents were split already: shorten the document, omit fields with 'Exclude Fields', or chunk it first",
		content: ({ isTest }) =>
			isTest
				? 'It rejects the empty list that this test pushes. The URL and the key may still be right: push a document to find out'
				: 'Check what the service says, and then the ID and the fields of the document',
	},
};

/** The blob service. */
export const BLOB_SERVICE: Service = {
	name: 'the blob service',
	credentialType: 'blobServiceApi',
	urlLabel: 'Blob Service URL',
	baseUrl: ({ baseUrl }) => parseBaseUrl(baseUrl, 'Blob Service URL'),
	advice: {
		401: (context) => `Check 'Authentication', 'User' and 'Password'${where(context)}`,
		403: ({ isTest }) => `The user is not allowed to ${isTest ? 'list' : 'convert'} the blobs`,
		// The migration may be running.
		unavailable: ({ isTest }) =>
			isTest ? UNAVAILABLE : 'The service is busy or down: check its log and the manifests',
	},
};

/**
 * What to do after a status other than 2xx (docs/service-interface.md, Failures), without a full stop.
 *
 * @param status HTTP status
 */
export function statusAdvice(
	status: number,
	{ urlLabel, advice }: Service,
	context: AdviceContext,
): string {
	const own = (key: keyof Service['advice']) => {
		const found = advice[key];
		return typeof found === 'function' ? found(context) : found;
	};
	const checkUrl = `Check '${urlLabel}'${where(context)}`;
	if (status >= 300 && status < 400) {
		return `The URL has moved. To protect the credential, redirects are not followed: enter the final URL as '${urlLabel}'${where(context)}`;
	}
	if (status === 407) return PROXY_LOGIN;
	if (status === 413) {
		return ['The service accepts no request of this size', own(413)].filter(Boolean).join('. ');
	}
	if (status === 429 && !context.isTest) {
		return "The service receives too many requests: lower 'Concurrency' here and in other workflows, or try again later";
	}
	if (status >= 500 && !isTransientStatus(status)) {
		return context.isTest
			? checkUrl
			: `${checkUrl}: the server does not support this request, so it may not be the service`;
	}
	if (isTransientStatus(status)) {
		return own('unavailable') ?? UNAVAILABLE;
	}
	if (status === 401 || status === 403 || status === 404) return own(status) ?? checkUrl;
	const isContent = !context.isTest || status === 400 || status === 422;
	return (isContent ? own('content') : undefined) ?? checkUrl;
}
