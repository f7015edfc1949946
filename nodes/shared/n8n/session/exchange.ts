import type { IExecuteFunctions, IHttpRequestMethods, IN8nHttpFullResponse } from 'n8n-workflow';

import type { Clock } from '../../flow/run-state';
import {
	limited,
	MAX_BODY_BYTES,
	MAX_ERROR_BODY_BYTES,
	MAX_RESULTS_BYTES,
	readBody,
	type ResponseStream,
} from '../../http/response-body';
import { TimeLimit, type Cancellation } from '../../http/time-limit';
import { TOKEN_SERVER } from '../../http/token-sender';
import { timeoutFailure, transportFailure } from '../../http/transport-failure';
import { ServiceFailure } from '../../service/failure';
import { InputError } from '../../service/input-error';
import type { Masker } from '../../service/tokens/secrets';
import type { Service } from '../../service/services';
import type { RequestAuth, TokenCredential } from './request-credential';
import { Canceled, messageOf } from '../run/errors';

/** What a session needs of the run it belongs to. */
export interface SessionRun extends Clock {
	readonly context: IExecuteFunctions;
	/** Aborted when the run is canceled. */
	readonly signal: AbortSignal | undefined;
}

/** One request. */
export interface SessionRequest {
	method: IHttpRequestMethods;
	/** Below the base URL, already encoded. */
	path: string;
	qs?: Record<string, string>;
	/** JSON. */
	body?: string | Uint8Array;
	/** How long the exchange may take, headers and body; as long again for a token, if it needs one. */
	timeoutMs: number;
	/** The response may hold chunks: it is returned as it came, and the node masks what is not chunks. */
	isUnmasked?: boolean;
}

/** As n8n returns it, with the body read. */
export type FullResponse = Omit<IN8nHttpFullResponse, 'body'> & { body: unknown };

/** A response of any status, and what its request was signed with. */
export interface Attempted {
	auth: RequestAuth;
	response: FullResponse;
}

/** About 24 days: Node.js treats a longer timer as zero. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** n8n's own timeout ends with the headers, so ours comes first. */
const N8N_LATER_MS = 1_000;

/** One attempt of a request: signed, sent and read within its time. */
export class Exchange {
	private readonly limit: TimeLimit;
	private readonly startedAt: number;
	/** Whether a response has begun to arrive. */
	private isAnswered = false;

	/**
	 * @param inTurn waits until a request may be sent that had to wait for a token
	 * @throws Canceled when the run was canceled
	 */
	constructor(
		private readonly run: SessionRun,
		private readonly cancellation: Cancellation,
		private readonly service: Service,
		private readonly baseUrl: string,
		private readonly request: SessionRequest,
		private readonly masker: Masker,
		private readonly inTurn: (startedAt: number) => Promise<void>,
	) {
		if (cancellation.isCanceled) throw new Canceled();
		this.startedAt = run.now();
		this.limit = new TimeLimit(request.timeoutMs, cancellation);
	}

	/**
	 * Each attempt builds new options, since n8n changes the ones it gets.
	 *
	 * @param data of the credential
	 * @param credential of a service that takes tokens
	 * @throws ServiceFailure without a complete response, InputError for an unusable credential,
	 * Canceled when the run was canceled
	 */
	async attempt(data: RequestAuth['data'], credential?: TokenCredential): Promise<Attempted> {
		const { limit } = this;
		let auth: RequestAuth = { data };
		try {
			const wait = async <T>(pending: Promise<T>) => await this.waitForToken(pending);
			if (credential) auth = await credential.next(wait);
			const response = await limit.waitFor(this.send(auth));
			return { auth, response };
		} catch (error) {
			throw this.failure(error, auth);
		} finally {
			limit.end();
		}
	}

