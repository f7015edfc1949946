import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	position: [x: number, y: number];
	parameters: object;
	/** Further fields of the node, such as `onError`, `executeOnce` and `credentials`. */
	[field: string]: unknown;
}

interface Target {
	node: string;
	type: string;
	index: number;
}

/** A part of a workflow that n8n's editor shows as one box until a user opens it. */
export interface Group {
	/** What the part does. */
	name: string;
	/** One sentence, at most `GROUP_DESCRIPTION_MAX_LENGTH` characters. */
	description: string;
	nodes: WorkflowNode[];
}

/** A group as n8n stores it. */
export interface StoredGroup {
	id: string;
	name: string;
	description: string;
	nodeIds: string[];
}

export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, Record<string, Target[][]>>;
	nodeGroups: StoredGroup[];
	settings: object;
	pinData: object;
}

const OURS = ['chunkText', 'pushDocuments', 'deleteDocument', 'migrateBlobs'];

/**
 * Defines a node.
 *
 * @param type the type without its package, such as `set` or `chunkText`
 * @param more further fields of the node, such as `onError`
 */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	position: [x: number, y: number],
	parameters: object,
	more: object = {},
): WorkflowNode {
	// A node that an agent uses as a tool has a type of its own.
	const isOurs = OURS.includes(type.replace(/Tool$/, ''));
	const prefix = isOurs ? 'n8n-nodes-search-ingest' : 'n8n-nodes-base';
	const full = type.includes('.') ? type : `${prefix}.${type}`;
	return { name, type: full, typeVersion, position, parameters, ...more };
}

const CODE = path.join(__dirname, '..', 'code');

/**
 * Defines a Code node from a file in `code/`. The file exports a function. The node contains the function's body, after
 * one line for each input. Functions that several Code nodes share are in `code/shared/`: a Code node cannot load other
 * code, so each node that requires them contains them at its end.
 *
 * @param inputs an expression for each input of the function, in the function's order
 */
export function code(
	name: string,
	file: string,
	position: [x: number, y: number],
	inputs: Record<string, string>,
	more: object = {},
): WorkflowNode {
	return node(name, 'code', 2, position, { jsCode: jsCode(file, inputs) }, more);
}

/**
 * Returns the text of a Code node.
 *
 * @throws Error if the names of the inputs differ from the function's parameters
 */
export function jsCode(file: string, inputs: Record<string, string>): string {
	const source = readFileSync(path.join(CODE, `${file}.js`), 'utf8');
	const match = /^module\.exports = (?:async )?\(\{([^}]*)\}\) => \{\n(.*)^\};$/ms.exec(source);
	if (!match) throw new Error(`${file}.js does not export one function`);
	const [, parameters, body] = match;
	const names = parameters
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	if (names.join() !== Object.keys(inputs).join()) {
		throw new Error(
			`${file}.js needs ${names.join()}, but has got ${Object.keys(inputs).join()}`,
		);
	}
	const lines = names.map((name) => `const ${name} = ${inputs[name]};`);
	const shared = [...requiredBy(source)].map(sharedFunctions);
	return [...lines, '', withoutTypes(body.replace(/^\t/gm, '')), ...shared].join('\n');
}

const REQUIRE = /^const \{[^}]*\} = require\('\.\/(?:shared\/)?([\w-]+)'\);\n/gm;

/** Returns the names of the files in `code/shared/` that a file requires, and of those that they require. */
function requiredBy(source: string, found = new Set<string>()): Set<string> {
	for (const [, name] of source.matchAll(REQUIRE)) {
		if (found.has(name)) continue;
		found.add(name);
		requiredBy(readFileSync(path.join(CODE, 'shared', `${name}.js`), 'utf8'), found);
	}
	return found;
}

/** Returns the functions of a file in `code/shared/`, without its imports and its export. */
function sharedFunctions(name: string): string {
	const source = readFileSync(path.join(CODE, 'shared', `${name}.js`), 'utf8');
	const functions = source
		.replace(REQUIRE, '')
		.replace(/^\/\*\* @import [^\n]*\n/gm, '')
		.replace(/^module\.exports = \{[^}]*\};\n/m, '');
	return `\n${withoutTypes(functions.trimStart())}`;
}

/** Turns docstrings into comments, and removes types. */
function withoutTypes(text: string): string {
	return text
		.replace(/^\t*\/\*\* @[^\n]*\*\/\n/gm, '')
		.replace(/^\t*\/\*\*\n(?:\t* \*[^\n]*\n)+?\t* \*\/\n/gm, plain)
		.trimEnd();
}

/** Turns a docstring into a comment without types. */
function plain(docstring: string): string {
	const [, indent = ''] = /^(\t*)/.exec(docstring) ?? [];
	const lines = docstring
		.split('\n')
		.map((line) => line.replace(/^\t* ?\/?\*+\/? ?/, ''))
		.filter((line) => line !== '' && !line.startsWith('@'));
	return lines.map((line) => `${indent}// ${line}\n`).join('');
}

