import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { CACHE } from './paths';
import { say } from './progress';
import { until } from './wait';

/** How long something may take to be shown. */
const SHOWN_WITHIN_MS = 60_000;

/** One thing a command checks. */
export interface Check {
	title: string;
	passed: boolean;
	/** What was seen, for the report. */
	seen: string;
}

/** Collects what was checked. */
export class Checks {
	readonly all: Check[] = [];

	/** Adds the result of a check; returns whether it passed. */
	add(title: string, passed: boolean, seen = ''): boolean {
		this.all.push({ title, passed, seen });
		return passed;
	}

	/** Adds the result of a check of what is shown only after a moment: reads it until it is right. */
	async eventually(
		title: string,
		read: () => Promise<string>,
		isRight: (seen: string) => boolean,
	): Promise<void> {
		let seen = '';
		const passed = await until(async () => isRight((seen = await read())), SHOWN_WITHIN_MS);
		this.add(title, passed, passed ? '' : seen);
	}

	/** The checks that did not pass. */
	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}

const CHECKS_LOG = path.join(CACHE, 'checks.log');

/** Says how many checks passed and which failed, and writes all of them to a log; returns whether all passed. */
export function printChecks(checks: Checks): boolean {
	const failed = checks.failed.length;
	const line = ({ title, passed, seen }: Check) =>
		`  ${passed ? '✓' : '✗'} ${title}${seen === '' ? '' : ` (${seen})`}`;
	mkdirSync(CACHE, { recursive: true });
	writeFileSync(CHECKS_LOG, `${checks.all.map(line).join('\n')}\n`);
	say();
	for (const check of checks.failed) say(line(check));
	say(`${checks.all.length - failed} passed, ${failed} failed (each check: ${CHECKS_LOG})`);
	return failed === 0;
}
