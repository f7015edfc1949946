/** @import { Approval, BatchRow, Entry, Item, RunResult, Summary } from '../parts/types' */

const { approvableOf } = require('./shared/most-deletes');
const { storableText } = require('./shared/storable-text');

/**
 * @param {{ summary: Summary, batches: Partial<BatchRow>[], approval: Approval, isChunked: boolean, howToDelete: string }} inputs
 * @returns {[Item<RunResult & { pagesWithoutText?: number }>]}
 */
module.exports = ({ summary, batches, approval, isChunked, howToDelete }) => {
	// Adds up the batches. A batch without a row was stopped, so its documents have failed.
	/** @param {'pushed' | 'deleted' | 'chunksDeleted' | 'notIndexed' | 'failed' | 'unreadable' | 'withheld' | 'planned' | 'notDone'} count */
	const sum = (count) => batches.reduce((total, batch) => total + (batch[count] ?? 0), 0);
	const pushed = sum('pushed');
	const deleted = sum('deleted');
	const notIndexed = sum('notIndexed');
	const finished = pushed + deleted + notIndexed;
	const counted = finished + sum('failed') + sum('unreadable') + sum('withheld');
	// Rows of a database may have changed after they were planned.
	const done = batches.some(({ planned }) => planned !== undefined) ? sum('planned') : counted;
	const notDone = sum('notDone');
	const failed = sum('failed') + summary.planned - done - notDone;
	const later = (summary.later ?? 0) + notDone;
	const unreadable = summary.unreadable + sum('unreadable');
	const withheld = summary.withheld + sum('withheld');
	const approvable = approvableOf(approval, withheld);
	const stopped = batches.find((batch) => batch.run === undefined && !batch.notDone);
	const lost =
		'this run has lost its lock, because a batch took more than 15 minutes or its row was deleted.';

	// First the counts, then what went wrong, and then what to do
	const errors = [];
	const advice = [];
	if (summary.problem) errors.push(`Nothing was changed: ${summary.problem}.`);
	if (failed > 0) {
		const first = batches.find((batch) => batch.failed)?.error;
		const reason = first ?? words(stopped?.error) ?? lost;
		errors.push(
			`${failed} of ${summary.planned} documents failed. The first failure: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}`,
		);
		advice.push('The next run tries the failed documents again.');
	}
	if (notDone > 0) {
		errors.push('The run has ended early, because the service does not answer.');
		advice.push(
			`The next run begins with the ${notDone} documents that this run has not sent.`,
		);
	}
	if (isChunked && summary.known === 0 && pushed === 0 && notIndexed > 0) {
		errors.push(
			`Nothing was pushed: all ${notIndexed} documents are empty, or the source says that they are gone.`,
		);
		advice.push('Look at the first ones.');
	}
	if (withheld > 0) {
		errors.push(
			`${withheld} of ${summary.known} documents would be deleted, which needs an approval: ${reasonToWithhold()}. They were not deleted.`,
		);
		advice.push(
			`If the deletes are right, ${howToDelete.replace('{number}', String(approvable))}${approvable < withheld ? `. It deletes at most ${approvable}, because an earlier run has withheld only ${approvable}` : ''}.`,
		);
	}
	const ofBatches = batches.flatMap((batch) =>
		batch.problems ? batch.problems.split('\n') : [],
	);
	const named = [...ofBatches, ...summary.problems];
	/** @type {(kind: string) => string[]} */
	const ofKind = (kind) => named.filter((line) => line.startsWith(kind));
	const others = ['Failed: ', 'Withheld: ', 'Read in part: ', 'Left out: '].flatMap(ofKind);
	const problems = [...named.filter((line) => !others.includes(line)), ...others].slice(0, 20);
	const pagesWithoutText = ofKind('Read in part: ').length;
	const leftOut = countLeftOut();
	if (unreadable > 0) {
		errors.push(
			`${unreadable} documents could not be read. What the index has of them stays. The first one: ${problems[0]}.`,
		);
	}
	const counts = errors.length > 0 && !summary.problem ? [countsInWords()] : [];
	const error = storableText([...counts, ...errors, ...advice].join(' '), 5000);
	return [
		{
			json: {
				...{
					status: error && summary.status === 200 ? 500 : summary.status,
					pushed,
					deleted,
				},
				...(isChunked && { chunksDeleted: sum('chunksDeleted'), notIndexed }),
				...{ unchanged: summary.unchanged, failed, withheld, unreadable, problems, error },
				...(withheld > 0 && { approvable }),
				...(pagesWithoutText > 0 && { pagesWithoutText }),
				...(later > 0 && {
					later,
					outcome: `incomplete: ${later} documents wait for a later run`,
				}),
				...(summary.skipped && { skipped: summary.skipped }),
				...(leftOut.size > 0 && { leftOut: Object.fromEntries(leftOut) }),
			},
		},
	];

	function countsInWords() {
		/** @type {[string, number][]} */
		const all = [
			['pushed', pushed],
			['deleted', deleted],
			['without text', notIndexed],
			['failed', failed],
			['withheld', withheld],
			['unreadable', unreadable],
			['waiting', later],
		];
		const shown = all.filter(([what, count]) => what === 'pushed' || count > 0);
		const text = shown.map(([what, count]) => `${count} ${what}`).join(', ');
		return `Documents: ${text}.`;
	}

	/** Counts the documents that this run has left out, by what precedes the colon of the reason. */
	function countLeftOut() {
		/** @type {Map<string, number>} */
		const counts = new Map();
		for (const { entries } of batches) {
			/** @type {Entry[]} */
			const written = isChunked && entries ? JSON.parse(entries) : [];
			for (const [, , , , , reason] of written) {
				if (!reason) continue;
				const [kind] = reason.split(': ', 1);
				counts.set(kind, (counts.get(kind) ?? 0) + 1);
			}
		}
		return counts;
	}

	function reasonToWithhold() {
		const allowed = approval.isApproved ? 'you have approved' : "the node 'Settings' allows";
		const more = `more than the ${summary.mostDeletes} that ${allowed} are missing from the source`;
		return `${more}${isChunked ? ', or their texts are empty' : ''}, or the source refuses to show them`;
	}

	/** @param {unknown} error */
	function words(error) {
		return error === undefined ? undefined : String(Object(error).message ?? error);
	}
};
