/**
 * npm run docs: writes the parts of the guides that are made from the code. With `--check` it only fails
 * if they are not current.
 */
import '../../support/setup';

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { ROOT } from '../../support/manifest';
import { generatedPages, made } from './pages';

async function main(isCheck: boolean): Promise<number> {
	let changes = 0;
	for (const [page, text] of generatedPages(ROOT)) {
		const file = path.join(ROOT, page);
		const options = { ...(await resolveConfig(file)), filepath: file };
		const current = await format(await made(page, text), options);
		if (current === text) continue;
		changes++;
		process.stdout.write(`${page}\n`);
		if (!isCheck) writeFileSync(file, current);
	}
	return isCheck && changes > 0 ? 1 : 0;
}

main(process.argv.includes('--check')).then(
	(code) => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
		process.exit(2);
	},
);
