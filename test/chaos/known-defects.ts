/**
 * What is known to fail today. A test fails when something here passes after all: then remove it. An
 * empty list means that nothing is known to fail.
 */
import type { NodeKey } from './adapter';
import { CASES } from './cases';
import type { Invariant, Violation } from './invariants';

/** Names of cases (see cases.ts). */
export const KNOWN_CASES = new Set<string>([]);

const pairOf = (node: NodeKey | string, invariant: Invariant): string => `${node}: ${invariant}`;

const PAIRS = new Set(
	[...KNOWN_CASES].map((name) => pairOf(CASES[name].world.node, CASES[name].invariant)),
);

/** Whether a random world broke what a node is known to break. */
export function tolerated({ node, invariant }: Violation): boolean {
	return PAIRS.has(pairOf(node, invariant));
}

/** Cells of the fault matrix, as 'request, row'. */
export const KNOWN_CELLS = new Set<string>([]);

/** Whether a cell is known to differ from what is expected of it. */
export function isKnownCell({ request, row }: { request: string; row: string | number }): boolean {
	return KNOWN_CELLS.has(`${request}, ${row}`);
}
