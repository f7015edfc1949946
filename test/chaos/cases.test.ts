/** Worlds that broke something once: the smallest one for each way. */
import './logs';

import { claimOf } from './adapter';
import { CASES } from './cases';
import { KNOWN_CASES } from './known-defects';
import { brokenBy, play } from './run-world';
import { worldOf } from './world';

test.each(Object.entries(CASES))('%s', async (name, { world, invariant }) => {
	const violations = await brokenBy(world, KNOWN_CASES.has(name));
	const mine = violations.filter((violation) => violation.invariant === invariant);
	if (KNOWN_CASES.has(name)) {
		// Repaired: take it out of known-defects.ts.
		expect(mine).toHaveLength(1);
	} else {
		expect(mine).toEqual([]);
	}
});

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
