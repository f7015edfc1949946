import { ExecutionLifecycleHooks } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData, WorkflowExecuteMode } from 'n8n-workflow';

import type { EngineCredentialsHelper } from './credentials-helper';

/** Builds the additional data that n8n passes to an execution, with only the fields that nodes need. */
export function additionalData(
	credentialsHelper: EngineCredentialsHelper,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const unavailable = async () => {
		throw new Error('Not available in the test engine');
	};
	const url = 'http://localhost/unused';
	return {
		executionId: '1',
		credentialsHelper,
		hooks: new ExecutionLifecycleHooks(mode, '1', {
			id: 'test',
			name: 'test',
			active: false,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			nodes: [],
			connections: {},
			activeVersionId: null,
		}),
		currentNodeExecutionIndex: 0,
		restApiUrl: url,
		instanceBaseUrl: url,
		formBaseUrl: url,
		formWaitingBaseUrl: url,
		formTestBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		mcpBaseUrl: url,
		mcpTestBaseUrl: url,
		variables: {},
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
		logAiEvent: () => {},
		executeWorkflow: unavailable,
		getRunExecutionData: async () => undefined,
		getRuntimeCredential: async () => undefined,
		startRunnerTask: unavailable,
	} as unknown as IWorkflowExecuteAdditionalData;
}
