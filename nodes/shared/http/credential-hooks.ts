import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { pageFailure, statusAdvice, type Service } from '../service/service-definitions';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { capitalized } from '../service/outcome-messages';
import { send } from './exchange';
import { serverMessage } from '../service/response-words';

type Data = ICredentialDataDecryptedObject;

/** What differs between the credentials of the services. */
interface CredentialTraits {
	service: Service;
	/** The credential's field with the URL of the service. */
	urlField: string;
	/** Headers or login of each request. */
	sign(data: Data): Pick<IHttpRequestOptions, 'headers' | 'auth'>;
	/**
	 * The request that proves a credential without changing anything, unsigned.
	 *
	 * @throws InputError naming the field that cannot be used
	 */
	probe(data: Data): IHttpRequestOptions;
	/**
	 * What to check after a response to it; undefined if it counts as success. By default only a status 2xx without
	 * an HTML page is a success, and the advice is that of the service.
	 */
	advice?(status: number, body: unknown, data: Data): string | undefined;
	/** Adds to the data what requests are signed with; returns what n8n is to store of it, if anything. */
	obtain?(helper: IHttpRequestHelper, data: Data, isTested: boolean): Promise<Data | undefined>;
}

/** Tells the test's request from all others; it is never sent. */
const TEST_HEADER = 'X-Credential-Test';

const PROBE_TIMEOUT_MS = 15_000;

/** How far the test of credential data has come; undefined if they are not tested. */
const TEST_PROGRESS = Symbol.for('n8n-nodes-search-ingest.credentialTest');
type TestedData = Data & { [TEST_PROGRESS]?: 'begun' | 'passed' };

/** A hidden field that only makes n8n call `preAuthentication` of a credential without tokens. */
export const TEST_STATE_FIELD = {
	displayName: 'Test State',
	name: 'testState',
	type: 'hidden',
	typeOptions: { expirable: true },
	// Blank would have n8n call it before each request.
	default: 'unused',
} as const;

/**
 * What n8n calls of a credential: to sign requests, and to test it.
 *
 * n8n shows a bare `ECONNREFUSED` or `Bad Request` if the request of a test fails, whatever the credential
 * says. So its first attempt is answered with a 401 in `authenticate`, upon which n8n calls
 * `preAuthentication`: that sends the request itself and throws our own message. Only then does n8n send it,
 * with every status accepted.
 */
export function credentialHooks(credential: CredentialTraits) {
	const { sign, obtain } = credential;
	const signRequest = (data: Data, options: IHttpRequestOptions): IHttpRequestOptions => {
		const signature = sign(data);
		const headers = { ...options.headers, ...signature.headers };
		return { ...options, ...signature, headers };
	};
	const probe = (data: Data) => signRequest(data, credential.probe(data));

	return {
		async preAuthentication(this: IHttpRequestHelper, data: TestedData): Promise<Data> {
			const isTested = data[TEST_PROGRESS] !== undefined;
			// Checks the URL before a token is requested.
			if (isTested) credential.probe(data);
			const toStore = (await obtain?.(this, data, isTested)) ?? {};
			if (isTested) {
				await test(this, data, probe(data), credential);
				data[TEST_PROGRESS] = 'passed';
			}
			return toStore;
		},

		authenticate: async (
			data: TestedData,
			options: IHttpRequestOptions,
		): Promise<IHttpRequestOptions> => {
			if (options.headers?.[TEST_HEADER] === undefined) return signRequest(data, options);
			if (data[TEST_PROGRESS] === 'passed') {
				const all = { ignoreHttpStatusErrors: true, disableFollowRedirect: true };
				return { ...options, ...probe(data), ...all };
			}
			// Not enumerable, so it is never stored.
			Object.defineProperty(data, TEST_PROGRESS, { value: 'begun', writable: true });
			throw Object.assign(new Error('Not tested yet'), { response: { status: 401 } });
		},

		test: {
			request: {
				method: 'GET',
				url: `={{ $credentials.${credential.urlField} }}`,
				headers: { [TEST_HEADER]: 'true' },
			},
		} satisfies ICredentialTestRequest,
	};
}

/**
 * Sends the request of the test.
 *
 * @throws ServiceFailure with a message that says what is wrong and what to check
 */
async function test(
	helper: IHttpRequestHelper,
	data: Data,
	request: IHttpRequestOptions,
	{ service, advice = (status, body) => adviceOf(status, body, service) }: CredentialTraits,
): Promise<void> {
	const endpoint = { ...service, maxTimeoutMs: PROBE_TIMEOUT_MS };
	const { status, body } = await send(helper, request, endpoint).catch((error: unknown) => {
		throw withAdviceInMessage(error);
	});
	const toCheck = advice(status, body, data);
	if (toCheck === undefined) return;
	const words = serverMessage(new Masker(secretsOf(data)).mask(body));
	const quotation = words === '' ? '' : `, "${words}"`;
	throw new ServiceFailure(
		`${capitalized(service.name)} answered with status ${status}${quotation}. ${toCheck}`,
		{ kind: 'status', status },
	);
}

function adviceOf(status: number, body: unknown, service: Service): string | undefined {
	if (status < 200 || status > 299) return statusAdvice({ status, body }, service, true);
	const { description = '' } = pageFailure(body, service) ?? {};
	return description === '' ? undefined : `This is an HTML page. ${description}`;
}

/**
 * A failure with what to do in its message: tests and n8n's HTTP Request node show no description. Without
 * the code, because of which n8n would replace the message.
 */
export function withAdviceInMessage(error: unknown): unknown {
	if (!(error instanceof ServiceFailure)) return error;
	const { message, description = '', kind } = error;
	const advice = description.replace(/ \(code \w+\)/, '');
	const words = [message.replace(/\.$/, ''), advice].filter(Boolean).join('. ');
	return new ServiceFailure(words, { kind });
}
