import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';
import {
	pageFailure,
	statusAdvice,
	type ReadResponse,
	type Service,
} from '../service/service-definitions';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { capitalize } from '../service/strings';
import { send } from './exchange';
import { serverMessage } from '../service/response-words';

type Data = ICredentialDataDecryptedObject;

interface CredentialTraits {
	service: Service;
	urlField: string;
	sign(data: Data): Pick<IHttpRequestOptions, 'headers' | 'auth'>;
	/**
	 * Returns an unsigned request that verifies the credential without changing anything.
	 *
	 * @throws InputError, which names the unusable field
	 */
	probe(data: Data): IHttpRequestOptions;
	/**
	 * Reads the response to the request from `probe`. Returns what the user should check, or undefined if the response
	 * is a success. By default, any 2xx status without an HTML page is a success, and the advice comes from the service
	 * definition.
	 */
	advice?(response: ReadResponse, data: Data): string | undefined;
	/** Obtains the token used to sign requests, and adds it to the data. Returns the data that n8n must store, if any. */
	obtain?(helper: IHttpRequestHelper, data: Data, isTested: boolean): Promise<Data | undefined>;
}

/** Header that marks a request as part of a credential test. The header is removed before the request is sent. */
const TEST_HEADER = 'X-Credential-Test';

const PROBE_TIMEOUT_MS = 15_000;

/** While a credential is being tested, its data contains the progress of the test under this key. */
const TEST_PROGRESS = Symbol.for('n8n-nodes-search-ingest.credentialTest');
type TestedData = Data & { [TEST_PROGRESS]?: 'begun' | 'passed' };

/** Hidden field for credentials that do not use tokens. Without this field, n8n would not call `preAuthentication`. */
export const TEST_STATE_FIELD = {
	displayName: 'Test State',
	name: 'testState',
	type: 'hidden',
	typeOptions: { expirable: true },
	// If the value were blank, n8n would call `preAuthentication` before every request.
	default: 'unused',
} as const;

/**
 * Returns the credential's functions that n8n calls to sign requests and to test the credential.
 *
 * If the request for a credential test fails, n8n shows only `ECONNREFUSED` or `Bad Request`. It ignores the message
 * that the credential provides. Therefore, on the first attempt of a test, `authenticate` simulates a 401 response. n8n
 * then calls `preAuthentication`, which sends the real request. If the real request fails, `preAuthentication` throws
 * an error with our own message. If it succeeds, n8n sends the request once more. The second response may have any
 * status, because the test has already passed.
 */
export function credentialHooks(credential: CredentialTraits) {
	const { sign, obtain } = credential;
	const signRequest = (data: Data, options: IHttpRequestOptions): IHttpRequestOptions => {
		const signature = sign(data);
		const headers = { ...options.headers, ...signature.headers };
		return { ...options, ...signature, headers };
	};
	const probe = (data: Data) => signRequest(data, credential.probe(data));
	const obtainAndTest = async (helper: IHttpRequestHelper, data: TestedData): Promise<Data> => {
		// Throws if a field of the credential is empty or invalid.
		credential.probe(data);
		const toStore = (await obtain?.(helper, data, true)) ?? {};
		await test(helper, data, probe(data), credential);
		data[TEST_PROGRESS] = 'passed';
		return toStore;
	};

	return {
		async preAuthentication(this: IHttpRequestHelper, data: TestedData): Promise<Data> {
			if (data[TEST_PROGRESS] === undefined) return (await obtain?.(this, data, false)) ?? {};
			return await obtainAndTest(this, data).catch((error: unknown) => {
				throw withAdviceInMessage(error);
			});
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
	{ service, advice = (response) => adviceOf(response, service) }: CredentialTraits,
): Promise<void> {
	const endpoint = { ...service, maxTimeoutMs: PROBE_TIMEOUT_MS };
	const response = await send(helper, request, endpoint);
	const { status, body } = response;
	const toCheck = advice(response, data);
	if (toCheck === undefined) return;
	const words = serverMessage(new Masker(secretsOf(data)).mask(body));
	const quotation = words === '' ? '' : `, "${words}"`;
	throw new ServiceFailure(
		`${capitalize(service.name)} answered with status ${status}${quotation}. ${toCheck}`,
		{ kind: 'status', status },
	);
}

function adviceOf(response: ReadResponse, service: Service): string | undefined {
	const { status } = response;
	if (status < 200 || status > 299) return statusAdvice(response, service, true);
	const { description = '' } = pageFailure(response, service) ?? {};
	return description === '' ? undefined : `This is an HTML page. ${description}`;
}

/**
 * Adds a failure's advice to its message, because credential tests and n8n's HTTP Request node do not show
 * descriptions. Removes the error code, because n8n would otherwise replace the message.
 */
export function withAdviceInMessage(error: unknown): unknown {
	if (!(error instanceof ServiceFailure || error instanceof InputError)) return error;
	if (!error.description) return error;
	const advice = error.description.replace(/ \(code \w+\)/, '');
	const words = `${error.message.replace(/\.$/, '')}. ${advice}`;
	return error instanceof InputError
		? new InputError(words, '')
		: new ServiceFailure(words, { kind: error.kind });
}
