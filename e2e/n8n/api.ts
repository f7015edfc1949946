import type { INodeTypeDescription } from 'n8n-workflow';

import { until } from '../shared/wait';
import type { Login } from './connection';
import { N8nConnection } from './connection';
import { DataTables } from './data-tables';
import type { Execution, ExecutionSummary, Item, StoredExecution } from './execution';
import { isOver, readExecution } from './execution';
import type { CredentialValues, StoredWorkflow, Workflow } from './workflow';

const POLL_EVERY_MS = 150;
const RUN_WITHIN_MS = 300_000;
const LISTED_EXECUTIONS = 100;
const LISTED_WITHIN_MS = 5_000;
const DELETED_WITHIN_MS = 10_000;
const PUBLISHED_WITHIN_MS = 20_000;

export interface WebhookResponse {
	status: number;
	body: unknown;
}

export interface AnsweredExecution extends Execution {
	response: WebhookResponse;
}

/** The part of the editor's API that the end-to-end commands use. */
export class N8nApi {
	readonly dataTables: DataTables;

	private readonly n8n: N8nConnection;

	constructor(url: string) {
		this.n8n = new N8nConnection(url);
		this.dataTables = new DataTables(this.n8n);
	}

	async isReady(): Promise<boolean> {
		return await this.n8n.isReady();
	}

	async logIn(login: Login): Promise<void> {
		await this.n8n.logIn(login);
	}

	async nodeTypes(): Promise<string[]> {
		return (await this.nodeDescriptions()).map(({ name }) => name);
	}

	async nodeDescriptions(): Promise<INodeTypeDescription[]> {
		return await this.n8n.send({ url: '/types/nodes.json' });
	}

	async credentialNames(): Promise<Record<string, string>> {
		const types = await this.n8n.send<Array<{ name: string; displayName: string }>>({
			url: '/types/credentials.json',
		});
		return Object.fromEntries(types.map(({ name, displayName }) => [name, displayName]));
	}

	/** Creates the credential, or updates the existing one with the same name and type. Returns its ID. */
	async saveCredential(credential: Omit<CredentialValues, 'id'>): Promise<string> {
		const all = await this.n8n.request<Array<{ id: string; name: string; type: string }>>({
			url: '/rest/credentials',
		});
		const { name, type, data } = credential;
		const existing = all.find((one) => one.name === name && one.type === type);
		const saved = await this.n8n.request<{ id: string }>({
			method: existing ? 'PATCH' : 'POST',
			url: existing ? `/rest/credentials/${existing.id}` : '/rest/credentials',
			data: { name, type, data },
		});
		return saved.id;
	}

	async findWorkflow(name: string): Promise<StoredWorkflow | undefined> {
		const all = await this.n8n.request<Array<{ id: string; name: string }>>({
			url: '/rest/workflows',
		});
		const found = all.find((workflow) => workflow.name === name);
		return found && (await this.n8n.request({ url: `/rest/workflows/${found.id}` }));
	}

	/** Creates a workflow. If an ID is passed, replaces the workflow that has this ID. */
	async saveWorkflow(workflow: Workflow, id?: string): Promise<StoredWorkflow> {
		const { name, nodes, connections, nodeGroups, settings, pinData } = workflow;
		return await this.n8n.request({
			method: id === undefined ? 'POST' : 'PATCH',
			url: id === undefined ? '/rest/workflows' : `/rest/workflows/${id}`,
			data: { name, nodes, connections, nodeGroups, settings, pinData },
		});
	}

	async deleteWorkflow(id: string): Promise<void> {
		const url = `/rest/workflows/${id}`;
		// n8n deletes a workflow only if it is archived.
		await this.n8n.request({ method: 'POST', url: `${url}/archive`, data: {} });
		// A published workflow can be deleted only after n8n has unpublished it. Unpublishing can take a moment.
		let refusal: unknown;
		const isDeleted = async () =>
			await this.n8n.request({ method: 'DELETE', url }).then(
				() => true,
				(error: unknown) => {
					refusal = error;
					return false;
				},
			);
		if (!(await until(isDeleted, DELETED_WITHIN_MS, POLL_EVERY_MS))) throw refusal;
	}

