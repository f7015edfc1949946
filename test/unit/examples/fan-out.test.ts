import rangeDone from '../../../examples/src/code/range-done';
import ranges from '../../../examples/src/code/ranges';
import stateOfRanges from '../../../examples/src/code/state-of-ranges';
import verdict from '../../../examples/src/code/verdict';
import type { RangeRow, RangeState } from '../../../examples/src/parts/types';

test('only the last range has no limit', () => {
	expect(ranges({ settings: { ranges: 3, recordsPerRange: 10 } })[0].json.ranges).toEqual([
		{ range: 0, skip: 0, max: 10 },
		{ range: 1, skip: 10, max: 10 },
		{ range: 2, skip: 20, max: 0 },
	]);
});

test.each<[headers: Record<string, string>, file: string]>([
	[{ etag: '"1"', 'last-modified': 'Monday', 'content-length': '5' }, '"1"'],
	[{ 'last-modified': 'Monday', 'content-length': '5' }, '5 bytes, Monday'],
	[{ 'content-length': '5' }, ''],
])('the version of a file with the headers %j is %j', (headers, file) => {
	const summary = { atEnd: true, records: 5, pushed: 5, failed: 0, warnings: ['one ID twice'] };
	expect(rangeDone({ summary, headers })).toEqual([
		{ json: { atEnd: true, records: 5, pushed: 5, failed: 0, file, message: 'one ID twice' } },
	]);
	expect(rangeDone({ summary: {}, headers })[0].json.message).toBe('');
});

const row = (event: RangeRow['event'], createdAt = 0, more: Partial<RangeRow> = {}): RangeRow => ({
	...{ range: 0, event, createdAt: new Date(createdAt) },
	...more,
});

const called = [row('called')];

test.each<[what: string, rows: RangeRow[], now: number, expected: object]>([
	['was called', called, 59_000, { state: 'running', again: false, calls: 1 }],
	['has started', [...called, row('started')], 59_000, { state: 'running', again: false }],
	['has not ended', [...called, row('started')], 61_000, { state: 'late', again: true }],
	[
		'was called again',
		[...called, row('failed'), row('called', 50_000)],
		61_000,
		{ state: 'running', again: false, calls: 2 },
	],
	[
		'has failed twice',
		[...called, row('failed'), row('called'), row('failed', 1, { message: 'down' })],
		61_000,
		{ state: 'failed', again: false, calls: 2, message: 'down' },
	],
	['has failed', [...called, row('failed')], 1, { state: 'failed', again: true }],
	[
		'is done',
		[...called, row('done', 1, { records: 5, atEnd: true })],
		99_000,
		{ state: 'done', again: false, records: 5, atEnd: true },
	],
])('a range that %s', (_what, rows, now, expected) => {
	const settings = { deadlineSeconds: 60, maxCalls: 2 };
	const other = row('done', 0, { range: 1 });
	const [{ json }] = stateOfRanges({
		ranges: [{ range: 0, skip: 0, max: 0 }],
		rows: [...rows, other],
		settings,
		now,
	});
	expect(json.ranges).toEqual([expect.objectContaining(expected)]);
});

/** Two ranges that have read one file to its end. */
const done = (first: Partial<RangeState> = {}, last: Partial<RangeState> = {}): RangeState[] => {
	const both = {
		...{ state: 'done' as const, again: false, calls: 1, file: 'v1', message: '' },
		failed: 0,
	};
	return [
		{ ...both, range: 0, skip: 0, max: 10, records: 10, pushed: 10, atEnd: false, ...first },
		{ ...both, range: 1, skip: 10, max: 0, records: 14, pushed: 4, atEnd: true, ...last },
	];
};

test.each<[what: string, ranges: RangeState[], verdict: string, error: RegExp]>([
	['all is done', done(), 'done', /^$/],
	['the file ends in the first range', done({ atEnd: true, records: 3 }), 'done', /^$/],
	['a range is called again', done({ state: 'failed', again: true }), 'again', /Range 0/],
	['a range runs', done({}, { state: 'running' }), 'wait', /Range 1/],
	[
		'a range failed',
		done({ state: 'failed', calls: 3, message: 'down' }),
		'failed',
		/^Range 0 was called 3 times: down$/,
	],
	[
		'two ranges failed',
		done({ state: 'failed', message: 'down' }, { state: 'late' }),
		'failed',
		/^Range 0 was called 1 times: down\. Range 1 was called 1 times: it has not ended by its deadline$/,
	],
	['the end was not reached', done({}, { atEnd: false }), 'failed', /^Range 1, the last one/],
	['there is a gap', done({ records: 9 }), 'failed', /^Range 0 ended at record 9 instead of 10$/],
	[
		'the file changed',
		done({}, { file: 'v2' }),
		'failed',
		/^Range 1 has read another file \(v2\)/,
	],
	['a range warns', done({}, { message: 'one ID twice' }), 'failed', /^Range 1: one ID twice$/],
	[
		'the file is empty',
		done({ records: 0, atEnd: true }, { records: 0 }),
		'failed',
		/^The file has no records$/,
	],
	['the version is unknown', done({ file: '' }, { file: '' }), 'failed', /^It is unknown/],
])('if %s, the verdict follows', (_what, states, expected, error) => {
	const [{ json }] = verdict({ ranges: states });
	expect(json.verdict).toBe(expected);
	expect(json.error).toMatch(error);
	expect(json.pushed).toBe(14);
});
