import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Cancellation } from '../http/time-limit';
import { capitalized } from '../http/transport-failure';
import { serverMessage, ServiceFailure } from '../service/failure';
import { parseRetryAfter } from '../service/retry-after';
import { Masker, secretsOf } from '../service/secrets';
import {
	Exchange,
	type Attempted,
	type FullResponse,
	type Service,
	type SessionRequest,
	type SessionRun,
} from './exchange';
import { PlainCredential, TokenCredential, type RequestCredential } from './request-credential';

export type { Service, SessionRequest, SessionRun } from './exchange';

/** A response with a 2xx status. */
export interface SessionResponse {
	status: number;
	/** Parsed JSON, or the text if it is not JSON. */
	body: unknown;
	/** How long the service asks to wait before the next request. */
	retryAfterMs?: number;
}

/** After this many 401s a request would be refused with any token. */
const MAX_RECOVERIES = 20;

/**
 * The requests of one run to one service: nothing else in the nodes sends requests. A run keeps the
 * client and the URL it was opened with.
 */
export class Session {
	private readonly masker: Masker;
	private readonly cancellation: Cancellation;

	private constructor(
		/** Names the service and the credential, so that executions can share a throttle. */
		readonly throttleKey: string | undefined,
		private readonly run: SessionRun,
		private readonly service: Service,
		private readonly baseUrl: string,
		private readonly credential: RequestCredential,
		/** The credential's fields, for parts of a path. */
		readonly fields: ICredentialDataDecryptedObject,
	) {
		this.masker = new Masker(secretsOf(fields));
		this.cancellation = new Cancellation(run.signal);
	}

	/**
	 * Reads the credential, once.
	 *
	 * @throws InputError for a URL or a client that cannot be used
	 */
	static async open(run: SessionRun, service: Service): Promise<Session> {
		const fields = await run.context.getCredentials(service.credentialType);
		const baseUrl = service.baseUrl(fields);
		const id = run.context.getNode().credentials?.[service.credentialType]?.id;
		// An inline credential has no ID; its requests are throttled by themselves.
		const key = id ? `${new URL(baseUrl).origin} ${id}` : undefined;
		return new Session(key, run, service, baseUrl, credentialOf(run, service, fields), fields);
	}

	/**
	 * Sends a request once; again after a 401 if another token may be accepted.
	 *
	 * @returns a response with a 2xx status
	 * @throws ServiceFailure for any other outcome, InputError if the credential turns out to be
	 * unusable, Canceled when the run was canceled
	 */
	async request(request: SessionRequest): Promise<SessionResponse> {
		for (let recoveries = 0; ; recoveries++) {
			const { auth, response } = await this.attempt(request);
			const { statusCode: status, body } = response;
			if (status >= 200 && status < 300) {
				return {
					status,
					body: request.isUnmasked ? body : this.masked(body),
					...retryAfter(response),
				};
			}
			const canRecover = status === 401 && recoveries < MAX_RECOVERIES;
			if (canRecover && (await this.credential.recover(auth))) continue;
			throw this.refusal(response);
		}
	}

	/** A value of a response without the secrets of this session; the same value if it has none. */
	masked(value: unknown): unknown {
		return this.masker.mask(value);
	}

	/** What a service says in a response: one line without secrets, '' if nothing. */
	words(body: unknown): string {
		return serverMessage(body, (text) => String(this.masked(text)));
	}

	private async attempt(request: SessionRequest): Promise<Attempted> {
		const exchange = new Exchange(
			this.run,
			this.cancellation,
			this.service,
			this.baseUrl,
			request,
		);
		const attempted = await exchange.attempt(this.credential);
		const token = attempted.auth.tokens?.token;
		if (token !== undefined) this.masker.add(token.accessToken);
		return attempted;
	}

	/** A status other than 2xx, in words. */
	private refusal(response: FullResponse): ServiceFailure {
		const { statusCode } = response;
		const { name } = this.service;
		const words = this.words(response.body);
		const said = words === '' ? '' : `, "${words}"`;
		return new ServiceFailure(
			`${capitalized(name)} answered with status ${statusCode}${said}`,
			{
				kind: 'status',
				status: statusCode,
				description: statusAdvice(statusCode, this.service),
				...retryAfter(response),
			},
		);
	}
}

function credentialOf(
	run: SessionRun,
	{ credentialType, scope }: Service,
	fields: ICredentialDataDecryptedObject,
): RequestCredential {
	if (scope === undefined) return new PlainCredential(fields);
	const readStored = async () => await run.context.getCredentials(credentialType);
	return new TokenCredential(fields, scope, readStored, run);
}

function retryAfter({ headers }: FullResponse): { retryAfterMs?: number } {
	const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
	return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function statusAdvice(status: number, { urlLabel, secretLabels }: Service): string {
	if (status >= 300 && status < 400) {
		return `The URL has moved. Redirects are not followed, so that credentials reach no other host: enter the final URL as '${urlLabel}' in the credential.`;
	}
	if (status === 401) return `Check ${secretLabels} in the credential.`;
	if (status === 403)
		return 'The credential does not allow this: check its scope or its data source.';
	if (status === 404) return `Check '${urlLabel}' in the credential and the IDs in the node.`;
	if (status === 413)
		return 'The request is larger than the service accepts. Send less in one request.';
	if (status === 429)
		return 'The service receives too many requests. Lower the concurrency or try again later.';
	if (status >= 500) return 'The service is down or overloaded.';
	return 'Check the parameters of the node.';
}
