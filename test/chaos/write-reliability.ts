/** npm run docs:reliability: plays the fault matrix, prints what it saw, and writes docs/reliability.md. */
import { silence, withLogs } from './logs';

import '../../support/setup';

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { ROOT } from '../../support/manifest';
import { differencesOf, playMatrix } from './fault-matrix';
import { isKnownCell } from './known-defects';
import { detailOf, pageOf } from './reliability';
import { withShortBackoff } from './run-world';

const PAGE = path.join(ROOT, 'docs/reliability.md');

async function main(): Promise<number> {
	const { value: cells } = await withLogs(async () => await withShortBackoff(playMatrix));
	const surprises = cells.filter((cell) => differencesOf(cell).length > 0 && !isKnownCell(cell));
	for (const cell of surprises) {
		const { request, row, mode } = cell;
		process.stdout.write(`${request}, ${row}, ${mode}: ${differencesOf(cell).join('; ')}\n`);
	}
	process.stdout.write(`${detailOf(cells).join('\n')}\n`);
	const options = (await resolveConfig(PAGE)) ?? {};
	writeFileSync(PAGE, await format(pageOf(cells), { ...options, filepath: PAGE }));
	return surprises.length > 0 ? 1 : 0;
}

main().then(
	(code) => {
		silence();
		process.exit(code);
	},
	(error: unknown) => {
		process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
		process.exit(2);
	},
);
