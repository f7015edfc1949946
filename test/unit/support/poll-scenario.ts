import type { Outcome } from '../../../nodes/shared/sending/outcome';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { poll, type PollResult, type PollOptions } from '../../../nodes/shared/sending/poll';
import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { diagnosisOf } from './bulk-scenario';
import type { VirtualClock } from '../../../support/virtual-clock';
import { VirtualRun } from '../../../support/virtual-run';

export const CANCEL = new Error('The execution was canceled');
const STOP = new Error('A failure');

export interface Job {
	name: string;
	addedAtMs?: number;
	/** Deadline of this job, if it differs from the deadline of the run. */
	deadlineMs?: number;
}

interface Settings {
	deadlineMs?: number;
	concurrency?: number;
	seed?: number;
	random?: () => number;
	cancelAtMs?: number;
	stopAtMs?: number;
	stopsOnFailure?: boolean;
	startMs?: number;
	capMs?: number;
	diagnose?: PollOptions<string>['diagnose'];
}

interface Poll {
	name: string;
	at: number;
	leftMs: number;
	inFlight: number;
}

/** What a job reports if its deadline passes. */
interface Timeout {
	name: string;
	lastError: unknown;
}

const timeoutOf = (result: Outcome<string>): Timeout | undefined =>
	!result.ok && typeof result.reason === 'object' && 'lastError' in (result.reason as object)
		? (result.reason as Timeout)
		: undefined;

/** Polls jobs in virtual time. `answer` returns what the nth poll of a job finds, or throws a diagnosis. */
export async function pollAll<J extends Job>(
	jobs: J[],
	answer: (
		job: J,
		nth: number,
		clock: VirtualClock,
	) => PollResult<string> | Promise<PollResult<string>>,
	settings: Settings = {},
) {
	const { deadlineMs = 600_000, concurrency = 4, startMs = 500, capMs = 10_000 } = settings;
	const run = new VirtualRun(settings);
	const { clock } = run;
	if (settings.random) clock.random = settings.random;
	if (settings.cancelAtMs !== undefined) run.cancelAt(settings.cancelAtMs, CANCEL);
	if (settings.stopAtMs !== undefined) clock.at(settings.stopAtMs, () => run.stop(STOP));

	/** Maps each job's name to all of its endings. Each job must have exactly one ending. */
	const endings = new Map<string, string[]>(jobs.map(({ name }) => [name, []]));
	const endedAt = new Map<string, number>();
	const outcomes: Record<string, Outcome<string>> = {};
	const polls: Poll[] = [];
	const timesOf = (name: string) =>
		polls.filter((each) => each.name === name).map(({ at }) => at);
	let inFlight = 0;
	async function* source() {
		const late = ({ addedAtMs = 0 }: Job) => addedAtMs;
		for (const job of [...jobs].sort((one, other) => late(one) - late(other))) {
			if (late(job) > run.now()) await run.sleep(late(job) - run.now());
			yield job;
		}
	}
	const shared = {
		run,
		limiterClient: new Limiter().join(run, concurrency),
		health: new ServiceHealth(),
	};
	const optionsOf = (job: J): PollOptions<string> => ({
		...shared,
		intervals: { firstMs: startMs, longestMs: capMs },
		deadline: job.deadlineMs ?? deadlineMs,
		check: async (leftMs) => {
			polls.push({ name: job.name, at: clock.now(), leftMs, inFlight: ++inFlight });
			const answering = async () => await answer(job, timesOf(job.name).length, clock);
			return await answering().finally(() => inFlight--);
		},
		diagnose:
			settings.diagnose ??
			((error) => (error instanceof Error ? diagnosisOf(error) : (error as Diagnosis))),
		expire: (lastError) => ({ state: 'failed', reason: { name: job.name, lastError } }),
	});
	const polling = async () => {
		const tasks: Array<Promise<void>> = [];
		for await (const job of source()) tasks.push(endOf(job));
		await Promise.all(tasks);
		if (run.ended?.reason === CANCEL) throw CANCEL;
	};
	const endOf = async (job: J) => {
		const result = await poll(optionsOf(job));
		if (result.next) throw new Error('Nothing is repeated here');
		const failed = !result.ok && (timeoutOf(result) ? 'timeout' : 'failed');
		const how = result.ok ? 'finished' : result.skipped ? 'skipped' : failed;
		endings.get(job.name)?.push(String(how));
		endedAt.set(job.name, clock.now());
		outcomes[job.name] = result;
	};
	let thrown: unknown;
	await clock.run(polling()).catch((error: unknown) => (thrown = error));
	const finishedAt = clock.now();
	await clock.drain();
	const timeouts = Object.values(outcomes).flatMap((result) => timeoutOf(result) ?? []);
	const { retries } = run.stats;
	return { endings, endedAt, outcomes, polls, timesOf, timeouts, thrown, finishedAt, retries };
}

export type PollFault =
	| 'none'
	| 'unavailable'
	| 'reset'
	| 'throttled'
	| 'throttled 5 s'
	| 'refused';

export interface PollJob extends Job {
	/** From this time on, the service has the results. */
	readyAtMs: number;
	/** The first fault applies to the job's first poll, the second fault to the second poll, and so on. */
	faults?: PollFault[];
}

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

export async function runPolls({
	jobs,
	latencyMs = 5,
	...settings
}: Settings & { jobs: PollJob[]; latencyMs?: number }) {
	return await pollAll(
		jobs,
		async ({ name, readyAtMs, faults = [] }, nth, clock) => {
			await clock.sleep(latencyMs);
			const error = FAULTS[faults[nth - 1] ?? 'none']?.();
			if (error) throw error;
			if (clock.now() >= readyAtMs) return { state: 'finished', response: name };
			return { state: 'pending' };
		},
		settings,
	);
}
