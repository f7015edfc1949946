import type { Packed } from '../../../nodes/shared/sending/batcher';
import { bulk } from '../../../nodes/shared/sending/bulk';
import type { BatchResult, BulkOptions } from '../../../nodes/shared/sending/batch-sender';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { flat, singly } from '../support/slices';
import { playWorld, withAny } from '../support/service-world';
import {
	CANCEL,
	ended,
	entries,
	entry,
	runScenario,
	type Ending,
	type Fault,
	type Outcome,
	type Scenario,
} from '../support/bulk-scenario';
import { VirtualRun } from '../../../support/virtual-run';

const endingOf = ({ endings }: Outcome, position: number): Ending | undefined =>
	endings.find((ending) => ending.position === position);

test('reports each request with its number, attempts and bytes, and counts them', async () => {
	const outcome = await runScenario({
		entries: entries(5),
		maxCount: 2,
		concurrency: 1,
		faults: ['none', 'unavailable', 'reset'],
	});
	const infos = [0, 2, 4].map((position) => endingOf(outcome, position)?.info);
	expect(infos).toEqual([
		{ request: 1, attempts: 1, bytes: 23 },
		{ request: 2, attempts: 3, bytes: 23 },
		{ request: 3, attempts: 1, bytes: 10 },
	]);
	expect(outcome.stats).toMatchObject({ requests: 3, retries: 2, splits: 0 });
	expect(outcome.sent.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3, 1]);
});

test('a 429 does not count as an attempt, so the request is sent again after any number of them', async () => {
	const refused = Array<Fault>(8).fill('throttled');
	const outcome = await runScenario({
		entries: entries(1),
		retryForMs: 60_000,
		faults: [...refused, 'reset', ...refused],
	});
	expect(outcome.sent).toHaveLength(18);
	expect(endingOf(outcome, 0)).toMatchObject({ how: 'done', info: { attempts: 18 } });
});

test('a service that always answers 429 ends the run after five minutes', async () => {
	const outcome = await runScenario({
		entries: entries(1000),
		maxCount: 1,
		concurrency: 4,
		faults: Array(2000).fill('throttled'),
	});
	const failed = ended(outcome, 'failed');
	expect(failed.length).toBeLessThan(10);
	expect(endingOf(outcome, failed[0])).toMatchObject({ error: { httpStatus: 429 } });
	expect(ended(outcome, 'skipped').length).toBeGreaterThan(990);
	expect(outcome.endedAt).toBeGreaterThan(300_000);
	expect(outcome.endedAt).toBeLessThan(335_000);
});

test('Retry-After delays only its own request, but with 429 and 503 it delays all requests', async () => {
	const gap = async (fault: 'throttled 3 s' | 'unavailable 2 s' | 'bad gateway 2 s') => {
		const outcome = await runScenario({
			entries: entries(20),
			maxCount: 1,
			concurrency: 2,
			latencyMs: 10,
			faults: [fault],
		});
		const repeated = outcome.sent.find(({ attempt }) => attempt === 2)?.at ?? 0;
		return { repeated, next: outcome.sent[2]?.at };
	};
	expect(await gap('throttled 3 s')).toEqual({ repeated: 3010, next: 3010 });
	expect(await gap('unavailable 2 s')).toEqual({ repeated: 2010, next: 2010 });
	const busy = await gap('bad gateway 2 s');
	expect(busy.repeated).toBeGreaterThanOrEqual(2010);
	expect(busy.next).toBeLessThan(100);
});

test('splits a request that is too large, and sends smaller requests from then on', async () => {
	// The service accepts 180 bytes per request, which is half of the batch limit. Each of the 64 entries is about
	// 10 bytes long.
	const outcome = await runScenario({
		entries: entries(64),
		maxCount: 64,
		maxBytes: 360,
		sizeLimit: 180,
		concurrency: 1,
	});
	expect(ended(outcome, 'done')).toHaveLength(64);
	expect(outcome.stats?.splits).toBe(1);
});

test('an entry that exceeds the size limit is never sent', async () => {
	const all = [entry('a', 0), entry('fits', 1, 100), entry('big', 2, 101), entry('d', 3)];
	const outcome = await runScenario({ entries: all, maxBytes: 100 });
	expect(ended(outcome, 'done')).toEqual([0, 1, 3]);
	expect(endingOf(outcome, 2)).toMatchObject({
		how: 'failed',
		error: { message: 'big has 101 bytes' },
		info: { request: 0, attempts: 0, bytes: 101 },
	});
});

