import lateSyncs from '../../../examples/src/code/late-syncs';
import { syncStates } from '../../../examples/src/code/shared/sync-states';
import statusPage from '../../../examples/src/code/status-page';
import type { SyncRun } from '../../../examples/src/parts/types';

const now = new Date('2026-11-29T08:00:00Z');

const at = (hours: number): string => new Date(now.getTime() + hours * 3_600_000).toISOString();

/** A run that began 6 hours ago and was complete. The next one is due in 18 hours. */
const run = (more: Partial<SyncRun> = {}): SyncRun => ({
	...{ workflow: 'w1', name: 'Shop', startedBy: 'schedule' },
	...{ beganAt: at(-6), endedAt: at(-5.9), aliveUntil: at(-5.8), nextBefore: at(18) },
	...{ documents: 40, pushed: 3, deleted: 1, outcome: 'complete', error: '', approvable: 0 },
	...more,
});

/** The run is active, or it was killed. */
const open = { endedAt: null, outcome: '' };

const pageOf = (rows: SyncRun[]): string =>
	statusPage({ rows, now, timeZone: 'UTC', project: 'Personal' })[0].json.html;

/** The text of a page without its tags. */
const textOf = (html: string): string =>
	html
		.replace(/<style>.*?<\/style>/s, '')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ');

describe('state of a sync', () => {
	it.each<[string, Partial<SyncRun>, object]>([
		['complete', {}, { light: 'green' }],
		['incomplete', { outcome: 'incomplete' }, { light: 'amber' }],
		['withheld', { outcome: 'withheld' }, { light: 'amber' }],
		['failed', { outcome: 'failed' }, { light: 'red' }],
		['late', { nextBefore: at(-0.1) }, { light: 'red', isLate: true }],
		['due at this moment', { nextBefore: at(0) }, { light: 'green', isLate: false }],
		['never due', { nextBefore: null }, { light: 'green', isLate: false }],
		['running', { ...open, aliveUntil: at(0.1) }, { isRunning: true, isKilled: false }],
		['killed', { ...open, aliveUntil: at(-0.1) }, { light: 'red', isKilled: true }],
		[
			'running while a run is due',
			{ ...open, aliveUntil: at(0.1), nextBefore: at(-1) },
			{ isLate: false, light: 'green' },
		],
	])('%s', (_, more, expected) => {
		expect(syncStates([run(more)], now)).toEqual([expect.objectContaining(expected)]);
	});

	it('is the state of its newest run, in any order of the rows', () => {
		const rows = [run({ beganAt: at(-1), outcome: 'failed' }), run({ beganAt: at(-30) })];
		expect(syncStates(rows, now)[0].light).toBe('red');
		expect(syncStates([...rows].reverse(), now)[0].light).toBe('red');
	});

	it('of a sync that runs again after a failure, stays red until the run has ended', () => {
		const rows = [
			run({ beganAt: at(-2), outcome: 'failed' }),
			run({ ...open, beganAt: at(-0.1), aliveUntil: at(0.2) }),
		];
		const [state] = syncStates(rows, now);
		expect([state.isRunning, state.light]).toEqual([true, 'red']);
	});

	it('says whether the last run was complete before, and when', () => {
		const rows = [run({ beganAt: at(-30), endedAt: at(-29) }), run({ outcome: 'failed' })];
		expect(syncStates(rows, now)[0].lastComplete?.endedAt).toBe(at(-29));
	});

	it('comes first if it needs a person', () => {
		const rows = [
			run({ workflow: 'a', name: 'A' }),
			run({ workflow: 'b', name: 'B', outcome: 'incomplete' }),
			run({ workflow: 'c', name: 'C', outcome: 'failed' }),
		];
		expect(syncStates(rows, now).map(({ name }) => name)).toEqual(['C', 'B', 'A']);
	});
});

