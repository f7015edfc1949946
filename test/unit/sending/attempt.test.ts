import type { RequestSettings } from '../../../nodes/shared/sending/attempt';
import { sendOne } from '../../../nodes/shared/sending/one-each';
import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { VirtualRun } from '../../../support/virtual-run';

const FAIL: Diagnosis = { action: 'fail' };
const RETRY: Diagnosis = { action: 'retry' };

/**
 * Returns a sender whose requests take 10 ms. A task simulates a failed request by throwing the diagnosis for the
 * failure.
 */
function setUp({ stopsOnFailure = false, retryForMs = 60_000 } = {}) {
	const run = new VirtualRun({ stopsOnFailure });
	const line = {
		run,
		limiterClient: new Limiter().join(run, 2),
		health: new ServiceHealth(),
		concurrency: 2,
		retryForMs,
		diagnose: (error: unknown) => error as Diagnosis,
	};
	/** For each attempt, the number of requests that the run had in flight during the attempt. */
	const inFlight: number[] = [];
	/** Sends a request that fails with each of these diagnoses in order, and then succeeds. */
	const request = async (
		diagnoses: Diagnosis[],
		history: Pick<RequestSettings, 'withHistory'> = {},
	) => {
		const attempts: number[] = [];
		const outcome = await sendOne({ ...line, ...history }, async () => {
			const attempt = attempts.length + 1;
			attempts.push(attempt);
			await run.clock.sleep(10);
			inFlight.push(run.stats.inFlight);
			const diagnosis = diagnoses[attempt - 1];
			if (diagnosis) throw diagnosis;
			return 'response';
		});
		return { outcome, attempts };
	};
	return { run, request, inFlight };
}

test('returns the response after any number of attempts', async () => {
	const { run, request } = setUp();
	const { outcome, attempts } = await run.clock.run(request([RETRY, RETRY]));
	expect(outcome).toEqual({ ok: true, response: 'response' });
	expect(attempts).toEqual([1, 2, 3]);
	expect(run.stats.retries).toBe(2);
});

test('repeats the request at least once, and fails with the reason of the last attempt', async () => {
	const { run, request } = setUp({ retryForMs: 0 });
	const last: Diagnosis = { action: 'retry', delayMs: 7 };
	const { outcome, attempts } = await run.clock.run(request([RETRY, last, RETRY]));
	expect(attempts).toEqual([1, 2]);
	expect(outcome).toMatchObject({ ok: false, reason: last });
	expect(outcome).toMatchObject({ diagnosis: { action: 'fail' } });
	expect(run.ended).toBeUndefined();
});

test('waits at least as long as the service asked for', async () => {
	const { run, request } = setUp();
	await run.clock.run(request([{ action: 'retry', delayMs: 7000 }]));
	expect(run.now()).toBeGreaterThanOrEqual(7020);
});

test.each([
	['a permanent failure ends every run', { action: 'stop' } as Diagnosis, false, true],
	['any failure ends a run that stops at failures', FAIL, true, true],
	['a failure of one request leaves other runs alone', FAIL, false, false],
	['a split nobody makes is a failure', { action: 'split' } as Diagnosis, true, true],
])('%s', async (_case, diagnosis, stopsOnFailure, ends) => {
	const { run, request } = setUp({ stopsOnFailure });
	const { outcome } = await run.clock.run(request([diagnosis]));
	expect(outcome.ok).toBe(false);
	expect(run.ended).toEqual(ends ? { reason: diagnosis } : undefined);
});

test('the end of the run skips the retry delay, and the failure keeps its own reason', async () => {
	const { run, request } = setUp();
	const asked: Diagnosis = { action: 'retry', delayMs: 60_000 };
	run.clock.at(100, () => run.stop('something else'));
	const { outcome } = await run.clock.run(request([asked]));
	expect(run.now()).toBe(100);
	expect(outcome).toMatchObject({ ok: false, reason: asked });
});

test('nothing is sent after the run has ended', async () => {
	const { run, request } = setUp();
	run.stop('a failure');
	const { outcome, attempts } = await run.clock.run(request([]));
	expect(attempts).toEqual([]);
	expect(outcome).toMatchObject({ ok: false, skipped: true, reason: 'a failure' });
});

describe('an earlier attempt with an unknown outcome', () => {
	const letter = (reason: unknown) =>
		typeof reason === 'string' ? reason : (reason as Diagnosis).action.slice(0, 1);
	const withHistory = (reason: unknown, earlier: unknown) =>
		`${letter(reason)} after ${letter(earlier)}`;

	test('is reported with the failure that ends the request', async () => {
		const { run, request } = setUp();
		const { outcome } = await run.clock.run(request([RETRY, RETRY, FAIL], { withHistory }));
		expect(outcome).toMatchObject({ reason: 'f after r after r' });
	});
});

test.each([300_000, 3_600_000])(
	'ends the run at once if the service asks for a longer pause than any request waits: %i ms',
	async (delayMs) => {
		const { run, request } = setUp();
		const refused: Diagnosis = { action: 'retry', kind: 'throttled', delayMs };
		const requests = [[refused], [], [], []].map(async (diagnoses) => await request(diagnoses));
		const [{ outcome, attempts }, inFlight, ...waiting] = await run.clock.run(
			Promise.all(requests),
		);
		expect(outcome).toMatchObject({ ok: false, diagnosis: { action: 'stop' } });
		expect(attempts).toEqual([1]);
		expect(inFlight.outcome.ok).toBe(true);
		for (const each of waiting) expect(each.outcome).toMatchObject({ skipped: true });
		expect(run.clock.now()).toBeLessThan(100);
	},
);
