import 'reflect-metadata';

import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, NodeHelpers, Workflow } from 'n8n-workflow';
import type {
	ExecutionError,
	ExecutionStatus,
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	ITaskData,
	NodeExecutionHint,
	OnError,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { additionalData } from './additional-data';
import { CredentialStore, type CredentialData } from './credential-store';
import type { CredentialTypes } from './credential-types';
import { EngineCredentialsHelper } from './credentials-helper';
import { manifest } from './manifest';
import { useCleanProcess } from './process-state';

// Benchmarks also use this engine, but they do not run in jest.
if (typeof afterEach === 'function') useCleanProcess();

export { CredentialStore } from './credential-store';
export type { CredentialData } from './credential-store';
export type { CredentialTypes } from './credential-types';
export { testCredential } from './credential-test';

export interface NodeOptions {
	node: INodeType;
	/** Parameters as in a workflow file. A missing parameter has its default value. */
	parameters?: INodeParameters;
	onError?: OnError;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	typeVersion?: number;
	/** n8n's ID of the node's credentials. By default, it is the credential's type. */
	credentialId?: string;
}

export interface ExecutionOptions {
	credentials?: CredentialData;
	/** Runs that share a store represent executions of one n8n instance. */
	store?: CredentialStore;
	/** Credential types that extend or replace this package's own types. */
	credentialTypes?: CredentialTypes;
	/** The default is `manual` (the editor's Execute button). */
	mode?: WorkflowExecuteMode;
	/** The execution is stopped when this promise resolves or rejects. */
	cancelWhen?: Promise<unknown>;
	/** A workflow setting. With `combined`, an item's JSON contains its files. */
	binaryMode?: 'separate' | 'combined';
}

export interface RunOptions extends NodeOptions, ExecutionOptions {
	/** Input items. Plain objects become items. The default is one empty item. */
	items?: IDataObject[] | INodeExecutionData[];
}

export interface RunResult {
	output: INodeExecutionData[];
	errorOutput: INodeExecutionData[];
	/** The node's error, or the execution's error if the node has none. */
	error?: ExecutionError;
	hints: NodeExecutionHint[];
	status: ExecutionStatus;
	/** The input items after the run, so that a test can check whether the node changed them. */
	input: INodeExecutionData[];
	/** Data that n8n recorded about the node, or undefined if the node did not run. */
	taskData?: ITaskData;
	run: IRun;
	store: CredentialStore;
	/** Returns true while nodes are still working. n8n returns a canceled run before its nodes have ended. */
	isWorking: () => boolean;
}

const SOURCE = 'Source';

function isItem(item: IDataObject | INodeExecutionData): item is INodeExecutionData {
	return (
		typeof item.json === 'object' &&
		item.json !== null &&
		Object.keys(item).every((key) => ['json', 'binary', 'pairedItem', 'error'].includes(key))
	);
}

/**
 * Turns plain objects into items. The `pairedItem` of each item is the item's own index, as with the items of a
 * trigger.
 */
function toItems(items: IDataObject[] | INodeExecutionData[]): INodeExecutionData[] {
	return items.map((item, index) =>
		isItem(item)
			? { ...item, pairedItem: item.pairedItem ?? { item: index } }
			: { json: item, pairedItem: { item: index } },
	);
}

function sourceNode(items: INodeExecutionData[]): INodeType {
	return {
		description: {
			displayName: SOURCE,
			name: 'source',
			group: ['trigger'],
			version: 1,
			description: 'Emits the items of a test',
			defaults: {},
			inputs: [],
			outputs: ['main'],
			properties: [],
		},
		execute: async () => [items],
	};
}

/** Returns a node that adds itself to a set while it is executed. */
function watched(node: INodeType, working: Set<INodeType>): INodeType {
	const { execute } = node;
	if (execute === undefined) return node;
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions, ...args: []) {
			working.add(node);
			return await execute.apply(this, args).finally(() => working.delete(node));
		},
	});
}

function nodeCredentials(
	{ node, credentialId }: NodeOptions,
	store: CredentialStore,
): INode['credentials'] {
	const names = (node.description.credentials ?? [])
		.map(({ name }) => name)
		.filter((name) => store.types.includes(name));
	if (names.length === 0) return undefined;
	return Object.fromEntries(names.map((name) => [name, { id: credentialId ?? name, name }]));
}

