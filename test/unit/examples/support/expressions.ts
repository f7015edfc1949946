/** Evaluates expressions and Code nodes of the built example workflows without n8n. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { ROOT } from '../../../../support/manifest';

/** What an expression can read. Each node's output is a list of JSON objects, or undefined if the node did not run. */
export interface Scope {
	$json?: unknown;
	$itemIndex?: number;
	input?: unknown[];
	outputs?: Record<string, unknown[] | undefined>;
	/** Output of all nodes that `outputs` does not contain. */
	others?: unknown[];
	/** Further variables, such as `$runIndex`. */
	variables?: Record<string, unknown>;
	/** Parameters of nodes. */
	params?: Record<string, object>;
	/** What Loop Over Batches remembers, by the name of the node. */
	contexts?: Record<string, object>;
	/** ID of the workflow. */
	workflow?: string;
}

interface Node {
	name: string;
	type: string;
	parameters: IDataObject;
}

const compiled = new Map<string, (...values: unknown[]) => unknown>();

/**
 * Runs code whose free variables have these names.
 *
 * @param code - the body of a function
 */
export function runCode(code: string, variables: Record<string, unknown>): unknown {
	const names = Object.keys(variables);
	const key = [names, code].join('\n');
	const run = compiled.get(key) ?? (new Function(...names, code) as () => unknown);
	compiled.set(key, run);
	return run(...Object.values(variables));
}

/**
 * Returns the code of an expression such as `={{ $json.id }}`.
 *
 * @throws Error if the text is not one expression
 */
export function codeOf(expression: string): string {
	const code = /^=\{\{(.*)\}\}$/s.exec(expression)?.[1];
	if (code === undefined) throw new Error(`${expression} is not one expression`);
	return `return (${code})`;
}

/** Returns the names of the examples that have a node with this name. */
export const examplesWith = (name: string, files: readonly string[]): string[] =>
	files.filter((file) => nodesOf(file).some((node) => node.name === name));

export const nodesOf = (file: string): Node[] =>
	(JSON.parse(readFileSync(path.join(ROOT, 'examples', file), 'utf8')) as { nodes: Node[] })
		.nodes;

/**
 * Returns the parameters of a node of an example.
 *
 * @throws Error if there is no such node
 */
export function parametersOf(file: string, name: string): IDataObject {
	const node = nodesOf(file).find((one) => one.name === name);
	if (node === undefined) throw new Error(`${file} has no node '${name}'`);
	return node.parameters;
}

function variablesOf(scope: Scope) {
	const { $json, $itemIndex = 0, input = [], outputs = {}, others = [{}], variables } = scope;
	const { params = {}, contexts = {}, workflow } = scope;
	const itemsOf = (list?: unknown[]) => {
		const items = (list ?? []).map((json) => ({ json }));
		return {
			...{ all: () => items, first: () => items[0], last: () => items.at(-1) },
			...{ item: items[$itemIndex], params: {}, isExecuted: list !== undefined },
		};
	};
	return {
		$workflow: { id: workflow },
		$execution: { id: '1' },
		...variables,
		$json: $json ?? input[0] ?? {},
		$itemIndex,
		$input: itemsOf(input),
		$: (name: string) => ({
			...itemsOf(name in outputs ? outputs[name] : others),
			params: params[name] ?? {},
			context: contexts[name] ?? {},
		}),
	};
}

export const evaluate = (expression: unknown, scope: Scope): unknown =>
	runCode(codeOf(String(expression)), variablesOf(scope));

/** Runs a Code node. Returns the items that it returns. */
export const runCodeNode = (file: string, name: string, scope: Scope): unknown =>
	runCode(String(parametersOf(file, name).jsCode), variablesOf(scope));
