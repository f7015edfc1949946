/**
 * The nodes on n8n's engine in worlds where everything may go wrong.
 *
 * @jest-environment node
 */
import './logs';

import fc from 'fast-check';

import { tolerated } from './known-defects';
import { brokenBy, play } from './run-world';
import { worldOf } from './world';
import { WORLDS } from './worlds';

/** More worlds: `npm run test:chaos`. */
const SEED = 20_261_121;
const WORLDS_PER_TEST = 5;
const TEST_TIMEOUT_MS = 90_000;

test('what n8n logs is watched', async () => {
	const { logs } = await play(worldOf({ items: [{ id: 'd0', name: 'A', version: 'v0' }] }));
	expect(logs.join('')).toMatch(/workflow|node/i);
});

describe.each([
	{ kind: 'items', worlds: WORLDS.items, tests: 20 },
	{ kind: 'files', worlds: WORLDS.files, tests: 8 },
])('random worlds of $kind', ({ kind, worlds, tests }) => {
	test.each(Array.from({ length: tests }, (_, at) => SEED + at * WORLDS_PER_TEST))(
		`${WORLDS_PER_TEST} worlds from seed %i break nothing`,
		async (first) => {
			for (let seed = first; seed < first + WORLDS_PER_TEST; seed += 1) {
				const [world] = fc.sample(worlds, { seed, numRuns: 1 });
				const found = (await brokenBy(world)).filter((violation) => !tolerated(violation));
				expect(
					found.map(({ invariant, node, detail }) =>
						[
							`${node}: ${invariant}: ${detail}`,
							`npm run test:chaos -- --kind ${kind} --seed ${seed} --path "0"`,
						].join('\n'),
					),
				).toEqual([]);
			}
		},
		TEST_TIMEOUT_MS,
	);
});
