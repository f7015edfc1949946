import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import axios from 'axios';

import { parseFlatted } from './flatted';
import { ON_OLD_N8N } from './paths';
import { pause } from './processes';

const POLL_MS = 150;
const RUN_WITHIN_MS = 300_000;
const LISTED_EXECUTIONS = 100;

/** States an execution doesn't end in. */
export const NOT_OVER: ReadonlySet<string> = new Set(['new', 'running', 'waiting']);

/** One item as n8n's nodes pass it on. */
export interface Item {
	json: Record<string, unknown>;
}

/** A workflow as its template file and n8n's interface have it. */
export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	/** Output of nodes that isn't made anew when the workflow is run by hand. */
	pinData?: Record<string, Item[]>;
	versionId?: string;
	active?: boolean;
}

/** A node of a workflow. */
export interface WorkflowNode {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
}

/** A credential with its values. */
export interface CredentialValues {
	id: string;
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** How a workflow run ended. */
export interface Execution {
	id: string;
	status: string;
	milliseconds: number;
	/** Message of the failure, if any. */
	message?: string;
	/** What a node gave on all its outputs, in all its runs. */
	items(nodeName: string): Item[];
}

/** An execution as n8n's list shows it. */
export interface ExecutionSummary {
	id: string;
	status: string;
	startedAt: string | null;
	stoppedAt: string | null;
}

/** What a webhook answered. */
export interface WebhookReply {
	status: number;
	body: unknown;
}

/** n8n's verdict on a credential. */
export interface CredentialVerdict {
	status: 'OK' | 'Error';
	message: string;
}

interface StoredExecution {
	id: string;
	status: string;
	startedAt: string;
	stoppedAt?: string;
	data: string;
}

interface ExecutionData {
	resultData: {
		runData?: Record<string, Array<{ data?: Record<string, Array<Item[] | null>> }>>;
		error?: { message?: string; description?: string };
	};
}

/** The part of the interface of n8n's editor that the demo uses. */
export class N8nApi {
	private readonly http: AxiosInstance;

	private cookie = '';

	constructor(url: string) {
		this.http = axios.create({ baseURL: url, proxy: false, validateStatus: () => true });
	}

	/** True once n8n answers and its database is ready. */
	async isReady(): Promise<boolean> {
		try {
			const health = await this.http.get('/healthz/readiness');
			const settings = await this.http.get('/rest/settings');
			return (
				health.status === 200 && settings.status === 200 && 'data' in Object(settings.data)
			);
		} catch {
			return false;
		}
	}

	/** Signs in; on a new instance, sets the owner up first. */
	async signIn(account: { email: string; password: string }): Promise<void> {
		const owner = { ...account, firstName: 'Demo', lastName: 'Owner' };
		const login = { emailOrLdapLoginId: account.email, password: account.password };
		const settings = await this.request<{ userManagement: { showSetupOnFirstLoad: boolean } }>({
			url: '/rest/settings',
		});
		const isNew = settings.userManagement.showSetupOnFirstLoad;
		const reply = await this.http.post(
			isNew ? '/rest/owner/setup' : '/rest/login',
			isNew ? owner : login,
		);
		const cookies = reply.headers['set-cookie'] ?? [];
		this.cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
		if (reply.status !== 200 || this.cookie === '') {
			throw new Error(
				`n8n refused the sign-in: ${reply.status} ${JSON.stringify(reply.data)}`,
			);
		}
	}

	/** The names of the node types n8n has loaded. */
	async nodeTypes(): Promise<string[]> {
		const reply = await this.send<Array<{ name: string }>>({ url: '/types/nodes.json' });
		return reply.map(({ name }) => name);
	}

	/** Creates the credential, or gives the one of that name and type new values; returns its id. */
	async saveCredential(credential: Omit<CredentialValues, 'id'>): Promise<string> {
		const all = await this.request<Array<{ id: string; name: string; type: string }>>({
			url: '/rest/credentials',
		});
		const { name, type, data } = credential;
		const existing = all.find((one) => one.name === name && one.type === type);
		const saved = await this.request<{ id: string }>({
			method: existing ? 'PATCH' : 'POST',
			url: existing ? `/rest/credentials/${existing.id}` : '/rest/credentials',
			data: { name, type, data },
		});
		return saved.id;
	}

	/** What the credential dialog's test says. */
	async testCredential(credentials: CredentialValues): Promise<CredentialVerdict> {
		return await this.request({
			method: 'POST',
			url: '/rest/credentials/test',
			data: { credentials },
		});
	}

	/** The stored workflow of that name. */
	async findWorkflow(name: string): Promise<(Workflow & { id: string }) | undefined> {
		const all = await this.request<Array<{ id: string; name: string }>>({
			url: '/rest/workflows',
		});
		const found = all.find((workflow) => workflow.name === name);
		return found && (await this.request({ url: `/rest/workflows/${found.id}` }));
	}

