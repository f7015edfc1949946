/**
 * Simulates the vendor's public incidents in virtual time. A workflow runs every hour and sends everything that has
 * changed or failed since the last run. Each incident begins in the middle of a run. The table in
 * docs/reliability.md shows the same results.
 *
 * `FIGURES=1 npx jest test/worlds/sending/incidents` prints each run's figures.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { GATEWAY } from '../../../sandbox/gateway';
import { ROOT } from '../../../support/manifest';
import {
	always,
	anyOf,
	atRandom,
	during,
	playWorld,
	resetsAtRandom,
	type Played,
	type Rule,
	type World,
} from '../../unit/support/service-world';
import { VirtualClock } from '../../../support/virtual-clock';

jest.setTimeout(120_000);

const HOUR = 3600;
/** Start of the incident, in seconds after the first run begins. */
const BEGIN = 5;
const DOCUMENTS = 20_000;
const CHANGED = 1000;

/** The expected result of every run during which an incident occurs. */
type Effect =
	/** All documents are sent. The incident delays the run by this many seconds at most (approximately). */
	| { slower: number }
	/** The run ends early. The range is in seconds after the first fault. */
	| { endsAfter: [least: number, most: number] };

interface Incident {
	when: string;
	minutes: number;
	kind: World['kind'];
	rule: Rule;
	/** Expected effect for each value of *Retry For*. The default is 60 s, and the scheduled examples use 900 s. */
	effects: Record<60 | 900, Effect>;
	cells: [seen: string, byDefault: string, with900: string, next: string];
}

const ENDS_AT_ONCE: Effect = { endsAfter: [0, 3] };
const ERROR = { status: 500, body: 'I/O error' };
const TOKENS = anyOf([
	atRandom(0.8, GATEWAY.tokenExpired),
	always({ ...GATEWAY.tokenInvalid, status: 403 }),
]);
const HOSTED_MODELS = anyOf([atRandom(0.5, GATEWAY.rateLimited), always({ status: 500 })]);

const TOKEN_CELLS: Incident['cells'] = [
	'401 or 403 for every request, with messages about tokens',
	'The run ends within seconds. The rest is not sent.',
	'The same',
	'Sends what is missing',
];

const INCIDENTS: Incident[] = [
	{
		when: '2025-10-29, 81 minutes',
		minutes: 81,
		kind: 'push',
		rule: anyOf([resetsAtRandom(0.05), atRandom(0.3, GATEWAY.timeout)]),
		effects: { 60: { slower: 60 }, 900: { slower: 60 } },
		cells: [
			'504 or a lost connection for some requests',
			'The run takes longer. Everything is sent.',
			'The same',
			'Has nothing to repair',
		],
	},
	{
		when: '2025-11-13, 56 minutes',
		minutes: 56,
		kind: 'push',
		rule: always(GATEWAY.accessDenied),
		effects: { 60: ENDS_AT_ONCE, 900: ENDS_AT_ONCE },
		cells: [
			'403 `RBAC: access denied` for every request',
			'The run ends within seconds. The rest is not sent.',
			'The same',
			'Sends what is missing',
		],
	},
	{
		when: '2025-12-03, 8 hours 33 minutes',
		minutes: 513,
		kind: 'chunk',
		rule: TOKENS,
		effects: { 60: ENDS_AT_ONCE, 900: ENDS_AT_ONCE },
		cells: TOKEN_CELLS,
	},
	{
		when: '2025-12-05, 2 hours 43 minutes',
		minutes: 163,
		kind: 'push',
		rule: TOKENS,
		effects: { 60: ENDS_AT_ONCE, 900: ENDS_AT_ONCE },
		cells: TOKEN_CELLS,
	},
	{
		when: '2026-04-24, 8 minutes',
		minutes: 8,
		kind: 'push',
		rule: always(ERROR),
		effects: { 60: { endsAfter: [60, 100] }, 900: { slower: 8 * 60 + 60 } },
		cells: [
			'An I/O error for every request',
			'The run ends after 60 to 100 seconds. The rest is not sent.',
			'The run waits until the service is back. Everything is sent.',
			'Sends what is missing, if anything',
		],
	},
	{
		when: '2026-05-28, 95 minutes',
		minutes: 95,
		kind: 'chunk',
		rule: HOSTED_MODELS,
		effects: { 60: { endsAfter: [60, 660] }, 900: { endsAfter: [295, 960] } },
		cells: [
			'500 or 429 from hosted models',
			'The run ends within 11 minutes. The rest is not sent.',
			'The run ends within 16 minutes. The rest is not sent.',
			'Sends what is missing',
		],
	},
];

