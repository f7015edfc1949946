import { Budget } from '../../../nodes/shared/sending/budget';
import { jobs, type JobOptions } from '../../../nodes/shared/sending/jobs';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { failureOf, type Outcome, type UnfinishedJob } from '../../../nodes/shared/sending/outcome';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { VirtualRun } from '../../../support/virtual-run';

type Result = Outcome<string> | UnfinishedJob;
const finished = (job: string): Result => ({ ok: true, response: `chunks of ${job}` });
const unfinished = (next: UnfinishedJob['next']): Result => ({ ...failureOf(next), next });

/** Stands for a job that timed out. Such a job is returned without chunks. */
const UNFINISHED = 'unfinished';

interface World {
	entries: string;
	perSlice?: number;
	perRequest?: number;
	concurrency?: number;
	/** Returns a job's result. The name of a job consists of the job's entries and the number of the submission. */
	waitForJob: (job: string, run: VirtualRun) => Promise<Result> | Result;
	/** Whether the service rejects this submission. Submissions are numbered from 1. */
	rejects?: (entries: string, submission: number) => boolean;
	maxBytes?: number;
	/** Bytes of the budget that another file uses, and when it releases them. */
	other?: { bytes: number; untilMs: number };
	consume?: (run: VirtualRun) => Promise<void>;
}

/**
 * Sends entries whose requests create jobs. Returns each submission and its time. Also returns each entry's outcome.
 */
async function play({
	entries,
	perSlice = 1,
	perRequest = 2,
	concurrency = 2,
	waitForJob,
	rejects,
	maxBytes,
	other,
	consume,
}: World) {
	const run = new VirtualRun();
	const submitted: string[] = [];
	const repeated: string[] = [];
	const ends: Record<string, unknown> = {};
	const accounted: string[] = [];
	let read = 0;
	let mostUnanswered = 0;
	const budget = new Budget(maxBytes ?? Infinity);
	function* source() {
		for (let at = 0; at < entries.length; at += perSlice) {
			const slice = [...entries.slice(at, at + perSlice)];
			read += slice.length;
			mostUnanswered = Math.max(mostUnanswered, read - accounted.length);
			yield slice;
		}
	}
	const options: JobOptions<string, string, string> = {
		run,
		concurrency,
		limiterClient: new Limiter().join(run, concurrency),
		health: new ServiceHealth(),
		retryForMs: 0,
		diagnose: () => ({ action: rejects ? 'split' : 'fail' }),
		limits: { maxCount: perRequest, maxBytes: 1000 },
		textOf: (entry) => entry,
		tooLarge: () => new Error('Nothing is too large here'),
		send: async (batch) => {
			await run.clock.sleep(10);
			const job = batch.map(({ entry }) => entry).join('');
			submitted.push(job);
			if (rejects?.(job, submitted.length)) throw new Error('rejected');
			return `${job}${submitted.filter((other) => other === job).length}`;
		},
		waitForJob: async (job) => await waitForJob(job, run),
		isFinished: (result) => result !== UNFINISHED,
		onRepeat: (job) => repeated.push(job),
		budget,
		bytesInBudget: () => 1,
	};
	const consumeAll = async () => {
		for await (const answers of jobs(source(), options)) {
			for (const { entries: of, outcome, accepted } of answers) {
				accounted.push(...of);
				for (const entry of of)
					ends[entry] = outcome.ok
						? outcome.response
						: `${String(outcome.reason)} of ${accepted}`;
			}
			await consume?.(run);
		}
	};
	const releaseOther = async ({ bytes, untilMs }: Required<World>['other']) => {
		budget.take(bytes);
		await run.clock.sleep(untilMs);
		budget.release(bytes);
	};
	await run.clock.run(Promise.all([consumeAll(), other && releaseOther(other)]));
	expect(accounted.sort()).toEqual([...entries].sort());
	expect(budget.isFull).toBe(false);
	return { submitted, repeated, ends, mostUnanswered, ms: run.now() };
}

test('entries receive the outcome of their job, and a slow job delays no submission', async () => {
	const { ends, submitted, ms } = await play({
		entries: 'abcd',
		concurrency: 1,
		waitForJob: async (job, run) => {
			await run.clock.sleep(1000);
			return finished(job);
		},
	});
	expect(ends).toMatchObject({ a: 'chunks of ab1', d: 'chunks of cd1' });
	expect(submitted).toEqual(['ab', 'cd']);
	expect(ms).toBe(1020);
});

