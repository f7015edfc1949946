/**
 * Compares fields that the nodes read directly with what n8n's expressions make of them, in all of n8n's
 * engines: `vm`, the default, needs n8n's own Node.js. Exit code 0 only if nothing differs.
 */
import path from 'node:path';

import { installN8n, N8N_NODE } from './n8n/install';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { CACHE, E2E, ROOT } from './shared/paths';
import { run } from './shared/processes';
import { say, step } from './shared/progress';
import { printChecks } from './shared/report';

/** Random sets of items and expressions; `quickjs` takes half a second for each. */
const RUNS = { vm: 500, legacy: 500, quickjs: 100 };
const COMPARISON = path.join(E2E, 'expressions', 'compare.ts');

runCommand(async () => {
	say('Fields read directly, and by the expressions of n8n');
	await installN8n();
	const checks = new Checks();
	for (const [engine, runs] of Object.entries(RUNS)) {
		let seen = '';
		const compared = step(`Comparing with ${engine}`, async () => {
			await run(N8N_NODE, ['--import', 'tsx', COMPARISON, engine, String(runs)], {
				cwd: ROOT,
				logFile: path.join(CACHE, `expressions-${engine}.log`),
				onOutput: (text) => (seen += text),
			});
		});
		const failure = await compared.then(
			() => '',
			(error: unknown) => (error as Error).message,
		);
		checks.add(`Nothing differs from ${engine}`, failure === '', failure || seen.trim());
	}
	return printChecks(checks);
});
