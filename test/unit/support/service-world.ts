/**
 * Simulates a node's run in virtual time, against a service that fails according to rules. The requests go through
 * `bulk` and `poll` with the nodes' settings. Failures have the same form as in a real run.
 */
import { bulk } from '../../../nodes/shared/sending/bulk';
import type { BulkOptions } from '../../../nodes/shared/sending/batch-sender';
import { jobs, type JobOptions } from '../../../nodes/shared/sending/jobs';
import { oneEach } from '../../../nodes/shared/sending/one-each';
import type { Outcome } from '../../../nodes/shared/sending/outcome';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { poll, type PollOptions } from '../../../nodes/shared/sending/poll';
import { transportFailure } from '../../../nodes/shared/session/transport-failure';
import { diagnose } from '../../../nodes/shared/service/failure';
import {
	AI_SERVICE,
	PUSH_SERVICE,
	statusFailure,
} from '../../../nodes/shared/service/service-definitions';
import type { Admission } from '../../../sandbox/rates';
import { flat } from './slices';
import { VirtualClock } from '../../../support/virtual-clock';
import { VirtualRun } from '../../../support/virtual-run';

/** A service fault: either a status, or a connection that closes before or after the service does the work. */
export type Fault = { status: number; body?: string } | { reset: 'beforeWork' | 'afterWork' };

export interface SeenRequest {
	route: 'push' | 'delete' | 'submit' | 'results';
	ids: readonly number[];
	/** Milliseconds since the start of the simulation. */
	now: number;
	inFlight: number;
	random: () => number;
}

/** Returns the fault for a request, or undefined if the service carries out the request. */
export type Rule = (request: SeenRequest) => Fault | undefined;

export const atRandom =
	(share: number, fault: Fault): Rule =>
	({ random }) =>
		random() < share ? fault : undefined;

/** Closes a random share of all connections. Half of these connections close after the work is done. */
export const resetsAtRandom =
	(share: number): Rule =>
	({ random }) =>
		random() < share ? { reset: random() < 0.5 ? 'beforeWork' : 'afterWork' } : undefined;

/** Applies the rule only between these times, in seconds since the start of the simulation. */
export const during =
	(from: number, to: number, rule: Rule): Rule =>
	(request) =>
		request.now >= from * 1000 && request.now < to * 1000 ? rule(request) : undefined;

export const always =
	(fault: Fault): Rule =>
	() =>
		fault;

export const withAny = (ids: readonly number[], fault: Fault): Rule => {
	const bad = new Set(ids);
	return (request) => (request.ids.some((id) => bad.has(id)) ? fault : undefined);
};

/** Tries several rules in order and applies the first fault. */
export const anyOf =
	(rules: readonly Rule[]): Rule =>
	(request) => {
		for (const rule of rules) {
			const fault = rule(request);
			if (fault) return fault;
		}
		return undefined;
	};

export const onRoute =
	(route: SeenRequest['route'], rule: Rule): Rule =>
	(request) =>
		request.route === route ? rule(request) : undefined;

export const beyond =
	(admits: Admission, fault: Fault): Rule =>
	({ now, inFlight }) =>
		admits(now, inFlight) ? undefined : fault;

export interface World {
	kind: 'push' | 'delete' | 'chunk';
	/** The number of documents or texts, or a list of document numbers. */
	entries: number | readonly number[];
	perRequest?: number;
	/**
	 * Rules in order of priority. Rules that count requests must come from a function, so that each run starts
	 * counting at zero.
	 */
	rules?: Rule[] | (() => Rule[]);
	retryForSeconds?: number;
	latencyMs?: number;
	jobMs?: number;
	seed?: number;
	/** An existing clock, for simulations with several runs. */
	clock?: VirtualClock;
}

export interface Played {
	done: number[];
	failed: number[];
	/** Entries that were not sent because the run had ended. */
	skipped: number[];
	/** Entries that the service processed at least once. */
	effects: Set<number>;
	/** Total number of attempts and polls. */
	requests: number;
	seconds: number;
	/**
	 * Longest time, in seconds, between the first failed request that contained an entry and the failure of that entry.
	 */
	isolatedAfter: number;
	reasonOf: Map<number, unknown>;
	ended: { reason: unknown } | undefined;
}

const CONCURRENCY = { push: 4, delete: 8, chunk: 8 };
const PER_REQUEST = { push: 500, delete: 1, chunk: 10 };
const POLLS = { firstMs: 250, longestMs: 10_000 };
const MAX_WAIT_MS = 600_000;

interface Job {
	ids: number[];
	readyAt: number;
	deadline: number;
}

/**
 * Simulates a run against the service.
 *
 * @throws an error if an entry does not have exactly one outcome. Also throws an error if an entry is reported as done
 * but the service did not process it.
 */