interface Scheduled {
	start: number;
	played: Played;
}

async function playSchedule({ minutes, kind, rule }: Incident, retryForSeconds: number) {
	const clock = new VirtualClock();
	const end = BEGIN + minutes * 60;
	const source = new Map<number, number>();
	const index = new Map<number, number>();
	const toSend = new Set<number>();
	const runs: Scheduled[] = [];
	const change = (count: number) => {
		for (let at = 0; at < count; at++) {
			const id = count === DOCUMENTS ? at : Math.floor(clock.random() * DOCUMENTS);
			source.set(id, (source.get(id) ?? 0) + 1);
			toSend.add(id);
		}
	};
	change(DOCUMENTS);
	for (let start = 0; ; start += HOUR) {
		// If the previous run has not ended, the schedule skips this run.
		if (clock.now() > start * 1000) continue;
		await clock.run(clock.sleep(start * 1000 - clock.now()));
		const played = await playWorld({
			kind,
			entries: [...toSend],
			perRequest: kind === 'push' ? 100 : 10,
			rules: [during(BEGIN, end, rule)],
			retryForSeconds,
			clock,
		});
		runs.push({ start, played });
		for (const id of played.effects) index.set(id, source.get(id) ?? 0);
		for (const id of played.done) toSend.delete(id);
		if (start >= end) break;
		change(CHANGED);
	}
	return { runs, end, source, index, toSend };
}

function checkEffect({ start, played }: Scheduled, effect: Effect, isBroken: boolean): void {
	const { failed, skipped, seconds, ended } = played;
	const faultAfter = Math.max(0, BEGIN - start);
	if ('slower' in effect) {
		expect([failed.length, skipped.length, ended]).toEqual([0, 0, undefined]);
		// The extra 120 s is for the first run, which sends more documents than the others.
		expect(seconds).toBeLessThan(effect.slower + 120);
		return;
	}
	const [least, most] = effect.endsAfter;
	// If the incident ends while the run is still retrying, the run continues.
	if (!isBroken) return;
	expect(ended).toBeDefined();
	expect(skipped.length).toBeGreaterThan(0);
	expect(seconds - faultAfter).toBeGreaterThanOrEqual(least);
	expect(seconds - faultAfter).toBeLessThanOrEqual(most);
}

const figures: string[] = [];
afterAll(() => {
	if (process.env.FIGURES) process.stdout.write(`${figures.join('\n')}\n`);
});

describe.each(INCIDENTS.map((incident): [string, Incident] => [incident.when, incident]))(
	'%s',
	(_, incident) => {
		it.each([60, 900] as const)(
			'Retry For %i s: the next run after it makes the index equal to the source',
			async (retryForSeconds) => {
				const { runs, end, source, index, toSend } = await playSchedule(
					incident,
					retryForSeconds,
				);
				for (const { start, played } of runs) {
					const { done, failed, skipped, seconds, requests } = played;
					figures.push(
						`${incident.when} (${retryForSeconds} s), run at ${start / HOUR} h: ${done.length} done, ${failed.length} failed, ${skipped.length} not sent, ${requests} requests, ${seconds.toFixed(0)} s`,
					);
				}
				const effect = incident.effects[retryForSeconds];
				for (const run of runs.slice(0, -1)) {
					const endsWithinSeconds = 'endsAfter' in effect ? effect.endsAfter[1] : 0;
					checkEffect(run, effect, run.start + endsWithinSeconds < end);
				}
				const { failed, skipped } = (runs.at(-1) as Scheduled).played;
				expect([failed, skipped, [...toSend]]).toEqual([[], [], []]);
				expect(index).toEqual(source);
			},
		);
	},
);

it('docs/reliability.md has the table', () => {
	const page = readFileSync(path.join(ROOT, 'docs', 'reliability.md'), 'utf8');
	const rows = page.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
	for (const { when, cells } of INCIDENTS)
		expect(rows).toContain(`| ${[when, ...cells].join(' | ')} |`);
});
