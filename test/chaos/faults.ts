/** Ways in which an exchange goes wrong, from the service's side of the socket. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Form } from './canaries';
import type { Answer, Route, ServicePlan } from './service';

/** What a service may answer with success that is no response of the interface. */
export const SHAPES = {
	null: null,
	true: true,
	number: 7,
	text: 'accepted',
	emptyList: [],
	listOfNull: [null],
	emptyObject: {},
	nested: undefined as unknown,
	membersOfWrongType: {
		chunkingId: { not: 'text' },
		status: ['READY'],
		chunkedData: 'none',
		documents: { id: 1 },
		errors: 0,
		access_token: 12,
		token_type: null,
		expires_in: 'soon',
	},
};

/** As deep as a message was that once overflowed the stack. */
const NESTED_LEVELS = 3000;

export type Shape = keyof typeof SHAPES;

export type Fault =
	| {
			kind: 'status';
			status: number;
			/** Retry-After, as seconds or as a date. */
			retryAfter?: 'seconds' | 'date' | 'nonsense';
			body: 'json' | 'html' | 'empty' | 'text';
			/** The work was done all the same: possible for 408 and 5xx. */
			effect: boolean;
			/** Repeats the secret of the request in this form. */
			echo?: Form;
			delayMs?: number;
	  }
	| { kind: 'redirect'; status: 302 | 307 | 308 }
	| { kind: 'reset'; when: 'before' | 'after' | 'withinHeaders' }
	| { kind: 'truncated' }
	| { kind: 'hang'; effect: boolean }
	| { kind: 'trickle' }
	| { kind: 'html' }
	| { kind: 'empty' }
	| { kind: 'noContent' }
	| { kind: 'charset' }
	| { kind: 'gzip' }
	| { kind: 'shape'; shape: Shape }
	| { kind: 'echo'; echo: Form; where: 'message' | 'status' | 'field' }
	| { kind: 'slow'; delayMs: number };

export interface FaultRule {
	route: Route;
	/** So many requests of the route pass first ... */
	skip: number;
	/** ... and so many get the fault. */
	times: number;
	fault: Fault;
}

/** Whether the service does its work before it answers so badly. */
export function takesEffect(fault: Fault): boolean {
	switch (fault.kind) {
		case 'status':
		case 'hang':
			return fault.effect;
		case 'redirect':
			return false;
		case 'reset':
			return fault.when !== 'before';
		default:
			return true;
	}
}

/** Whether the status of the response is one of success, as far as it gets there. */
export const isSuccess = ({ kind }: Fault): boolean =>
	!['status', 'redirect', 'reset', 'hang', 'echo', 'slow'].includes(kind);

/** Whether the client gets the response in a form it can read. */
export const isReadable = (fault: Fault): boolean =>
	['charset', 'echo', 'slow'].includes(fault.kind);

/** Whether every further request would meet it, so that nothing more is sent. */
export const endsRun = (fault: Fault): boolean =>
	fault.kind === 'redirect' || (fault.kind === 'status' && [401, 403].includes(fault.status));

/** Whether all that was accepted was reported, in responses that repeat the documents. */
export const isClear = ({ pushAnswer }: ServicePlan, played: Fault[]): boolean =>
	pushAnswer === 'echo' &&
	played.every((fault) => !takesEffect(fault) || (isReadable(fault) && fault.kind !== 'echo'));

/** A client that waits for the whole response waits until then, which is far too long. */
const TRICKLE_INTERVAL_MS = 50;
const TRICKLE_MS = 7_500;

export const HTML_PAGE =
	'<!DOCTYPE html><html><body><h1>Service</h1><p>Bad gateway</p></body></html>';

const jsonOf = (answer: Answer): string => answer.text ?? JSON.stringify(answer.json ?? {});

function nestedJson(): string {
	const key = '{"message":';
	return key.repeat(NESTED_LEVELS) + '"deep"' + '}'.repeat(NESTED_LEVELS);
}

