/**
 * A `Session` sends all requests of one run to one service, and no other code of the nodes sends requests. It keeps the
 * URL and the client that the credential had when the run began. For each attempt it passes the data of the credential
 * to n8n, and n8n signs the request by calling the credential's `authenticate`. After a 401 the session marks the token
 * as revoked and sends the request again with another token. Every response without a 2xx status becomes a
 * `ServiceFailure` without secrets.
 */
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

interface SessionRequest {
	method: IHttpRequestMethods;
	/** Path below the URL of the service, already encoded. */
	path?: string;
	qs?: Record<string, string>;
	/** JSON text. */
	body?: string | Uint8Array;
	/** Maximum time for the token, if one must be requested, the headers and the body. */
	timeoutMs: number;
	/** Whether secrets are not masked in a 2xx response, since it may contain chunks. The node masks the rest itself. */
	isUnmasked?: boolean;
	/** Advice by status that replaces the advice of the service. */
	advice?: Advice;
}

/** Maximum of repeats after 401. After that the service would probably reject any token. */
const MAX_RECOVERIES = 4;

/** Sends the requests of one run to one service. */
export class Session {
	private readonly masker: Masker;
	/** The token map that signed the last request, and the token in it that this session uses. */
	private signedWith: { accessTokens: unknown; token: Token | undefined } | undefined;
	/** Functions that end the exchanges in flight. One listener calls all, since Node.js warns about many listeners. */
	private readonly cancels = new Set<() => void>();

	/** Key of the limiter that executions with the same service and credential share, if the credential is stored. */
	readonly limiterKey: string | undefined;
	private readonly baseUrl: string;

	/** @param token undefined if the service uses no tokens. Then a 401 is final */
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
	 * Opens a session, and reads the credential for it once.
	 *
	 * @throws InputError if the URL or the client in the credential is invalid
	 */
	static async open(run: Run, service: Service): Promise<Session> {
		const { credentialType, scope } = service;
		const readStored = async () => await run.context.getCredentials(credentialType);
		const fields = await readStored();
		if (scope === undefined) return new Session(run, service, fields);
		const token = SharedToken.forScope(parseClient(fields), scope, {
			readStored,
			sleep: async (ms) => await run.sleep(ms),
			random: () => run.random(),
			hint: (message) => run.hint(message),
		});
		token.adoptStored(fields.accessTokens);
		return new Session(run, service, fields, token);
	}

	/**
	 * Sends a request once. Sends it again after a 401 if another token may be accepted.
	 *
	 * @returns a response with a 2xx status. Its body is parsed JSON, or text if it is not JSON
	 * @throws ServiceFailure for any other status and for an HTML page
	 * @throws InputError if the credential is invalid
	 * @throws Canceled if the run was canceled
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

	/** Returns the token that a request was signed with. From then on the token is masked in responses. */
	private tokenIn(data: ICredentialDataDecryptedObject): Token | undefined {
		const { accessTokens } = data;
		if (this.signedWith?.accessTokens !== accessTokens) {
			this.signedWith = { accessTokens, token: SharedToken.findIn(data) };
			this.masker.add(this.signedWith.token?.accessToken);
		}
		return this.signedWith?.token;
	}

	private failure({ advice }: SessionRequest, response: ReadResponse): ServiceFailure {
		const { service } = this;
		return statusFailure({ ...service, advice: { ...service.advice, ...advice } }, response);
	}

	/** Replaces the secrets of this session in a value of a response. Returns the same value if it has none. */
	mask(value: unknown): unknown {
		return this.masker.mask(value);
	}

	/** Returns the message in a response as one line without secrets, or '' if there is none. */
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
			// If the run was canceled, this throws Canceled instead of the error of the aborted request.
			signal.throwIfAborted();
			throw error;
		});
	}

	/**
	 * Sends one attempt. It needs new options each time, because n8n changes the options that it gets.
	 *
	 * The data of the credential are passed to n8n for two reasons. Otherwise n8n would read the credential again for each
	 * request. After a 401 it would also request a new token, although another worker may have stored a newer one.
	 */
	private send(
		{ method, path = '', qs, body }: SessionRequest,
		data: ICredentialDataDecryptedObject,
		how: SendOptions,
	): Promise<unknown> {
		const { credentialType } = this.service;
		const { context } = this.run;
		// The request must end with the signal of the exchange, which also has a time limit.
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
		// n8n would parse and check a text again, so the body is sent as bytes.
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
