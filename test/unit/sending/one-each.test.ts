import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { bulk } from '../../../nodes/shared/sending/bulk';
import { oneEach } from '../../../nodes/shared/sending/one-each';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { flat, singly } from '../support/slices';
import { VirtualRun } from '../../../support/virtual-run';

const FAIL: Diagnosis = { action: 'fail' };
const RETRY: Diagnosis = { action: 'retry' };

/** Sets up a sender whose requests take 10 ms. For each entry, `faults` lists the errors of its attempts, in order. */
function setUp({ concurrency = 2, faults = {} as Record<string, unknown[]> } = {}) {
	const run = new VirtualRun();
	const sent: string[] = [];
	const read: string[] = [];
	let inFlight = 0;
	let peak = 0;
	let ahead = 0;
	let answered = 0;
	const line = {
		run,
		concurrency,
		limiterClient: new Limiter().join(run, concurrency),
		health: new ServiceHealth(),
		retryForMs: 60_000,
		diagnose: (error: unknown) => {
			if (error instanceof Error) throw error;
			return error as Diagnosis;
		},
	};
	function* source(entries: string, error?: Error) {
		for (const entry of entries) {
			read.push(entry);
			ahead = Math.max(ahead, read.length - answered);
			yield entry;
		}
		if (error) throw error;
	}
	const attempts: Record<string, number> = {};
	const send = async (entry: string) => {
		const attempt = (attempts[entry] = (attempts[entry] ?? 0) + 1);
		sent.push(`${entry}${attempt}`);
		peak = Math.max(peak, ++inFlight);
		await run.clock.sleep(10);
		inFlight--;
		answered++;
		const fault = faults[entry]?.[attempt - 1];
		if (fault !== undefined) throw fault;
		return entry.toUpperCase();
	};
	const outcomes = (entries: Iterable<string>) =>
		flat(bulk(singly(entries), oneEach(line, send)));
	const all = async (entries: Iterable<string>) => {
		const ended: Array<[string, unknown]> = [];
		for await (const { entries: sent, outcome } of outcomes(entries)) {
			ended.push([sent.join(), outcome.ok ? outcome.response : outcome.reason]);
		}
		return ended;
	};
	const state = () => ({ inFlight, peak, ahead });
	return { run, sent, source, outcomes, all, state };
}

test('each entry has its own outcome, whatever the outcomes of others', async () => {
	const bug = new Error('a bug');
	const { run, all } = setUp({ faults: { b: [RETRY], c: [FAIL], d: [bug] } });
	const ended = await run.clock.run(all('abcde'));
	expect(ended.sort()).toEqual([
		['a', 'A'],
		['b', 'B'],
		['c', FAIL],
		// The code that handles this failure throws an error. Because of that error, only the entry 'd' fails, and the
		// run continues.
		['d', bug],
		['e', 'E'],
	]);
});

test('sends the maximum number at the same time, and reads no entry before it can be sent', async () => {
	const { run, source, all, state } = setUp({ concurrency: 3 });
	expect(await run.clock.run(all(source('abcdefgh')))).toHaveLength(8);
	expect(state()).toEqual({ inFlight: 0, peak: 3, ahead: 3 });
});
