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
	const isOfTables = ({ parameters }: INode) =>
		['create', 'list'].includes(String(parameters.operation));
	const created = tablesOf(file).filter(({ parameters }) => parameters.operation === 'create');
	expect(created.length).toBeGreaterThan(0);
	// A workflow that calls itself passes the IDs on.
	const passedOn = ['tableId', 'history.tableId'].map(
		(field) => `={{ $('When Called by Itself').first().json.${field} }}`,
	);
	// A plan creates no table, so it looks for the ones that exist.
	const found = [
		"={{ $('Tables of n8n').all().find(({ json }) => json.name === 'Sync Runs').json.id }}",
		"={{ $('State Table').isExecuted ? $('State Table').first().json.id : $('Check the Run').first().json.tableId }}",
	];
	const returned = created.map(({ name }) => `={{ $('${name}').first().json.id }}`);
	const ids = [...returned, ...passedOn, ...found];
	for (const { name, parameters } of tablesOf(file).filter((each) => !isOfTables(each))) {
		const { mode, value } = Object(parameters.dataTableId) as { mode: string; value: string };
		expect({ name, mode, isKnown: ids.includes(value) }).toEqual({
			...{ name, mode: 'id', isKnown: true },
		});
	}
});

test("no data table's name contains the name of another table", () => {
	const names = ofDataTables
		.flatMap(tablesOf)
		.filter(({ parameters }) => parameters.operation === 'create')
		.map(({ parameters }) => String(parameters.tableName))
		.map((name) => (name.startsWith('=') ? 'Synced Documents' : name))
		.filter((name, at, all) => all.indexOf(name) === at);
	expect(names.length).toBeGreaterThan(1);
	const others = (name: string) => names.filter((other) => other !== name);
	const holds = (name: string, other: string) => name.toLowerCase().includes(other.toLowerCase());
	expect(names.filter((name) => others(name).some((other) => holds(name, other)))).toEqual([]);
});

const withoutIds = (part: unknown): string =>
	JSON.stringify(part, (key, value: unknown) => (key === 'id' ? undefined : value));

const SYNCS = examplesWith('When Called by Itself');

function examplesWith(name: string): string[] {
	return files.filter((file) => read(file).nodes.some((node) => node.name === name));
}

const nodesOf = (file: string): string[] => read(file).nodes.map(({ name }) => name);

const nodeOf = (file: string, name: string): INode => {
	const node = read(file).nodes.find((each) => each.name === name);
	if (!node) throw new Error(`${file} has no node '${name}'`);
	return node;
};

test('there are at least three syncs', () => {
	expect(SYNCS.length).toBeGreaterThanOrEqual(3);
});

// If the workflows shared a table, each sync would delete the documents that the others have pushed.
test.each(SYNCS.filter((file) => nodesOf(file).includes('State Table')))(
	"%s has its own data table, whose name contains the workflow's ID, unless Settings name another one",
	(file) => {
		const { tableName } = nodeOf(file, 'State Table').parameters;
		expect(tableName).toBe("={{ $('Check the Run').first().json.table }}");
		const { jsCode } = nodeOf(file, 'Check the Run').parameters;
		expect(jsCode).toContain("const ownTable = 'Synced Documents ' + $workflow.id;");
	},
);

const isOfDatabase = (file: string) => !nodesOf(file).includes('State Table');

test.each(SYNCS.filter(isOfDatabase))(
	'%s has rows of its own in the database, and leaves no view',
	(file) => {
		const queries = ofType(file, 'postgres').map(({ name, disabled, parameters }) => ({
			...{ name, disabled, query: String(parameters.query) },
		}));
		// n8n would evaluate {{ }} in the user's query and read all its rows, so its node is never executed.
		expect(queries.filter(({ disabled }) => disabled).map(({ name }) => name)).toEqual([
			'Your Query',
		]);
		const own = queries.filter(({ disabled }) => !disabled);
		expect(own.map(({ name }) => name).sort()).toEqual([
			...['Compare', 'Compare Without Lock', 'Lock', 'Look for Tables'],
			...['Note Planned Changes', 'Read', 'Remember', 'Tables', 'Unlock'],
		]);
		expect(own.filter(({ query }) => /create\b.*\bview/.test(query))).toEqual([]);
		const owner = [
			"$('Check the Run').first().json.table",
			"$('When Called by Itself').first().json.owner",
		];
		for (const { name, query } of own) {
			if (name === 'Look for Tables') continue;
			expect(owner.some((each) => query.includes(`{{ ${each} }}`))).toBe(true);
		}
	},
);

