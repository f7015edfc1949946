import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject, rawBody } from './http';
import { seededRandom } from './random';
import type { FaultRule } from './types';

declare module 'fastify' {
	interface FastifyRequest {
		/** The fault that strikes after the work, in the reply. */
		lateFault?: FaultRule;
	}
}

const ROUTES = [
	'token',
	'submit',
	'results',
	'push',
	'delete',
	'convert',
	'blobs',
	'rules',
	'search',
];

/** Members of a rule and their types, for rules that come in over HTTP. */
const MEMBERS: Record<string, string> = {
	route: 'string',
	times: 'number',
	skip: 'number',
	probability: 'number',
	whenBodyContains: 'string',
	status: 'number',
	retryAfter: 'string',
	body: 'string',
	contentType: 'string',
	latencyMs: 'number',
	reset: 'string',
	truncate: 'boolean',
	html: 'boolean',
	redirectTo: 'string',
};

/** A page as proxies answer it, in place of JSON. */
const HTML_PAGE =
	'<!DOCTYPE html><html><head><title>Service unavailable</title></head>' +
	'<body><h1>Service unavailable</h1><p>The upstream did not answer.</p></body></html>';

/**
 * Checks a rule.
 * @throws Error naming what is wrong
 */
export function checkRule(rule: unknown): FaultRule {
	if (!isObject(rule)) throw new Error('A fault rule is an object');
	for (const [key, value] of Object.entries(rule)) {
		if (!(key in MEMBERS)) throw new Error(`Unknown member '${key}' of a fault rule`);
		if (value !== undefined && typeof value !== MEMBERS[key]) {
			throw new Error(`Member '${key}' of a fault rule must be a ${MEMBERS[key]}`);
		}
	}
	if (!ROUTES.includes(String(rule.route))) {
		throw new Error(`'route' of a fault rule must be one of ${ROUTES.join(', ')}`);
	}
	const resets = [undefined, 'beforeReply', 'midBody', 'afterWork'];
	if (!resets.includes(rule.reset as string | undefined)) {
		throw new Error("'reset' of a fault rule must be beforeReply, midBody or afterWork");
	}
	return rule as unknown as FaultRule;
}

/** A rule with its own counters. */
interface ArmedRule {
	rule: FaultRule;
	seen: number;
	struck: number;
	random: () => number;
}

/** True when the rule does more than delay. */
function isDecisive(rule: FaultRule): boolean {
	return Boolean(
		rule.reset ??
			rule.truncate ??
			rule.html ??
			rule.redirectTo ??
			rule.status ??
			rule.retryAfter ??
			rule.body,
	);
}

/** Keeps the rules and lets them strike. */
export class Faults {
	private rules: ArmedRule[] = [];

	/** Adds a rule behind the present ones. */
	add(rule: FaultRule): void {
		const checked = { ...checkRule(rule) };
		// The seed depends on the position alone, so that a run can be repeated.
		const random = seededRandom(`fault ${this.rules.length}`);
		this.rules.push({ rule: checked, seen: 0, struck: 0, random });
	}

	clear(): void {
		this.rules = [];
	}

	/** Installs the hooks; must run after the recorder's. */
	install(app: FastifyInstance): void {
		app.addHook('preHandler', async (request, reply) => this.strike(request, reply));
		app.addHook('onSend', async (request, reply, payload) =>
			request.lateFault ? spoil(request.lateFault, request, reply, payload) : payload,
		);
	}

	/**
	 * Rules are asked in the order they were added. Delays add up; the first rule that does more
	 * than delay decides, and later ones are not asked, so that their counts stay untouched.
	 */
	private async strike(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
		let latency = 0;
		let decisive: FaultRule | undefined;
		for (const armed of this.rules) {
			if (!applies(armed, request)) continue;
			latency += armed.rule.latencyMs ?? 0;
			if (isDecisive(armed.rule)) {
				decisive = armed.rule;
				break;
			}
		}
		// A closed sandbox shall not hold its process because of a slow fault.
		if (latency > 0) await delay(latency, undefined, { ref: false });
		if (!decisive) return undefined;
		if (decisive.reset === 'beforeReply') {
			reply.hijack();
			request.raw.socket.resetAndDestroy();
			return reply;
		}
		if (decisive.reset ?? decisive.truncate) {
			request.lateFault = decisive;
			return undefined;
		}
		return answer(decisive, reply);
	}
}

/** Counts the request for the rule and tells whether the rule strikes. */
function applies(armed: ArmedRule, request: FastifyRequest): boolean {
	const { rule } = armed;
	if (request.routeOptions.config?.route !== rule.route) return false;
	if (rule.whenBodyContains !== undefined) {
		if (!rawBody(request).includes(rule.whenBodyContains)) return false;
	}
	armed.seen += 1;
	if (armed.seen <= (rule.skip ?? 0)) return false;
	if (armed.struck >= (rule.times ?? Infinity)) return false;
	if (rule.probability !== undefined && armed.random() >= rule.probability) return false;
	armed.struck += 1;
	return true;
}

/** The reply of a rule that replaces the work. */
async function answer(rule: FaultRule, reply: FastifyReply): Promise<FastifyReply> {
	if (rule.retryAfter !== undefined) reply.header('retry-after', rule.retryAfter);
	if (rule.redirectTo !== undefined) {
		return reply
			.code(rule.status ?? 302)
			.header('location', rule.redirectTo)
			.send();
	}
	if (rule.html) {
		const type = rule.contentType ?? 'text/html; charset=utf-8';
		return reply
			.code(rule.status ?? 200)
			.type(type)
			.send(rule.body ?? HTML_PAGE);
	}
	const status = rule.status ?? (rule.retryAfter === undefined ? 200 : 429);
	const body = rule.body ?? JSON.stringify({ message: `Injected fault: HTTP ${status}` });
	reply.code(status).type(rule.contentType ?? 'application/json');
	// These statuses carry no body in HTTP.
	return status === 204 || status === 304 ? reply.send() : reply.send(body);
}

/** Turns the finished reply of real work into a damaged one. */
function spoil(
	rule: FaultRule,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): unknown {
	const { socket } = request.raw;
	const whole = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ''));
	const half = whole.subarray(0, Math.floor(whole.byteLength / 2));
	if (rule.reset === 'afterWork') {
		socket.resetAndDestroy();
		return payload;
	}
	if (rule.reset === 'midBody') {
		// An empty body has no middle; a longer one is promised then.
		reply.header('content-length', Math.max(whole.byteLength, 64));
		return Readable.from(
			(async function* cut() {
				yield half.byteLength > 0 ? half : Buffer.from('{');
				// The first half shall reach the client before the reset does.
				await delay(20);
				socket.resetAndDestroy();
			})(),
		);
	}
	reply.header('content-length', half.byteLength);
	return half;
}
