/** Workflows of this repository use parameters that the nodes have: n8n ignores all others silently. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	IWorkflowBase,
} from 'n8n-workflow';

import { manifest, ROOT } from '../../support/manifest';

const FOLDERS = ['examples', 'e2e/queue/workflows'];

/** What n8n adds to the parameters of a node that is a tool of an AI agent. */
const OF_TOOLS: INodeProperties[] = ['descriptionType', 'toolDescription'].map((name) => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
}));

/** The properties of all nodes, by the node's type in workflows. */
const properties = new Map<string, INodeProperties[]>(
	manifest.n8n.nodes.flatMap((file) => {
		const source = file.replace(/^dist\//, '').replace(/\.js$/, '');
		const className = path.basename(file).split('.')[0];
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- the files are listed in package.json
		const module = require(path.join(ROOT, source)) as Record<string, new () => INodeType>;
		const { description } = new module[className]();
		const type = `${manifest.name}.${description.name}`;
		const ofTool = [...description.properties, ...OF_TOOLS];
		return [[type, description.properties] as const, [`${type}Tool`, ofTool] as const];
	}),
);

/** Every parameter that no property of that name has, or whose value is not one of its options. */
function unknownIn(parameters: INodeParameters, known: INodeProperties[], prefix = ''): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const named = known.filter((property) => property.name === name);
		if (named.length === 0) return [`${prefix}${name}`];
		const inner = named.flatMap(({ options = [] }) => options);
		const [{ type }] = named;
		if (type === 'collection') {
			return unknownIn(
				value as INodeParameters,
				inner as INodeProperties[],
				`${prefix}${name}.`,
			);
		}
		if (type === 'fixedCollection') {
			const groups = (inner as INodePropertyCollection[]).map((group) => group.name);
			return Object.keys(value as INodeParameters)
				.filter((group) => !groups.includes(group))
				.map((group) => `${prefix}${name}.${group}`);
		}
		const isChoice = type === 'options' && !String(value).startsWith('=');
		const choices = (inner as INodePropertyOptions[]).map((option) => option.value);
		return isChoice && !choices.includes(value as string)
			? [`${prefix}${name}=${String(value)}`]
			: [];
	});
}

const files = FOLDERS.flatMap((folder) =>
	readdirSync(path.join(ROOT, folder))
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.join(folder, file)),
);

const read = (file: string) =>
	JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as IWorkflowBase;

it.each(files)('%s has only parameters and options that its nodes know', (file) => {
	const { nodes } = read(file);
	const unknown = nodes.flatMap(({ name, type, parameters }) => {
		const known = properties.get(type);
		return known ? unknownIn(parameters, known, `${name}: `) : [];
	});
	expect(unknown).toEqual([]);
});

it('no example confirms a migration: that is left to who runs it', () => {
	const nodes = files
		.filter((file) => file.startsWith('examples'))
		.flatMap((file) => read(file).nodes)
		.filter(({ type }) => type === `${manifest.name}.migrateBlobs`);
	expect(nodes.map(({ parameters }) => parameters)).toEqual([{}]);
});

it('every example that submits texts has vectors as an index keeps them: quantized, in short rows', () => {
	const submitting = files
		.filter((file) => file.startsWith('examples'))
		.flatMap((file) => read(file).nodes.map((node) => ({ file, ...node })))
		.filter(({ type }) => type === `${manifest.name}.chunkText`)
		.filter(({ parameters }) => parameters.operation !== 'getResults');
	expect(submitting.length).toBeGreaterThan(0);
	const without = submitting.filter(({ parameters }) => {
		const options = parameters.options as INodeParameters | undefined;
		return options?.vectorQuantizationMethod !== 'max-scale';
	});
	expect(without.map(({ file }) => file)).toEqual([]);
});

const ofDataTables = files.filter(
	(file) => file.startsWith('examples') && tablesOf(file).length > 0,
);

/** The Data Table nodes of a workflow. */
function tablesOf(file: string) {
	return read(file).nodes.filter(({ type }) => type === 'n8n-nodes-base.dataTable');
}

// n8n matches the name of a data table by part, so a name may mean another table.
it.each(ofDataTables)('%s uses the data table whose ID its first node returns', (file) => {
	const [create, ...others] = tablesOf(file);
	expect(create.parameters.operation).toBe('create');
	const value = `={{ $('${create.name}').first().json.id }}`;
	for (const { name, parameters } of others) {
		expect({ name, ...Object(parameters.dataTableId) }).toMatchObject({
			name,
			mode: 'id',
			value,
		});
	}
});

test('no data table of an example has a name that contains another', () => {
	const names = ofDataTables
		.map((file) => String(tablesOf(file)[0].parameters.tableName))
		.filter((name, at, all) => all.indexOf(name) === at);
	expect(names.length).toBeGreaterThan(2);
	const others = (name: string) => names.filter((other) => other !== name);
	const holds = (name: string, other: string) => name.toLowerCase().includes(other.toLowerCase());
	expect(names.filter((name) => others(name).some((other) => holds(name, other)))).toEqual([]);
});

test('the nightly sync is Sync Chunks by Source from its list on, with a table of its own', () => {
	const fromListOn = (name: string) => {
		const { nodes, connections } = read(`examples/${name}.json`);
		const list = nodes.findIndex((node) => node.name === 'List Arrives');
		const all = nodes.slice(list + 1).map(({ id: _id, position: _at, ...node }) => node);
		const [{ parameters }] = all.filter((node) => node.name === 'Make Table if Missing');
		const { tableName } = parameters;
		delete parameters.tableName;
		const names = ['List Arrives', ...all.map((node) => node.name)];
		return { all, ends: names.map((node) => connections[node]), tableName };
	};
	const nightly = fromListOn('nightly-sync-from-an-api');
	const chunks = fromListOn('sync-chunks-by-source');
	expect(nightly.all).toEqual(chunks.all);
	expect(nightly.ends).toEqual(chunks.ends);
	expect([nightly.tableName, chunks.tableName]).toEqual(['Nightly Sync', 'Synced Chunks']);
});

test('an empty list of the API reaches the guard of the nightly sync', () => {
	const { nodes } = read('examples/nightly-sync-from-an-api.json');
	const before = nodes.slice(
		nodes.findIndex(({ name }) => name === 'Every Night') + 1,
		nodes.findIndex(({ name }) => name === 'Map Fields'),
	);
	expect(before.map(({ alwaysOutputData }) => alwaysOutputData)).toEqual([true]);
});

test('the example to start with needs nothing but a click and the credentials', () => {
	const file = path.join(ROOT, 'examples/getting-started.json');
	const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
	const types = nodes.map(({ type }) => type).filter((type) => !type.endsWith('.stickyNote'));
	expect(types).toEqual([
		'n8n-nodes-base.manualTrigger',
		expect.stringMatching(/^n8n-nodes-base\./),
		`${manifest.name}.chunkText`,
		`${manifest.name}.pushDocuments`,
	]);
});