test('only the entry that cannot be written fails, whatever is in flight', async () => {
	const all = { entries: entries(6), maxCount: 2, concurrency: 2, latencyMs: 10 };
	const outcome = await runScenario({ ...all, unwritable: [0, 3, 5] });
	expect(ended(outcome, 'done')).toEqual([1, 2, 4]);
	expect(endingOf(outcome, 3)).toMatchObject({
		how: 'failed',
		error: { message: '3 has no text' },
		info: { request: 0, attempts: 0, bytes: 0 },
	});
	expect(outcome.thrown).toBeUndefined();
});

test('the search in a batch continues although another batch was rejected completely', async () => {
	// All three requests for the second batch are answered before the service rejects one half of the first batch.
	const outcome = await runScenario({
		entries: entries(6),
		maxCount: 4,
		latencyMs: 10,
		poisoned: ['id0', 'id1', 'id2', 'id4', 'id5'],
	});
	expect(ended(outcome, 'done')).toEqual([3]);
});

test('a random entry is singled out, so a bad first entry does not make the service look down', async () => {
	const rules = [withAny([0], { status: 500, body: 'Analysis failed' })];
	const { failed, done } = await playWorld({ kind: 'push', entries: 8, perRequest: 8, rules });
	expect(failed).toEqual([0]);
	expect(done).toHaveLength(7);
});

test('after ten rejected single entries and no accepted one, batches are no longer split', async () => {
	const all = entries(40);
	const outcome = await runScenario({
		entries: all,
		poisoned: all.map(({ id }) => id),
		maxCount: 10,
		concurrency: 1,
	});
	expect(ended(outcome, 'failed')).toHaveLength(40);
	// 19 requests belong to the first batch. Each of the other three batches is sent once.
	expect(outcome.sent).toHaveLength(22);
});

test('a failure that affects all entries ends the run and skips the others with its error', async () => {
	const outcome = await runScenario({
		entries: entries(10),
		maxCount: 1,
		concurrency: 2,
		latencyMs: 10,
		faults: ['none', 'none', 'denied'],
	});
	const denied = endingOf(outcome, 2);
	expect(denied).toMatchObject({ how: 'failed', error: { httpStatus: 401 } });
	expect(outcome.sent).toHaveLength(4);
	expect(ended(outcome, 'done')).toEqual([0, 1, 3]);
	expect(ended(outcome, 'skipped')).toEqual([4, 5, 6, 7, 8, 9]);
	// After the failure, the node must not create request text for the rest of the file. The rest can contain millions
	// of records.
	expect(outcome.packed).toHaveLength(4);
	expect(endingOf(outcome, 9)?.error).toBe(denied?.error);
	expect(outcome.stats?.requests).toBe(4);
	expect(outcome.thrown).toBeUndefined();
});

test('a request that waits for its turn when the run stops is not sent', async () => {
	const outcome = await runScenario({
		entries: entries(9),
		maxCount: 1,
		concurrency: 8,
		stopOnFailure: true,
		latencyMs: 10,
		poisoned: ['id2'],
		// After the 429, the limiter allows only four requests in flight. Entry 8 is still waiting when the run stops.
		faults: ['throttled', 'none', ...Array<Fault>(6).fill('slow')],
	});
	expect(outcome.violations).toEqual([]);
	expect(outcome.sent).toHaveLength(8);
	expect(ended(outcome, 'skipped')).toEqual([8]);
	expect(ended(outcome, 'failed')).toEqual([0, 2]);
});

