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
	tableOf,
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
}, 60_000);

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

it('a table says what a parameter means, with its values, bounds and conditions', () => {
	const kind = {
		displayName: 'Kind',
		name: 'kind',
		type: 'options',
		options: [
			{ name: 'Big One', value: 'big', description: "Not 'Size'" },
			{ name: 'Small', value: 'small' },
		],
		default: 'big',
		description: 'What it is',
	};
	const size = {
		displayName: 'Size',
		name: 'size',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 2000 },
		default: 1000,
		description: "How big. Only if 'Kind' is not 'a_b'.",
		displayOptions: { show: { '/kind': ['big'] } },
	};
	const on = { displayName: 'On', name: 'on', type: 'boolean', default: false };
	const settings = { displayName: 'Settings', name: 'settings', type: 'collection', default: {} };
	const properties = [kind, { ...settings, options: [size, on] }] as INodeProperties[];
	const table = (argument: string) =>
		tableOf(new Map([['Thing', properties]]), parseTable(argument))
			.split('\n')
			.slice(2);
	expect(table('Thing')).toEqual([
		'| Kind | Big One | What it is. _Big One_: Not _Size_; _Small_ |',
	]);
	expect(table('Thing.settings\nsize: #sizes')).toEqual([
		'| Size | 1,000 | For _Kind: Big One_. How big. Only if _Kind_ is not `a_b`. 1 to 2,000. [More](#sizes) |',
		'| On | off |  |',
	]);
	expect(() => table('Thing.nothing')).toThrow('Thing has no collection nothing');
});
