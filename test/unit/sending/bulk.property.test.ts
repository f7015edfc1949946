import fc from 'fast-check';

import { collectDecisions } from '../../../support/decisions';
import { runs } from '../../../support/runs';
import {
	bodyBytes,
	CANCEL,
	ended,
	model,
	runScenario,
	type Entry,
	type Fault,
	type Scenario,
} from '../support/bulk-scenario';

jest.setTimeout(120_000);

const PASSING: Fault[] = ['slow', 'throttled', 'throttled 3 s', 'unavailable', 'reset'];

/**
 * Generates entries with only a few different IDs, so that many entries share an ID. The sizes of the entries are close
 * to the limits below.
 */
const anyEntries = fc
	.array(
		fc.record({
			id: fc.oneof(fc.constantFrom(...'abcd'), fc.constantFrom(...'abcdefghijkl')),
			bytes: fc.integer({ min: 1, max: 120 }),
		}),
		{
			maxLength: 50,
		},
	)
	.map((docs) =>
		docs.map(
			({ id, bytes }, position): Entry => ({
				id,
				position,
				text: 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2),
			}),
		),
	);

const faultsOf = (...faults: Fault[]) =>
	fc.array(
		fc.oneof({ weight: 2, arbitrary: fc.constant<Fault>('none') }, fc.constantFrom(...faults)),
		{
			maxLength: 30,
		},
	);

const anyScenario: fc.Arbitrary<Scenario> = fc.record({
	entries: anyEntries,
	// Small batches often wait for several earlier ones.
	maxCount: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 })),
	maxBytes: fc.integer({ min: 40, max: 600 }),
	concurrency: fc.integer({ min: 1, max: 6 }),
	retryForMs: fc.nat(60_000),
	stopOnFailure: fc.boolean(),
	faults: faultsOf(...PASSING, 'unavailable 2 s', 'denied'),
	sizeLimit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 20, max: 400 })),
	poisoned: fc.subarray([...'abcdefghijkl'], { maxLength: 4 }),
	unwritable: fc.array(fc.nat(50), { maxLength: 3 }),
	seed: fc.nat(),
});

const decisions = collectDecisions();

const positions = (all: Entry[]) => all.map(({ position }) => position);

test('in every case, each entry ends once, the index equals the model and no rule is broken', async () => {
	await fc.assert(
		fc.asyncProperty(anyScenario, async (scenario) => {
			const outcome = await runScenario(scenario);
			expect(outcome.violations).toEqual([]);
			expect(outcome.thrown).toBeUndefined();
			expect(outcome.endings.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
				positions(scenario.entries),
			);
			expect(outcome.index).toEqual(model(scenario.entries, outcome));
			// An entry's text is created only once, even if its request is retried or split. No text is created
			// after the run has ended.
			const { packed } = outcome;
			expect(packed).toEqual(positions(scenario.entries).slice(0, packed.length));
			if (ended(outcome, 'skipped').length === 0) {
				expect(packed).toHaveLength(scenario.entries.length);
			}
		}),
		{ numRuns: runs(600) },
	);
});

test('a cancel at any time ends the run with every entry accounted for', async () => {
	await fc.assert(
		fc.asyncProperty(
			anyScenario,
			fc.integer({ min: 0, max: 5000 }),
			async (scenario, cancelAtMs) => {
				const outcome = await runScenario({ ...scenario, cancelAtMs });
				expect(outcome.violations).toEqual([]);
				expect(
					outcome.endings.map(({ position }) => position).sort((a, b) => a - b),
				).toEqual(positions(scenario.entries));
				if (outcome.endedAt >= cancelAtMs && outcome.thrown !== undefined) {
					expect(outcome.thrown).toBe(CANCEL);
					expect(outcome.endedAt).toBe(cancelAtMs);
				} else {
					expect(outcome.endedAt).toBeLessThanOrEqual(cancelAtMs);
					expect(outcome.stats).toBeDefined();
				}
			},
		),
		{ numRuns: runs(300) },
	);
});

test('no document fails because of transient errors or because other documents are rejected', async () => {
	await fc.assert(
		fc.asyncProperty(anyScenario, faultsOf(...PASSING), async (scenario, faults) => {
			// Once ten single-entry requests have been rejected and no entry has been accepted, batches are no longer
			// split. To prevent that here, the service accepts the first entry.
			const entries = [{ id: 'healthy', position: 0, text: 'x' }].concat(
				scenario.entries.map((entry) => ({ ...entry, position: entry.position + 1 })),
			);
			const unwritable = scenario.unwritable?.map((position) => position + 1) ?? [];
			const outcome = await runScenario({
				...scenario,
				entries,
				unwritable,
				faults,
				concurrency: 1,
				retryForMs: 3_600_000,
				stopOnFailure: false,
			});
			const limit = Math.min(scenario.maxBytes ?? 0, scenario.sizeLimit ?? 0);
			const healthy = entries.filter(
				(entry) =>
					!scenario.poisoned?.includes(entry.id) &&
					!unwritable.includes(entry.position) &&
					bodyBytes([entry]) <= limit,
			);
			expect(outcome.violations).toEqual([]);
			expect(ended(outcome, 'done')).toEqual(positions(healthy));
			expect(ended(outcome, 'skipped')).toEqual([]);
		}),
		{ numRuns: runs(300) },
	);
});

test('if a batch is rejected, exactly the rejected entries fail', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.uniqueArray(fc.nat(31), { maxLength: 32 }),
			fc.integer({ min: 1, max: 4 }),
			async (bad, concurrency) => {
				const entries = Array.from(
					{ length: 32 },
					(_, position): Entry => ({ id: `id${position}`, position, text: 'x' }),
				);
				const poisoned = bad.map((position) => `id${position}`);
				const outcome = await runScenario({ entries, poisoned, concurrency, maxCount: 32 });
				expect(ended(outcome, 'failed')).toEqual([...bad].sort((a, b) => a - b));
				expect(ended(outcome, 'done')).toHaveLength(32 - bad.length);
			},
		),
		{ numRuns: runs(100) },
	);
});

test('each decision of the retry policy has occurred', () => {
	const expected = [
		...['again: one, down', 'again: one, overloaded', 'again: one, throttled'],
		...['again: several, down', 'again: several, overloaded', 'again: several, throttled'],
		...['split: several, split', 'split: several, tooLarge', 'fail: one, split'],
		...['fail: one, tooLarge', 'fail: several, fail', 'end: one, stop', 'end: several, stop'],
	];
	expect(expected.filter((each) => !decisions.has(each))).toEqual([]);
});
