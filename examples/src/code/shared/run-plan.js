module.exports = { runPlan };

/** @import { PlanCounts, RunPlan, Summary } from '../../parts/types' */

const { approvableOf } = require('./most-deletes');

/**
 * Returns what a run would do: the counts of a run, and the first 20 IDs of each kind. If a run would be refused, `error`
 * says why.
 *
 * @param {Summary} summary
 * @param {Partial<PlanCounts>} counts
 * @returns {RunPlan}
 */
function runPlan(summary, counts) {
	const { approval, new: added = 0, changed = 0, missing = 0, unreadable = 0 } = counts;
	const { willBeAsked, requests = 0, secondsBetweenRequests, charactersToChunk } = counts;
	/** @param {string[] | null | undefined} ids */
	const first = (ids) => (ids ?? []).slice(0, 20);
	const { withheld, later = 0 } = summary;
	return {
		status: summary.status,
		...{ new: added, changed, missing, unchanged: summary.unchanged, unreadable, later },
		...(summary.skipped && { skipped: summary.skipped }),
		withheld,
		...(withheld > 0 && approval && { approvable: approvableOf(approval, withheld) }),
		...(willBeAsked !== undefined && { willBeAsked, requests }),
		...(secondsBetweenRequests !== undefined && {
			secondsAtLeast: Math.round(requests * secondsBetweenRequests),
		}),
		...(charactersToChunk !== undefined && { charactersToChunk }),
		...{ newIds: first(counts.newIds), changedIds: first(counts.changedIds) },
		...{ missingIds: first(counts.missingIds), unreadableIds: first(counts.unreadableIds) },
		...{ laterIds: first(counts.laterIds), skippedIds: first(counts.skippedIds) },
		problems: (counts.problems ?? []).slice(0, 20),
		error: summary.problem && `Nothing was changed: ${summary.problem}.`,
	};
}
