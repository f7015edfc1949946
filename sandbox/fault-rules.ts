import { setTimeout as delay } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Answer, Fault } from './faults';
import { ANSWER, answerPlainly, FAULTS } from './faults';
import { rawBody } from './http';
import { atOnce, bucket, perSecond, type Admission } from './rates';
import { seededRandom } from './random';
import { ROUTE_NAMES, type RouteName } from './route-names';
import type { Static } from './schema';

declare module 'fastify' {
	interface FastifyRequest {
		/** The rule that spoils the finished response. */
		spoiledBy?: FaultRule;
	}
}

/** When a rule strikes. */
const CONDITIONS = {
	/** How often it strikes; without it, every time. */
	times: { type: 'number' },
	/** Matching requests that pass first. */
	skip: { type: 'number' },
	/** Chance of striking, 0 to 1, from a seeded generator: the same sequence on every run. */
	probability: { type: 'number' },
	/** Gives the probability another sequence; without it, the sequence depends on the rule's position. */
	seed: { type: 'string' },
	/** Strikes only if the raw request body contains this text. */
	whenBodyContains: { type: 'string' },
	/** Requests that pass in each second of the clock; with `burst` on average. */
	perSecond: { type: 'number' },
	/** Requests that pass at once after a pause, as gateways count. */
	burst: { type: 'number' },
	/** Requests in flight that pass, those that it strikes included. */
	atOnce: { type: 'number' },
	/** Time to wait before anything else. */
	latencyMs: { type: 'number' },
} as const;

/** One rule: all its conditions must hold. See README.md, "Faults". */
export type FaultRule = { route: RouteName } & {
	[Name in keyof typeof CONDITIONS]?: Static<(typeof CONDITIONS)[Name]>;
} & Answer & {
		[Name in keyof typeof FAULTS]?: Static<(typeof FAULTS)[Name]['schema']>;
	};

/** The JSON schema of a rule. */
export const FAULT_RULE_SCHEMA = {
	type: 'object',
	required: ['route'],
	additionalProperties: false,
	properties: {
		route: { enum: ROUTE_NAMES },
		...CONDITIONS,
		...ANSWER,
		...Object.fromEntries(Object.entries(FAULTS).map(([name, { schema }]) => [name, schema])),
	},
};

/** A rule with its own counters. */
interface ArmedRule {
	rule: FaultRule;
	seen: number;
	struck: number;
	admits: Admission | undefined;
	random: () => number;
}

/** The fault of a rule and its value there; undefined if the rule only answers or delays. */
function faultOf(rule: FaultRule): { fault: Fault; value: unknown } | undefined {
	for (const [name, fault] of Object.entries(FAULTS)) {
		const value = rule[name as keyof typeof FAULTS];
		if (value) return { fault, value };
	}
	return undefined;
}

/** True if the rule does more than delay. */
function isDecisive(rule: FaultRule): boolean {
	const { status, retryAfter, body } = rule;
	return faultOf(rule) !== undefined || [status, retryAfter, body].some((one) => one);
}

/** True if the client gets no complete response because of the rule. */
export function breaksConnection(rule: FaultRule | undefined): boolean {
	return (rule && faultOf(rule)?.fault.breaks) ?? false;
}

/** Keeps the rules and applies them to requests. */
export class FaultRules {
	private rules: ArmedRule[] = [];

	/** @param check throws an error for a rule that is not valid */
	constructor(private readonly check: (rule: unknown) => void) {}

	/**
	 * Adds a rule behind the present ones.
	 * @throws Error that names what is wrong with it
	 */
	add(rule: FaultRule): void {
		this.check(rule);
		// Nothing else decides, so that a run can be repeated.
		const random = seededRandom(`fault ${rule.seed ?? this.rules.length}`);
		const admits = admissionOf(rule);
		this.rules.push({ rule: { ...rule }, seen: 0, struck: 0, admits, random });
	}

	clear(): void {
		this.rules = [];
	}

	/** Installs the hooks; must run after the recorder's. */
	install(app: FastifyInstance): void {
		app.addHook('preValidation', async (request, reply) => await this.strike(request, reply));
		app.addHook('onSend', async (request, reply, payload) => {
			const { fault, value } = (request.spoiledBy && faultOf(request.spoiledBy)) ?? {};
			return fault?.spoil ? fault.spoil(value, { request, reply, payload }) : payload;
		});
	}

	/**
	 * Rules are applied in the order they were added. Delays add up; the first rule that does more
	 * than delay decides, and later ones do not count the request.
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
		// A slow fault must not keep the process of a closed sandbox alive.
		if (latency > 0) await delay(latency, undefined, { ref: false });
		return decisive && applyRule(decisive, request, reply);
	}
}

/** Whether a request passes because a rule strikes only what exceeds a limit. */
function admissionOf({ perSecond: rate, burst, atOnce: count }: FaultRule): Admission | undefined {
	if (count !== undefined) return atOnce(count);
	if (rate === undefined) return undefined;
	return burst === undefined ? perSecond(rate) : bucket(rate, burst);
}

/** Counts the request for the rule and tells whether the rule strikes. */
function applies(armed: ArmedRule, request: FastifyRequest): boolean {
	const { rule } = armed;
	if (request.routeOptions.config?.route !== rule.route) return false;
	if (rule.whenBodyContains !== undefined) {
		if (!rawBody(request).includes(rule.whenBodyContains)) return false;
	}
	if (armed.admits?.(Date.now(), request.record?.inFlight ?? 0)) return false;
	armed.seen += 1;
	if (armed.seen <= (rule.skip ?? 0)) return false;
	if (armed.struck >= (rule.times ?? Infinity)) return false;
	if (rule.probability !== undefined && armed.random() >= rule.probability) return false;
	armed.struck += 1;
	return true;
}

/** Answers in place of the work, or marks the request whose response is spoiled later. */
function applyRule(
	rule: FaultRule,
	request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply | undefined {
	const { fault, value } = faultOf(rule) ?? {};
	if (rule.retryAfter !== undefined && !fault?.spoil) {
		reply.header('retry-after', rule.retryAfter);
	}
	if (!fault) return answerPlainly(rule, reply);
	const replaced = fault.replace?.(value, request, reply, rule);
	if (!replaced && fault.spoil) request.spoiledBy = rule;
	return replaced;
}
