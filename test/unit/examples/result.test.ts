import fc from 'fast-check';

import result from '../../../examples/src/code/result';
import type { BatchRow, Summary } from '../../../examples/src/parts/types';
import { NOT_APPROVED } from './support/approvals';

const SUMMARY: Summary = {
	...{ status: 200, problem: '', known: 9, unchanged: 1, missing: 0, withheld: 0 },
	...{ mostDeletes: 10 },
	...{ unreadable: 0, problems: [], planned: 5, compactUpTo: 0 },
};

const row = (more: Partial<BatchRow>): Partial<BatchRow> => ({
	...{ run: 1, pushed: 0, deleted: 0, chunksDeleted: 0, failed: 0, unreadable: 0, withheld: 0 },
	...{ error: '', problems: '', ...more },
});

const resultOf = (batches: Array<Partial<BatchRow>>) =>
	result({
		summary: SUMMARY,
		batches,
		isChunked: false,
		howToDelete: 'approve it',
		approval: NOT_APPROVED,
	})[0].json;

test('rows of a database that were deleted or came after they were planned have not failed', () => {
	const batches = [row({ planned: 3, pushed: 2 }), row({ planned: 2, pushed: 4 })];
	expect(resultOf(batches)).toMatchObject({ status: 200, pushed: 6, failed: 0, error: '' });
});

test('all documents of a batch that was stopped have failed, although other batches had more than planned', () => {
	const batches = [row({ planned: 3, pushed: 5 }), {}];
	expect(resultOf(batches)).toMatchObject({ status: 500, pushed: 5, failed: 2 });
});

test('if each batch was stopped, all documents have failed', () => {
	expect(resultOf([{}, {}])).toMatchObject({ status: 500, pushed: 0, failed: 5 });
});

test('what this run could not read comes before what earlier runs could not read', () => {
	const summary = { ...SUMMARY, unreadable: 1, problems: ["'old' is a scan"] };
	const batches = [row({ unreadable: 1, problems: "'new' is encrypted" })];
	const [{ json }] = result({
		summary,
		batches,
		isChunked: true,
		howToDelete: 'approve it',
		approval: NOT_APPROVED,
	});
	expect(json.problems).toEqual(["'new' is encrypted", "'old' is a scan"]);
	expect(json.error).toContain("The first one: 'new' is encrypted.");
});

test('failures of the service are failures, whatever was planned', () => {
	const batches = [row({ planned: 5, pushed: 6, failed: 1, error: 'Refused.' })];
	expect(resultOf(batches)).toMatchObject({ status: 500, pushed: 6, failed: 1 });
});

test('a run that withholds deletes says why, and claims nothing about failed documents', () => {
	const batches = [row({ planned: 5, pushed: 4, failed: 1, error: 'Rejected (1 of 1)' })];
	const summary = { ...SUMMARY, withheld: 7 };
	const [{ json }] = result({
		summary,
		batches,
		isChunked: true,
		howToDelete: 'approve it',
		approval: NOT_APPROVED,
	});
	expect(json.error).toBe(
		"Documents: 4 pushed, 1 failed, 7 withheld. 1 of 5 documents failed. The first failure: Rejected (1 of 1). 7 of 9 documents would be deleted, which needs an approval: more than the 10 that the node 'Settings' allows are missing from the source, or their texts are empty, or the source refuses to show them. They were not deleted. The next run tries the failed documents again. If the deletes are right, approve it.",
	);
});

test('if each planned document is counted, none has failed but those that are counted as failed', () => {
	const counts = fc.record({
		...{ pushed: fc.nat(3), deleted: fc.nat(3), notIndexed: fc.nat(3) },
		...{ failed: fc.nat(1), unreadable: fc.nat(3), withheld: fc.nat(3) },
	});
	fc.assert(
		fc.property(fc.array(counts, { minLength: 1, maxLength: 3 }), (all) => {
			const sums = all.flatMap((one) => Object.values(one));
			const planned = sums.reduce((total, count) => total + count, 0);
			const failed = all.reduce((total, one) => total + one.failed, 0);
			const batches = all.map((one) =>
				row({
					...one,
					error: one.failed ? 'Refused.' : '',
					problems: one.unreadable ? 'P' : '',
				}),
			);
			const summary = { ...SUMMARY, planned };
			const [{ json }] = result({
				summary,
				batches,
				isChunked: true,
				howToDelete: '',
				approval: NOT_APPROVED,
			});
			expect(json.failed).toBe(failed);
			expect(json.error).not.toContain('lost its lock');
		}),
	);
});

test('what a run leaves out after an outage waits, and has not failed', () => {
	const error = 'No request succeeded: The service answered with status 503.';
	const batches = [row({ failed: 2, error }), { notDone: 2 }, { notDone: 1 }];
	const end = resultOf(batches);
	expect(end).toMatchObject({
		...{ status: 500, pushed: 0, failed: 2, later: 3 },
		outcome: 'incomplete: 3 documents wait for a later run',
	});
	expect(end.error).toBe(
		`Documents: 0 pushed, 2 failed, 3 waiting. 2 of 5 documents failed. The first failure: ${error} The run has ended early, because the service does not answer. The next run tries the failed documents again. The next run begins with the 3 documents that this run has not sent.`,
	);
	// Rows of a database know how many were planned.
	const ofDatabase = resultOf([row({ failed: 2, planned: 2, error }), { notDone: 3 }]);
	expect(ofDatabase).toMatchObject({ failed: 2, later: 3 });
});
