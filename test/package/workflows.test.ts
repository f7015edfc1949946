/**
 * Checks that this repository's workflows use only parameters that the nodes have. n8n silently ignores all other
 * parameters.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type {
	INode,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	IWorkflowBase,
} from 'n8n-workflow';

import { manifest, ROOT } from '../../support/manifest';

const FOLDERS = ['examples', 'e2e/queue/workflows'];

/** Parameters that n8n adds to a node when an AI agent uses the node as a tool. */
const OF_TOOLS: INodeProperties[] = ['descriptionType', 'toolDescription'].map((name) => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
}));

/** Maps each node type in the workflows to the node's properties. */
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

/**
 * Returns every parameter that the node does not declare. Also returns every parameter whose value is not one of the
 * declared options.
 */
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

it.each(files)('%s uses only parameters and options that its nodes know', (file) => {
	const { nodes } = read(file);
	const unknown = nodes.flatMap(({ name, type, parameters }) => {
		const known = properties.get(type);
		return known ? unknownIn(parameters, known, `${name}: `) : [];
	});
	expect(unknown).toEqual([]);
});

it('no example confirms a migration, because its user must decide', () => {
	const nodes = files
		.filter((file) => file.startsWith('examples'))
		.flatMap((file) => read(file).nodes)
		.filter(({ type }) => type === `${manifest.name}.migrateBlobs`);
	expect(nodes.map(({ parameters }) => parameters)).toEqual([{}]);
});

