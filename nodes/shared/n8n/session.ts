import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { parseAddress } from '../service/address';
import { serverMessage, ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';
import { parseRetryAfter } from '../service/retry-after';
import { secretsOf, withoutSecrets } from '../service/secrets';
import { tokenFailure } from '../service/token-issuer';
import { transportFacts } from '../service/transport';
import { Canceled } from './errors';
import { readBody, withSignal, type ReplyStream } from './reply-body';
import type { Run } from './run';
import { PlainCredential, TokenCredential, type RequestCredential } from './request-credential';

export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Path below the service's address, already encoded. */
	path: string;
	qs?: Record<string, string>;
	/** JSON text. */
	body?: string;
	timeoutMs: number;
	/** The reply may be very large: it is read as it arrives, its text never held whole. */
	isLargeReply?: boolean;
}

export interface ServiceReply {
	status: number;
	/** Parsed JSON, or the text where it is none. */
	body: unknown;
	/** How long the service asks to wait before the next request. */
	retryAfterMs?: number;
}

/** Who is asked, in messages. */
export interface ServiceOptions {
	credentialType: string;
	/** The credential's field with the address, and its display name. */
	addressField: string;
	addressLabel: string;
	/** e.g. `the push service`. */
	service: string;
	/** What to check after a 401. */
	secretLabels?: string;
	/** Requests carry an access token of this scope. */
	scope?: string;
}

/** As n8n hands it over. */
type FullResponse = Omit<IN8nHttpFullResponse, 'body'> & { body: unknown };

/** About 24 days: Node.js takes more for no time at all. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A request that is refused so often with 401 is refused whatever the token. */
const MAX_RECOVERIES = 20;

const TRANSPORT_MESSAGES: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'its host name is unknown',
	EAI_AGAIN: 'its host name could not be looked up',
	ECONNRESET: 'the connection was closed before the response was complete',
	EPIPE: 'the connection was closed while the request was being sent',
	ERR_BAD_RESPONSE: 'the connection was closed before the response was complete',
	Z_BUF_ERROR: 'its compressed reply was cut off',
	Z_DATA_ERROR: 'its compressed reply was damaged',
	ECONNABORTED: 'it did not respond in time',
	ETIMEDOUT: 'it did not respond in time',
	EHOSTUNREACH: 'its host cannot be reached',
	ENETUNREACH: 'its network cannot be reached',
};

/**
 * The requests of one execution to one service: the only place that sends anything. Reads the
 * credential once; each attempt gets fresh options, since n8n changes them.
 */