test.each([
	['a failure that all would meet', { faults: ['throttled 3 s', 'none', 'denied'] }, 401],
	['a node set to stop', { faults: ['throttled 3 s'], stopOnFailure: true }, 400],
	['an entry without text', { faults: ['throttled 3 s'], stopOnFailure: true }, undefined],
] satisfies Array<[string, Partial<Scenario>, number?]>)(
	'pauses end at once when the run stops: %s',
	async (_case, scenario, httpStatus) => {
		const outcome = await runScenario({
			...scenario,
			// The first request is throttled for 3 s. A later failure ends the run during this pause.
			entries: entries(8),
			maxCount: 1,
			concurrency: 3,
			latencyMs: 10,
			...(httpStatus === 400 && { poisoned: ['id1'] }),
			...(httpStatus === undefined && { unwritable: [4] }),
		});
		expect(outcome.violations).toEqual([]);
		expect(outcome.endedAt).toBeLessThan(100);
		expect(endingOf(outcome, 0)).toMatchObject({ how: 'failed', error: { httpStatus: 429 } });
		expect(outcome.endings).toHaveLength(8);
		const failed = outcome.endings.filter(({ how }) => how === 'failed');
		expect(
			failed.some(
				({ error }) => (error as { httpStatus?: number }).httpStatus === httpStatus,
			),
		).toBe(true);
	},
);

test('a cancel during a pause ends the run at once and counts what was sent as skipped', async () => {
	const outcome = await runScenario({
		entries: entries(6),
		maxCount: 1,
		concurrency: 1,
		faults: ['none', 'throttled 3 s'],
		latencyMs: 10,
		cancelAtMs: 1000,
	});
	expect(outcome.thrown).toBe(CANCEL);
	expect(outcome.endedAt).toBe(1000);
	expect(ended(outcome, 'done')).toEqual([0]);
	expect(ended(outcome, 'skipped')).toEqual([1, 2, 3, 4, 5]);
	expect(endingOf(outcome, 5)?.error).toBe(CANCEL);
});

function plain(run: VirtualRun, concurrency = 3): BulkOptions<string, string> {
	return {
		keyOf: (key) => key,
		textOf: (key) => key,
		limits: { maxCount: 10, maxBytes: 1000, envelopeBytes: 2, separatorBytes: 1 },
		concurrency,
		limiterClient: new Limiter().join(run, concurrency),
		health: new ServiceHealth(),
		retryForMs: 0,
		run,
		send: async (batch) => {
			await run.clock.sleep(10);
			return batch.map(({ entry }) => entry).join('');
		},
		diagnose: () => ({ action: 'fail' }),
		tooLarge: () => new Error('Nothing is too large here'),
	};
}

const oneByOne = { maxCount: 1, maxBytes: 1000 };

async function send(
	run: VirtualRun,
	entries: Iterable<string> | AsyncIterable<string>,
	options: Partial<BulkOptions<string, string>>,
	consume: (answer: BatchResult<string, string>) => unknown = () => undefined,
) {
	const consumer = async () => {
		const all = { ...plain(run, options.concurrency), ...options };
		for await (const answer of flat(bulk(singly(entries), all))) await consume(answer);
	};
	await run.clock.run(consumer());
}

test("an exception while a batch is handled fails only the batch's entries", async () => {
	const run = new VirtualRun();
	const error = new Error('a bug');
	const answers: Array<BatchResult<string, string>> = [];
	await send(
		run,
		'abc',
		{
			limits: oneByOne,
			diagnose: () => {
				throw error;
			},
			send: async ([packed]) => {
				if (packed?.entry === 'b') throw new Error('no');
				return '';
			},
		},
		(answer) => answers.push(answer),
	);
	const failed = answers.filter(({ outcome }) => !outcome.ok);
	expect(failed).toMatchObject([{ entries: ['b'], outcome: { reason: error } }]);
	expect(answers.flatMap(({ entries }) => entries).sort()).toEqual(['a', 'b', 'c']);
});

test('releases the texts of a request after its answer, but keeps them while its parts are sent', async () => {
	const run = new VirtualRun();
	const batches: Array<Array<Packed<string>>> = [];
	await send(run, 'abc', {
		diagnose: () => ({ action: 'split' }),
		send: async (batch) => {
			expect(batch.every(({ text, entry }) => text === entry)).toBe(true);
			batches.push(batch);
			if (batch.length > 1) throw new Error('no');
			return '';
		},
	});
	expect(batches.map(({ length }) => length)).toEqual([3, 2, 1, 1, 1]);
	expect(batches.flat().map(({ text }) => text)).toEqual(Array(8).fill(''));
});

test('reads only as much from the source as can be sent', async () => {
	const run = new VirtualRun();
	let taken = 0;
	let most = 0;
	let sent = 0;
	function* source() {
		for (; taken < 1000; ) yield String(taken++);
	}
	await send(run, source(), {
		send: async (batch) => {
			await run.clock.sleep(10);
			most = Math.max(most, taken - sent);
			sent += batch.length;
			return '';
		},
	});
	expect(run.stats.requests).toBe(100);
	// Three batches are in flight. One more entry has been read, but it did not fit into the third batch.
	expect(most).toBe(3 * 10 + 1);
});

