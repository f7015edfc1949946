import type { Approval } from '../../../../examples/src/parts/types';

/** Nobody has approved deletes. */
export const NOT_APPROVED: Approval = {
	...{ isApproved: false, most: 0, isInvalid: false, remembered: 0 },
};

/** Somebody has approved so many deletes. */
export const approved = (most: number): Approval => ({
	...{ isApproved: true, most, isInvalid: false, remembered: most },
});

export const HISTORY = { tableId: 'runs', row: 3 };

/** What a run that has the lock needs. */
export const LOCK = { run: 7, tableId: 'table', history: HISTORY };
