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
	4: [
		'a rejection as text is a success',
		'a rejection in a list of errors is a success',
		'a rejection of an ID that is listed twice is a success',
		'a rejection with a number as ID is a success',
	],
	5: ['a number beyond the safe integers deletes another document'],
	8: [
		'a token request that hangs outlives a cancel',
		'a token response that trickles outlives a cancel',
		'a token response that trickles has no end',
		'a response that trickles has no end (chunk)',
		'a response that trickles has no end (push)',
		'a response that trickles has no end (delete)',
		'a response that trickles has no end (migrate)',
	],
	11: [
		'a token repeated by the results',
		'a token repeated by the results in another letter case',
		'secret repeated as percent in a failure (chunk)',
		'secret repeated as percent in a failure (push)',
		'secret repeated as percent in a failure (delete)',
		'secret repeated as percent in a failure (migrate)',
		'secret repeated as percent in a success (push)',
		'secret repeated as percent in a success (migrate)',
		'secret repeated as percentLower in a failure (chunk)',
		'secret repeated as percentLower in a failure (push)',
		'secret repeated as percentLower in a failure (delete)',
		'secret repeated as percentLower in a failure (migrate)',
		'secret repeated as percentLower in a success (push)',
		'secret repeated as percentLower in a success (migrate)',
		'secret repeated as base64Unpadded in a failure (chunk)',
		'secret repeated as base64Unpadded in a failure (push)',
		'secret repeated as base64Unpadded in a failure (delete)',
		'secret repeated as base64Unpadded in a failure (migrate)',
		'secret repeated as base64Unpadded in a success (push)',
		'secret repeated as base64Unpadded in a success (migrate)',
		'secret repeated as base64Url in a failure (chunk)',
		'secret repeated as base64Url in a failure (push)',
		'secret repeated as base64Url in a failure (delete)',
		'secret repeated as base64Url in a failure (migrate)',
		'secret repeated as base64Url in a success (push)',
		'secret repeated as base64Url in a success (migrate)',
		'secret repeated as json in a failure (push)',
		'secret repeated as json in a failure (delete)',
		'secret repeated as json in a failure (migrate)',
		'secret repeated as json in a success (push)',
		'secret repeated as json in a success (migrate)',
		'secret repeated as upper in a failure (chunk)',
		'secret repeated as upper in a failure (push)',
		'secret repeated as upper in a failure (delete)',
		'secret repeated as upper in a success (push)',
		'secret repeated as upper in a success (migrate)',
		'secret repeated as lower in a failure (chunk)',
		'secret repeated as lower in a failure (push)',
		'secret repeated as lower in a failure (delete)',
		'secret repeated as lower in a success (push)',
		'secret repeated as lower in a success (migrate)',
		'secret repeated as stripped in a failure (migrate)',
		'secret repeated as stripped in a success (migrate)',
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