// A value may contain a line break, and the rest of the comment would become SQL.
test.each(SYNCS)('%s has no parameter in a comment of its SQL', (file) => {
	const comments = ofType(file, 'postgres').flatMap(
		({ parameters }) => String(parameters.query).match(/--.*$/gm) ?? [],
	);
	expect(comments.filter((comment) => /\$\d|\{\{/.test(comment))).toEqual([]);
});

test.each(SYNCS)(
	'%s may be called only by its owner, and saves only executions that fail',
	(file) => {
		expect(read(file).settings).toEqual({
			executionOrder: 'v1',
			callerPolicy: 'workflowsFromSameOwner',
			saveDataSuccessExecution: 'none',
		});
	},
);

test.each(SYNCS)('%s withholds deletes above the same limits', (file) => {
	const { assignments } = nodeOf(file, 'Settings').parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	const values = Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
	expect(values).toMatchObject({ mostDeletes: 10, mostDeletesPercent: 5 });
});

// A batch must end before its lock expires: 15 minutes after it was renewed.
test.each(SYNCS)('%s retries for two minutes in each node', (file) => {
	for (const { name, parameters } of read(file).nodes.filter(isOurs)) {
		expect([name, (parameters.options as INodeParameters).retryForSeconds]).toEqual([
			name,
			120,
		]);
	}
});

function isOurs({ type }: INode): boolean {
	return type.startsWith(`${manifest.name}.`);
}

test.each(SYNCS)(
	'%s runs the nodes of a batch in an order that their positions cannot change',
	(file) => {
		const { connections } = read(file);
		const into = (name: string) =>
			Object.entries(connections).flatMap(([from, { main }]) =>
				(main ?? [])
					.flatMap((output) => output ?? [])
					.filter(({ node }) => node === name)
					.map(({ index }) => `${from} to ${index}`),
			);
		const [work, note] = into('Wait for the Note').sort();
		expect(work).toMatch(/^(Chunk Text|Documents) to 1$/);
		expect(note).toMatch(/^(Note Planned Changes|Lock Is Still Mine) to 0$/);
	},
);

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

/** Tell Me only reads the history of the syncs. */
const scheduled = examples.filter(
	(file) => ofType(file, 'scheduleTrigger').length > 0 && !file.endsWith('tell-me.json'),
);

it.each(scheduled)(
	'%s runs three times a night and, unless it is a sync, retries for 15 minutes',
	(file) => {
		const { parameters } = nodeOf(file, 'Every Night');
		expect((parameters.rule as { interval: unknown[] }).interval).toHaveLength(3);
		const ours = read(file).nodes.filter(isOurs);
		expect(ours.length).toBeGreaterThan(0);
		if (SYNCS.includes(file)) return;
		for (const { name, parameters: own } of ours) {
			expect([name, (own.options as INodeParameters).retryForSeconds]).toEqual([name, 900]);
		}
	},
);

test('an empty list of the API reaches the check of the list', () => {
	const { connections, nodes } = read('examples/sync-from-an-api.json');
	const before = nodes.filter(({ name }) =>
		(connections[name]?.main ?? []).flat().some((to) => to?.node === 'Map Fields'),
	);
	expect(before.map(({ alwaysOutputData }) => alwaysOutputData)).toEqual([true]);
});

/** n8n's pagination has no place for a Code node. */
const OF_PAGINATION = /^\{\{ (?:!\()?\$\('Where the List Is'\)/;

/** Returns why an expression is a program. Texts in quotes do not count, but templates do. */
function programIn(expression: string): string[] {
	const code = expression.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, "''");
	const count = (pattern: RegExp) => [...code.matchAll(pattern)].length;
	return [
		...(expression.length > 200 ? [`${expression.length} characters`] : []),
		...(/=>\s*\{/.test(code) ? ['a function with statements'] : []),
		...(/\b(?:function|for|while|do|reduce|let|const|return)\b/.test(code) ? ['a loop'] : []),
		...(count(/=>/g) > 1 ? ['several functions'] : []),
		...(/\)\s*\(/.test(code) ? ['a function that is called at once'] : []),
		...(count(/(?<!\?)\?(?![?.])/g) > 1 ? ['several decisions'] : []),
	];
}

// A program inside an expression cannot be tested, and n8n shows it on one line.
it.each(examples)('%s has no program inside an expression', (file) => {
	const expressions = read(file)
		.nodes.flatMap(({ parameters }) => expressionsIn(parameters))
		.filter((expression) => !OF_PAGINATION.test(expression));
	const programs = expressions.map((expression) => [expression, ...programIn(expression)]);
	expect(programs.filter(([, ...why]) => why.length > 0)).toEqual([]);
});

test.each<[expression: string, why: string[]]>([
	["{{ $json.isNew ? 'new?' : 'old?' }}", []],
	["{{ $json.items?.find(({ id }) => id === 1) ?? 'for' }}", []],
	['{{ $json.a ? 1 : $json.b ? 2 : 3 }}', ['several decisions']],
	['{{ `${$json.a ? 1 : 2} ${$json.b ? 1 : 2}` }}', ['several decisions']],
	['{{ ((list) => list.length)($json.list) }}', ['a function that is called at once']],
	['{{ $json.list.map((one) => { return one }) }}', ['a function with statements', 'a loop']],
	['{{ $json.list.reduce(Math.max) }}', ['a loop']],
	['{{ $json.list.map((a) => a.b).filter((b) => b) }}', ['several functions']],
	[`{{ ${'$json.name + '.repeat(20)} }}`, ['266 characters']],
])('the program in an expression is found: %#', (expression, why) => {
	expect(programIn(expression)).toEqual(why);
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
