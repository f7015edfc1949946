/**
 * The built package on the engine of n8n 1.123 (n8n-core 1.122.48 with n8n-workflow 1.120.31), as
 * `engine.ts` runs the sources on the present one. Types are those of the present n8n: where the old
 * one differs, this file says so.
 */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type * as Core from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import type * as Workflow from 'n8n-workflow';

import type { CredentialStore } from './credential-store';
import { manifest, ROOT } from './manifest';

/** Private sub-package with the old engine; installed by `old-engine-install.ts`. */
export const OLD_CORE = path.join(ROOT, 'e2e', 'old-core');

const FOLDER = path.join(OLD_CORE, 'node_modules', manifest.name);

/** A node of the package and its parameters. */
export interface OldNode {
	/** n8n's name of the node, e.g. `chunkText`. */
	name: string;
	parameters: INodeParameters;
}

export interface OldRun {
	/** Output of the last node. */
	output: INodeExecutionData[];
	error?: Error & { description?: string | null };
	run: IRun;
}

/** The old engine with the built package in it. */
export interface OldEngine {
	/** The n8n-workflow the package's nodes got, and what of it they can use. */
	workflow: typeof Workflow;
	versions: { core: string; workflow: string };
	credentialTypes: Record<string, ICredentialType>;
	nodeNames: string[];
	/** Takes `addExecutionHints` away, as it is missing in still older engines, or gives it back. */
	setHints(on: boolean): void;
	/** Ends what the engine does in the background. */
	close(): void;
	/** Runs nodes one after the other on the given items. */
	run(
		nodes: OldNode[],
		items: IDataObject[],
		store: CredentialStore,
		options?: { cancelWhen?: Promise<unknown> },
	): Promise<OldRun>;
}

/**
 * Copies what is built into the old engine's node_modules, so that it gets the old n8n-workflow, and
 * loads it with the old engine's own loader.
 */
export async function startOldEngine(): Promise<OldEngine> {
	const dist = path.join(ROOT, 'dist');
	if (!existsSync(dist)) throw new Error('Nothing is built yet: run "npm run build" first');
	rmSync(FOLDER, { recursive: true, force: true });
	mkdirSync(FOLDER, { recursive: true });
	cpSync(dist, path.join(FOLDER, 'dist'), { recursive: true });
	cpSync(path.join(ROOT, 'package.json'), path.join(FOLDER, 'package.json'));

	const requireOld = createRequire(path.join(OLD_CORE, 'package.json'));
	requireOld('reflect-metadata');
	const core = requireOld('n8n-core') as typeof Core;
	const workflow = requireOld('n8n-workflow') as typeof Workflow;

	const loader = new core.PackageDirectoryLoader(FOLDER);
	await loader.loadAll();
	const nodes: Record<string, INodeType> = {};
	for (const [name, { type }] of Object.entries(loader.nodeTypes))
		nodes[name] = type as INodeType;
	const credentialTypes: Record<string, ICredentialType> = {};
	for (const [name, { type }] of Object.entries(loader.credentialTypes)) {
		credentialTypes[name] = type;
	}
	const version = (name: string) =>
		(requireOld(`${name}/package.json`) as { version: string }).version;
	const helper = credentialsHelper(workflow, credentialTypes);
	const { prototype } = core.ExecuteContext;
	const { addExecutionHints } = prototype;
	return {
		workflow,
		versions: { core: version('n8n-core'), workflow: version('n8n-workflow') },
		credentialTypes,
		nodeNames: Object.keys(nodes),
		setHints: (on) =>
			Object.assign(prototype, { addExecutionHints: on ? addExecutionHints : undefined }),
		close: () => {
			const { Container } = requireOld('@n8n/di') as {
				Container: { get(type: unknown): { onShutdown(): void } };
			};
			const { SSHClientsManager } = requireOld(
				'n8n-core/dist/execution-engine/ssh-clients-manager.js',
			) as Record<string, unknown>;
			// Its timer would keep the process alive.
			Container.get(SSHClientsManager).onShutdown();
		},
		run: async (list, items, store, options = {}) =>
			await execute(
				{ core, workflow, nodes, helper: helper(store) },
				list,
				items,
				store,
				options,
			),
	};
}

/**
 * n8n 1.123's CredentialsHelper (`dist/credentials-helper.js`) over the in-memory store. It differs
 * from the present one in what it stores after `preAuthentication`: the whole copy it was given, not
 * just what was returned. It does not hold allowed domains against the token request.
 */