export class ServiceSession {
	/** The credential's data as they were sent last: what no reply may show. */
	private sent: ICredentialDataDecryptedObject = {};

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly options: ServiceOptions,
		private readonly baseUrl: string,
		private readonly credential: RequestCredential,
		/** The credential's fields, for parts of a path. */
		readonly fields: ICredentialDataDecryptedObject,
	) {}

	/**
	 * Reads the credential and checks its address.
	 *
	 * @throws InputError for an unusable address
	 */
	static async open(run: Run, options: ServiceOptions): Promise<ServiceSession> {
		const { context } = run;
		const fields = await context.getCredentials(options.credentialType);
		const baseUrl = parseAddress(fields[options.addressField], options.addressLabel);
		const credential =
			options.scope === undefined
				? new PlainCredential(fields)
				: new TokenCredential(
						fields,
						options.scope,
						async () => await context.getCredentials(options.credentialType),
						{
							now: () => Date.now(),
							random: () => Math.random(),
							sleep: async (ms) => await run.sleep(ms),
						},
					);
		return new ServiceSession(context, options, baseUrl, credential, fields);
	}

	/**
	 * Sends a request once; after a 401 that a newer token can cure, again.
	 *
	 * @returns the reply, if its status is 2xx
	 * @throws ServiceFailure for anything else, Canceled when the execution was stopped
	 */
	async request(request: ServiceRequest): Promise<ServiceReply> {
		for (let recoveries = 0; ; recoveries++) {
			const data = await this.credential.current();
			const reply = await this.send(request, data);
			this.sent = data;
			if (reply.statusCode >= 200 && reply.statusCode < 300) {
				return {
					status: reply.statusCode,
					// A copy of a large reply would cost more than it is worth: see `words`.
					body: request.isLargeReply ? reply.body : this.masked(reply.body),
					...retryAfter(reply),
				};
			}
			const mayRecover = reply.statusCode === 401 && recoveries < MAX_RECOVERIES;
			if (mayRecover && (await this.credential.recover(data))) continue;
			throw this.refusal(reply);
		}
	}

	/** What a service says in a reply, in one line and without secrets; '' if nothing. */
	words(body: unknown): string {
		return serverMessage(this.masked(body));
	}

	masked(body: unknown): unknown {
		return withoutSecrets(body, secretsOf(this.sent));
	}

	private async send(
		request: ServiceRequest,
		data: ICredentialDataDecryptedObject,
	): Promise<FullResponse> {
		if (isCanceled(this.context)) throw new Canceled();
		const { credentialType } = this.options;
		const timeoutMs = Math.min(Math.ceil(request.timeoutMs), MAX_TIMEOUT_MS);
		const aborter = new AbortController();
		try {
			const response = (await this.context.helpers.httpRequestWithAuthentication.call(
				request.isLargeReply ? withSignal(this.context, aborter.signal) : this.context,
				credentialType,
				{
					method: request.method,
					url: `${this.baseUrl}${request.path}`,
					timeout: timeoutMs,
					returnFullResponse: true,
					// Every status is judged here: no second path for some of them.
					ignoreHttpStatusErrors: true,
					// n8n would carry an API key header to whatever origin a redirect names.
					disableFollowRedirect: true,
					headers: {
						Accept: 'application/json',
						...(request.body !== undefined && { 'Content-Type': 'application/json' }),
					},
					...(request.qs && { qs: request.qs }),
					// As bytes, since text would be parsed and checked once more on its way.
					...(request.body !== undefined && { body: Buffer.from(request.body) }),
					...(request.isLargeReply && { encoding: 'stream' }),
				},
				{ credentialsDecrypted: { id: '', name: '', type: credentialType, data } },
			)) as FullResponse;
			if (!request.isLargeReply) return response;
			const body = await readBody(response.body as ReplyStream, timeoutMs, aborter);
			return { ...response, body };
		} catch (error) {
			const reason: unknown = aborter.signal.reason ?? error;
			throw this.transportFailure(reason, data, timeoutMs);
		}
	}

	/** A status other than 2xx, in words. */
	private refusal(reply: FullResponse): ServiceFailure {
		const { statusCode } = reply;
		const { service } = this.options;
		const words = this.words(reply.body);
		const said = words === '' ? '' : `, "${words}"`;
		return new ServiceFailure(`${service} answered with status ${statusCode}${said}`, {
			kind: 'status',
			status: statusCode,
			description: statusAdvice(statusCode, this.options),
			...retryAfter(reply),
		});
	}

	/** No complete answer. n8n's error holds the request with its credentials, so it stays here. */
	private transportFailure(
		error: unknown,
		data: ICredentialDataDecryptedObject,
		timeoutMs: number,
	): Error {
		if (isCanceled(this.context)) return new Canceled();
		const { service, addressLabel } = this.options;
		// What the credential threw while it was asking for a token.
		const failure = tokenFailure(data);
		if (failure instanceof ServiceFailure || failure instanceof InputError) return failure;
		const { code, neverSent, permanent } = transportFacts(error);
		if (code === undefined) {
			const text = error instanceof Error ? error.message : 'n8n did not send the request';
			return new ServiceFailure(text, { kind: 'transport', neverSent });
		}
		const what = TRANSPORT_MESSAGES[code] ?? 'the request did not get through';
		return new ServiceFailure(`${service} could not be reached: ${what}`, {
			kind: 'transport',
			code,
			neverSent,
			transient: !permanent,
			description: `Check '${addressLabel}' in the credential and whether the service is up (code ${code}, time-out ${timeoutMs / 1000} s).`,
		});
	}
}

function retryAfter({ headers }: FullResponse): { retryAfterMs?: number } {
	const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
	return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function statusAdvice(
	status: number,
	{ addressLabel, secretLabels = 'its key or its client ID and secret' }: ServiceOptions,
): string {
	if (status >= 300 && status < 400) {
		return `The address has moved. Redirects are not followed, so that credentials reach no other host: enter the final address as '${addressLabel}' in the credential.`;
	}
	if (status === 401) return `The credential was refused. Check ${secretLabels}.`;
	if (status === 403)
		return 'The credential lacks the right for this: check its scope or its data source.';
	if (status === 404) return `Check '${addressLabel}' in the credential and the IDs in the node.`;
	if (status === 413)
		return 'The request is larger than the service takes. Send less in one request.';
	if (status === 429)
		return 'The service is asked too often. Lower the concurrency or try again later.';
	if (status >= 500) return 'The service is down or overloaded.';
	return 'Check the parameters of the node.';
}

const isCanceled = (context: IExecuteFunctions): boolean =>
	context.getExecutionCancelSignal()?.aborted === true;
