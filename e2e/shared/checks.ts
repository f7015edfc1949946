import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { CACHE } from './paths';
import { say, shortened } from './progress';
import { until } from './wait';

const SHOWN_WITHIN_MS = 60_000;

export interface Check {
	title: string;
	passed: boolean;
	seen: string;
}

export class Checks {
	readonly all: Check[] = [];

	add(title: string, passed: boolean, seen = ''): boolean {
		this.all.push({ title, passed, seen });
		return passed;
	}

	/** Reads a value repeatedly until the value is correct or the time is up. Then adds the result to the checks. */
	async eventually(
		title: string,
		read: () => Promise<string>,
		isRight: (seen: string) => boolean,
	): Promise<void> {
		let seen = '';
		const passed = await until(async () => isRight((seen = await read())), SHOWN_WITHIN_MS);
		this.add(title, passed, passed ? '' : seen);
	}

	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}

const CHECKS_LOG = path.join(CACHE, 'checks.log');

/** Prints how many checks passed and which failed, and writes all checks to a log. Returns true if all passed. */
export function printChecks(checks: Checks): boolean {
	const failed = checks.failed.length;
	const line = ({ title, passed, seen }: Check) =>
		`  ${passed ? '✓' : '✗'} ${title}${seen === '' ? '' : ` (${seen})`}`;
	mkdirSync(CACHE, { recursive: true });
	writeFileSync(CHECKS_LOG, `${checks.all.map(line).join('\n')}\n`);
	say();
	for (const check of checks.failed) say(shortened(line(check)));
	say(`${checks.all.length - failed} passed, ${failed} failed (each check: ${CHECKS_LOG})`);
	return failed === 0;
}
