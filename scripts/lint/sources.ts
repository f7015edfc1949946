/** Checks shipped code against our own rules and the rules of n8n's publish gate. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const SWITCH = /eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck/;

/**
 * Finds lines in shipped code that disable a lint rule. Comments that only mention a directive that disables a rule are
 * ignored.
 */
export function switchedOffRules(files: readonly string[]): string[] {
	return files
		.filter((file) => /^(nodes|credentials)\/.+\.ts$/.test(file))
		.flatMap((file) =>
			readFileSync(path.join(ROOT, file), 'utf8')
				.split('\n')
				.flatMap((line, at) =>
					SWITCH.test(line) && !/^\s*(\*|\/\/ (?!eslint|@ts)|\/\*\*)/.test(line)
						? [`${file}:${at + 1} switches off a rule`]
						: [],
				),
		);
}

export function gateFaults(): string[] {
	const args = ['scripts/scan.mjs', '.', 'source'];
	const result = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
	const { passed, message, details } = JSON.parse(result) as Record<string, unknown>;
	return passed === true ? [] : [`n8n's publish gate: ${String(message)} ${String(details)}`];
}
