/**
 * Tests what n8n's AI builder and MCP server know about the nodes. Covers the hints, and the types that n8n
 * generates from the descriptions.
 */
import 'reflect-metadata';

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { generateNodeDefinitions } from '@n8n/workflow-sdk/dist/generate-types/generate-node-defs-cli';
import { setSchemaBaseDirs, validateNodeConfig } from '@n8n/workflow-sdk';
import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeProperties, INodeTypeDescription, IWorkflowBase } from 'n8n-workflow';
import ts from 'typescript';

import { manifest, nodeNames, ROOT } from '../../support/manifest';

let descriptions: INodeTypeDescription[];
let types: string;

beforeAll(async () => {
	const loader = new PackageDirectoryLoader(ROOT);
	// `loadAll` throws an error if a hint is in a place where n8n does not allow it.
	await loader.loadAll();
	descriptions = loader.types.nodes as INodeTypeDescription[];
	types = mkdtempSync(path.join(tmpdir(), 'node-definitions-'));
	const log = jest.spyOn(console, 'log').mockImplementation();
	await generateNodeDefinitions({
		nodesJsonPath: path.join(ROOT, 'dist/types/nodes.json'),
		outputDir: types,
		packageName: manifest.name,
	});
	log.mockRestore();
	setSchemaBaseDirs([types]);
});
afterAll(() => rmSync(types, { recursive: true, force: true }));

const typesOf = (node: string) => path.join(types, 'nodes', manifest.name, node, 'v1.ts');

describe('a hint', () => {
	it('is part of each node as n8n loads it', () => {
		const hints = descriptions.map(({ name, builderHint }) => [name, builderHint?.searchHint]);
		expect(hints.map(([name]) => name).sort()).toEqual(nodeNames);
		for (const [name, hint] of hints) {
			// The builder shows the hint in a list of search results, so it must be short.
			expect({ name, isShort: (hint?.length ?? 0) < 700 }).toEqual({ name, isShort: true });
			expect(hint).toMatch(/\.$/);
			expect(hint).not.toMatch(/=\{\{|ai_/);
		}
	});

	it('names only nodes of this package', () => {
		const known = nodeNames.map((name) => `${manifest.name}.${name}`);
		for (const { builderHint } of descriptions)
			for (const { nodeType } of builderHint?.relatedNodes ?? [])
				expect(known).toContain(nodeType);
	});
});

describe('the types that n8n generates', () => {
	/** Returns the properties that users see. The variants for AI agents differ only in their defaults. */
	const shownToUsers = (properties: INodeProperties[]) =>
		properties.filter(({ displayOptions }) => !displayOptions?.show?.['@tool']);
	const repeated = (properties: INodeProperties[]): string[] => {
		const shown = shownToUsers(properties).map(
			({ displayOptions: _, ...property }) => property,
		);
		return shown
			.filter(({ name }, at) => {
				const first = shown.findIndex((one) => one.name === name);
				return first !== at && !isDeepStrictEqual(shown[first], shown[at]);
			})
			.map(({ name }) => name);
	};

	it('contain all properties, because no two different properties share a name', () => {
		for (const { name, properties } of descriptions) {
			const inner = properties
				.filter(({ type }) => type === 'collection')
				.flatMap(({ options }) => repeated(options as INodeProperties[]));
			expect({ name, repeated: [...repeated(properties), ...inner] }).toEqual({
				name,
				repeated: [],
			});
		}
	});
});

interface ExampleNode {
	file: string;
	name: string;
	type: string;
	parameters: object;
}

/**
 * This package's nodes in all examples, including nodes that an AI agent uses as tools. A tool has the same parameters
 * as the node that it is made from.
 */
const nodes: ExampleNode[] = readdirSync(path.join(ROOT, 'examples'))
	.filter((file) => file.endsWith('.json'))
	.flatMap((file) => {
		const text = readFileSync(path.join(ROOT, 'examples', file), 'utf8');
		return (JSON.parse(text) as IWorkflowBase).nodes.map((node) => ({ ...node, file }));
	})
	.filter(({ type }) => type.startsWith(`${manifest.name}.`));

describe('the nodes of the examples', () => {
	it.each(nodes.map((node) => [node.file, node.name, node] as const))(
		"pass the builder's validation: %s, %s",
		(_file, _name, { type, parameters }) => {
			const isToolNode = type.endsWith('Tool');
			expect(validateNodeConfig(type, 1, { parameters }, { isToolNode })).toMatchObject({
				errors: [],
			});
		},
	);

	it('match the types that n8n generates', () => {
		expect(problemsIn(programOf(nodes))).toEqual([]);
	});

	it('are checked against these types, so an unknown name or value is found', () => {
		const wrong = { documentSource: 'rows', documentID: '1', options: { dry: true } };
		const type = `${manifest.name}.pushDocuments`;
		const problems = Object.entries(wrong).flatMap(([name, value]) =>
			problemsIn(programOf([{ file: '', name: '', type, parameters: { [name]: value } }])),
		);
		expect(problems).toHaveLength(3);
	});
});

/**
 * Declares the names that the generated types use. n8n itself does not declare them, because the types are never
 * compiled. They are only read by a language model.
 */
const GLOBALS = `
type Expression<T> = string & { readonly of?: T };
type IDataObject = Record<string, unknown>;
type NodeConfig<P> = { parameters?: P };
type CredentialReference = unknown;
type Items<T> = T[];
`;

/**
 * The types contain an option once for each time that its collection declares it. The same is true of n8n's own nodes,
 * such as HTTP Request. These declarations are all equal, as the test above checks.
 */
const DUPLICATE_IDENTIFIER = 2300;

/** Returns a TypeScript program that checks each node's parameters against the generated types. */
function programOf(examples: ExampleNode[]): string {
	const definitions = nodeNames.map((name) => readFileSync(typesOf(name), 'utf8')).join('\n');
	const values = examples.map(({ type, parameters }, at) => {
		const [, node = ''] = type.replace(/Tool$/, '').split('.');
		const name = `${node[0].toUpperCase()}${node.slice(1)}V1Params`;
		// n8n adds these parameters to tools. The node itself does not have them.
		const {
			descriptionType: _,
			toolDescription: __,
			...own
		} = parameters as Record<string, unknown>;
		return `export const example${at}: Partial<${name}> = ${JSON.stringify(own)};`;
	});
	return [GLOBALS, definitions, ...values].join('\n');
}

function problemsIn(text: string): string[] {
	const file = 'examples.ts';
	const options = { strict: true, noEmit: true, types: [], lib: ['lib.es2022.d.ts'] };
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	host.getSourceFile = (name, ...others) =>
		name === file
			? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
			: getSourceFile(name, ...others);
	const program = ts.createProgram([file], options, host);
	return ts
		.getPreEmitDiagnostics(program)
		.filter(({ code }) => code !== DUPLICATE_IDENTIFIER)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
