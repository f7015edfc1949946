/** What must be true after every world, whatever went wrong in it: of items and of files. */
import type { Aftermath } from '../played';
import { ACCOUNTING } from './accounting';
import { CHUNKS } from './chunks';
import type { Check, Violation } from './invariant';
import { REST } from './rest';
import { SAFETY } from './safety';
import { TRUTH } from './truth';

export { INVARIANTS, type Invariant, type Violation } from './invariant';

const CHECKS: Check[] = [...ACCOUNTING, ...TRUTH, ...CHUNKS, ...REST, ...SAFETY];

/** All that broke, each invariant once. */
export function checkAll(after: Aftermath): Violation[] {
	const seen = new Set<string>();
	return CHECKS.flatMap((check) => check(after))
		.filter(([invariant]) => !seen.has(invariant) && seen.add(invariant))
		.map(([invariant, detail]) => ({ invariant, node: after.world.node, detail }));
}
