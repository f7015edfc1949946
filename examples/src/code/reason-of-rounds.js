/** @import { FileSummary, Item } from '../parts/types' */

/**
 * @param {{ round: FileSummary, warning: string, failed: FileSummary[] | null }} inputs
 * @returns {[Item<{ error: unknown }>]}
 */
module.exports = ({ round, warning, failed }) => {
	// Why the run fails. What stopped the last round is more important than what failed in an earlier one.
	return [{ json: { error: reason() } }];

	function reason() {
		if (round.error) return round.error;
		if (round.readError) {
			return `The file could not be read on after record ${round.records}: ${round.readError}`;
		}
		if (!round.atEnd) return `The round after record ${round.skipped} did not get further`;
		if (failed === null) return warning;
		const first = failed[0]?.failures?.[0]?.error ?? '';
		return `Records failed, and 'Store Failed Records' has stored them. The first failure of the last round with any: ${first}`;
	}
};
