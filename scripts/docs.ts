/**
 * npm run docs: writes the tables of parameters and options in the guides. With `--check` it only fails if they
 * are not current. A table begins with a comment that says what it has, such as
 * `<!-- options: ChunkText.options -->`, and ends with `<!-- end -->`.
 */
import '../support/setup';

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { ROOT } from '../support/manifest';
import { allProperties, parseTable, PART, tableOf } from './property-tables';

async function main(isCheck: boolean): Promise<number> {
	const all = await allProperties();
	const guides = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
	let stale = 0;
	for (const name of guides) {
		const file = path.join(ROOT, 'docs', name);
		const text = readFileSync(file, 'utf8');
		const made = text.replace(
			PART,
			(...[, begin, argument, , end]: string[]) =>
				`${begin}\n${tableOf(all, parseTable(argument))}\n\n${end}`,
		);
		const current = await format(made, { ...(await resolveConfig(file)), filepath: file });
		if (current === text) continue;
		stale++;
		process.stdout.write(`docs/${name}\n`);
		if (!isCheck) writeFileSync(file, current);
	}
	return isCheck && stale > 0 ? 1 : 0;
}

main(process.argv.includes('--check')).then(
	(code) => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
		process.exit(2);
	},
);
