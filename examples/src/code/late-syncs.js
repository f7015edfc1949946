/** @import { Item, SyncRun } from '../parts/types' */

const { localTime, syncStates } = require('./shared/sync-states');

/**
 * @param {{ rows: SyncRun[], now: Date, timeZone: string }} inputs
 * @returns {Item<{ text: string }>[]}
 */
module.exports = ({ rows, now, timeZone }) => {
	// One message that names the syncs whose next run is overdue, or none.
	const late = syncStates(rows, now).filter(({ isLate }) => isLate);
	if (late.length === 0) return [];
	const lines = late.map(({ name, last, isKilled, lastComplete }) => {
		const end = isKilled ? 'was killed' : last.outcome || 'has not ended';
		const complete = lastComplete ? localTime(lastComplete.endedAt, timeZone) : 'never';
		return `${name}: a run was due before ${localTime(last.nextBefore, timeZone)}. The last run began at ${localTime(last.beganAt, timeZone)} (${end}). Last complete run: ${complete}.`;
	});
	const title = late.length === 1 ? 'One sync is late.' : `${late.length} syncs are late.`;
	const advice =
		'Check whether the workflow is still published, and whether n8n was running at that time.';
	return [{ json: { text: [title, ...lines, advice].join('\n') } }];
};
