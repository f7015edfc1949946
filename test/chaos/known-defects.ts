/**
 * What is known to fail today, by the line of the issue that describes it. A test fails when
 * something here holds after all: then take it out. An empty list means that nothing is known to fail.
 */
import type { NodeKey } from './adapter';
import { CASES } from './cases';
import type { Invariant, Violation } from './invariants';

/** Names of cases (see cases.ts). */
const BY_LINE: Record<number, string[]> = {
	1: [
		'two documents that shared a request are mixed up by Get Results after a timeout',
		'two documents that shared a request are mixed up by Resume Chunking ID',
		'chunks are returned by each item that shares the request',
	],
	2: [
		'an unknown status with an empty list removes all chunks',
		'a lowercase status with an empty list removes all chunks',
		'a text the service left out completely loses all its chunks',
		'a text without spans loses its tail',
		'Get Results removes the tail of a text it does not know',
	],
	3: [
		'data of a job that ended in ERROR is lost',
		'data in an unknown shape is lost',
		'data of a job that stays pending is lost',
	],
	5: ['a number beyond the safe integers deletes another document'],
	11: [
		'a token repeated by the results',
		'a token repeated by the results in another letter case',
	],
	13: [
		'a lost connection is certain to have had no effect (push)',
		'a lost connection is certain to have had no effect (delete)',
		'a lost connection is certain to have had no effect (migrate)',
		'a response cut off is certain to have had no effect (push)',
		'a response cut off is certain to have had no effect (delete)',
		'a response cut off is certain to have had no effect (migrate)',
		'status 408 is certain to have had no effect (push)',
		'status 408 is certain to have had no effect (delete)',
		'status 408 is certain to have had no effect (migrate)',
		'status 500 is certain to have had no effect (push)',
		'status 500 is certain to have had no effect (delete)',
		'status 500 is certain to have had no effect (migrate)',
		'a timeout is certain to have had no effect (push)',
		'a timeout is certain to have had no effect (delete)',
		'a timeout is certain to have had no effect (migrate)',
	],
};

/**
 * Races that show in some plays of a world only, so that no case can wait for them. Line 10: a pause
 * (Retry-After) that begins while the run is being stopped keeps its timer.
 */
const RACES = ['delete: handles left', 'push: handles left'];

export const KNOWN_CASES = new Set(Object.values(BY_LINE).flat());

const pairOf = (node: NodeKey | string, invariant: Invariant): string => `${node}: ${invariant}`;

const PAIRS = new Set([
	...[...KNOWN_CASES].map((name) => pairOf(CASES[name].world.node, CASES[name].invariant)),
	...RACES,
]);

/** Whether a random world broke what a node is known to break. */
export function tolerated({ node, invariant }: Violation): boolean {
	return PAIRS.has(pairOf(node, invariant));
}