test('a slow consumer slows requests down', async () => {
	const run = new VirtualRun();
	let ahead = 0;
	let most = 0;
	await send(
		run,
		Array.from({ length: 50 }, (_, index) => String(index)),
		{
			limits: oneByOne,
			concurrency: 2,
			send: async () => {
				most = Math.max(most, ++ahead);
				return '';
			},
		},
		async () => {
			await run.clock.sleep(100);
			ahead--;
		},
	);
	expect(ahead).toBe(0);
	expect(most).toBe(2);
});

test('entries that a successful response rejects fail alone, with the reason', async () => {
	const run = new VirtualRun();
	const answers: Array<BatchResult<string, string>> = [];
	await send(
		run,
		'abcd',
		{ rejectionOf: (_response, entry) => (entry === 'c' ? 'not this one' : undefined) },
		(answer) => answers.push(answer),
	);
	expect(answers).toMatchObject([
		{ entries: ['a', 'b', 'd'], outcome: { ok: true, response: 'abcd' }, attempts: 1 },
		{ entries: ['c'], outcome: { ok: false, reason: 'not this one' }, attempts: 1 },
	]);
});

test('a rejection in a successful response stops a run that stops at failures', async () => {
	const run = new VirtualRun({ stopsOnFailure: true });
	const answers: Array<BatchResult<string, string>> = [];
	await send(
		run,
		'abcdef',
		{
			limits: oneByOne,
			concurrency: 2,
			send: async ([packed]) => {
				await run.clock.sleep(packed?.entry === 'b' ? 10 : 20);
				return packed?.entry ?? '';
			},
			rejectionOf: (response) => (response === 'b' ? 'not this one' : undefined),
		},
		(answer) => answers.push(answer),
	);
	expect(run.stats.requests).toBe(2);
	expect(answers.filter(({ outcome }) => !outcome.ok && outcome.skipped)).toHaveLength(4);
});

test.each(['abcd', 'abcdef'])('sends no more of %s once the consumer has left', async (slice) => {
	const run = new VirtualRun();
	const consume = async () => {
		for await (const _ of bulk([[...slice]], { ...plain(run), limits: oneByOne })) return;
	};
	await run.clock.run(consume());
	expect(run.stats.requests).toBe(3);
});

test('entries without keys may be in several requests at once', async () => {
	const run = new VirtualRun();
	const { keyOf: _, ...keyless } = plain(run);
	const responses: unknown[] = [];
	const consume = async () => {
		for await (const { outcome } of flat(
			bulk([[...'aaaa']], { ...keyless, limits: oneByOne }),
		)) {
			if (outcome.ok) responses.push(outcome.response);
		}
	};
	await run.clock.run(consume());
	expect(responses).toEqual(['a', 'a', 'a', 'a']);
	// Three requests run at the same time. Then the last request runs. Each request takes 10 ms.
	expect(run.now()).toBe(20);
});

test('an unknown outcome of an earlier attempt is reported for rejected entries and for the parts of a batch', async () => {
	const failed: Record<string, unknown> = {};
	const run = new VirtualRun();
	const answers = ['lost', 'split', undefined, 'refused'];
	await send(
		run,
		'abc',
		{
			limits: { maxCount: 3, maxBytes: 1000 },
			concurrency: 1,
			retryForMs: 60_000,
			diagnose: (error) => ({
				action: String(error).startsWith('lost')
					? 'retry'
					: String(error).startsWith('split')
						? 'split'
						: 'fail',
			}),
			send: async () => {
				const error = answers.shift();
				return error === undefined ? 'response' : await Promise.reject(error);
			},
			rejectionOf: (_response, entry) => (entry === 'b' ? 'not b' : undefined),
			withHistory: (reason, earlier) =>
				earlier === undefined ? reason : `${String(reason)} after ${String(earlier)}`,
		},
		({ entries, outcome }) => {
			if (!outcome.ok) failed[entries.join('')] = outcome.reason;
		},
	);
	expect(failed).toEqual({
		b: 'not b after split after lost',
		c: 'refused after split after lost',
	});
});
