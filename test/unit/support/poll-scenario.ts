import { Lane, Limiter } from '../../../nodes/shared/flow/limiter';
import { poll } from '../../../nodes/shared/flow/poll';
import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { verdictOf } from './bulk-scenario';
import { VirtualRun } from './virtual-run';

export const CANCEL = new Error('The execution was canceled');
const STOP = new Error('A failure');

/** What a poll meets instead of an answer. */
export type PollFault =
	| 'none'
	| 'unavailable'
	| 'reset'
	| 'throttled'
	| 'throttled 5 s'
	| 'refused';

export interface PollJob {
	name: string;
	/** The service has its results from then on. */
	readyAtMs: number;
	/** The n-th poll of the job meets the n-th fault. */
	faults?: PollFault[];
	/** What the service asks to wait while it has none. */
	asksToWaitMs?: number;
	/** Comes so late. */
	addedAtMs?: number;
	/** Its own deadline. */
	deadlineMs?: number;
}

export interface PollScenario {
	jobs: PollJob[];
	deadlineMs?: number;
	concurrency?: number;
	/** Duration of a poll. */
	latencyMs?: number;
	seed?: number;
	random?: () => number;
	cancelAtMs?: number;
	/** The run is stopped at that time. */
	stopAtMs?: number;
	stopsOnFailure?: boolean;
	startMs?: number;
	capMs?: number;
}

export interface PollOutcome {
	/** name -> how the job ended, as often as it did. */
	endings: Map<string, string[]>;
	/** name -> when it ended. */
	endedAt: Map<string, number>;
	polls: Array<{ name: string; at: number; inFlight: number }>;
	timeouts: Array<{ name: string; lastError: unknown }>;
	thrown?: unknown;
	retries: number;
	finishedAt: number;
}

export const pollsAt = ({ polls }: PollOutcome, name: string): number[] =>
	polls.filter((poll) => poll.name === name).map(({ at }) => at);

const status = (code: number, retryAfterMs?: number) =>
	new ServiceFailure(`status ${code}`, {
		kind: 'status',
		status: code,
		...(retryAfterMs !== undefined && { retryAfterMs }),
	});

const FAULTS: Partial<Record<PollFault, () => Error>> = {
	unavailable: () => status(503),
	reset: () => new ServiceFailure('reset', { kind: 'transport', code: 'ECONNRESET' }),
	throttled: () => status(429),
	'throttled 5 s': () => status(429, 5000),
	refused: () => status(404),
};

/** Polls simulated jobs, in virtual time from 0. */
export async function runPolls(scenario: PollScenario): Promise<PollOutcome> {
	const {
		jobs,
		deadlineMs = 600_000,
		concurrency = 4,
		latencyMs = 5,
		seed = 1,
		random,
		cancelAtMs,
		stopAtMs,
		stopsOnFailure = false,
		startMs = 500,
		capMs = 10_000,
	} = scenario;
	const run = new VirtualRun({ seed, stopsOnFailure });
	const { clock } = run;
	if (random) clock.random = random;
	if (cancelAtMs !== undefined) run.cancelAt(cancelAtMs, CANCEL);
	if (stopAtMs !== undefined) clock.at(stopAtMs, () => run.stop(STOP));

	const outcome: PollOutcome = {
		endings: new Map(jobs.map(({ name }) => [name, []])),
		endedAt: new Map(),
		polls: [],
		timeouts: [],
		retries: 0,
		finishedAt: 0,
	};
	let inFlight = 0;
	async function* source() {
		const late = (job: PollJob) => job.addedAtMs ?? 0;
		for (const job of [...jobs].sort((one, other) => late(one) - late(other))) {
			if (late(job) > run.now()) await run.sleep(late(job) - run.now());
			yield job;
		}
	}
	const polling = async () => {
		const options = {
			run,
			lane: new Lane(new Limiter(), run, concurrency),
			intervals: { firstMs: startMs, longestMs: capMs },
			retryForMs: 0,
			deadlineOf: ({ deadlineMs: own }: PollJob) => own ?? deadlineMs,
			check: async (job: PollJob) => {
				const fault = job.faults?.[pollsAt(outcome, job.name).length] ?? 'none';
				outcome.polls.push({ name: job.name, at: clock.now(), inFlight: ++inFlight });
				await clock.sleep(latencyMs).finally(() => inFlight--);
				const error = FAULTS[fault]?.();
				if (error) throw error;
				if (clock.now() < job.readyAtMs) {
					const { asksToWaitMs: delayMs } = job;
					return { state: 'pending' as const, ...(delayMs !== undefined && { delayMs }) };
				}
				return { state: 'finished' as const, response: job.name };
			},
			judge: verdictOf,
			expire: ({ name }: PollJob, lastError: unknown) => {
				outcome.timeouts.push({ name, lastError });
				return { state: 'failed' as const, reason: 'timeout' };
			},
		};
		for await (const { entry: job, outcome: result } of poll(source(), options)) {
			const failed = !result.ok && (result.reason === 'timeout' ? 'timeout' : 'failed');
			const how = result.ok ? 'finished' : result.skipped ? 'skipped' : failed;
			outcome.endings.get(job.name)?.push(String(how));
			outcome.endedAt.set(job.name, clock.now());
		}
		if (run.ended?.reason === CANCEL) throw CANCEL;
	};
	await clock.run(polling()).catch((thrown: unknown) => {
		outcome.thrown = thrown;
	});
	outcome.finishedAt = clock.now();
	await clock.drain();
	outcome.retries = run.stats.retries;
	return outcome;
}
