/** @import { Item, RangeState } from '../parts/types' */

/**
 * @typedef {{ again: RangeState[], verdict: 'again' | 'wait' | 'done' | 'failed', error: string, pushed: number, ranges: RangeState[] }} Verdict
 * @param {{ ranges: RangeState[] }} inputs
 * @returns {[Item<Verdict>]}
 */
module.exports = ({ ranges }) => {
	// Whether to call ranges again, to wait, or to end. The run succeeds only if all ranges have read the same file, one
	// after the other and to its end.
	const again = ranges.filter((range) => range.again);
	const error = problem();
	const pushed = ranges.reduce((sum, range) => sum + (range.pushed ?? 0), 0);
	return [{ json: { again, verdict: verdict(), error, pushed, ranges } }];

	function verdict() {
		if (again.length > 0) return 'again';
		if (ranges.some(({ state }) => state === 'running')) return 'wait';
		return error === '' ? 'done' : 'failed';
	}

	function problem() {
		const [first] = ranges;
		const last = ranges[ranges.length - 1];
		const lost = ranges.filter(({ state }) => state !== 'done');
		if (lost.length > 0) return lost.map(whyLost).join('. ');
		if (!last.atEnd) {
			return `Range ${last.range}, the last one, has not reached the end of the file`;
		}
		const gap = ranges.find(
			({ atEnd, records, skip, max }) => !atEnd && records !== skip + max,
		);
		if (gap) {
			return `Range ${gap.range} ended at record ${gap.records} instead of ${gap.skip + gap.max}`;
		}
		const other = ranges.find(({ file }) => file !== first.file);
		if (other) {
			return `Range ${other.range} has read another file (${other.file}) than range 0 (${first.file}): run it again when the file no longer changes`;
		}
		const warned = ranges.find(({ message }) => message);
		if (warned) return `Range ${warned.range}: ${warned.message}`;
		if (!first.records) return 'The file has no records';
		const isKnown = first.file !== '';
		return isKnown
			? ''
			: 'It is unknown whether all ranges read the same file: its storage sends neither an ETag nor its length and date';
	}

	/** @param {RangeState} range */
	function whyLost({ range, calls, state, message }) {
		const why = state === 'late' ? 'it has not ended by its deadline' : message;
		return `Range ${range} was called ${calls} times: ${why}`;
	}
};
