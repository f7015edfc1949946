import 'reflect-metadata';

import { ExecuteContext, RoutingNode } from 'n8n-core';
import { createEmptyRunExecutionData, NodeHelpers, Workflow } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestRequest,
	ICredentialType,
	INode,
	INodeType,
	INodeTypes,
} from 'n8n-workflow';

import { additionalData } from './additional-data';
import { CredentialStore } from './credential-store';
import { EngineCredentialsHelper } from './credentials-helper';

interface CredentialTestResult {
	ok: boolean;
	message: string;
	/** The store that the test used. It contains everything that `preAuthentication` returned. */
	store: CredentialStore;
}

/**
 * Creates the noOp node to which n8n adds the test request. n8n reads the type name from the node's description.
 */
function testNodeType(credentialType: string, test: ICredentialTestRequest): INodeType {
	return {
		description: {
			displayName: 'No Operation, do nothing',
			name: 'noOp',
			group: ['organization'],
			version: 1,
			description: 'No Operation',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: credentialType, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					routing: { request: test.request },
					default: '',
				},
			],
		},
	};
}

function valueAt(data: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(value, key) => (value as Record<string, unknown> | undefined)?.[key],
			data,
		);
}

function failureMessage(error: unknown, test: ICredentialTestRequest): string {
	const { cause, message } = error as Error & {
		cause?: { response?: { status: number; statusText?: string }; code?: string };
	};
	if (cause?.response) {
		const { status, statusText } = cause.response;
		for (const rule of test.rules ?? []) {
			if (rule.type === 'responseCode' && rule.properties.value === status) {
				return rule.properties.message;
			}
		}
		if (status < 199 || status > 299) {
			return statusText || `Received HTTP status code: ${status}`;
		}
	} else if (cause?.code) {
		return cause.code;
	}
	return message;
}

/**
 * Tests a credential in the same way as the editor's Test button (n8n 2.41.1,
 * `dist/services/credentials-tester.service.js`). The credential class's `test` request runs as a declarative node. The
 * stored token is used unchanged. `preAuthentication` runs only if the expirable field is empty or the response is a
 * 401. n8n is supposed to request a new token for every test, but never does. The reason is that n8n looks for the node
 *    type `n8n-nodes-base.noOp`, but the actual type is `noOp`.
 */
export async function testCredential(
	type: ICredentialType,
	data: ICredentialDataDecryptedObject,
	store = new CredentialStore({ [type.name]: data }),
): Promise<CredentialTestResult> {
	const { test } = type;
	if (!test)
		return { ok: false, message: 'No testing function found for this credential.', store };

	const helper = new EngineCredentialsHelper(store, { [type.name]: type });
	const base = additionalData(helper, 'internal');
	const credentials: ICredentialsDecrypted = {
		id: type.name,
		name: type.name,
		type: type.name,
		data: await helper.applyDefaults(base, data, type.name, 'internal'),
	};
	// A user can test fields that have not been saved yet.
	helper.getDecrypted = async () => credentials.data ?? {};

	const nodeType = testNodeType(type.name, test);
	const node: INode = {
		id: 'temp',
		name: 'Temp-Node',
		type: nodeType.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { [type.name]: { id: type.name, name: type.name } },
	};
	const nodeTypes: INodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => NodeHelpers.getVersionedNodeType(nodeType),
		getKnownTypes: () => ({}),
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const context = new ExecuteContext(
		workflow,
		node,
		{ ...base, currentNodeParameters: node.parameters },
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	try {
		await workflow.expression.acquireIsolate();
		const response = await new RoutingNode(context, nodeType, credentials).runNode();
		for (const rule of test.rules ?? []) {
			if (rule.type !== 'responseSuccessBody') continue;
			const body = response?.[0]?.[0]?.json;
			if (valueAt(body, rule.properties.key) === rule.properties.value) {
				return { ok: false, message: rule.properties.message, store };
			}
		}
		return { ok: true, message: 'Connection successful!', store };
	} catch (error) {
		return { ok: false, message: failureMessage(error, test), store };
	} finally {
		await workflow.expression.releaseIsolate();
	}
}
