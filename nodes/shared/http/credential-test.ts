import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { serverMessage, ServiceFailure } from '../service/failure';
import { withoutSecrets } from '../service/tokens/secrets';
import { statusAdvice, type Service } from '../service/services';
import { capitalized } from '../service/wording';
import { send } from './send';

type Data = ICredentialDataDecryptedObject;

/** The request that proves a credential, and what its response means. */
export interface Probe {
	party: Service;
	/**
	 * Signed, and such that it changes nothing.
	 *
	 * @throws InputError naming the field that cannot be used
	 */
	request(data: Data): IHttpRequestOptions & { url: string };
	/**
	 * What to check after a response; undefined if it counts as success. Unless given, only 2xx do, and
	 * the advice is that of the service.
	 */
	advice?(status: number, body: unknown, data: Data): string | undefined;
	/** Values in the data that no message may repeat. */
	secrets(data: Data): readonly unknown[];
}

/** Tells the test's request from all others; it is never sent. */
const TEST_HEADER = 'X-Credential-Test';

const PROBE_TIMEOUT_MS = 15_000;

/** How far the test of credential data has come. */
const KEY = Symbol.for('n8n-nodes-search-ingest.credentialTest');
interface TestState {
	hasPassed: boolean;
}
const stateOf = (data: Data): TestState | undefined => (data as { [KEY]?: TestState })[KEY];

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
 * The `test` of a credential. n8n shows a bare `ECONNREFUSED` or `Bad Request` if the request of a test
 * fails, whatever the credential says. So its first attempt is answered with a 401 in `authenticate`,
 * upon which n8n calls `preAuthentication`: that sends the request itself and throws our own message.
 * Only then does n8n send it, with every status accepted.
 *
 * @param urlField the credential's field with the URL of the service
 */
export const credentialTest = (urlField: string): ICredentialTestRequest => ({
	request: {
		method: 'GET',
		url: `={{ $credentials.${urlField} }}`,
		headers: { [TEST_HEADER]: 'true' },
	},
});

/** Whether a request is that of the credential test. */
export const isTest = ({ headers }: IHttpRequestOptions): boolean =>
	headers?.[TEST_HEADER] !== undefined;

/** Whether the credential is being tested: `preAuthentication` learns nothing else about its request. */
export const isBeingTested = (data: Data): boolean => stateOf(data) !== undefined;

/**
 * For `authenticate`: the request of the test, once the probe has succeeded.
 *
 * @throws Error that stands for a 401 before that
 */
export function testRequest(
	data: Data,
	options: IHttpRequestOptions,
	probe: Probe,
): IHttpRequestOptions {
	if (stateOf(data)?.hasPassed) {
		const { url, method, headers, body, auth } = probe.request(data);
		return {
			...options,
			url,
			...(method && { method }),
			headers: headers ?? {},
			...(body !== undefined && { body }),
			...(auth && { auth }),
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		};
	}
	Object.defineProperty(data, KEY, { value: { hasPassed: false }, configurable: true });
	throw Object.assign(new Error('Not tested yet'), { response: { status: 401 } });
}

/**
 * The hooks of a credential that signs with fixed values. n8n calls `preAuthentication` only for its test.
 *
 * @param urlField the credential's field with the URL of the service
 * @param sign headers or login of each request
 * @param probe its request is signed here
 */
export function keyCredential(
	urlField: string,
	sign: (data: Data) => Pick<IHttpRequestOptions, 'headers' | 'auth'>,
	probe: Probe,
) {
	const signed = <T extends IHttpRequestOptions>(data: Data, options: T): T => {
		const { headers, ...login } = sign(data);
		return { ...options, ...login, headers: { ...options.headers, ...headers } };
	};
	const signedProbe = { ...probe, request: (data: Data) => signed(data, probe.request(data)) };
	return {
		async preAuthentication(this: IHttpRequestHelper, data: Data): Promise<IDataObject> {
			if (isBeingTested(data)) await runProbe(this, data, signedProbe);
			return {};
		},
		authenticate: async (data: Data, options: IHttpRequestOptions) =>
			isTest(options) ? testRequest(data, options, signedProbe) : signed(data, options),
		test: credentialTest(urlField),
	};
}

/**
 * For `preAuthentication`: sends the request of the test.
 *
 * @throws InputError or ServiceFailure with a message that says what is wrong and what to check. It has
 * no error code, because n8n would replace it.
 */
export async function runProbe(
	helper: IHttpRequestHelper,
	data: Data,
	probe: Probe,
): Promise<void> {
	const how = { party: probe.party, kind: 'transport', timeoutMs: PROBE_TIMEOUT_MS } as const;
	const { status, body } = await send(helper, probe.request(data), how).catch(
		(error: unknown) => {
			throw advised(error);
		},
	);
	const { advice: adviceOf = (each: number) => adviceOfService(each, probe.party) } = probe;
	const advice = adviceOf(status, body, data);
	if (advice !== undefined) throw refusal(status, body, advice, probe, data);
	const state = stateOf(data);
	if (state !== undefined) state.hasPassed = true;
}

function refusal(
	status: number,
	body: unknown,
	advice: string,
	{ party, secrets }: Probe,
	data: Data,
): ServiceFailure {
	const words = serverMessage(withoutSecrets(body, secrets(data)));
	const said = words === '' ? '' : `, "${words}"`;
	return new ServiceFailure(
		`${capitalized(party.name)} answered with status ${status}${said}. ${advice}`,
		{ kind: 'status', status },
	);
}

/**
 * A failure with what to do in its message: tests and n8n's HTTP Request node show no description. Without
 * the code, because of which n8n would replace the message.
 */
export function advised(error: unknown): unknown {
	if (!(error instanceof ServiceFailure)) return error;
	const { message, description = '', kind } = error;
	const advice = description.replace(/ \(code \w+\)/, '');
	const words = [message.replace(/\.$/, ''), advice].filter(Boolean).join('. ');
	return new ServiceFailure(words, { kind });
}

const adviceOfService = (status: number, service: Service): string | undefined =>
	status >= 200 && status < 300 ? undefined : statusAdvice(status, service, { isTest: true });
