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
		spoiledBy?: FaultRule;
	}
}

const CONDITIONS = {
	/** Maximum number of requests that the rule applies to. By default, there is no limit. */
	times: { type: 'number' },
	/** Number of matching requests that pass before the rule applies. */
	skip: { type: 'number' },
	/**
	 * Probability that the rule applies, from 0 to 1. The random generator is seeded, so every run uses the same
	 * sequence.
	 */
	probability: { type: 'number' },
	/** Seed of the random sequence. By default, the seed is the rule's position. */
	seed: { type: 'string' },
	/** The rule applies only if the raw request body contains this text. */
	whenBodyContains: { type: 'string' },
	/** The rule applies only if the raw path ends with this text. */
	whenPathEndsWith: { type: 'string' },
	/** Only for results. The rule applies only if a text of the job contains this text. */
	whenTextContains: { type: 'string' },
	/** Only for results. Maximum number of jobs that the rule applies to. */
	jobs: { type: 'number' },
	/** Number of requests that pass in each clock second. If `burst` is set, this is the average rate. */
	perSecond: { type: 'number' },
	/** Maximum number of requests that pass in one burst after a pause, as in a gateway's token bucket. */
	burst: { type: 'number' },
	/**
	 * Minimum number of other requests that must be in flight when a request arrives. If there are fewer, the rule does
	 * not affect the request.
	 */
	atOnce: { type: 'number' },
	latencyMs: { type: 'number' },
} as const;

/** One rule. It applies only if all of its conditions are met. See README.md, "Faults". */
export type FaultRule = { route: RouteName } & {
	[Name in keyof typeof CONDITIONS]?: Static<(typeof CONDITIONS)[Name]>;
} & Answer & {
		[Name in keyof typeof FAULTS]?: Static<(typeof FAULTS)[Name]['schema']>;
	};

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

interface ArmedRule {
	rule: FaultRule;
	seen: number;
	struck: number;
	jobs: Set<string>;
	admits: Admission | undefined;
	random: () => number;
}

function faultOf(rule: FaultRule): { fault: Fault; value: unknown } | undefined {
	for (const [name, fault] of Object.entries(FAULTS)) {
		const value = rule[name as keyof typeof FAULTS];
		if (value) return { fault, value };
	}
	return undefined;
}

function isDecisive(rule: FaultRule): boolean {
	const { status, retryAfter, body } = rule;
	return faultOf(rule) !== undefined || [status, retryAfter, body].some((one) => one);
}

/** Returns true if the rule prevents the client from receiving a complete response. */
export function breaksConnection(rule: FaultRule | undefined): boolean {
	return (rule && faultOf(rule)?.fault.breaks) ?? false;
}

export class FaultRules {
	private rules: ArmedRule[] = [];

	/**
	 * @param check a function that throws an error if a rule is invalid
	 * @param textsOf a function that returns the texts of a job
	 */
	constructor(
		private readonly check: (rule: unknown) => void,
		private readonly textsOf: (chunkingId: string) => string[],
	) {}

	/**
	 * Appends a rule.
	 * @throws an error that says what is wrong with the rule
	 */
	add(rule: FaultRule): void {
		this.check(rule);
		const random = seededRandom(`fault ${rule.seed ?? this.rules.length}`);
		const admits = admissionOf(rule);
		this.rules.push({ rule: { ...rule }, seen: 0, struck: 0, jobs: new Set(), admits, random });
	}

	clear(): void {
		this.rules = [];
	}

	/** Installs the hooks. Call this after the recorder has installed its own hooks. */
	install(app: FastifyInstance): void {
		app.addHook('preValidation', async (request, reply) => await this.strike(request, reply));
		app.addHook('onSend', async (request, reply, payload) => {
			const { fault, value } = (request.spoiledBy && faultOf(request.spoiledBy)) ?? {};
			return fault?.spoil ? fault.spoil(value, { request, reply, payload }) : payload;
		});
	}

	/**
	 * Applies the rules in the order in which they were added. Delays add up. The first rule that does more than delay
	 * the request determines the response. Later rules ignore the request, so their counters do not change.
	 */
	private async strike(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
		let latency = 0;
		let decisive: FaultRule | undefined;
		for (const armed of this.rules) {
			if (!concernsJob(armed, request, this.textsOf) || !applies(armed, request)) continue;
			latency += armed.rule.latencyMs ?? 0;
			if (isDecisive(armed.rule)) {
				decisive = armed.rule;
				break;
			}
		}
		if (latency > 0) await delay(latency, undefined, { ref: false });
		return decisive && applyRule(decisive, request, reply);
	}
}

function admissionOf({ perSecond: rate, burst, atOnce: count }: FaultRule): Admission | undefined {
	if (count !== undefined) return atOnce(count);
	if (rate === undefined) return undefined;
	return burst === undefined ? perSecond(rate) : bucket(rate, burst);
}

/** Returns true if the rule applies to the job of a request for results. */
function concernsJob(
	{ rule, jobs }: ArmedRule,
	request: FastifyRequest,
	textsOf: (chunkingId: string) => string[],
): boolean {
	const { whenTextContains: part, jobs: most = Infinity } = rule;
	if (part === undefined) return true;
	const { chunkingId = '' } = request.params as { chunkingId?: string };
	if (!textsOf(chunkingId).some((text) => text.includes(part))) return false;
	if (!jobs.has(chunkingId) && jobs.size >= most) return false;
	jobs.add(chunkingId);
	return true;
}

/** Returns true if the rule applies to the request. Also updates the rule's counters. */
function applies(armed: ArmedRule, request: FastifyRequest): boolean {
	const { rule } = armed;
	if (request.routeOptions.config?.route !== rule.route) return false;
	if (rule.whenBodyContains !== undefined) {
		if (!rawBody(request).includes(rule.whenBodyContains)) return false;
	}
	if (rule.whenPathEndsWith !== undefined) {
		if (!request.url.split('?')[0].endsWith(rule.whenPathEndsWith)) return false;
	}
	if (armed.admits?.(Date.now(), request.record?.inFlight ?? 0)) return false;
	armed.seen += 1;
	if (armed.seen <= (rule.skip ?? 0)) return false;
	if (armed.struck >= (rule.times ?? Infinity)) return false;
	if (rule.probability !== undefined && armed.random() >= rule.probability) return false;
	armed.struck += 1;
	return true;
}

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