/** Defines a note on the canvas. Colors: 1 orange, 3 red, 4 green, 5 blue, 6 violet, 7 gray. */
export function note(
	name: string,
	content: string,
	position: [x: number, y: number],
	[width, height]: [width: number, height: number],
	color: number,
): WorkflowNode {
	return node(name, 'stickyNote', 1, position, { content, width, height, color });
}

/** Width of a column of nodes on the canvas. */
export const X = 220;

/** A closed group is 400 wide. Its box begins above and to the left of its nodes. */
const BOX = { width: 400, gap: 80, left: 44, top: 126 };

/** Returns the nodes with a corner of the canvas as the place of their group's closed box. */
function inBox<Node extends WorkflowNode>(nodes: Node[], [x, y]: [x: number, y: number]): Node[] {
	const left = Math.min(...nodes.map(({ position }) => position[0]));
	const top = Math.min(...nodes.map(({ position }) => position[1]));
	return nodes.map((each) => {
		const [right, down] = [each.position[0] - left, each.position[1] - top];
		return { ...each, position: [x + BOX.left + right, y + BOX.top + down] };
	});
}

/** Places nodes and closed groups on a line, from left to right. */
export function lane<Part extends WorkflowNode | Group>(
	parts: Part[],
	[x, y]: [x: number, y: number],
): Part[] {
	let right = x;
	return parts.map((part) => {
		const place: [number, number] = [right, y];
		if (!isGroup(part)) {
			right += X;
			return { ...part, position: place };
		}
		right += BOX.width + BOX.gap;
		return { ...part, nodes: inBox(part.nodes, place) };
	});
}

/** Returns where a line of nodes and closed groups ends. */
export const endOf = (parts: Array<WorkflowNode | Group>, x: number): number =>
	parts.reduce((right, part) => right + (isGroup(part) ? BOX.width + BOX.gap : X), x) - BOX.gap;

export const isGroup = (part: WorkflowNode | Group): part is Group => 'nodes' in part;

/**
 * Connects each node with the next one. `Name|1` is the second output, and `1|Name` the second input of a node.
 * `ai_tool|Name` is the input for the tools of an agent.
 */
export type Chain = string[];

/**
 * Puts nodes, groups and connections together.
 *
 * @throws Error if a connection names a node that does not exist, or two nodes have one name
 */
export function workflow(
	name: string,
	parts: Array<WorkflowNode | Group>,
	chains: Chain[],
	{ settings = {}, pinData = {} }: { settings?: object; pinData?: object } = {},
): Workflow {
	const nodes = parts.flatMap((part) => (isGroup(part) ? part.nodes : [part]));
	const names = new Set(nodes.map((each) => each.name));
	if (names.size < nodes.length) throw new Error(`${name}: two nodes have one name`);
	const connections: Workflow['connections'] = {};
	for (const chain of chains) {
		for (const [at, to] of chain.slice(1).entries()) connect(connections, chain[at], to, names);
	}
	const withIds = nodes.map((each) => ({ id: idOf(name, each.name), ...each }));
	const nodeGroups = parts.filter(isGroup).map((group) => ({
		id: idOf(name, `group ${group.name}`),
		...{ name: group.name, description: group.description },
		nodeIds: group.nodes.map((each) => idOf(name, each.name)),
	}));
	return {
		...{ name, nodes: withIds, connections, nodeGroups },
		...{ settings: { executionOrder: 'v1', ...settings }, pinData },
	};
}

function connect(
	connections: Workflow['connections'],
	from: string,
	to: string,
	names: Set<string>,
): void {
	const [, source, output = '0'] = /^(?:\w+\|)?([^|]+)(?:\|(\d))?$/.exec(from) ?? [];
	const [, input = '0', target] = /^(?:(\d|ai_\w+)\|)?([^|]+)(?:\|\d)?$/.exec(to) ?? [];
	for (const one of [source, target]) {
		if (!names.has(one)) throw new Error(`there is no node '${one}'`);
	}
	const isMain = /^\d$/.test(input);
	const type = isMain ? 'main' : input;
	const outputs = ((connections[source] ??= {})[type] ??= []);
	while (outputs.length <= Number(output)) outputs.push([]);
	outputs[Number(output)].push({ node: target, type, index: isMain ? Number(input) : 0 });
}

/** Returns an ID that is the same in each build. */
export function idOf(workflowName: string, part: string): string {
	const hash = createHash('sha256').update(`${workflowName}/${part}`).digest('hex');
	const [a, b, c, d, e] = [0, 8, 13, 17, 20].map((from, at) =>
		hash.slice(from, from + [8, 4, 3, 3, 12][at]),
	);
	return `${a}-${b}-5${c}-8${d}-${e}`;
}