function buildWorkflow(
	source: INodeType,
	nodes: NodeOptions[],
	names: string[],
	store: CredentialStore,
	binaryMode?: ExecutionOptions['binaryMode'],
): Workflow {
	const types: Record<string, INodeType> = { [`${manifest.name}.source`]: source };
	const workflowNodes: INode[] = [
		{
			id: '0',
			name: SOURCE,
			type: `${manifest.name}.source`,
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
	];
	const connections: IConnections = {};
	nodes.forEach((options, index) => {
		const { node, parameters = {}, typeVersion, onError, ...settings } = options;
		const type = `${manifest.name}.${node.description.name}`;
		types[type] ??= node;
		const { retryOnFail, maxTries, waitBetweenTries } = settings;
		workflowNodes.push({
			id: String(index + 1),
			name: names[index],
			type,
			typeVersion: typeVersion ?? [node.description.version].flat().at(-1) ?? 1,
			position: [0, 0],
			parameters: structuredClone(parameters),
			...(onError && { onError }),
			...(retryOnFail !== undefined && { retryOnFail }),
			...(maxTries !== undefined && { maxTries }),
			...(waitBetweenTries !== undefined && { waitBetweenTries }),
			...{ credentials: nodeCredentials(options, store) },
		});
		connections[workflowNodes[index].name] = {
			main: [[{ node: names[index], type: 'main', index: 0 }]],
		};
	});
	const nodeTypes: INodeTypes = {
		getByName: (name) => types[name],
		getByNameAndVersion: (name, version) =>
			NodeHelpers.getVersionedNodeType(types[name], version),
		getKnownTypes: () => ({}),
	};
	return new Workflow({
		id: 'test',
		name: 'test',
		active: false,
		nodes: workflowNodes,
		connections,
		nodeTypes,
		settings: { executionOrder: 'v1', ...(binaryMode && { binaryMode }) },
	});
}

async function execute(
	workflow: Workflow,
	options: ExecutionOptions,
	store: CredentialStore,
): Promise<IRun> {
	const mode = options.mode ?? 'manual';
	const helper = new EngineCredentialsHelper(store, options.credentialTypes);
	const start = workflow.getNode(SOURCE) as INode;
	const runData = createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node: start, data: { main: [[{ json: {} }]] }, source: null }],
		},
	});
	const running = new WorkflowExecute(
		additionalData(helper, mode),
		mode,
		runData,
	).processRunExecutionData(workflow);
	const cancel = () => running.cancel();
	void options.cancelWhen?.then(cancel, cancel);
	return await running;
}

/**
 * Runs several nodes on n8n-core's real engine. Each node receives the previous node's main output. n8n itself
 * handles expressions, defaults, retries, error routing, paired items and HTTP.
 */
export async function runPipeline(
	nodes: NodeOptions[],
	items: IDataObject[] | INodeExecutionData[] = [{}],
	options: ExecutionOptions = {},
): Promise<RunResult[]> {
	const store = options.store ?? new CredentialStore(options.credentials);
	const names = nodes.map(({ node }, index) =>
		nodes.length === 1
			? node.description.displayName
			: `${index + 1} ${node.description.displayName}`,
	);
	const input = toItems(items);
	const working = new Set<INodeType>();
	const watchedNodes = nodes.map((one) => ({ ...one, node: watched(one.node, working) }));
	const run = await execute(
		buildWorkflow(sourceNode(input), watchedNodes, names, store, options.binaryMode),
		options,
		store,
	);
	const { resultData } = run.data;
	return names.map((name, index) => {
		const taskData = resultData.runData[name]?.[0];
		const error = taskData?.error ?? resultData.error;
		const before = resultData.runData[names[index - 1] ?? '']?.[0];
		expectOwnFileNames(taskData?.data?.main?.flatMap((items) => items ?? []) ?? [], input);
		return {
			output: taskData?.data?.main?.[0] ?? [],
			errorOutput: taskData?.data?.main?.[1] ?? [],
			...(error && { error }),
			hints: taskData?.hints ?? [],
			status: run.status,
			input: index === 0 ? input : (before?.data?.main?.[0] ?? []),
			...(taskData && { taskData }),
			run,
			store,
			isWorking: () => working.size > 0,
		};
	});
}

/**
 * Checks that the files of an item have different names. Otherwise, they would overwrite each other on a disk.
 *
 * @throws Error if two files that a node has made have the same name
 */
function expectOwnFileNames(items: INodeExecutionData[], input: INodeExecutionData[]): void {
	const given = new Set(input.flatMap(({ binary = {} }) => Object.values(binary)));
	for (const { binary = {} } of items) {
		const made = Object.values(binary).filter((file) => !given.has(file));
		const names = made.map(({ fileName }) => fileName);
		if (new Set(names).size < names.length)
			throw new Error(`An item has files with the same name: ${names.join(', ')}`);
	}
}

export async function runNode(options: RunOptions): Promise<RunResult> {
	const [result] = await runPipeline([options], options.items, options);
	return result;
}
