import { getAdditionalKeys } from 'n8n-core';
import {
	getCredentialOwnRequestAllowedDomains,
	ICredentialsHelper,
	injectDomainRestrictionFields,
	isExpression,
	NodeHelpers,
	UserError,
	Workflow,
} from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeParameters,
	INodeProperties,
	INodeTypes,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import type { CredentialStore } from './credential-store';
import { packageCredentialType, type CredentialTypes } from './credential-types';

const MOCK_NODE: INode = {
	id: 'mock',
	name: '',
	type: 'mock',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const MOCK_NODE_TYPES = {
	getByName: () => ({ description: { properties: [] } }),
	getByNameAndVersion: () => ({ description: { properties: [] } }),
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;

/** Limits requests in `preAuthentication` to the credential's own list of allowed domains, as n8n does. */
function restrictToCredentialDomains(
	helpers: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
): IHttpRequestHelper {
	return {
		helpers: {
			httpRequest: async (requestOptions: IHttpRequestOptions) => {
				const allowedDomains = getCredentialOwnRequestAllowedDomains(credentials);
				if (allowedDomains === undefined) {
					return (await helpers.helpers.httpRequest(requestOptions)) as unknown;
				}
				if (requestOptions.allowedDomains !== undefined) {
					throw new UserError('This credential restricts requests to specific domains');
				}
				return (await helpers.helpers.httpRequest({
					...requestOptions,
					allowedDomains,
				})) as unknown;
			},
		},
	};
}

/**
 * Works like n8n's CredentialsHelper (n8n 2.41.1, `dist/credentials-helper.js`), but uses an in-memory store. It makes
 * the same calls in the same order, but without a database, a license, or external secrets.
 * `e2e/n8n/credential-code.ts` compares the two.
 */
export class EngineCredentialsHelper extends ICredentialsHelper {
	private readonly loaded = new Map<string, ICredentialType>();

	constructor(
		private readonly store: CredentialStore,
		private readonly types: CredentialTypes = {},
	) {
		super();
	}

	/**
	 * Returns the credential type. Each run has its own instance of the type, just as each n8n process has its own
	 * instance.
	 */
	getType(name: string): ICredentialType {
		const known = this.loaded.get(name);
		if (known) return known;
		const type = this.types[name] ?? packageCredentialType(name);
		if (!type) throw new Error(`Unknown credential type "${name}"`);
		this.loaded.set(name, type);
		return type;
	}

	getParentTypes(name: string): string[] {
		return this.getType(name).extends ?? [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	getCredentialsProperties(name: string): INodeProperties[] {
		// n8n adds the "Allowed HTTP Request Domains" fields to every credential that can sign requests.
		return injectDomainRestrictionFields(this.getType(name));
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const options = requestOptions as IHttpRequestOptions;
		const { authenticate } = this.getType(typeName);
		if (authenticate === undefined) return options;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (!workflow || !node) throw new Error('Workflow and node are required');
		options.headers ??= {};
		const resolve = (value: unknown) => this.resolveValue(value, credentials, workflow, node);
		const target = options as unknown as Record<string, Record<string, unknown>>;
		for (const [outerKey, outerValue] of Object.entries(authenticate.properties)) {
			for (const [key, value] of Object.entries(outerValue as Record<string, unknown>)) {
				if (!target[outerKey]) target[outerKey] = {};
				target[outerKey][String(resolve(key))] = resolve(value);
			}
		}
		return options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.getType(typeName);
		const expirable = type.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		)?.name;
		if (expirable === undefined || typeof type.preAuthentication !== 'function')
			return undefined;

		const isTestingCredentials =
			node.parameters.temp === '' && node.type === 'n8n-nodes-base.noOp';
		if (credentials[expirable] !== '' && !credentialsExpired && !isTestingCredentials) {
			return undefined;
		}

		this.store.preAuthentications += 1;
		const output = (await type.preAuthentication.call(
			restrictToCredentialDomains(helpers, credentials),
			credentials,
		)) as ICredentialDataDecryptedObject;
		if (output[expirable] === undefined || !node.credentials) return undefined;

		// Since 2.34, n8n has stored only the fields that `preAuthentication` returns. Earlier versions also stored all
		// fields that were passed to `preAuthentication`.
		const { storesAll } = this.store;
		const all = JSON.parse(JSON.stringify(credentials)) as ICredentialDataDecryptedObject;
		const stored = storesAll ? all : this.store.get(typeName);
		const kept: ICredentialDataDecryptedObject = {};
		for (const [key, value] of Object.entries(output)) {
			if (key === expirable || !isExpression(stored[key])) kept[key] = value;
		}
		await this.updateCredentials(node.credentials[typeName], typeName, { ...stored, ...kept });
		this.store.updates.push({ type: typeName, data: structuredClone(kept) });
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.getType(typeName);
		if (typeof type.preAuthentication !== 'function') return undefined;
		return (await type.preAuthentication.call(
			restrictToCredentialDomains(helpers, credentials),
			credentials,
		)) as ICredentialDataDecryptedObject;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('The store keeps credentials unencrypted; use getDecrypted');
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		resolveValues?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.store.decryptions += 1;
		await this.store.onDecrypt?.(type);
		const stored = this.store.get(type);
		if (raw === true) return stored;
		return await this.applyDefaults(
			additionalData,
			stored,
			type,
			mode,
			executeData,
			resolveValues,
		);
	}

	/** Sets missing fields to their defaults and resolves expressions. */
	async applyDefaults(
		additionalData: IWorkflowExecuteAdditionalData,
		stored: ICredentialDataDecryptedObject,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		resolveValues?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const data = NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(type),
			stored as INodeParameters,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
		for (const field of ['allowedHttpRequestDomains', 'allowedDomains']) {
			if (data[field] === undefined && stored[field] !== undefined)
				data[field] = stored[field];
		}
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		if (resolveValues) {
			return resolveValues.workflow.expression.getParameterValue(
				data as INodeParameters,
				resolveValues.runExecutionData,
				resolveValues.runIndex,
				resolveValues.itemIndex,
				resolveValues.node.name,
				resolveValues.connectionInputData,
				mode,
				keys,
				executeData,
				false,
				data,
			) as ICredentialDataDecryptedObject;
		}
		const workflow = new Workflow({
			nodes: [MOCK_NODE],
			connections: {},
			active: false,
			nodeTypes: MOCK_NODE_TYPES,
		});
		return workflow.expression.getComplexParameterValue(
			MOCK_NODE,
			data as INodeParameters,
			mode,
			keys,
			undefined,
			undefined,
			data,
		) as ICredentialDataDecryptedObject;
	}

	async updateCredentials(
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		await this.store.onUpdate?.(type);
		this.store.replace(type, data);
	}

	async updateCredentialsOauthTokenData(
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		this.store.set(type, { oauthTokenData: data.oauthTokenData });
	}

	private resolveValue(
		value: unknown,
		credentials: ICredentialDataDecryptedObject,
		workflow: Workflow,
		node: INode,
	): unknown {
		if (!isExpression(value)) return value;
		const resolved = workflow.expression.getSimpleParameterValue(
			node,
			value,
			'internal',
			{ $credentials: credentials },
			undefined,
			'',
		);
		return resolved ? resolved.toString() : '';
	}
}
