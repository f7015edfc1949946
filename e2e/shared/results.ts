/** What commands with a whole n8n have found last on this machine, for docs/environments.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Checks } from './checks';
import { CACHE, N8N_FOLDER } from './paths';

const FOLDER = path.join(CACHE, 'results');

/** The commands whose results are on the page. */
export type Recorded = 'demo' | 'demo-old' | 'queue' | 'fan-out' | 'installer';

/** What a command has found. */
export interface CommandResult {
	/** Versions of what ran. */
	n8n: string;
	node: string;
	/** `2026-11-22` */
	day: string;
	passed: number;
	failed: number;
}

const fileOf = (command: Recorded) => path.join(FOLDER, `${command}.json`);

/** Keeps the result of a command. */
export function keepResult(command: Recorded, checks: Checks): void {
	const manifest = readFileSync(path.join(N8N_FOLDER, 'package.json'), 'utf8');
	const { dependencies } = JSON.parse(manifest) as {
		dependencies: { n8n: string; node: string };
	};
	const failed = checks.failed.length;
	const result: CommandResult = {
		...{ n8n: dependencies.n8n, node: dependencies.node },
		day: new Date().toISOString().slice(0, 10),
		...{ passed: checks.all.length - failed, failed },
	};
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(fileOf(command), JSON.stringify(result, null, '\t'));
}

/** The last result of a command on this machine, if there is one. */
export function lastResult(command: Recorded): CommandResult | undefined {
	const file = fileOf(command);
	if (!existsSync(file)) return undefined;
	return JSON.parse(readFileSync(file, 'utf8')) as CommandResult;
}
