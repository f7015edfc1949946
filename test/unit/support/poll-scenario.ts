import { PollLoop } from '../../../nodes/shared/flow/poll';
import { judge, ServiceFailure } from '../../../nodes/shared/service/failure';
import { VirtualClock } from './virtual-clock';

export const CANCEL = new Error('The execution was stopped');

/** What a look meets instead of an answer. */
export type PollFault =
	| 'none'
	| 'unavailable'
	| 'unavailable 20 s'
	| 'reset'
	| 'throttled'
	| 'throttled 5 s'
	| 'refused';

export interface PollJob {
	name: string;
	/** The service has its results from then on. */
	readyAtMs: number;
	/** The n-th look at the job meets the n-th fault. */
	faults?: PollFault[];
	/** What the service asks to wait while it has none. */
	asksToWaitMs?: number;
	/** Added to the loop so late. */
	addedAtMs?: number;
}

export interface PollScenario {
	jobs: PollJob[];
	deadlineMs?: number | (() => number);
	concurrency?: number;
	/** Time of a look. */
	latencyMs?: number;
	seed?: number;
	random?: () => number;
	cancelAtMs?: number;
	/** What a look throws from then on. */
	fatalAtMs?: number;
	startMs?: number;
	capMs?: number;
}

export interface PollOutcome {
	/** name -> how the job ended, as often as it did. */
	endings: Map<string, string[]>;
	/** name -> when it ended. */
	endedAt: Map<string, number>;
	looks: Array<{ name: string; at: number; inFlight: number }>;
	timeouts: Array<{ name: string; lastError: unknown }>;
	thrown?: unknown;
	retries: number;
	finishedAt: number;
}

export const looksAt = ({ looks }: PollOutcome, name: string): number[] =>
	looks.filter((look) => look.name === name).map(({ at }) => at);

const status = (code: number, retryAfterMs?: number) =>
	new ServiceFailure(`status ${code}`, {
		kind: 'status',
		status: code,
		...(retryAfterMs !== undefined && { retryAfterMs }),
	});

const FAULTS: Partial<Record<PollFault, () => Error>> = {
	unavailable: () => status(503),
	'unavailable 20 s': () => status(503, 20_000),
	reset: () => new ServiceFailure('reset', { kind: 'transport', code: 'ECONNRESET' }),
	throttled: () => status(429),
	'throttled 5 s': () => status(429, 5000),
	refused: () => status(404),
};

/** Runs the loop against simulated jobs, in virtual time from 0. */
export async function runPolls(scenario: PollScenario): Promise<PollOutcome> {
	const {
		jobs,
		deadlineMs = 600_000,
		concurrency = 4,
		latencyMs = 5,
		seed = 1,
		random,
		cancelAtMs,
		fatalAtMs = Infinity,
		startMs = 500,
		capMs = 10_000,
	} = scenario;
	const clock = new VirtualClock(seed);
	if (random) clock.random = random;
	if (cancelAtMs !== undefined) clock.cancelAt(cancelAtMs, CANCEL);

	const outcome: PollOutcome = {
		endings: new Map(jobs.map(({ name }) => [name, []])),
		endedAt: new Map(),
		looks: [],
		timeouts: [],
		retries: 0,
		finishedAt: 0,
	};
	const end = ({ name }: PollJob, how: string) => {
		outcome.endings.get(name)?.push(how);
		outcome.endedAt.set(name, clock.now());
	};
	let inFlight = 0;
	const loop = new PollLoop<PollJob>({
		look: async (job) => {
			const fault = job.faults?.[looksAt(outcome, job.name).length] ?? 'none';
			outcome.looks.push({ name: job.name, at: clock.now(), inFlight: ++inFlight });
			await clock.sleep(latencyMs).finally(() => inFlight--);
			if (clock.now() >= fatalAtMs) throw CANCEL;
			const error = FAULTS[fault]?.();
			if (error) throw error;
			if (clock.now() < job.readyAtMs) {
				const { asksToWaitMs: retryAfterMs } = job;
				return retryAfterMs === undefined ? 'pending' : { retryAfterMs };
			}
			end(job, 'ended');
			return 'ended';
		},
		judge: (error) => judge(error, true),
		isFatal: (error) => error === CANCEL,
		onFailed: (job) => end(job, 'failed'),
		onTimeout: (job, lastError) => {
			outcome.timeouts.push({ name: job.name, lastError });
			end(job, 'timeout');
		},
		intervals: { startMs, capMs },
		policy: { maxAttempts: 1, baseMs: 500, capMs: 30_000 },
		deadline: typeof deadlineMs === 'number' ? () => deadlineMs : deadlineMs,
		concurrency,
		clock,
	});
	const late = jobs.filter(({ addedAtMs = 0 }) => addedAtMs > 0);
	for (const job of jobs) {
		if (late.includes(job)) {
			clock.at(job.addedAtMs ?? 0, () => {
				late.splice(late.indexOf(job), 1);
				loop.add(job);
			});
		} else loop.add(job);
	}
	await clock.run(loop.run(() => late.length > 0)).catch((thrown: unknown) => {
		outcome.thrown = thrown;
	});
	outcome.finishedAt = clock.now();
	await clock.drain();
	outcome.retries = loop.retries;
	return outcome;
}
