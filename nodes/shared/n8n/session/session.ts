import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Cancellation } from '../../http/time-limit';
import { serverMessage, ServiceFailure } from '../../service/failure';
import { pageFailure } from '../../service/success';
import { parseRetryAfter } from '../../service/retry-after';
import { Masker, secretsOf } from '../../service/tokens/secrets';
import { statusAdvice, type Service } from '../../service/services';
import { capitalized } from '../../service/wording';
import {
	Exchange,
	type Attempted,
	type FullResponse,
	type SessionRequest,
	type SessionRun,
} from './exchange';
import { TokenCredential } from './request-credential';
import { startAgain } from './throttles';

/** A response with a 2xx status, other than an HTML page. */
interface SessionResponse {
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
	/** Why its token is refused for good: no further request is sent. */
	private refused: ServiceFailure | undefined;

	private constructor(
		/** Names the service and the credential, so that executions can share a throttle. */
		readonly throttleKey: string | symbol,
		private readonly run: SessionRun,
		private readonly service: Service,
		private readonly baseUrl: string,
		/** The credential's fields; some are parts of a path. */
		readonly fields: ICredentialDataDecryptedObject,
		/** Its tokens, if the service takes tokens: otherwise a 401 is final. */
		private readonly tokens: TokenCredential | undefined,
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
		const { credentialType, scope } = service;
		const read = async () => await run.context.getCredentials(credentialType);
		const fields = await read();
		const baseUrl = service.baseUrl(fields);
		const id = run.context.getNode().credentials?.[credentialType]?.id;
		// An inline credential has no ID; its requests are throttled by themselves.
		const key = id ? `${new URL(baseUrl).origin} ${id}` : Symbol(service.name);
		const tokens =
			scope === undefined ? undefined : new TokenCredential(fields, scope, read, run);
		return new Session(key, run, service, baseUrl, fields, tokens);
	}

	/**
	 * Sends a request once; again after a 401 if another token may be accepted.
	 *
	 * @returns a response with a 2xx status
	 * @throws ServiceFailure for any other outcome, an HTML page included, InputError if the credential turns out to be
	 * unusable, Canceled when the run was canceled
	 */
	async request(request: SessionRequest): Promise<SessionResponse> {
		for (let recoveries = 0; ; recoveries++) {
			if (this.refused) throw this.refused;
			const { auth, response } = await this.attempt(request).catch((error: unknown) => {
				if (isRefusedToken(error)) this.refuse(error);
				throw error;
			});
			const { statusCode: status, body } = response;
			if (status >= 200 && status < 300) {
				const page = pageFailure(body, this.service);
				if (page) throw page;
				return {
					status,
					body,
					...retryAfter(response),
				};
			}
			const canRecover = status === 401 && recoveries < MAX_RECOVERIES;
			if (!canRecover || !(await this.tokens?.recover(auth))) throw this.refusal(response);
			await this.inTurn();
		}
	}

	/** After a failure that every request with this token would meet, all others fail in the same way. */
	refuse(reason: ServiceFailure): void {
		this.refused ??= reason;
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
			this.masker,
			async (startedAt) => await this.inTurn(startedAt),
		);
		return await exchange.attempt(this.fields, this.tokens);
	}

	/** Waits until a request may be sent once more, or after a wait for its token: such come all at once. */
	private async inTurn(startedAt?: number): Promise<void> {
		const ms = startAgain(this.throttleKey, this.run.now(), startedAt);
		if (ms > 0) await this.run.sleep(ms);
	}

	/** A status other than 2xx, in words. */
	private refusal(response: FullResponse): ServiceFailure {
		const { statusCode } = response;
		const { name, scope } = this.service;
		return new ServiceFailure(`${capitalized(name)} answered with status ${statusCode}`, {
			kind: 'status',
			status: statusCode,
			said: this.words(response.body),
			description: `${statusAdvice(statusCode, this.service, { isTest: false, scope })}.`,
			...retryAfter(response),
		});
	}
}

/** Whether the token server has refused, and would refuse again. */
const isRefusedToken = (error: unknown): error is ServiceFailure =>
	error instanceof ServiceFailure && error.kind === 'token' && !error.transient;

function retryAfter({ headers }: FullResponse): { retryAfterMs?: number } {
	const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
	return retryAfterMs === undefined ? {} : { retryAfterMs };
}
