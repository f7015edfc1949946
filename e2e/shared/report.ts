import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Check, Checks } from './checks';
import { CACHE } from './paths';
import { say } from './progress';

const CHECKS_LOG = path.join(CACHE, 'checks.log');

/** Prints how many checks passed and which failed, and writes all of them to a log. Returns true if all passed. */
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