	async activate({ id, versionId }: StoredWorkflow): Promise<void> {
		const url = `/rest/workflows/${id}`;
		await this.n8n.request({ method: 'POST', url: `${url}/activate`, data: { versionId } });
	}

	/**
	 * Starts a trigger as "Execute workflow" does, and waits until the execution ends.
	 * @param json the data that the trigger returns, such as a chat message
	 */
	async runManually(
		workflowId: string,
		triggerName: string,
		json?: Item['json'],
	): Promise<Execution> {
		const data = json && { data: { main: [[{ json }]] } };
		return await this.runWorkflow(workflowId, {
			triggerToStartFrom: { name: triggerName, ...(data && { data }) },
		});
	}

	/**
	 * Runs an agent's tool as "Execute step" does, and waits until the execution ends.
	 * @param tool the tool's name, as passed to the model
	 * @param values the values that a model would fill in
	 */
	async runTool(
		workflowId: string,
		tool: string,
		values: Record<string, unknown>,
	): Promise<Execution> {
		const nodeName = tool.replaceAll('_', ' ');
		return await this.runWorkflow(workflowId, {
			destinationNode: { nodeName, mode: 'inclusive' },
			runData: {},
			dirtyNodeNames: [],
			agentRequest: { query: { [tool]: values }, tool: { name: tool } },
		});
	}

	private async runWorkflow(workflowId: string, what: object): Promise<Execution> {
		const { executionId } = await this.n8n.request<{ executionId: string }>({
			method: 'POST',
			url: `/rest/workflows/${workflowId}/run`,
			data: what,
		});
		return await this.waitForExecution(executionId);
	}

	/**
	 * Calls a published webhook and waits until its execution has ended. If the workflow does not save successful
	 * executions, the response must be enough.
	 * @throws Error if no execution was started
	 */
	async callWebhook(
		{ id: workflowId, settings = {} }: StoredWorkflow,
		path: string,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<AnsweredExecution> {
		const [before] = await this.executions(workflowId, 1);
		const response = await this.postWebhook(path, body, headers);
		if (response.status < 400 && settings.saveDataSuccessExecution === 'none') {
			return { id: '', status: 'success', milliseconds: 0, items: () => [], response };
		}
		// After the response, the execution can be missing from the list for a moment, because it has not ended yet.
		let latest: ExecutionSummary | undefined;
		const isListed = async () => {
			[latest] = await this.executions(workflowId, 1);
			return latest !== undefined && latest.id !== before?.id;
		};
		if (!(await until(isListed, LISTED_WITHIN_MS, POLL_EVERY_MS)) || latest === undefined) {
			throw new Error(
				`Webhook '${path}' answered ${response.status} and started no execution`,
			);
		}
		return { ...(await this.waitForExecution(latest.id)), response };
	}

	async postWebhook(
		path: string,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<WebhookResponse> {
		return await this.n8n.post(`/webhook/${path}`, body, headers);
	}

	/** Calls a published webhook. Waits until the webhook is there, for example after a restart. */
	async postPublished(
		path: string,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<WebhookResponse> {
		let response: WebhookResponse = { status: 404, body: '' };
		await until(async () => {
			response = await this.postWebhook(path, body, headers);
			return response.status !== 404;
		}, PUBLISHED_WITHIN_MS);
		return response;
	}

	async executions(workflowId: string, limit = LISTED_EXECUTIONS): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.n8n.request<{ results: ExecutionSummary[] }>({
			url: `/rest/executions?limit=${limit}&filter=${filter}`,
		});
		return results;
	}

	async execution(id: string): Promise<Execution> {
		return readExecution(await this.storedExecution(id));
	}

	private async storedExecution(id: string): Promise<StoredExecution> {
		return await this.n8n.request({ url: `/rest/executions/${id}` });
	}

	private async waitForExecution(id: string): Promise<Execution> {
		let stored = await this.storedExecution(id);
		const hasEnded = async () => {
			stored = await this.storedExecution(id);
			return isOver(stored);
		};
		if (!(await until(hasEnded, RUN_WITHIN_MS, POLL_EVERY_MS))) {
			throw new Error(
				`Execution ${id} is still '${stored.status}' after ${RUN_WITHIN_MS / 1000} s`,
			);
		}
		return readExecution(stored);
	}
}