export async function playWorld({
	kind,
	entries,
	perRequest = PER_REQUEST[kind],
	rules = [],
	retryForSeconds = 60,
	latencyMs = 200,
	jobMs = 1000,
	seed = 1,
	clock = new VirtualClock(seed),
}: World): Promise<Played> {
	const run = new VirtualRun({ clock });
	const faultOf = anyOf(typeof rules === 'function' ? rules() : rules);
	const began = clock.now();
	const ids =
		typeof entries === 'number' ? Array.from({ length: entries }, (_, id) => id) : entries;
	const service = kind === 'chunk' ? AI_SERVICE : PUSH_SERVICE;
	const firstFailure = new Map<number, number>();
	const outcomes = new Map<number, 'done' | 'failed' | 'skipped'>();
	const effects = new Set<number>();
	const reasonOf = new Map<number, unknown>();
	let isolatedMs = 0;
	let inFlight = 0;
	let requests = 0;

	const failureOf = (fault: Fault) =>
		'reset' in fault
			? transportFailure(
					Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
					service,
				)
			: statusFailure(service, { status: fault.status, body: fault.body ?? '' });
	const half = async () => await clock.sleep((latencyMs / 2) * (0.5 + clock.random()));
	const request = async (
		route: SeenRequest['route'],
		sent: readonly number[],
		work: () => void = () => undefined,
	) => {
		requests++;
		inFlight++;
		try {
			await half();
			const seen = {
				route,
				ids: sent,
				now: clock.now(),
				inFlight,
				random: () => clock.random(),
			};
			const fault = faultOf(seen);
			if (!fault || ('reset' in fault && fault.reset === 'afterWork')) {
				work();
				await half();
			}
			if (!fault) return;
			for (const id of sent) if (!firstFailure.has(id)) firstFailure.set(id, clock.now());
			throw failureOf(fault);
		} finally {
			inFlight--;
		}
	};
	const apply = (sent: readonly number[]) => () => {
		for (const id of sent) effects.add(id);
	};
	const account = (sent: readonly number[], outcome: Outcome<unknown>) => {
		for (const id of sent) {
			if (outcomes.has(id)) throw new Error(`Entry ${id} has two outcomes`);
			if (outcome.ok && !effects.has(id)) throw new Error(`Entry ${id} was never accepted`);
			outcomes.set(id, outcome.ok ? 'done' : outcome.skipped ? 'skipped' : 'failed');
			if (outcome.ok || outcome.skipped) continue;
			reasonOf.set(id, outcome.reason);
			isolatedMs = Math.max(isolatedMs, clock.now() - (firstFailure.get(id) ?? clock.now()));
		}
	};

	const limiter = new Limiter();
	const concurrency = CONCURRENCY[kind];
	const newLine = () => ({
		run,
		concurrency,
		limiterClient: limiter.join(run, concurrency),
		health: new ServiceHealth(),
		retryForMs: retryForSeconds * 1000,
		diagnose: (error: unknown) => diagnose(error, { idempotent: true }),
	});
	const bulkOptions = <R>(send: BulkOptions<number, R>['send']): BulkOptions<number, R> => ({
		...newLine(),
		limits: { maxCount: perRequest, maxBytes: 1e9 },
		textOf: String,
		tooLarge: () => new Error('Nothing is too large'),
		send,
	});

	const push = async () => {
		const options = bulkOptions(async (batch) => {
			const sent = batch.map(({ entry }) => entry);
			await request('push', sent, apply(sent));
		});
		for await (const { entries: sent, outcome } of flat(bulk([[...ids]], options)))
			account(sent, outcome);
	};
	const remove = async () => {
		const send = async (id: number) => await request('delete', [id], apply([id]));
		const answers = bulk([[...ids]], oneEach(newLine(), send));
		for await (const { entries: sent, outcome } of flat(answers)) account(sent, outcome);
	};
	const chunk = async () => {
		const polls = newLine();
		const pollingOf = (job: Job): PollOptions<number> => ({
			...polls,
			intervals: POLLS,
			deadline: job.deadline,
			check: async () => {
				let isReady = false;
				await request('results', job.ids, () => {
					isReady = clock.now() >= job.readyAt;
					if (isReady) apply(job.ids)();
				});
				return isReady
					? { state: 'finished', response: job.ids.length }
					: { state: 'pending' };
			},
			expire: (lastError) => ({ state: 'failed', reason: lastError }),
		});
		const submitting = bulkOptions<Job>(async (batch) => {
			const sent = batch.map(({ entry }) => entry);
			await request('submit', sent);
			const now = clock.now();
			return { ids: sent, readyAt: now + jobMs, deadline: now + MAX_WAIT_MS };
		});
		const options: JobOptions<number, Job, number> = {
			...submitting,
			waitForJob: async (job) => await poll(pollingOf(job)),
			isFinished: () => true,
		};
		for await (const { entries: sent, outcome } of flat(jobs([[...ids]], options)))
			account(sent, outcome);
	};

	await clock.run({ push, delete: remove, chunk }[kind]());
	const withOutcome = (how: string) => ids.filter((id) => outcomes.get(id) === how);
	if (outcomes.size !== ids.length) throw new Error(`${outcomes.size} of ${ids.length} outcomes`);
	return {
		done: withOutcome('done'),
		failed: withOutcome('failed'),
		skipped: withOutcome('skipped'),
		effects,
		requests,
		seconds: (clock.now() - began) / 1000,
		isolatedAfter: isolatedMs / 1000,
		reasonOf,
		ended: run.ended,
	};
}
