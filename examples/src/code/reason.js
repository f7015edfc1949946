/** @import { FileSummary, Item } from '../parts/types' */

/**
 * @param {{ summaries: FileSummary[] }} inputs
 * @returns {[Item<{ error: unknown }>]}
 */
module.exports = ({ summaries }) => {
	// Why the run fails.
	const [first] = summaries;
	const failure = first.error ?? first.readError ?? first.failures?.[0]?.error;
	// Chunk Text writes a file into several files, and passes on the summary of the whole file.
	const whole = summaries.find(({ chunked }) => chunked !== undefined) ?? first;
	const { records = 0, chunked, pushed } = whole;
	const done = chunked ?? pushed ?? records;
	// Skip Records, Max Records or Dry Run may still be set.
	const count =
		done < records
			? `Only ${done} of ${records} records were ${chunked === undefined ? 'pushed' : 'chunked'}`
			: `The file has ${records} records`;
	const tooFew = `${count}, fewer than the node 'Records Look Wrong' requires`;
	const isPart = (first.failed ?? 0) > 0;
	const part = `${first.failed} of ${first.records} records failed. The first failure: ${failure}`;
	return [{ json: { error: isPart ? part : (failure ?? first.warnings?.[0] ?? tooFew) } }];
};
