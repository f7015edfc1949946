/** What an invariant is, and what its checks share. */
import { inspect } from 'node:util';

import type { Aftermath, Played } from '../played';

export const INVARIANTS = [
	'every item once',
	'every record once',
	'wrong failed records',
	'lost by resuming',
	'continues',
	'claims too much',
	'denies what happened',
	'lost what was delivered',
	'forgot a chunking ID',
	'mixed up texts',
	'submitted twice',
	'gave up too soon',
	'migrated twice',
	'removed what exists',
	'secret shown',
	'secret sent elsewhere',
	'wrong document deleted',
	'too late',
	'handles left',
	'limit broken',
	'unhandled rejection',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
	invariant: Invariant;
	node: string;
	detail: string;
}

/** What broke of which invariant. */
export type Found = Array<[Invariant, string]>;

export type Check = (after: Aftermath) => Found;

export const short = (value: unknown): string =>
	inspect(value, { depth: 3, breakLength: Infinity, maxStringLength: 160 }).slice(0, 400);

export const stopped = (run: Played): boolean => run.result.error !== undefined;
