import type { SearchHit } from '../../sandbox';
import { DEMO } from '../../sandbox';
import type { AnsweredExecution } from '../n8n/api';
import type { Execution } from '../n8n/execution';
import type { StoredWorkflow, Workflow, WorkflowNode } from '../n8n/workflow';
import type { ToolCall } from '../service/chat-model';
import { WEBHOOK_HEADER } from '../service/credentials';
import { Checks } from '../shared/checks';
import type { Demo } from './demo';

const TRIGGERS = new Set([
	'n8n-nodes-base.manualTrigger',
	'n8n-nodes-base.scheduleTrigger',
	'n8n-nodes-base.webhook',
	'@n8n/n8n-nodes-langchain.chatTrigger',
]);

const HEADERS = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };

/** A chunk in the index, after a commit. If it has several texts, they are joined. */
interface IndexedChunk {
	id: string;
	text: string;
}

/** Changes to an example's nodes, keyed by node name. Other parameters stay the same. */
export type NodeChanges = Record<string, { parameters?: object; disabled?: boolean }>;

const changed = (node: WorkflowNode, { parameters, ...change }: NodeChanges[string] = {}) => ({
	...node,
	...change,
	parameters: { ...node.parameters, ...parameters },
});

/** Syncs by webhook only show their plan if they are executed by hand. Copies do what a call asks for. */
function withRealCalls(workflow: StoredWorkflow): StoredWorkflow {
	const { pinData } = workflow;
	if (!pinData) return workflow;
	const calls = JSON.stringify(pinData).replaceAll('"dryRun":true,', '');
	return { ...workflow, pinData: JSON.parse(calls) as StoredWorkflow['pinData'] };
}

/** Gives scenarios access to the running demo. The stage runs workflows, reads the index, and collects checks. */
export class Stage {
	readonly checks = new Checks();

	constructor(readonly demo: Demo) {}

	/** Runs an example as "Execute workflow" does. Webhooks receive their pinned sample data. */
	async runByHand(example: string, trigger?: string): Promise<Execution> {
		return this.addRun(
			this.demo.workflows[example].name,
			await this.tryByHand(example, trigger),
		);
	}

	/**
	 * Works like `runByHand`, but does not check that the run succeeds.
	 * @param trigger the trigger to start from. By default, the first one that does more than show a plan
	 */
	async tryByHand(example: string, trigger = this.triggerOf(example)): Promise<Execution> {
		const { id } = this.demo.workflows[example];
		return await this.demo.n8n.api.runManually(id, trigger);
	}

	/** Changes nodes in a copy of an example, runs the copy as a manual execution, and then deletes it. */
	async runWith(example: string, changes: NodeChanges): Promise<Execution> {
		const { name } = this.demo.workflows[example];
		return this.addRun(`${name}, changed`, await this.tryWith(example, changes));
	}

	async tryWith(example: string, changes: NodeChanges): Promise<Execution> {
		return await this.withCopy(
			example,
			({ nodes }) => ({ nodes: nodes.map((node) => changed(node, changes[node.name])) }),
			async (name) => await this.tryByHand(name),
		);
	}

	/** Stores a changed copy of an example, passes the copy to a function, and then deletes the copy. */
	async withCopy<Result>(
		example: string,
		change: (workflow: StoredWorkflow) => Partial<Workflow>,
		use: (name: string, copy: StoredWorkflow) => Promise<Result>,
	): Promise<Result> {
		const { n8n, workflows } = this.demo;
		const name = `${workflows[example].name}, changed`;
		const earlier = await n8n.api.findWorkflow(name);
		const original = withRealCalls(workflows[example]);
		const workflow = { ...original, name, ...change(original) };
		const copy = await n8n.api.saveWorkflow(workflow, earlier?.id);
		workflows[name] = copy;
		try {
			return await use(name, copy);
		} finally {
			delete workflows[name];
			await n8n.api.deleteWorkflow(copy.id);
		}
	}

	async chat(example: string, chatInput: string): Promise<Execution> {
		const { id, name } = this.demo.workflows[example];
		const message = { sessionId: 'demo', action: 'sendMessage', chatInput };
		const { api } = this.demo.n8n;
		return this.addRun(name, await api.runManually(id, this.triggerOf(example), message));
	}

	/** Runs an agent's tool with the values that a model would fill in. Returns the text that the model would read. */
	async runTool(example: string, { tool, values }: ToolCall): Promise<string> {
		const { id, name } = this.demo.workflows[example];
		const execution = await this.demo.n8n.api.runTool(id, tool, values);
		this.addRun(`${name}: ${tool}`, execution);
		const results = execution.items(tool.replaceAll('_', ' '));
		return JSON.stringify(results.map(({ json }) => json.response));
	}

	/** Runs an example by calling its webhook. The webhook's path is the example's name. */
	async runByWebhook(example: string, body: unknown): Promise<AnsweredExecution> {
		const execution = await this.callWebhook(example, body);
		this.addRun(this.demo.workflows[example].name, execution);
		return execution;
	}

	/** Calls an example's webhook. Returns the execution and the response, even if the execution failed. */
	async callWebhook(
		example: string,
		body: unknown,
		path: string = example,
	): Promise<AnsweredExecution> {
		const workflow = this.demo.workflows[example];
		return await this.demo.n8n.api.callWebhook(workflow, path, body, HEADERS);
	}

	async statusWithoutKey(example: string): Promise<number> {
		const { status } = await this.demo.n8n.api.postWebhook(example, {});
		return status;
	}

	documents(): Array<Record<string, unknown>> {
		return this.demo.sandbox.documents(DEMO.endpoint);
	}

	/** Returns the committed chunks of these source documents. */
	chunksOf(sourceIds: string[]): IndexedChunk[] {
		const sources = sourceIds.map((id) => `${id}#`);
		return this.documents()
			.map((document) => ({ id: String(document.id), text: textOf(document) }))
			.filter(({ id }) => sources.some((source) => id.startsWith(source)));
	}

	search(query: string): SearchHit[] {
		return this.demo.sandbox.search(DEMO.endpoint, query);
	}

	private triggerOf(example: string): string {
		const { nodes } = this.demo.workflows[example];
		const trigger = nodes.find(
			({ name, type }) => TRIGGERS.has(type) && name !== 'Show the Plan',
		);
		if (!trigger) throw new Error(`${example} has no trigger`);
		return trigger.name;
	}

	private addRun(workflow: string, execution: Execution): Execution {
		const { status, message } = execution;
		this.checks.add(
			`Workflow '${workflow}' succeeds`,
			status === 'success',
			message === undefined ? status : `${status}: ${message}`,
		);
		return execution;
	}
}

function textOf(document: Record<string, unknown>): string {
	return Object.entries(document)
		.filter(([name, value]) => typeof value === 'string' && name !== 'id' && name !== 'url')
		.map(([, value]) => value)
		.join('\n');
}
