import type { Sandbox } from '../../sandbox';
import type { Checks } from './checks';
import { say } from './progress';

/** Rows of a table: what, and how much. */
export type Figures = Array<[string, string]>;

/** Prints a table under a title, the first column aligned. */
export function printTable(title: string, rows: Figures): void {
	const width = Math.max(...rows.map(([left]) => left.length));
	say();
	say(title);
	for (const [left, right] of rows) say(`  ${left.padEnd(width)}  ${right}`);
}

/** Requests per route as the service counted them, with statuses other than 200 named. */
export function requestRows(sandbox: Sandbox): Figures {
	return Object.entries(sandbox.stats().requests).map(([route, statuses]) => [
		route,
		Object.entries(statuses)
			.map(([status, count]) =>
				status === '200' ? `${count}` : `${count} with status ${status}`,
			)
			.join(', '),
	]);
}

/** Prints every check and how many passed; returns whether all did. */
export function printChecks(checks: Checks): boolean {
	const failed = checks.failed.length;
	say();
	say('Checks');
	for (const { title, passed, seen } of checks.all) {
		say(`  ${passed ? '✓' : '✗'} ${title}${seen === '' ? '' : ` (${seen})`}`);
	}
	say();
	say(`${checks.all.length - failed} passed, ${failed} failed`);
	return failed === 0;
}
