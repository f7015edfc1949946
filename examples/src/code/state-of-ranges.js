/** @import { Item, Range, RangeRow, RangeState } from '../parts/types' */

/**
 * @param {{ ranges: Range[], rows: RangeRow[], settings: { deadlineSeconds: number, maxCalls: number }, now: number }} inputs
 * @returns {[Item<{ ranges: RangeState[] }>]}
 */
module.exports = ({ ranges, rows, settings, now }) => {
	// What has become of each range. Its last row counts.
	return [{ json: { ranges: ranges.map(stateOf) } }];

	/**
	 * @param {Range} range
	 * @returns {RangeState}
	 */
	function stateOf(range) {
		const own = rows.filter((row) => row.range === range.range);
		const calls = own.filter(({ event }) => event === 'called');
		const last = own[own.length - 1];
		const state = stateAfter(last.event, calls[calls.length - 1].createdAt);
		const isLost = state === 'failed' || state === 'late';
		const { atEnd, records, pushed, failed, file, message } = last;
		return {
			...range,
			...{ state, again: isLost && calls.length < settings.maxCalls, calls: calls.length },
			...{ atEnd, records, pushed, failed, file, message },
		};
	}

	/**
	 * @param {RangeRow['event']} event
	 * @param {string | Date} calledAt
	 */
	function stateAfter(event, calledAt) {
		if (event === 'done' || event === 'failed') return event;
		const age = now - new Date(calledAt).getTime();
		return age > settings.deadlineSeconds * 1000 ? 'late' : 'running';
	}
};