	/** Creates a workflow, or replaces the one of that ID; returns it as stored. */
	async saveWorkflow(workflow: Workflow, id?: string): Promise<Workflow & { id: string }> {
		const { name, nodes, connections, settings, pinData } = workflow;
		return await this.request({
			method: id === undefined ? 'POST' : 'PATCH',
			url: id === undefined ? '/rest/workflows' : `/rest/workflows/${id}`,
			// n8n 1 wants to be told; later ones go by what is published.
			data: {
				name,
				nodes,
				connections,
				settings,
				pinData,
				...(ON_OLD_N8N && { active: false }),
			},
		});
	}

	/** Publishes a workflow, so that its webhooks answer. */
	async activate(workflow: Workflow & { id: string }): Promise<void> {
		const { id, versionId } = workflow;
		await this.request(
			ON_OLD_N8N
				? {
						method: 'PATCH',
						url: `/rest/workflows/${id}`,
						data: { versionId, active: true },
					}
				: { method: 'POST', url: `/rest/workflows/${id}/activate`, data: { versionId } },
		);
	}

	/** Presses "Execute workflow" for a trigger and waits for the end. */
	async runManually(workflowId: string, triggerName: string): Promise<Execution> {
		const url = `/rest/workflows/${workflowId}`;
		const { executionId } = await this.request<{ executionId: string }>({
			method: 'POST',
			url: `${url}/run`,
			data: {
				triggerToStartFrom: { name: triggerName },
				...(ON_OLD_N8N && { workflowData: await this.request({ url }) }),
			},
		});
		return await this.waitForExecution(executionId);
	}

	/** Calls a published webhook and reads the execution it caused. */
	async callWebhook(workflowId: string, path: string, body: unknown): Promise<Execution> {
		const before = await this.latestExecutionId(workflowId);
		const reply = await this.http.post(`/webhook/${path}`, body, { maxBodyLength: Infinity });
		const id = await this.latestExecutionId(workflowId);
		if (id === undefined || id === before) {
			throw new Error(`Webhook '${path}' answered ${reply.status} and started no execution`);
		}
		return await this.waitForExecution(id);
	}

	/** Calls a published webhook, whatever it answers. */
	async postWebhook(path: string, body: unknown): Promise<WebhookReply> {
		const reply = await this.http.post<unknown>(`/webhook/${path}`, body);
		return { status: reply.status, body: reply.data };
	}

	/** The latest executions of a workflow, those under way included. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: ExecutionSummary[] }>({
			url: `/rest/executions?limit=${LISTED_EXECUTIONS}&filter=${filter}`,
		});
		return results;
	}

	/** An execution as it is stored now, finished or not. */
	async execution(id: string): Promise<Execution> {
		return readExecution(
			await this.request<StoredExecution>({ url: `/rest/executions/${id}` }),
		);
	}

	private async latestExecutionId(workflowId: string): Promise<string | undefined> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: Array<{ id: string }> }>({
			url: `/rest/executions?limit=1&filter=${filter}`,
		});
		return results[0]?.id;
	}

	private async waitForExecution(id: string): Promise<Execution> {
		const deadline = Date.now() + RUN_WITHIN_MS;
		for (;;) {
			const stored = await this.request<StoredExecution>({ url: `/rest/executions/${id}` });
			// n8n writes the status before the data.
			const isWritten = parseFlatted(stored.data) !== undefined;
			if (!NOT_OVER.has(stored.status) && isWritten) return readExecution(stored);
			if (Date.now() > deadline)
				throw new Error(`Execution ${id} is still '${stored.status}'`);
			await pause(POLL_MS);
		}
	}

	/** Sends a request and takes the answer out of n8n's `{ data }` envelope. */
	private async request<T>(config: AxiosRequestConfig): Promise<T> {
		return (await this.send<{ data: T }>(config)).data;
	}

	private async send<T>(config: AxiosRequestConfig): Promise<T> {
		const reply = await this.http.request<T>({ ...config, headers: { cookie: this.cookie } });
		if (reply.status >= 400) {
			const what = `${config.method ?? 'GET'} ${config.url ?? ''}`;
			throw new Error(
				`n8n answered ${reply.status} to ${what}: ${JSON.stringify(reply.data)}`,
			);
		}
		return reply.data;
	}
}

function readExecution(stored: StoredExecution): Execution {
	const { resultData } = parseFlatted(stored.data) as ExecutionData;
	const { error, runData } = resultData;
	const end = stored.stoppedAt ?? stored.startedAt;
	const reason = [error?.message, error?.description].filter((text) => text).join(' - ');
	return {
		id: stored.id,
		status: stored.status,
		milliseconds: Date.parse(end) - Date.parse(stored.startedAt),
		...(reason === '' ? {} : { message: reason }),
		items: (nodeName) =>
			(runData?.[nodeName] ?? []).flatMap(({ data }) =>
				(data?.main ?? []).flatMap((output) => output ?? []),
			),
	};
}
