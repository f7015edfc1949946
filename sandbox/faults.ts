import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { GATEWAY, GATEWAY_INCIDENTS, gatewayBody } from './gateway';
import type { Static } from './schema';

const HTML_PAGE =
	'<!DOCTYPE html><html><head><title>Service unavailable</title></head>' +
	'<body><h1>Service unavailable</h1><p>The upstream did not answer.</p></body></html>';

const PLAIN_TEXT = 'text/plain; charset=utf-8';

export const ANSWER = {
	status: { type: 'integer' },
	/** Value of the Retry-After header, sent verbatim. If the rule sets no status, the status is 429. */
	retryAfter: { type: 'string' },
	body: { type: 'string' },
	contentType: { type: 'string' },
} as const;

export type Answer = { [Name in keyof typeof ANSWER]?: Static<(typeof ANSWER)[Name]> };

interface Finished {
	request: FastifyRequest;
	reply: FastifyReply;
	payload: unknown;
}

interface Effect<Value> {
	/**
	 * Answers a request before it is authenticated. If this function returns undefined, the route processes the
	 * request.
	 */
	replace?: (
		value: Value,
		request: FastifyRequest,
		reply: FastifyReply,
		answer: Answer,
	) => FastifyReply | undefined;
	spoil?: (value: Value, finished: Finished) => unknown;
	/** True if the client does not receive a complete response. */
	breaks?: boolean;
}

export type Fault = Effect<unknown>;

function fault<const Schema extends object>(schema: Schema, effect: Effect<Static<Schema>>) {
	return { schema, ...(effect as Fault) } as Fault & { schema: Schema };
}

const DAMAGES = ['controlCharacter', 'trailingBytes', 'jsonInString', 'otherVectorShape'] as const;

const DAMAGE: Record<(typeof DAMAGES)[number], (text: string) => string> = {
	controlCharacter: (text) => text.replace('"chunks":["', '"chunks":["\u0001'),
	trailingBytes: (text) => `${text}]`,
	jsonInString: (text) => JSON.stringify(text),
	otherVectorShape: (text) => text.replace(/"vectors?":/g, '"embedding":'),
};

/**
 * All faults. Each key is the name of the rule property that turns the fault on. To add a fault, add an
 * entry to this list. The fault's type, check and effect are derived from the entry. If a rule has several
 * faults, the first one in this list applies.
 */
export const FAULTS = {
	/**
	 * Destroys the connection before the request is processed, after it is processed, or in the middle of the response.
	 */
	reset: fault(
		{ enum: ['beforeResponse', 'midBody', 'afterWork'] },
		{
			breaks: true,
			replace: (when, request, reply) => {
				if (when !== 'beforeResponse') return undefined;
				reply.hijack();
				request.raw.socket.resetAndDestroy();
				return reply;
			},
			spoil: (when, { request: { raw }, reply, payload }) => {
				if (when === 'midBody') return firstHalfThenReset(raw.socket, reply, payload);
				raw.socket.resetAndDestroy();
				return payload;
			},
		},
	),

	/**
	 * Processes the request, then sends only the first half of the response body. The Content-Length matches that half.
	 */
	truncate: fault(
		{ type: 'boolean' },
		{
			spoil: (_on, { reply, payload }) => {
				const half = firstHalf(payload);
				reply.header('content-length', half.byteLength);
				return half;
			},
		},
	),

	/** Processes the request, then damages the results of a chunking job. Other responses are not changed. */
	damage: fault(
		{ enum: DAMAGES },
		{
			spoil: (how, { payload }) => {
				const text = bytesOf(payload).toString();
				return text.includes('"chunkedData":') ? DAMAGE[how](text) : payload;
			},
		},
	),

	/** Redirects to this URL. `status` defaults to 302. */
	redirectTo: fault(
		{ type: 'string' },
		{
			replace: (url, _request, reply, { status }) =>
				reply
					.code(status ?? 302)
					.header('location', url)
					.send(),
		},
	),

	/** Answers with a status and plain text, like a gateway in front of the service. */
	gateway: fault(
		{ enum: GATEWAY_INCIDENTS },
		{
			replace: (incident, _request, reply) => {
				const { status, body } = GATEWAY[incident];
				return reply.code(status).type(PLAIN_TEXT).send(body);
			},
		},
	),

	/** Answers with an HTML page. `status` defaults to 200. */
	html: fault(
		{ type: 'boolean' },
		{
			replace: (_on, _request, reply, { status, contentType, body }) =>
				reply
					.code(status ?? 200)
					.type(contentType ?? 'text/html; charset=utf-8')
					.send(body ?? HTML_PAGE),
		},
	),
};

/**
 * Answers with a rule's status and body. Used for rules that set no special fault, such as a reset. If the rule has no
 * body, sends the body that a gateway would send.
 */
export function answerPlainly(rule: Answer, reply: FastifyReply): FastifyReply {
	const status = rule.status ?? (rule.retryAfter === undefined ? 200 : 429);
	const ofGateway = rule.body === undefined ? gatewayBody(status) : undefined;
	const contentType = ofGateway === undefined ? 'application/json' : PLAIN_TEXT;
	const injected = JSON.stringify({ message: `Injected fault: HTTP ${status}` });
	reply.code(status).type(rule.contentType ?? contentType);
	// In HTTP, responses with these statuses have no body.
	return status === 204 || status === 304
		? reply.send()
		: reply.send(rule.body ?? ofGateway ?? injected);
}

function bytesOf(payload: unknown): Buffer {
	return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''));
}

function firstHalf(payload: unknown): Buffer {
	const whole = bytesOf(payload);
	return whole.subarray(0, Math.floor(whole.byteLength / 2));
}

function firstHalfThenReset(
	socket: FastifyRequest['raw']['socket'],
	reply: FastifyReply,
	payload: unknown,
): Readable {
	const half = firstHalf(payload);
	// The declared length must exceed the number of bytes sent, even if the body is short or empty.
	reply.header('content-length', Math.max(bytesOf(payload).byteLength, 64));
	return Readable.from(
		(async function* cut() {
			yield half.byteLength > 0 ? half : Buffer.from('{');
			// The client must receive the first half before the reset.
			await delay(20);
			socket.resetAndDestroy();
		})(),
	);
}