/** In a charset that is not the one the response names; what that has no byte for is escaped. */
function inLatin1(body: string): Buffer {
	const escaped = body.replace(
		/[\u0100-\uffff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
	return Buffer.from(escaped, 'latin1');
}

/** Members the secret is repeated in, beside those of the response. */
function withEcho(answer: Answer, where: 'message' | 'status' | 'field', secret: string): unknown {
	const asNumber = /^\d+$/.test(secret) ? [Number(secret), { seen: [Number(secret)] }] : [];
	const json = answer.json;
	const members =
		typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { value: json };
	switch (where) {
		case 'message':
			return { ...members, message: `Seen: ${secret}` };
		case 'status':
			return { ...members, statusText: secret, detail: { seen: [secret, ...asNumber] } };
		case 'field':
			return { ...members, [secret]: true, request: { headers: { authorization: secret } } };
	}
}

function retryAfterOf(kind: 'seconds' | 'date' | 'nonsense'): string {
	if (kind === 'seconds') return '1';
	return kind === 'date' ? new Date(Date.now() + 1500).toUTCString() : 'soon';
}

function sendStatus(
	response: ServerResponse,
	fault: Extract<Fault, { kind: 'status' }>,
	secret: string,
): void {
	const words = fault.echo === undefined ? 'Something is wrong' : `Wrong: ${secret} (seen)`;
	if (fault.retryAfter) response.setHeader('Retry-After', retryAfterOf(fault.retryAfter));
	switch (fault.body) {
		case 'json':
			response.writeHead(fault.status, { 'Content-Type': 'application/json' });
			response.end(
				JSON.stringify({ error: 'failed', error_description: words, message: words }),
			);
			return;
		case 'html':
			response.writeHead(fault.status, { 'Content-Type': 'text/html' });
			response.end(HTML_PAGE.replace('Bad gateway', words));
			return;
		case 'text':
			response.writeHead(fault.status, { 'Content-Type': 'text/plain' });
			response.end(words);
			return;
		case 'empty':
			response.writeHead(fault.status).end();
	}
}

/** Sends the start of a response and then a byte at a time. */
function trickle(response: ServerResponse, body: string): void {
	response.writeHead(200, {
		'Content-Type': 'application/json',
		'Content-Length': Buffer.byteLength(body) + TRICKLE_MS / TRICKLE_INTERVAL_MS,
	});
	response.write(' ');
	const endsAt = Date.now() + TRICKLE_MS;
	const timer = setInterval(() => {
		if (Date.now() < endsAt) response.write(' ');
		else response.destroy();
	}, TRICKLE_INTERVAL_MS);
	timer.unref();
	response.on('close', () => clearInterval(timer));
}

/**
 * Answers a request as the fault wants it.
 *
 * @param answer what would have been answered, the work done as far as the fault lets it
 * @param secret the secret of the request, in the form the fault wants it
 */
export function sendFault(
	response: ServerResponse,
	fault: Fault,
	answer: Answer,
	secret: string,
): void {
	const { socket } = response;
	const body = jsonOf(answer);
	const json = { 'Content-Type': 'application/json' };
	if (isReadable(fault)) response.on('finish', () => answer.delivered?.());
	switch (fault.kind) {
		case 'status':
			if (fault.delayMs === undefined) sendStatus(response, fault, secret);
			else setTimeout(() => sendStatus(response, fault, secret), fault.delayMs).unref();
			return;
		case 'redirect':
			response.writeHead(fault.status, { Location: '/elsewhere/login' }).end();
			return;
		case 'reset':
			if (fault.when === 'withinHeaders') {
				socket?.write('HTTP/1.1 200 OK\r\nContent-Ty', () => socket.resetAndDestroy());
			} else {
				socket?.resetAndDestroy();
			}
			return;
		case 'truncated':
			response.writeHead(200, { ...json, 'Content-Length': Buffer.byteLength(body) + 10 });
			response.write(body.slice(0, Math.ceil(body.length / 2)), () => socket?.destroy());
			return;
		case 'hang':
			setTimeout(() => socket?.destroy(), TRICKLE_MS).unref();
			return;
		case 'trickle':
			trickle(response, body);
			return;
		case 'html':
			response.writeHead(200, { 'Content-Type': 'text/html' }).end(HTML_PAGE);
			return;
		case 'empty':
			response.writeHead(200, json).end();
			return;
		case 'noContent':
			response.writeHead(204).end();
			return;
		case 'charset':
			response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
			response.end(inLatin1(body));
			return;
		case 'gzip': {
			const packed = gzipSync(body);
			packed.fill(0x55, Math.floor(packed.length / 2), packed.length - 4);
			response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(packed);
			return;
		}
		case 'shape':
			response.writeHead(200, json);
			response.end(
				fault.shape === 'nested' ? nestedJson() : JSON.stringify(SHAPES[fault.shape]),
			);
			return;
		case 'echo':
			response.writeHead(answer.status === 204 ? 200 : answer.status, json);
			// What is not valid JSON has the secret behind it.
			response.end(
				answer.text === undefined
					? JSON.stringify(withEcho(answer, fault.where, secret))
					: `${answer.text} Seen: ${secret}`,
			);
			return;
		case 'slow':
			setTimeout(() => sendAnswer(response, answer), fault.delayMs).unref();
	}
}

/** Answers as the interface wants it. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
	if (answer.json === undefined) {
		response.writeHead(answer.status).end();
		return;
	}
	response.writeHead(answer.status, { 'Content-Type': 'application/json' });
	response.end(jsonOf(answer));
}
