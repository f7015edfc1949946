/** @import { Approval, Item, RunResult, Summary, SyncRun } from '../parts/types' */

/**
 * @param {{
 *   result: RunResult,
 *   summary: Summary,
 *   documents: number,
 *   approval: Approval,
 *   table: string,
 *   now: Date,
 * }} inputs
 * @returns {[Item<Partial<SyncRun>>]}
 */
module.exports = ({ result, summary, documents, approval, table, now }) => {
	// What the history says about this run, and how many deletes a person may approve now.
	const { failed, withheld, unreadable, later = 0, skipped = {}, error, problems } = result;
	const isCompared = summary.problem === '';
	/** @type {(isTrue: boolean, outcome: string) => string[]} */
	const if_ = (isTrue, outcome) => (isTrue ? [outcome] : []);
	const [outcome] = [
		...if_(!isCompared || failed > 0, 'failed'),
		...if_(withheld > 0, 'withheld'),
		...if_(unreadable > 0 || error !== '', 'failed'),
		...if_(later > 0, 'incomplete'),
		'complete',
	];
	return [
		{
			json: {
				...{ endedAt: now.toISOString(), aliveUntil: now.toISOString(), outcome },
				...(isCompared && { documents, unchanged: result.unchanged }),
				...{ pushed: result.pushed, deleted: result.deleted },
				...{ chunksDeleted: result.chunksDeleted ?? 0, notIndexed: result.notIndexed ?? 0 },
				...{ failed, unreadable, withheld, later, error },
				skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0),
				problems: problems.slice(0, 20).join('\n'),
				approvable: isCompared ? (result.approvable ?? 0) : approval.remembered,
				more: JSON.stringify({ table, compared: isCompared, skipped }),
			},
		},
	];
};
