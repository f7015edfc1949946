/** @import { BatchRow, Begun, Entry, Item, RunResult, Summary, SyncRun } from '../parts/types' */

/**
 * @param {{
 *   result: RunResult,
 *   summary: Summary,
 *   known: Entry[] | null,
 *   batches: Partial<BatchRow>[],
 *   counted: number | null,
 *   begun: Begun,
 *   now: Date,
 * }} inputs
 * @returns {[Item<Partial<SyncRun>>]}
 */
module.exports = ({ result, summary, known, batches, counted, begun, now }) => {
	// What the history says about this run.
	const { failed, withheld, unreadable, later = 0, error, problems } = result;
	const { skipped = {}, leftOut } = result;
	const isCompared = summary.problem === '';
	return [
		{
			json: {
				...{
					endedAt: now.toISOString(),
					aliveUntil: now.toISOString(),
					outcome: outcome(),
				},
				...(isCompared && {
					documents: counted ?? documents(),
					unchanged: result.unchanged,
				}),
				...{ pushed: result.pushed, deleted: result.deleted },
				...{ chunksDeleted: result.chunksDeleted ?? 0, notIndexed: result.notIndexed ?? 0 },
				...{ failed, unreadable, withheld, later, error },
				skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0),
				problems: problems.slice(0, 20).join('\n'),
				// A run that has compared nothing changes nothing about what may be approved.
				approvable: isCompared ? (result.approvable ?? 0) : begun.approval.remembered,
				more: JSON.stringify({
					table: begun.table,
					compared: isCompared,
					skipped,
					leftOut,
				}),
			},
		},
	];

	function outcome() {
		if (!isCompared || failed > 0) return 'failed';
		if (withheld > 0) return 'withheld';
		if (error !== '') return 'failed';
		return later > 0 ? 'incomplete' : 'complete';
	}

	/** Returns how many documents the index contains after the run. */
	function documents() {
		const chunksOf = new Map((known ?? []).map(([id, , chunks = 1]) => [id, chunks]));
		for (const { entries } of batches) {
			/** @type {Entry[]} */
			const written = entries ? JSON.parse(entries) : [];
			for (const [id, version, chunks = 1] of written) {
				chunksOf.set(id, version === null ? 0 : chunks);
			}
		}
		return [...chunksOf.values()].filter((chunks) => chunks > 0).length;
	}
};
