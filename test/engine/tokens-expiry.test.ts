/** Runs that outlive their tokens several times; in a file of its own, so that others run beside it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { startSandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore } from '../../support/engine';
import { chunk, startWorker } from '../../support/worker';

const LIFETIME_SECONDS = 4;
/**
 * A token is renewed in its last 400 ms, and a submission takes 250 ms to be looked at. On a machine that stands
 * still for longer than the rest, requests come too late whatever a node does.
 */
const MAX_STALL_MS = 100;
const MAX_RUNS = 3;
/** Submissions and polls have a limit each. */
const CONCURRENCY = 2;

/** 40 texts: submitting them takes 5 s (2 at a time, 250 ms each), the jobs 20 s (2 at a time, 1 s each). */
async function longRun(revokePreviousTokens: boolean) {
	const sandbox = await startSandbox({
		settings: {
			tokenLifetimeSeconds: LIFETIME_SECONDS,
			revokePreviousTokens,
			chunkParallelism: 2,
			chunkDelayMs: 1_000,
		},
	});
	sandbox.faults.add({ route: 'submit', latencyMs: 250 });
	const store = new CredentialStore(sandboxCredentials(sandbox));
	const stalls = monitorEventLoopDelay();
	stalls.enable();
	const startedAt = Date.now();
	const { output, error } = await chunk(startWorker(), store, {
		texts: 40,
		concurrency: CONCURRENCY,
		parameters: { operation: 'submitAndWait', output: 'chunks' },
		options: {},
	});
	const seconds = (Date.now() - startedAt) / 1000;
	stalls.disable();
	const issued = sandbox.tokensIssued();
	const { unauthorized } = sandbox.stats();
	await sandbox.close();

	expect(error).toBeUndefined();
	expect(output.filter(({ json }) => 'error' in json)).toEqual([]);
	expect(output).toHaveLength(40);
	expect(seconds).toBeGreaterThan(18);
	expect(issued).toBeGreaterThan(4);
	expect(issued).toBeLessThanOrEqual(Math.ceil(seconds / LIFETIME_SECONDS) + 1);
	return { issued, unauthorized, isStalled: stalls.max / 1e6 > MAX_STALL_MS };
}

describe('tokens of 4 s carry a run of 20 s: no failed item, at most one token a lifetime', () => {
	it.concurrent(
		'and no request is refused',
		async () => {
			let run = await longRun(false);
			for (
				let runs = 1;
				runs < MAX_RUNS && run.unauthorized > 0 && run.isStalled;
				runs += 1
			) {
				run = await longRun(false);
			}
			expect(run.unauthorized).toBe(0);
		},
		120_000,
	);

	it.concurrent(
		'where a new token revokes the previous one, only requests in flight are refused, and sent again',
		async () => {
			const { issued, unauthorized } = await longRun(true);
			expect(unauthorized).toBeLessThanOrEqual((issued - 1) * 2 * CONCURRENCY);
		},
		60_000,
	);
});
