module.exports = { syncStates, localTime };

/** @import { SyncRun, SyncState } from '../../parts/types' */

/**
 * Returns the state of each sync, from its runs of the table Sync Runs. Those that need a person come first.
 * @param {SyncRun[]} rows
 * @param {Date} now
 * @returns {SyncState[]}
 */
function syncStates(rows, now) {
	/** @type {Map<string, SyncRun[]>} */
	const runsOf = new Map();
	for (const row of rows) {
		if (!row.workflow) continue;
		const runs = runsOf.get(row.workflow) ?? [];
		runs.push(row);
		runsOf.set(row.workflow, runs);
	}
	const states = [...runsOf.values()].map((runs) => stateOf(runs, now));
	const order = ['red', 'amber', 'green'];
	return states.sort(
		(one, other) =>
			order.indexOf(one.light) - order.indexOf(other.light) ||
			one.name.localeCompare(other.name),
	);
}

/**
 * @param {SyncRun[]} unsorted
 * @param {Date} now
 * @returns {SyncState}
 */
function stateOf(unsorted, now) {
	const runs = unsorted.sort((one, other) => timeOf(one.beganAt) - timeOf(other.beganAt));
	const last = runs[runs.length - 1];
	const ended = runs.filter(({ endedAt }) => endedAt);
	const lastEnded = ended[ended.length - 1];
	const lastComplete = ended.filter(({ outcome }) => outcome === 'complete').pop();
	const isRunning = !last.endedAt && timeOf(last.aliveUntil) > now.getTime();
	const isKilled = !last.endedAt && !isRunning;
	const isLate =
		!isRunning && Boolean(last.nextBefore) && timeOf(last.nextBefore) < now.getTime();
	const outcome = lastEnded?.outcome ?? '';
	const isRed = isKilled || isLate || outcome === 'failed';
	const isAmber = outcome !== 'complete' && outcome !== '';
	return {
		...{ workflow: last.workflow, name: last.name || last.workflow, runs, last, lastEnded },
		...{ lastComplete, isRunning, isKilled, isLate },
		light: isRed ? 'red' : isAmber ? 'amber' : 'green',
	};
}

/**
 * Returns milliseconds, or 0 if there is no date.
 * @param {string | null | undefined} date
 */
function timeOf(date) {
	return date ? new Date(date).getTime() : 0;
}

/**
 * Returns a date such as `2026-11-29 02:00`.
 * @param {string | Date | null | undefined} date
 * @param {string} timeZone
 */
function localTime(date, timeZone) {
	if (!date) return 'never';
	const style = /** @type {const} */ ({ dateStyle: 'short', timeStyle: 'short' });
	return new Intl.DateTimeFormat('sv-SE', { ...style, timeZone }).format(new Date(date));
}