function credentialsHelper(workflow: typeof Workflow, types: Record<string, ICredentialType>) {
	const { ICredentialsHelper, NodeHelpers } = workflow;
	class OldCredentialsHelper extends ICredentialsHelper {
		constructor(private readonly store: CredentialStore) {
			super();
		}

		getParentTypes(name: string): string[] {
			return types[name].extends ?? [];
		}

		isCredentialUsableByNode(): boolean {
			return true;
		}

		getCredentialsProperties(name: string): INodeProperties[] {
			return types[name].properties;
		}

		async authenticate(
			credentials: ICredentialDataDecryptedObject,
			typeName: string,
			requestOptions: IHttpRequestOptions,
		): Promise<IHttpRequestOptions> {
			const { authenticate } = types[typeName];
			if (typeof authenticate === 'function') {
				return await authenticate(credentials, requestOptions);
			}
			for (const [part, fields] of Object.entries(authenticate?.properties ?? {})) {
				const target = requestOptions as unknown as Record<string, IDataObject>;
				target[part] ??= {};
				for (const [key, value] of Object.entries(fields as Record<string, string>)) {
					// All our declarative credentials need of n8n's expressions.
					const field = /^=\{\{\s*\$credentials\.(\w+)\s*\}\}$/.exec(value)?.[1];
					target[part][key] = field === undefined ? value : String(credentials[field]);
				}
			}
			return requestOptions;
		}

		async preAuthentication(
			helpers: IHttpRequestHelper,
			credentials: ICredentialDataDecryptedObject,
			typeName: string,
			node: INode,
			credentialsExpired: boolean,
		): Promise<ICredentialDataDecryptedObject | undefined> {
			const type = types[typeName];
			const expirable = type.properties.find(
				({ type: kind, typeOptions }) => kind === 'hidden' && typeOptions?.expirable,
			)?.name;
			if (expirable === undefined || !type.preAuthentication) return undefined;
			if (credentials[expirable] !== '' && !credentialsExpired) return undefined;
			this.store.preAuthentications += 1;
			const output = (await type.preAuthentication.call(
				helpers,
				credentials,
			)) as ICredentialDataDecryptedObject;
			if (output[expirable] === undefined || !node.credentials) return undefined;
			const data = Object.assign(credentials, output);
			this.store.updates.push({ type: typeName, data: structuredClone(output) });
			// As n8n writes it: encrypted JSON.
			this.store.replace(
				typeName,
				JSON.parse(JSON.stringify(data)) as ICredentialDataDecryptedObject,
			);
			return data;
		}

		async runPreAuthentication(): Promise<undefined> {
			return undefined;
		}

		async getCredentials(): Promise<ICredentials> {
			throw new Error('The store keeps credentials unencrypted; use getDecrypted');
		}

		async getDecrypted(
			_additionalData: IWorkflowExecuteAdditionalData,
			_details: unknown,
			type: string,
		): Promise<ICredentialDataDecryptedObject> {
			this.store.decryptions += 1;
			await this.store.onDecrypt?.(type);
			return NodeHelpers.getNodeParameters(
				this.getCredentialsProperties(type),
				this.store.get(type) as INodeParameters,
				true,
				false,
				null,
				null,
			) as ICredentialDataDecryptedObject;
		}

		async updateCredentials(): Promise<void> {}

		async updateCredentialsOauthTokenData(): Promise<void> {}
	}
	return (store: CredentialStore) => new OldCredentialsHelper(store);
}

interface Parts {
	core: typeof Core;
	workflow: typeof Workflow;
	nodes: Record<string, INodeType>;
	helper: Workflow.ICredentialsHelper;
}

async function execute(
	{ core, workflow, nodes, helper }: Parts,
	list: OldNode[],
	items: IDataObject[],
	store: CredentialStore,
	options: { cancelWhen?: Promise<unknown> },
): Promise<OldRun> {
	const source: INodeType = {
		description: {
			displayName: 'Source',
			name: 'source',
			group: ['trigger'],
			version: 1,
			description: 'Emits the items of a test',
			defaults: {},
			inputs: [],
			outputs: ['main'],
			properties: [],
		},
		execute: async () => [items.map((json, item) => ({ json, pairedItem: { item } }))],
	};
	const typeOf = (name: string) => (name === 'source' ? source : nodes[name]);
	const nodeTypes = {
		getByName: (type: string) => typeOf(type.split('.')[1]),
		getByNameAndVersion: (type: string) => typeOf(type.split('.')[1]),
		getKnownTypes: () => ({}),
	} as INodeTypes;
	const all = [{ name: 'source', parameters: {} }, ...list];
	const instance = new workflow.Workflow({
		id: 'test',
		name: 'test',
		active: false,
		nodes: all.map(({ name, parameters }, index) => ({
			id: String(index),
			name: `${index} ${name}`,
			type: `${manifest.name}.${name}`,
			typeVersion: 1,
			position: [0, 0],
			parameters: structuredClone(parameters),
			credentials: Object.fromEntries(
				(typeOf(name).description.credentials ?? [])
					.filter((credential) => store.types.includes(credential.name))
					.map((credential) => [
						credential.name,
						{ id: credential.name, name: credential.name },
					]),
			),
		})),
		connections: Object.fromEntries(
			list.map(({ name }, index) => [
				`${index} ${all[index].name}`,
				{ main: [[{ node: `${index + 1} ${name}`, type: 'main' as const, index: 0 }]] },
			]),
		),
		nodeTypes,
		settings: { executionOrder: 'v1' },
	});
	const url = 'http://localhost/unused';
	const additionalData = {
		executionId: '1',
		credentialsHelper: helper,
		hooks: new core.ExecutionLifecycleHooks('manual', '1', {
			id: 'test',
			name: 'test',
			active: false,
			nodes: [],
			connections: {},
		} as unknown as ConstructorParameters<typeof core.ExecutionLifecycleHooks>[2]),
		currentNodeExecutionIndex: 0,
		restApiUrl: url,
		instanceBaseUrl: url,
		formWaitingBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		variables: {},
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const start = instance.getNode('0 source') as INode;
	const running = new core.WorkflowExecute(
		additionalData,
		'manual',
		workflow.createRunExecutionData({
			executionData: {
				nodeExecutionStack: [
					{ node: start, data: { main: [[{ json: {} }]] }, source: null },
				],
			},
		}),
	).processRunExecutionData(instance);
	const cancel = () => running.cancel();
	void options.cancelWhen?.then(cancel, cancel);
	const run = await running;
	const { runData, error } = run.data.resultData;
	const last = runData[`${list.length} ${list.at(-1)?.name}`]?.[0];
	const failure = last?.error ?? error;
	return { output: last?.data?.main?.[0] ?? [], ...(failure && { error: failure }), run };
}
