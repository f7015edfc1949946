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

/** What a webhook answered. */
export interface WebhookResponse {
	status: number;
	body: unknown;
}

/** An execution that a webhook started, and what its caller was answered. */
export interface AnsweredExecution extends Execution {
	response: WebhookResponse;
}

/** The part of the editor's API that is used here. */
export class N8nApi {
	readonly dataTables: DataTables;

	private readonly n8n: N8nConnection;

	constructor(url: string) {
		this.n8n = new N8nConnection(url);
		this.dataTables = new DataTables(this.n8n);
	}

	/** True once n8n answers and its database is ready. */
	async isReady(): Promise<boolean> {
		return await this.n8n.isReady();
	}

	/** Logs in; on a new instance, creates the owner. */
	async logIn(login: Login): Promise<void> {
		await this.n8n.logIn(login);
	}

	/** The names of the node types n8n has loaded. */
	async nodeTypes(): Promise<string[]> {
		return (await this.nodeDescriptions()).map(({ name }) => name);
	}

	/** The node types n8n has loaded, as the editor gets them. */
	async nodeDescriptions(): Promise<INodeTypeDescription[]> {
		return await this.n8n.send({ url: '/types/nodes.json' });
	}

	/** The display names of all types of credentials, by name. */
	async credentialNames(): Promise<Record<string, string>> {
		const types = await this.n8n.send<Array<{ name: string; displayName: string }>>({
			url: '/types/credentials.json',
		});
		return Object.fromEntries(types.map(({ name, displayName }) => [name, displayName]));
	}

	/** Creates the credential, or updates the one of that name and type; returns its ID. */
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

	/** The stored workflow of that name. */
	async findWorkflow(name: string): Promise<StoredWorkflow | undefined> {
		const all = await this.n8n.request<Array<{ id: string; name: string }>>({
			url: '/rest/workflows',
		});
		const found = all.find((workflow) => workflow.name === name);
		return found && (await this.n8n.request({ url: `/rest/workflows/${found.id}` }));
	}

	/** Creates a workflow, or replaces the one of that ID; returns it as stored. */
	async saveWorkflow(workflow: Workflow, id?: string): Promise<StoredWorkflow> {
		const { name, nodes, connections, settings, pinData } = workflow;
		return await this.n8n.request({
			method: id === undefined ? 'POST' : 'PATCH',
			url: id === undefined ? '/rest/workflows' : `/rest/workflows/${id}`,
			data: { name, nodes, connections, settings, pinData },
		});
	}

	/** Deletes a workflow with its executions. */
	async deleteWorkflow(id: string): Promise<void> {
		const url = `/rest/workflows/${id}`;
		// n8n deletes only what is archived.
		await this.n8n.request({ method: 'POST', url: `${url}/archive`, data: {} });
		// A published workflow is unpublished first, which may take a moment.
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

	/** Publishes a workflow, so that its webhooks answer. */
	async activate({ id, versionId }: StoredWorkflow): Promise<void> {
		const url = `/rest/workflows/${id}`;
		await this.n8n.request({ method: 'POST', url: `${url}/activate`, data: { versionId } });
	}

	/**
	 * Does what "Execute workflow" does for a trigger, and waits for the end.
	 * @param json what the trigger returns, such as the message of a chat
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
	 * Does what "Execute step" does for a tool of an agent, and waits for the end.
	 * @param tool its name for the model
	 * @param values what a model would fill in
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
	 * Calls a published webhook; returns the execution it started, once it has ended, and the response.
	 * @throws Error if no execution was started
	 */
	async callWebhook(
		workflowId: string,
		path: string,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<AnsweredExecution> {
		const [before] = await this.executions(workflowId, 1);
		const response = await this.postWebhook(path, body, headers);
		// An execution that has answered and not ended may be missing from the list for a moment.
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

	/** Calls a published webhook; returns the response whatever its status. */
	async postWebhook(
		path: string,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<WebhookResponse> {
		return await this.n8n.post(`/webhook/${path}`, body, headers);
	}

	/** The latest executions of a workflow, unfinished ones included. */
	async executions(workflowId: string, limit = LISTED_EXECUTIONS): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.n8n.request<{ results: ExecutionSummary[] }>({
			url: `/rest/executions?limit=${limit}&filter=${filter}`,
		});
		return results;
	}

	/** An execution as it is stored now, finished or not. */
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
