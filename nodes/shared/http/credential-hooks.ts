import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { pageFailure, statusAdvice, type Service } from '../service/service-definitions';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { capitalize } from '../service/outcome-messages';
import { send } from './exchange';
import { serverMessage } from '../service/response-words';

type Data = ICredentialDataDecryptedObject;

interface CredentialTraits {
	service: Service;
	urlField: string;
	/** Returns the headers, or the user name and password, that sign a request. */
	sign(data: Data): Pick<IHttpRequestOptions, 'headers' | 'auth'>;
	/**
	 * Returns an unsigned request that tests the credential and changes nothing.
	 *
	 * @throws InputError that names the unusable field
	 */
	probe(data: Data): IHttpRequestOptions;
	/**
	 * Reads the response to the request from `probe`. Returns what the user should check, or undefined if the
	 * credential works. By default, it works if the status is 2xx and the body is not an HTML page. The default
	 * advice comes from the service definition.
	 */
	advice?(status: number, body: unknown, data: Data): string | undefined;
	/**
	 * Obtains the token that signs requests, and adds it to the data. Returns the data that n8n must store, if any.
	 */
	obtain?(helper: IHttpRequestHelper, data: Data, isTested: boolean): Promise<Data | undefined>;
}

/** Header that marks the request of a credential test. n8n never sends this header. */
const TEST_HEADER = 'X-Credential-Test';

const PROBE_TIMEOUT_MS = 15_000;

/** Key under which a credential's data stores the progress of its test. Outside of a test, the value is undefined. */
const TEST_PROGRESS = Symbol.for('n8n-nodes-search-ingest.credentialTest');
type TestedData = Data & { [TEST_PROGRESS]?: 'begun' | 'passed' };

/**
 * Hidden field for credentials without tokens. n8n calls `preAuthentication` only for credentials with such a field.
 */
export const TEST_STATE_FIELD = {
	displayName: 'Test State',
	name: 'testState',
	type: 'hidden',
	typeOptions: { expirable: true },
	// If the value were empty, n8n would call `preAuthentication` before every request.
	default: 'unused',
} as const;

/**
 * Returns the functions that n8n calls to sign requests and to test the credential.
 *
 * If a test request fails, n8n shows only a text such as `ECONNREFUSED` or `Bad Request`, and never the credential's
 * own message. So on the first attempt of a test, `authenticate` throws an error that looks like a 401. n8n then
 * calls `preAuthentication`, which sends the real request. If it fails, `preAuthentication` throws an error with the
 * right message. If it succeeds, n8n sends the request once more and accepts any status.
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
			// n8n never stores a property that is not enumerable.
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
		`${capitalize(service.name)} answered with status ${status}${quotation}. ${toCheck}`,
		{ kind: 'status', status },
	);
}

function adviceOf(status: number, body: unknown, service: Service): string | undefined {
	if (status < 200 || status > 299) return statusAdvice({ status, body }, service, true);
	const { description = '' } = pageFailure(body, service) ?? {};
	return description === '' ? undefined : `This is an HTML page. ${description}`;
}

/**
 * Moves the advice of a failure into its message, because n8n shows no description in credential tests and in its
 * HTTP Request node. Also removes the error code, because n8n would otherwise replace the message.
 */
export function withAdviceInMessage(error: unknown): unknown {
	if (!(error instanceof ServiceFailure)) return error;
	const { message, description = '', kind } = error;
	const advice = description.replace(/ \(code \w+\)/, '');
	const words = [message.replace(/\.$/, ''), advice].filter(Boolean).join('. ');
	return new ServiceFailure(words, { kind });
}