it('every example that submits texts requests max-scale quantization', () => {
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

function tablesOf(file: string) {
	return read(file).nodes.filter(({ type }) => type === 'n8n-nodes-base.dataTable');
}

// n8n finds a data table even by part of its name, so the wrong table could be selected.
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

test("no data table's name contains the name of another table", () => {
	const names = ofDataTables
		.map((file) => String(tablesOf(file)[0].parameters.tableName))
		.filter((name, at, all) => all.indexOf(name) === at);
	expect(names.length).toBeGreaterThan(2);
	const others = (name: string) => names.filter((other) => other !== name);
	const holds = (name: string, other: string) => name.toLowerCase().includes(other.toLowerCase());
	expect(names.filter((name) => others(name).some((other) => holds(name, other)))).toEqual([]);
});

test('after its list, the nightly sync equals Sync Chunks by Source, except for its own table and the missing caller', () => {
	const fromListOn = (name: string) => {
		const { nodes, connections } = read(`examples/${name}.json`);
		const list = nodes.findIndex((node) => node.name === 'List Arrives');
		const all = nodes
			.slice(list + 1)
			.filter((node) => node.name !== 'Answer')
			.map(({ id: _id, position: _at, ...node }) => JSON.parse(withoutIds(node)) as INode);
		const [{ parameters }] = all.filter((node) => node.name === 'Make Table if Missing');
		const { tableName } = parameters;
		delete parameters.tableName;
		// The two workflows differ here: one answers its caller, and the other continues with the next node. The
		// comparison treats them as equal.
		const names = ['List Arrives', ...all.map((node) => node.name)];
		const ends = names
			.map((node) => connections[node])
			.map((end) => JSON.stringify(end ?? null).replace('"Answer"', '"All Went Well"'));
		return { all, ends, tableName };
	};
	const nightly = fromListOn('nightly-sync-from-an-api');
	const chunks = fromListOn('sync-chunks-by-source');
	expect(nightly.all).toEqual(chunks.all);
	expect(nightly.ends).toEqual(chunks.ends);
	expect(nightly.tableName).not.toEqual(chunks.tableName);
});

const withoutIds = (part: unknown): string =>
	JSON.stringify(part, (key, value: unknown) => (key === 'id' ? undefined : value));

const SYNCS = ['sync-by-source', 'sync-chunks-by-source', 'nightly-sync-from-an-api'];

// If the workflows shared a table, each sync would delete the documents that the others have pushed.
test("each sync has its own data table, whose name contains the workflow's ID", () => {
	const names = SYNCS.map((name) => tablesOf(`examples/${name}.json`)[0].parameters.tableName);
	expect(names.filter((name) => !/^=.+ \{\{ \$workflow\.id \}\}$/.test(String(name)))).toEqual(
		[],
	);
	expect(new Set(names).size).toBe(SYNCS.length);
});

test('all syncs use the same guard against a source with missing documents', () => {
	const guards = SYNCS.map((name) => {
		const { nodes } = read(`examples/${name}.json`);
		const guard = nodes.find((node) => node.name === 'Few Are Gone');
		return withoutIds(guard?.parameters);
	});
	expect(guards[0]).toMatch(/"rightValue":10,.*"rightValue":5,.*"combinator":"or"/);
	expect(new Set(guards).size).toBe(1);
});

const examples = files.filter((file) => file.startsWith('examples'));

const { Tournament } = createRequire(require.resolve('n8n-workflow'))('@n8n/tournament') as {
	Tournament: new (onError: (error: Error) => void) => {
		getExpressionCode(code: string): unknown;
	};
};

const reader = new Tournament((error) => {
	throw error;
});

function expressionsIn(value: unknown): string[] {
	if (typeof value === 'string') return value.startsWith('=') ? [value.slice(1)] : [];
	return Object.values(Object(value)).flatMap(expressionsIn);
}

// n8n parses an expression only when its node runs, and some nodes run only if something goes wrong.
it.each(examples)('%s has only expressions that n8n can read', (file) => {
	const { nodes } = read(file);
	const expressions = nodes.flatMap(({ parameters }) => expressionsIn(parameters));
	const unreadable = expressions.filter((expression) => {
		try {
			reader.getExpressionCode(expression);
			return false;
		} catch {
			return true;
		}
	});
	expect(unreadable).toEqual([]);
});

const ofType = (file: string, type: string) =>
	read(file).nodes.filter((node) => node.type === `n8n-nodes-base.${type}`);

it.each(examples)('%s contains a note with a numbered list of what to change', (file) => {
	const notes = ofType(file, 'stickyNote').map(({ parameters }) => String(parameters.content));
	expect(notes.some((note) => /Change these(\*\*)?\n1\. /.test(note))).toBe(true);
});

function after(name: string, { connections }: IWorkflowBase, seen = new Set<string>()) {
	for (const { node } of (connections[name]?.main ?? []).flatMap((output) => output ?? [])) {
		if (!seen.has(node)) after(node, { connections } as IWorkflowBase, seen.add(node));
	}
	return seen;
}

// If a failure goes to an error output, n8n reports success unless another node makes the execution fail.
it.each(examples.filter((file) => !file.includes('fan-out-one-range')))(
	'%s fails if one of its nodes does',
	(file) => {
		const workflow = read(file);
		const failing = workflow.nodes.filter(({ onError }) => onError === 'continueErrorOutput');
		const last = workflow.nodes.find(({ name }) => name === 'Fail the Run');
		for (const { name } of failing) {
			const isConnected = after(name, workflow).has('Fail the Run');
			const isRead = withoutIds(workflow.nodes).includes(`'${name}'`);
			expect({ name, fails: last !== undefined && (isConnected || isRead) }).toEqual({
				name,
				fails: true,
			});
		}
	},
);

// n8n runs the upper branch before the lower one, so positions on the canvas determine the order.
it.each(examples.filter((file) => ofType(file, 'splitOut').some(isOfFailedRecords)))(
	'%s stores failed records before it fails',
	(file) => {
		const { nodes, connections } = read(file);
		const y = (name: string) => nodes.find((node) => node.name === name)?.position[1] ?? NaN;
		for (const [from, { main }] of Object.entries(connections)) {
			const targets = (main ?? []).flatMap((output) => output ?? []).map(({ node }) => node);
			if (!targets.includes('One Item per File')) continue;
			const others = targets.filter((node) => node !== 'One Item per File');
			expect(others.map((node) => [from, node, y(node) > y('One Item per File')])).toEqual(
				others.map((node) => [from, node, true]),
			);
		}
	},
);

function isOfFailedRecords({ parameters }: INode): boolean {
	return parameters.fieldToSplitOut === '$binary';
}

it.each(examples.filter((file) => ofType(file, 'scheduleTrigger').length > 0))(
	'%s runs three times a night and retries for 15 minutes',
	(file) => {
		const [{ parameters }] = ofType(file, 'scheduleTrigger');
		expect((parameters.rule as { interval: unknown[] }).interval).toHaveLength(3);
		const ours = read(file).nodes.filter(({ type }) => type.startsWith(`${manifest.name}.`));
		expect(ours.length).toBeGreaterThan(0);
		for (const { name, parameters: own } of ours) {
			expect([name, (own.options as INodeParameters).retryForSeconds]).toEqual([name, 900]);
		}
	},
);

test('an empty list of the API reaches the guard of the nightly sync', () => {
	const { nodes } = read('examples/nightly-sync-from-an-api.json');
	const before = nodes.slice(
		nodes.findIndex(({ name }) => name === 'Get Documents'),
		nodes.findIndex(({ name }) => name === 'Map Fields'),
	);
	expect(before.map(({ alwaysOutputData }) => alwaysOutputData)).toEqual([true, true]);
});

test('the first example needs only the credentials and a click', () => {
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
