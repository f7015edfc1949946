/**
 * Worlds that broke something once: the smallest one for each way.
 *
 * @jest-environment node
 */
import './logs';

import { claimOf } from './adapter';
import { CASES, type Case } from './cases';
import { KNOWN_CASES } from './known-defects';
import { brokenBy, play, TIMED } from './run-world';
import { worldOf } from './world';

const all = Object.entries(CASES);
/** What belongs to the process, as its files do, or to the clock is seen of one world at a time. */
const isAlone = ([, { invariant, world }]: (typeof all)[number]) =>
	world.files !== undefined ||
	world.settings.outputTo === 'files' ||
	[...TIMED, 'unhandled rejection'].includes(invariant);

/** Most of the time they wait. They come first, so that they are over when the others begin. */
test.concurrent.each(all.filter((entry) => !isAlone(entry)))('%s', isKept);
test.each(all.filter(isAlone))('%s', isKept);

async function isKept(name: string, { world, invariant }: Case): Promise<void> {
	const violations = await brokenBy(world, KNOWN_CASES.has(name));
	const mine = violations.filter((violation) => violation.invariant === invariant);
	if (KNOWN_CASES.has(name)) {
		// Repaired: take it out of known-defects.ts.
		expect(mine).toHaveLength(1);
	} else {
		expect(mine).toEqual([]);
	}
}

test('known defects are cases', () => {
	expect([...KNOWN_CASES].filter((name) => !(name in CASES))).toEqual([]);
});

test('without faults every node does its work', async () => {
	const worlds = [
		worldOf({ items: [{ id: 'd0', name: 'A', version: 'v0' }] }),
		worldOf({ node: 'delete', items: [{ id: 'd0' }], service: { indexed: ['d0'] } }),
		worldOf({ node: 'migrate', items: [{}], settings: { confirm: true } }),
		worldOf({ node: 'chunk', texts: [[2], [1]], settings: { chunkOutput: 'documents' } }),
	];
	const outputs = [];
	for (const world of worlds) {
		const [{ result }] = (await play(world)).runs;
		outputs.push(result.output.map(({ json }) => claimOf(json)));
	}
	expect(outputs).toMatchObject([
		[{ pushed: true, id: 'd0' }],
		[{ deleted: true, id: 'd0' }],
		[{ migrated: true }],
		[{ id: 'd0#0' }, { id: 'd0#1' }, { id: 'd1#0' }],
	]);
});
