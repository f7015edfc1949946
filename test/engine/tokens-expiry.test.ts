/** Runs that outlive their tokens several times; in a file of its own, so that others run beside it. */
import { startSandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore } from '../../support/engine';
import { chunk, startWorker } from '../../support/worker';

const LIFETIME_SECONDS = 4;
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
	const startedAt = Date.now();
	const { output, error } = await chunk(startWorker(), store, {
		texts: 40,
		concurrency: CONCURRENCY,
		parameters: { operation: 'submitAndWait', output: 'chunks' },
		options: { longestIntervalSeconds: 1 },
	});
	const seconds = (Date.now() - startedAt) / 1000;
	const issued = sandbox.tokensIssued();
	const { unauthorized } = sandbox.stats();
	await sandbox.close();

	expect(error).toBeUndefined();
	expect(output.filter(({ json }) => 'error' in json)).toEqual([]);
	expect(output).toHaveLength(40);
	expect(seconds).toBeGreaterThan(18);
	expect(issued).toBeGreaterThan(4);
	expect(issued).toBeLessThanOrEqual(Math.ceil(seconds / LIFETIME_SECONDS) + 1);
	return { issued, unauthorized };
}

describe('tokens of 4 s carry a run of 20 s: no failed item, at most one token a lifetime', () => {
	it.concurrent(
		'and no request is refused',
		async () => {
			const { unauthorized } = await longRun(false);
			expect(unauthorized).toBe(0);
		},
		60_000,
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