describe('status page', () => {
	it('says that no sync has run yet, and in which project', () => {
		expect(textOf(pageOf([]))).toContain('Personal');
		expect(textOf(pageOf([]))).toContain('No sync has run yet');
	});

	it('says which sync is late, since when, and what was deleted last night', () => {
		const text = textOf(pageOf([run({ nextBefore: at(-3), deleted: 7 })]));
		expect(text).toContain('Late: the next run was due before 2026-11-29 05:00, 3 hours ago');
		expect(text).toContain('Last 24 hours 1 run, 3 pushed, 7 deleted');
		expect(text).toContain('1 of 1 sync needs a look');
	});

	it('counts only runs of the last 24 hours as last night', () => {
		const rows = [run({ beganAt: at(-25), deleted: 100 }), run({ deleted: 2 })];
		expect(textOf(pageOf(rows))).toContain('1 run, 3 pushed, 2 deleted');
	});

	it('says how to approve what was withheld', () => {
		const withheld = { outcome: 'withheld', withheld: 60, approvable: 60 };
		const text = textOf(pageOf([run(withheld)]));
		expect(text).toContain('60 deletes wait for an approval');
		expect(text).toContain('by its trigger Delete What Is Missing');
		const called = textOf(pageOf([run({ ...withheld, startedBy: 'webhook' })]));
		expect(called).toContain('"confirmDeletes": 60');
		expect(textOf(pageOf([run()]))).not.toContain('approval');
	});

	it('names the error and the problems of the last run that has ended', () => {
		const failed = { outcome: 'failed', error: 'Two failed.', problems: "'a' is odd\n'b' too" };
		const running = run({ ...open, beganAt: at(-0.1), aliveUntil: at(0.2) });
		const html = pageOf([run(failed), running]);
		expect(textOf(html)).toContain('Two failed.');
		expect(html.match(/<li>/g)).toHaveLength(2);
	});

	it('draws one bar per run, and at most 30', () => {
		const runs = Array.from({ length: 40 }, (_, day) => run({ beganAt: at(-24 * day - 6) }));
		expect(pageOf(runs).match(/<g>/g)).toHaveLength(30);
		expect(pageOf([run({ pushed: 0, deleted: 0 })])).toContain('class="nothing"');
		expect(pageOf([run({ failed: 1 })])).toContain('<rect class="failed"');
		expect(pageOf([run({ unreadable: 1 })])).toContain('<rect class="failed"');
		expect(pageOf([run()])).not.toContain('<rect class="failed"');
	});

	it('escapes everything that comes from outside', () => {
		const evil = `<script>alert("1")</script>&'`;
		const texts = ['name', 'workflow', 'startedBy', 'error', 'problems', 'outcome'] as const;
		for (const field of texts) {
			const html = pageOf([run({ [field]: evil })]);
			expect(html).not.toContain('<script');
			expect(html.replace(/<style>.*?<\/style>/s, '')).not.toContain('alert("1")');
		}
		const counts = ['documents', 'pushed', 'deleted', 'failed', 'later', 'approvable'] as const;
		for (const field of counts) {
			const rows = [run({ [field]: evil as unknown as number })];
			expect(pageOf(rows)).not.toContain('<script');
		}
		const html = statusPage({ rows: [], now, timeZone: 'UTC', project: evil })[0].json.html;
		expect(html).not.toContain('<script');
	});
});

describe('message about late syncs', () => {
	const messageOf = (rows: SyncRun[]) =>
		lateSyncs({ rows, now, timeZone: 'UTC' }).map(({ json }) => json.text);

	it('is not sent if no sync is late', () => {
		expect(messageOf([])).toEqual([]);
		expect(messageOf([run(), run({ workflow: 'w2', outcome: 'failed' })])).toEqual([]);
	});

	it('names each late sync, since when, and its last complete run', () => {
		const killed = { ...open, aliveUntil: at(-5), nextBefore: at(-2) };
		const [text, ...others] = messageOf([
			run({ nextBefore: at(-3) }),
			run({ ...killed, workflow: 'w2', name: 'Drive' }),
			run({ workflow: 'w3', name: 'Website' }),
		]);
		expect(others).toEqual([]);
		expect(text).toContain('2 syncs are late.');
		expect(text).toContain('Shop: a run was due before 2026-11-29 05:00.');
		expect(text).toContain('Drive: a run was due before 2026-11-29 06:00.');
		expect(text).toContain('(was killed). Last complete run: never.');
		expect(text).not.toContain('Website');
	});
});