	private async send({ data, tokens }: RequestAuth): Promise<FullResponse> {
		const { credentialType } = this.service;
		const { method, path, qs, body } = this.request;
		const { context } = this.run;
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, this.limit.signal),
			credentialType,
			{
				method,
				url: `${this.baseUrl}${path}`,
				timeout: Math.min(Math.ceil(this.request.timeoutMs) + N8N_LATER_MS, MAX_TIMEOUT_MS),
				encoding: 'stream',
				returnFullResponse: true,
				// Every status is handled here: there is no second path for some of them.
				ignoreHttpStatusErrors: true,
				// n8n would send an API key to whatever host a redirect names.
				disableFollowRedirect: true,
				headers: {
					Accept: 'application/json',
					...(body !== undefined && { 'Content-Type': 'application/json' }),
				},
				...(qs && { qs }),
				// As bytes, since n8n would parse and check text once more.
				...(body !== undefined && { body: bytesOf(body) }),
			},
			{ credentialsDecrypted: { id: '', name: '', type: credentialType, data } },
		)) as IN8nHttpFullResponse;
		this.isAnswered = true;
		// n8n may have obtained it for this request.
		this.masker.add(tokens?.token?.accessToken);
		return { ...response, body: await this.read(response) };
	}

	/** Responses are masked as they are read; of errors only the words are ever shown. */
	private async read({ statusCode, body }: IN8nHttpFullResponse): Promise<unknown> {
		const stream = body as unknown as ResponseStream;
		if (statusCode < 200 || statusCode > 299) {
			return await readBody(stream, MAX_ERROR_BODY_BYTES);
		}
		const { isUnmasked } = this.request;
		const maxBytes = isUnmasked ? MAX_RESULTS_BYTES : MAX_BODY_BYTES;
		const whole = limited(stream, maxBytes, () => this.tooLong(maxBytes));
		if (isUnmasked) return await readBody(whole, Infinity);
		return await readBody(whole, Infinity, (value) => this.masker.mask(value));
	}

	private tooLong(maxBytes: number): ServiceFailure {
		return new ServiceFailure(
			`The response of ${this.service.name} is longer than ${maxBytes / 1_000_000} MB and was not read to its end`,
			{
				kind: 'response',
				description:
					'Nothing of it was kept. Send fewer documents or texts per request. If the response to a single one is as long, ask the operator of the service why.',
			},
		);
	}

	/**
	 * Waits for a token request that other runs may share: the timeout ends this wait, not the token
	 * request. After the wait, the request itself has its full time.
	 */
	private async waitForToken<T>(pending: Promise<T>): Promise<T> {
		this.limit.pause();
		const { timeoutMs } = this.request;
		const waiting = new TimeLimit(timeoutMs, this.cancellation);
		try {
			const token = await waiting.waitFor(pending);
			await this.inTurn(this.startedAt);
			return token;
		} catch (error) {
			throw waiting.isOver ? timeoutFailure(TOKEN_SERVER, timeoutMs, 'token') : error;
		} finally {
			waiting.end();
			this.limit.restart(timeoutMs);
		}
	}

	private failure(error: unknown, { tokens }: RequestAuth): Error {
		if (this.cancellation.isCanceled) return new Canceled();
		if (error instanceof ServiceFailure) return error;
		// What the credential threw: n8n 1.x does not pass it on.
		const failure = tokens?.failure;
		if (failure instanceof ServiceFailure || failure instanceof InputError) return failure;
		const lost = transportFailure(error, this.service, {
			...(this.limit.isOver && { timedOutMs: this.request.timeoutMs }),
			url: this.isAnswered ? undefined : this.baseUrl,
		});
		return this.isAnswered && lost.neverSent ? this.unreadable(error) : lost;
	}

	/** The response could not be read for a reason that has nothing to do with the connection. */
	private unreadable(error: unknown): ServiceFailure {
		return new ServiceFailure(
			`The response of ${this.service.name} cannot be read: ${messageOf(error)}`,
			{
				kind: 'response',
				description: `Report this to the operator of ${this.service.name}.`,
			},
		);
	}
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
	typeof body === 'string' ? Buffer.from(body) : body;

/** A context whose requests end with another signal than that of the execution. */
function withSignal(context: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}
