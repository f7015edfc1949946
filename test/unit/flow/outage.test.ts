/** Simulates outages and faulty entries in virtual time. Checks that few or no valid entries fail. */
import { bulk } from '../../../nodes/shared/flow/bulk';
import type { BulkOptions } from '../../../nodes/shared/flow/bulk-options';
import { oneEach } from '../../../nodes/shared/flow/one-each';
import { LimiterClient, Limiter } from '../../../nodes/shared/flow/limiter';
import { ServiceHealth } from '../../../nodes/shared/flow/retry-policy';
import { flat } from '../support/slices';
import { judge, ServiceFailure } from '../../../nodes/shared/service/failure';
import { VirtualRun } from '../../../support/virtual-run';

jest.setTimeout(120_000);

interface World {
	documents: number;
	perRequest?: number;
	statusOf: (ids: number[], now: number) => number;
	concurrency?: number;
	latencyMs?: number;
	seed?: number;
}

async function play({
	documents,
	perRequest = 500,
	statusOf,
	concurrency = 4,
	latencyMs = 200,
	seed = 1,
}: World) {
	const run = new VirtualRun({ seed });
	const ids = Array.from({ length: documents }, (_, id) => id);
	const failed: number[] = [];
	const skipped: number[] = [];
	let requests = 0;
	const send = async (batch: number[]) => {
		requests++;
		await run.clock.sleep(latencyMs * (0.5 + run.random()));
		const status = statusOf(batch, run.now());
		if (status !== 200) throw new ServiceFailure(`${status}`, { kind: 'status', status });
		await run.clock.sleep(latencyMs * (0.5 + run.random()));
	};
	const line = {
		run,
		concurrency,
		limiterClient: new LimiterClient(new Limiter(), run, concurrency),
		health: new ServiceHealth(),
		retryForMs: 60_000,
		judge: (error: unknown) => judge(error, { idempotent: true }),
	};
	const options: BulkOptions<number, void> = {
		...line,
		limits: { maxCount: perRequest, maxBytes: 1e9 },
		textOf: String,
		tooLarge: () => new Error('Nothing is too large'),
		send: async (batch) => await send(batch.map(({ entry }) => entry)),
	};
	const push = async () => {
		for await (const { entries, outcome } of flat(bulk([ids], options))) {
			if (!outcome.ok) (outcome.skipped ? skipped : failed).push(...entries);
		}
	};
	const remove = async () => {
		const answers = bulk(
			[ids],
			oneEach(line, async (id) => await send([id])),
		);
		for await (const { entries, outcome } of flat(answers)) {
			if (!outcome.ok) (outcome.skipped ? skipped : failed).push(...entries);
		}
	};
	await run.clock.run(perRequest > 1 ? push() : remove());
	const inOrder = (list: number[]) => list.sort((a, b) => a - b);
	const seconds = run.now() / 1000;
	return { failed: inOrder(failed), skipped, requests, seconds, ended: run.ended };
}

const hasAny = (bad: number[], status: number) => (ids: number[]) =>
	ids.some((id) => bad.includes(id)) ? status : 200;

it.each([1, 2, 3, 4, 5])(
	'an outage of 30 s in the middle of 10,000 pushes fails none (chance %i)',
	async (seed) => {
		const statusOf = (_: number[], now: number) => (now > 1000 && now < 31_000 ? 503 : 200);
		const { failed, skipped } = await play({ documents: 10_000, statusOf, seed });
		expect([failed, skipped]).toEqual([[], []]);
	},
);

it('an outage of 30 s fails none of 500 single requests', async () => {
	const statusOf = (_: number[], now: number) => (now > 2000 && now < 32_000 ? 502 : 200);
	const { failed } = await play({ documents: 500, perRequest: 1, statusOf });
	expect(failed).toEqual([]);
});

it.each([
	[500, 32],
	[403, 24],
])(
	'one document of 10,000 with a %i fails alone, in at most %i requests more',
	async (status, most) => {
		const { failed, requests, seconds } = await play({
			documents: 10_000,
			statusOf: hasAny([3333], status),
		});
		expect(failed).toEqual([3333]);
		expect(requests - 20).toBeLessThanOrEqual(most);
		expect(seconds).toBeLessThan(60);
	},
);

it.each([0, 7])(
	'document %i, refused with 403 before any success, fails alone',
	async (refused) => {
		const { failed, requests } = await play({
			documents: 500,
			statusOf: hasAny([refused], 403),
			concurrency: 1,
		});
		expect(failed).toEqual([refused]);
		expect(requests).toBeLessThan(25);
	},
);

it('a key that is rejected with 403 ends the run after three single documents', async () => {
	const { failed, skipped, requests, ended } = await play({
		documents: 10_000,
		statusOf: () => 403,
		concurrency: 1,
	});
	expect(requests).toBe(4);
	expect(failed).toHaveLength(500);
	expect(skipped).toHaveLength(9500);
	expect(ended?.reason).toMatchObject({ httpStatus: 403 });
});

it('a service that stays down ends the run after one to two minutes, with 16 requests per batch in flight', async () => {
	let requests = 0;
	const { failed, skipped, seconds } = await play({
		documents: 10_000,
		statusOf: (_, now) => {
			if (now <= 1000) return 200;
			requests++;
			return 503;
		},
	});
	expect(requests).toBeLessThanOrEqual(4 * 16);
	expect(seconds).toBeLessThan(150);
	expect(failed.length).toBeLessThanOrEqual(4 * 500);
	expect(failed.length + skipped.length).toBeGreaterThan(4000);
});

it('single requests that fail end the run after three, unless others succeed', async () => {
	const down = await play({ documents: 1000, perRequest: 1, statusOf: () => 503 });
	// Some requests were already in flight when the third request failed.
	expect(down.failed.length).toBeLessThan(8);
	expect(down.failed.length + down.skipped.length).toBe(1000);
	const bad = [3, 300, 301, 700, 701, 1500];
	const poison = await play({ documents: 2000, perRequest: 1, statusOf: hasAny(bad, 500) });
	expect(poison.failed).toEqual(bad);
});
