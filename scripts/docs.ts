/**
 * `npm run docs` writes the tables of parameters, options and choices in the guides. `npm run lint` fails if the tables
 * are out of date. A table begins with a comment that says what the table lists, such as `<!-- options:
 * ChunkText.options -->`, and ends with `<!-- end -->`. The command also adds new parameters to the lists that
 * stored-parameters.ts describes.
 */
import '../support/setup';

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { ROOT } from '../support/manifest';
import { allProperties, missingProperties, PART, tableOf } from './property-tables';
import { addToStoredLists } from './stored-parameters';

interface Guide {
	name: string;
	file: string;
	text: string;
	current: string;
}

async function guides(): Promise<Guide[]> {
	const all = await allProperties();
	const names = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
	return await Promise.all(
		names.map(async (name) => {
			const file = path.join(ROOT, 'docs', name);
			const text = readFileSync(file, 'utf8');
			const made = text.replace(
				PART,
				(...[, begin, argument, , end]: string[]) =>
					`${begin}\n${tableOf(all, argument)}\n\n${end}`,
			);
			const options = { ...(await resolveConfig(file)), filepath: file };
			return { name, file, text, current: await format(made, options) };
		}),
	);
}

/** Finds guides with outdated tables. Also finds parameters and options that no table contains. */
export async function tableFaults(): Promise<string[]> {
	const all = await guides();
	const stale = all.filter(({ text, current }) => text !== current);
	const missing = missingProperties(
		await allProperties(),
		all.flatMap(({ text }) => [...text.matchAll(PART)].map(([, , argument = '']) => argument)),
	);
	return [
		...stale.map(({ name }) => `docs/${name}: the tables are not current (npm run docs)`),
		...missing.map((property) => `docs: no table has ${property}`),
	];
}

async function main(): Promise<void> {
	for (const { name, file, text, current } of await guides()) {
		if (text === current) continue;
		process.stdout.write(`docs/${name}\n`);
		writeFileSync(file, current);
	}
	for (const file of await addToStoredLists()) process.stdout.write(`${file}\n`);
}

if (require.main === module)
	main().then(
		() => process.exit(0),
		(error: unknown) => {
			process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
			process.exit(2);
		},
	);