test('a job that runs out of time does not show that the service works', async () => {
	const { ends, repeated } = await play({
		entries: 'abcd',
		waitForJob: (job) =>
			job === 'ab1' ? unfinished('alone') : { ok: true, response: UNFINISHED },
	});
	expect(repeated).toEqual([]);
	expect(ends).toMatchObject({ a: 'alone of ab1', b: 'alone of ab1', c: UNFINISHED });
});

test('a lost job is submitted again as it was, once', async () => {
	const lostOnce = await play({
		entries: 'ab',
		waitForJob: (job) => (job === 'ab1' ? unfinished('again') : finished(job)),
	});
	expect(lostOnce.ends).toMatchObject({ a: 'chunks of ab2' });
	expect(lostOnce.repeated).toEqual(['ab1']);
	const lost = await play({ entries: 'ab', waitForJob: () => unfinished('again') });
	expect(lost.submitted).toEqual(['ab', 'ab']);
	expect(lost.ends).toEqual({ a: 'again of ab2', b: 'again of ab2' });
});

test('if a lost job is split at its second submission, its parts are not submitted a third time', async () => {
	const { submitted, ends } = await play({
		entries: 'abcd',
		perRequest: 4,
		waitForJob: () => unfinished('again'),
		rejects: (_job, submission) => submission === 2,
	});
	expect(submitted).toEqual(['abcd', 'abcd', 'ab', 'cd']);
	expect(ends).toMatchObject({ a: 'again of ab1', d: 'again of cd1' });
});

const failing = (job: string) => (job.includes('b') ? unfinished('alone') : finished(job));

test.each([
	['before', 'cdab'],
	['after', 'abcd'],
])(
	'the entries of a failed job are sent alone, all at once, if another job finished %s it',
	async (_, entries) => {
		const { ends, submitted, ms } = await play({
			entries,
			concurrency: 4,
			waitForJob: failing,
		});
		expect(ends).toEqual({
			a: 'chunks of a1',
			b: 'alone of b1',
			c: 'chunks of cd1',
			d: 'chunks of cd1',
		});
		expect(submitted).toHaveLength(4);
		expect(ms).toBe(20);
	},
);

test('if no other job finishes, a job fails as a whole and names its submission', async () => {
	const { ends, submitted } = await play({
		entries: 'abcd',
		waitForJob: () => unfinished('alone'),
	});
	expect(submitted).toEqual(['ab', 'cd']);
	expect(ends).toMatchObject({ a: 'alone of ab1', c: 'alone of cd1' });
});

test('only as much is read as the budget allows', async () => {
	const slowly = async (job: string, run: VirtualRun) => {
		await run.clock.sleep(1000);
		return finished(job);
	};
	const { mostUnanswered } = await play({
		entries: 'abcdefghijkl',
		maxBytes: 4,
		waitForJob: slowly,
	});
	expect(mostUnanswered).toBe(4);
});

test('failed jobs that fill the budget release it, even if no other job can finish', async () => {
	const { ends } = await play({
		entries: 'abcdefgh',
		maxBytes: 2,
		waitForJob: () => unfinished('alone'),
	});
	expect(Object.keys(ends)).toHaveLength(8);
});

test('a file waits as long as another file fills the budget, even if all its own jobs have ended', async () => {
	const { ends, ms } = await play({
		entries: 'abcd',
		maxBytes: 4,
		other: { bytes: 4, untilMs: 5000 },
		waitForJob: finished,
	});
	expect(Object.keys(ends)).toHaveLength(4);
	expect(ms).toBeGreaterThan(5000);
});

test('when the consumer leaves, the rest of the slice is not submitted', async () => {
	const submitted: string[] = [];
	const playing = play({
		entries: 'abcdefgh',
		perSlice: 8,
		perRequest: 1,
		concurrency: 1,
		rejects: (entries) => {
			submitted.push(entries);
			return false;
		},
		waitForJob: finished,
		consume: async () => await Promise.reject(new Error('a bug')),
	});
	await expect(playing).rejects.toThrow('a bug');
	expect(submitted.length).toBeLessThan(4);
});

test("an exception while waiting for a job fails only the job's entries", async () => {
	const { ends } = await play({
		entries: 'abcd',
		waitForJob: async (job) => {
			if (job === 'ab1') throw new Error('a bug');
			return await Promise.resolve(finished(job));
		},
	});
	expect(ends).toMatchObject({ a: 'Error: a bug of ab1', c: 'chunks of cd1' });
});
