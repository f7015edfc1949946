/** The part of `npm run lint` that ESLint does not cover. Prints one line for each fault. */
import '../../support/setup';

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';
import { tableFaults } from '../docs';
import { exampleFaults } from '../examples';
import { circles } from './circles';
import { wrongWorkflows } from './github';
import { brokenLinks, unknownSections, wrongSteps } from './pages';
import { proseFaults } from './prose';
import { longSnapshots } from './snapshots';
import { gateFaults, switchedOffRules } from './sources';

/** Returns all files in the repository, including uncommitted ones, so that a new page is checked too. */
function repositoryFiles(): string[] {
	const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
	return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
}

async function main(): Promise<void> {
	const files = repositoryFiles();
	const faults = [
		...brokenLinks(files),
		...unknownSections(files),
		...wrongSteps(),
		...circles(),
		...wrongWorkflows(),
		...switchedOffRules(files),
		...longSnapshots(files),
		...gateFaults(),
		...proseFaults(files),
		...(await tableFaults()),
		...(await exampleFaults()),
	];
	for (const fault of faults) process.stdout.write(`${fault}\n`);
	// If the list of files were empty, all checks would pass without checking anything.
	const isSane = files.length > 300;
	process.exit(faults.length === 0 && isSane ? 0 : 1);
}

main().catch((error: unknown) => {
	process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
	process.exit(2);
});
