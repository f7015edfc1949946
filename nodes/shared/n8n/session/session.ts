import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { exchange, type SendOptions } from '../../http/exchange';
import { TOKEN_SERVER } from '../../http/token-sender';
import { type ServiceFailure } from '../../service/failure';
import {
	pageFailure,
	statusFailure,
	type Advice,
	type ReadResponse,
	type Service,
} from '../../service/service-definitions';
import { Masker, secretsOf } from '../../service/tokens/secrets';
import { SharedToken } from '../../service/tokens/shared-token';
import { parseClient, type Token } from '../../service/tokens/token';
import type { Run } from '../run/run';
import { serverMessage } from '../../service/response-words';

/** One request. */
interface SessionRequest {
	method: IHttpRequestMethods;
	/** Below the service's URL, already encoded. */
	path?: string;
	qs?: Record<string, string>;
	/** JSON. */
	body?: string | Uint8Array;
	/** How long the exchange may take: for a token if it needs one, headers and body. */
	timeoutMs: number;
	/** The response may hold chunks: it is returned as it came, and the node masks what is not chunks. */
	isUnmasked?: boolean;
	/** Advice by status that replaces the advice of the service. */
	advice?: Advice;
}

/** After this many 401s a request would be refused with any token. */
const MAX_RECOVERIES = 4;

/**
 * The requests of one run to one service: nothing else in the nodes sends requests. A run keeps the
 * client and the URL it was opened with.
 */
export class Session {
	private readonly masker: Masker;
	/** The stored tokens with which the last request was signed, and the one that counts. */
	private signedWith: { accessTokens: unknown; token: Token | undefined } | undefined;
	/** End the exchanges in flight. Shared, since Node.js warns if a signal has more than ten listeners. */
	private readonly cancels = new Set<() => void>();

	/** Names the service and the credential, so that executions can share a limiter; undefined for an inline credential. */
	readonly limiterKey: string | undefined;
	private readonly baseUrl: string;

	/** @param token of the credential. It is undefined if the service takes no tokens, and then a 401 is final. */
	private constructor(
		private readonly run: Run,
		private readonly service: Service,
		private readonly fields: ICredentialDataDecryptedObject,
		private readonly token?: SharedToken,
	) {
		this.baseUrl = service.baseUrl(fields);
		const id = run.context.getNode().credentials?.[service.credentialType]?.id;
		this.limiterKey = id ? `${new URL(this.baseUrl).origin} ${id}` : undefined;
		this.masker = new Masker(secretsOf(fields));
		run.signal.addEventListener('abort', () => {
			for (const cancel of this.cancels) cancel();
		});
	}

	/**
	 * Reads the credential, once.
	 *
	 * @throws InputError for a URL or a client that cannot be used
	 */
	static async open(run: Run, service: Service): Promise<Session> {
		const { credentialType, scope } = service;
		const readStored = async () => await run.context.getCredentials(credentialType);
		const fields = await readStored();
		if (scope === undefined) return new Session(run, service, fields);
		const token = SharedToken.of(parseClient(fields), scope, {
			readStored,
			sleep: async (ms) => await run.sleep(ms),
			random: () => run.random(),
			hint: (message) => run.hint(message),
		});
		token.adoptStored(fields.accessTokens);
		return new Session(run, service, fields, token);
	}

	/**
	 * Sends a request once; again after a 401 if another token may be accepted.
	 *
	 * @returns a response with a 2xx status: parsed JSON, or the text if it is not JSON
	 * @throws ServiceFailure for any other outcome, an HTML page included, InputError if the credential turns out to be
	 * unusable, Canceled when the run was canceled
	 */
	async request(request: SessionRequest): Promise<ReadResponse> {
		for (let recoveries = 0; ; recoveries++) {
			const data = ((await this.token?.signingData(this.fields)) ??
				this.fields) as ICredentialDataDecryptedObject;
			let token: Token | undefined;
			let response: ReadResponse;
			try {
				response = await this.attempt(request, data);
			} finally {
				if (this.token) token = this.tokenIn(data);
			}
			const { status } = response;
			const { statuses } = this.run;
			statuses[status] = (statuses[status] ?? 0) + 1;
			const body = request.isUnmasked ? response.body : this.masker.mask(response.body);
			if (status >= 200 && status < 300) {
				const page = pageFailure(body, this.service);
				if (page) throw page;
				return { ...response, body };
			}
			if (status === 401 && token) this.token?.markRevoked(token);
			if (status !== 401 || !token || recoveries === MAX_RECOVERIES)
				throw this.failure(request, { ...response, body: this.masker.mask(body) });
		}
	}

	/** Returns the token that a request was signed with, and masks it from now on. */
	private tokenIn(data: ICredentialDataDecryptedObject): Token | undefined {
		const { accessTokens } = data;
		if (this.signedWith?.accessTokens !== accessTokens) {
			this.signedWith = { accessTokens, token: SharedToken.in(data) };
			this.masker.add(this.signedWith.token?.accessToken);
		}
		return this.signedWith?.token;
	}

	private failure({ advice }: SessionRequest, response: ReadResponse): ServiceFailure {
		const { service } = this;
		return statusFailure({ ...service, advice: { ...service.advice, ...advice } }, response);
	}

	/** A value of a response without the secrets of this session; the same value if it has none. */
	mask(value: unknown): unknown {
		return this.masker.mask(value);
	}

	/** What a service says in a response: one line without secrets, '' if nothing. */
	words(body: unknown): string {
		return serverMessage(this.masker.mask(body));
	}

	private async attempt(
		request: SessionRequest,
		data: ICredentialDataDecryptedObject,
	): Promise<ReadResponse> {
		const { service } = this;
		const { signal } = this.run;
		signal.throwIfAborted();
		return await exchange(
			(how) => this.send(request, data, how),
			() => (data.accessTokens === '' ? TOKEN_SERVER : service),
			request.timeoutMs,
			this.cancels,
		).catch((error: unknown) => {
			// Its reason says that the run was canceled.
			signal.throwIfAborted();
			throw error;
		});
	}

	/**
	 * Each attempt builds new options, since n8n changes the ones it gets. n8n is given the data of the credential,
	 * because it would otherwise read the credential again for each request, and after a 401 it would request a token
	 * before a newer stored one is adopted. The credential signs.
	 */
	private send(
		{ method, path = '', qs, body }: SessionRequest,
		data: ICredentialDataDecryptedObject,
		how: SendOptions,
	): Promise<unknown> {
		const { credentialType } = this.service;
		const { context } = this.run;
		// A context whose requests end with another signal than that of the execution.
		const contextOfExchange = Object.create(context) as IExecuteFunctions;
		contextOfExchange.getExecutionCancelSignal = () => how.abortSignal;
		const headers: Record<string, string> = { Accept: 'application/json' };
		if (body !== undefined) headers['Content-Type'] = 'application/json';
		const options: IHttpRequestOptions = {
			...how,
			method,
			url: `${this.baseUrl}${path}`,
			headers,
		};
		if (qs) options.qs = qs;
		// As bytes, since n8n would parse and check text once more.
		if (body !== undefined) options.body = typeof body === 'string' ? Buffer.from(body) : body;
		return context.helpers.httpRequestWithAuthentication.call(
			contextOfExchange,
			credentialType,
			options,
			{
				credentialsDecrypted: { id: '', name: '', type: credentialType, data },
			},
		);
	}
}
