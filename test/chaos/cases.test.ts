/** Worlds that broke something once: the smallest one for each way. */
import './logs';

import { CASES } from './cases';
import { KNOWN_CASES } from './known-defects';
import { brokenBy } from './run-world';

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
