import reason from '../../../examples/src/code/reason';
import reasonOfRounds from '../../../examples/src/code/reason-of-rounds';
import type { FileSummary } from '../../../examples/src/parts/types';

test.each<[what: string, summaries: FileSummary[], error: string]>([
	[
		'records that failed',
		[{ records: 9, failed: 2, failures: [{ error: 'rejected' }] }],
		'2 of 9 records failed. The first failure: rejected',
	],
	[
		'an error beside records that failed',
		[{ records: 9, failed: 2, error: 'down', failures: [{ error: 'rejected' }] }],
		'2 of 9 records failed. The first failure: down',
	],
	['an error', [{ error: 'no file' }], 'no file'],
	['a file that ends early', [{ records: 3, failed: 0, readError: 'cut off' }], 'cut off'],
	['a warning', [{ records: 3, failed: 0, warnings: ['one ID twice', 'other'] }], 'one ID twice'],
	[
		'too few records',
		[{ records: 0, failed: 0, warnings: [] }],
		"The file has 0 records, fewer than the node 'Records Look Wrong' requires",
	],
	[
		'records that an option left out',
		[{ records: 60, pushed: 0, failed: 0 }],
		"Only 0 of 60 records were pushed, fewer than the node 'Records Look Wrong' requires",
	],
	[
		'too few texts in a file whose chunks are in several files',
		[{ records: 50 }, { records: 4, chunked: 4 }],
		"The file has 4 records, fewer than the node 'Records Look Wrong' requires",
	],
])('the reason is %s', (_what, summaries, error) => {
	expect(reason({ summaries })).toEqual([{ json: { error } }]);
});

test.each<[round: FileSummary, failed: FileSummary[] | null, error: string]>([
	[{ error: 'no ID column', atEnd: true }, [{}], 'no ID column'],
	[
		{ records: 7, readError: 'cut off' },
		null,
		'The file could not be read on after record 7: cut off',
	],
	[{ skipped: 5, atEnd: false }, null, 'The round after record 5 did not get further'],
	[{ atEnd: true }, null, 'a warning'],
	[
		{ atEnd: true },
		[{ failures: [{ error: 'rejected' }] }],
		"Records failed, and 'Store Failed Records' has stored them. The first failure of the last round with any: rejected",
	],
	[
		{ atEnd: true },
		[],
		"Records failed, and 'Store Failed Records' has stored them. The first failure of the last round with any: ",
	],
])('the reason after the round %j is right', (round, failed, error) => {
	expect(reasonOfRounds({ round, warning: 'a warning', failed })).toEqual([{ json: { error } }]);
});
