/**
 * A `Session` sends all requests from one run to one service. No other code in the nodes sends requests. The session
 * keeps the URL and the OAuth client that the credential contained when the run began. For each attempt, it passes the
 * credential's data to n8n, and n8n signs the request by calling the credential's `authenticate`. After a 401, the
 * session marks the token as revoked and sends the request again with another token. Every response with a status other
 * than 2xx becomes a `ServiceFailure` that contains no secrets.
 */
import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestMethods,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { exchange, type SendOptions } from './exchange';
import { TOKEN_SERVER } from './token-sender';
import { type ServiceFailure } from '../service/failure';
import { InputError, messageOf } from '../service/input-error';
import {
	pageFailure,
	statusFailure,
	type Advice,
	type ReadResponse,
	type Service,
} from '../service/service-definitions';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { SharedToken } from '../service/tokens/shared-token';
import { parseClient, type Token } from '../service/tokens/token';
import type { Run } from '../run/run';
import { serverMessage } from '../service/response-words';

interface SessionRequest {
	method: IHttpRequestMethods;
	/** Encoded path below the service URL. */
	path?: string;
	qs?: Record<string, string>;
	body?: string | Uint8Array;
	/**
	 * Time limit for the response headers and body. If a token must be requested first, the limit includes the token
	 * request.
	 */
	timeoutMs: number;
	/**
	 * Whether a 2xx response may contain chunks, whose text must not change. The session returns such a response unmasked,
	 * and the node itself masks what it returns besides the chunks.
	 */
	mayContainChunks?: boolean;
	advice?: Advice;
}

/**
 * Maximum number of retries after a 401. If all of them fail, the service would probably reject every other token too.
 */
const MAX_RECOVERIES = 4;

export class Session {
	private readonly masker: Masker;
	/**
	 * Functions that end the exchanges in flight. One listener calls all of these functions, because Node.js issues a
	 * warning if there are many listeners.
	 */
	private readonly cancels = new Set<() => void>();

	/**
	 * Key of the limiter that all executions with this service and credential share. Undefined if the credential is not
	 * stored.
	 */
	readonly limiterKey: string | undefined;
	private readonly baseUrl: string;

	/**
	 * @param token the shared token, or undefined if the service does not use tokens. Without a token, a 401 is final
	 */
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
	 * Opens a session, and reads its credential once.
	 *
	 * @throws InputError if n8n's database fails, or if the URL or the OAuth client in the credential is invalid
	 */
	static async open(run: Run, service: Service): Promise<Session> {
		const { credentialType, scope } = service;
		const readStored = async () => await run.context.getCredentials(credentialType);
		const fields = await readStored().catch((error: unknown) => {
			throw isOfDatabase(error) ? databaseError(error) : error;
		});
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
	 * After a 401, sends the request again if the service might accept another token.
	 *
	 * @returns a response with a 2xx status. A JSON body is returned as a parsed value. Any other body is returned as
	 *   a string
	 * @throws ServiceFailure for any other status and for an HTML page
	 * @throws InputError if the credential is invalid
	 * @throws Canceled if the run was canceled
	 */
	async request(request: SessionRequest): Promise<ReadResponse> {
		for (let recoveries = 0; ; recoveries++) {
			const { response, data } = await this.attempt(request);
			const { status } = response;
			const { statuses } = this.run;
			statuses[status] = (statuses[status] ?? 0) + 1;
			const body = request.mayContainChunks ? response.body : this.masker.mask(response.body);
			if (status >= 200 && status < 300) {
				const page = pageFailure(response, this.service);
				if (page) throw page;
				return { ...response, body };
			}
			const token = status === 401 ? this.tokenIn(data) : undefined;
			if (token) this.token?.markRevoked(token);
			if (!token || recoveries === MAX_RECOVERIES)
				throw this.failure(request, { ...response, body: this.masker.mask(body) });
		}
	}

	/** Returns the token that was used to sign a request. n8n may have requested it during the attempt. */
	private tokenIn(data: ICredentialDataDecryptedObject): Token | undefined {
		return this.token && SharedToken.findIn(data);
	}

	private failure({ advice }: SessionRequest, response: ReadResponse): ServiceFailure {
		const { service } = this;
		return statusFailure({ ...service, advice: { ...service.advice, ...advice } }, response);
	}

	/** If the value contains no secrets, returns the same value. */
	mask(value: unknown): unknown {
		return this.masker.mask(value);
	}

	/** Returns the message in a response as one line without secrets, or '' if there is no message. */
	words(body: unknown): string {
		return serverMessage(this.masker.mask(body));
	}

	/** @param mayStore see `signingData` */
	private async attempt(
		request: SessionRequest,
		mayStore = true,
	): Promise<{ response: ReadResponse; data: ICredentialDataDecryptedObject }> {
		const { token, fields } = this;
		const signingData = (await token?.signingData(fields, mayStore)) ?? fields;
		const data = signingData as ICredentialDataDecryptedObject;
		return await this.exchange(request, data).then(
			(response) => ({ response, data }),
			async (error: unknown) => {
				// If n8n could not store the token, it has not sent the request.
				if (!this.run.signal.aborted && token?.failStoring(data))
					return await this.attempt(request, false);
				throw error;
			},
		);
	}

	private async exchange(
		request: SessionRequest,
		data: ICredentialDataDecryptedObject,
	): Promise<ReadResponse> {
		const { service } = this;
		const { signal } = this.run;
		signal.throwIfAborted();
		return await exchange({
			send: (how) => this.send(request, data, how),
			endpoint: () => (SharedToken.isAwaitedIn(data) ? TOKEN_SERVER : service),
			timeoutMs: request.timeoutMs,
			cancels: this.cancels,
		})
			.catch((error: unknown) => {
				// If the run was canceled, this throws Canceled instead of the aborted request's error.
				signal.throwIfAborted();
				throw error;
			})
			.finally(() => {
				// Even if the attempt failed, the service may have received the token and repeat it in a later response.
				const token = this.tokenIn(data);
				if (token) this.masker.addSecret(token.accessToken);
			});
	}

	/**
	 * Each attempt needs new options, because n8n modifies the options it receives.
	 *
	 * The credential's data is passed to n8n for two reasons. Without this data, n8n would read the credential again
	 * for each request. After a 401, n8n would also request a new token, even though another worker may already have
	 * stored a newer one.
	 */
	private send(
		{ method, path = '', qs, body }: SessionRequest,
		data: ICredentialDataDecryptedObject,
		how: SendOptions,
	): Promise<unknown> {
		const { credentialType } = this.service;
		const { context } = this.run;
		// The exchange's signal is aborted if the execution is canceled or the exchange reaches its time limit.
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
		// The body is sent as bytes because n8n would parse and check a string again.
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

/** Returns true for an error from n8n's database. n8n's own errors about credentials have no code. */
function isOfDatabase(error: unknown): boolean {
	if (!(error instanceof Error) || error instanceof NodeOperationError) return false;
	const { code } = error as { code?: unknown };
	return (
		'driverError' in error ||
		(typeof code === 'string' && !code.startsWith('ERR_')) ||
		/SQLITE_|database|connection/i.test(error.message)
	);
}

const databaseError = (error: unknown): InputError =>
	new InputError(
		`n8n's database failed, so the credential could not be read: ${messageOf(error)}`,
		'Nothing was sent. Run the workflow again. If this happens often, ask the administrator of n8n to check its database.',
	);
