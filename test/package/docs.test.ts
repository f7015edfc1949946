/** The tables of parameters and options in the guides (`npm run docs` writes them). */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import {
	allProperties,
	CLASS_NAMES,
	parseTable,
	PART,
	propertiesOf,
} from '../../scripts/property-tables';
import { ROOT } from '../../support/manifest';

it('they are current', () => {
	// A process of its own, since Prettier cannot be loaded in Jest.
	const check = ['tsx', 'scripts/docs.ts', '--check'];
	const { stdout, stderr, status } = spawnSync('npx', check, { cwd: ROOT, encoding: 'utf8' });
	expect({ stale: stdout, error: stderr.match(/^Error.*/m), status }).toEqual({
		stale: '',
		error: null,
		status: 0,
	});
});

it('every parameter and option is in a table', async () => {
	const all = await allProperties();
	// What several nodes share is described once.
	const what = ({ displayName, description }: INodeProperties) =>
		`${displayName}: ${description}`;
	const described = new Set(
		readdirSync(path.join(ROOT, 'docs'))
			.filter((name) => name.endsWith('.md'))
			.flatMap((name) => [
				...readFileSync(path.join(ROOT, 'docs', name), 'utf8').matchAll(PART),
			])
			.flatMap(([, , argument]) => propertiesOf(all, parseTable(argument)))
			.map(what),
	);
	const missing = CLASS_NAMES.flatMap((className) => {
		const collections = (all.get(className) ?? []).filter(({ type }) => type === 'collection');
		return [undefined, ...collections.map(({ name }) => name)].flatMap((collection) =>
			propertiesOf(all, { className, collection, links: new Map() })
				.filter((property) => !described.has(what(property)))
				.map(({ displayName }) => `${className}.${collection ?? ''}: ${displayName}`),
		);
	});
	expect(missing).toEqual([]);
});
