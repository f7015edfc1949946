import type { Checks } from './checks';
import type { ExecutionSummary, WebhookReply } from './n8n-api';
import { pause } from './processes';
import { seconds } from './progress';
import type { Delivery } from './queue-documents';
import { documentsOf, indexOf, modelOf } from './queue-documents';
import type { QueueMode, QueueWorkflow } from './queue-stack';
import type { Worker } from './queue-worker';

/** Executions of the first run. */
const EXECUTIONS = 40;

/** Tokens beyond one for each worker: what it costs that they revoke each other's at first. */
const SPARE_TOKENS = 2;

const DOCUMENTS_PER_INGEST = 3;
const LOOK_EVERY_MS = 100;

/** What the runs work with, and all that was sent so far. */
export interface QueueStage extends QueueMode {
	checks: Checks;
	deliveries: Delivery[];
}

/** Rows of a table: what, and how much. */
export type Figures = Array<[string, string]>;

/** Deliveries for the workflow that chunks, pushes and deletes. */
export function ingestDeliveries(prefix: string, count: number): Delivery[] {
	return Array.from({ length: count }, (_, number) => {
		const documents = documentsOf(`${prefix}-${number}`, DOCUMENTS_PER_INGEST);
		return { documents, delete: `${documents[0].id}#1` };
	});
}

/** Calls the ingest webhook once for each delivery, all at the same time. */
export async function ingestAll(
	stage: QueueStage,
	deliveries: Delivery[],
): Promise<WebhookReply[]> {
	const call = async (delivery: Delivery) =>
		await stage.api.postWebhook('queue-ingest', delivery);
	return await Promise.all(deliveries.map(call));
}

/** True when the caller heard that the chunk was deleted, the last thing the workflow does. */
export function saysDeleted({ status, body }: WebhookReply): boolean {
	const [item] = Array.isArray(body) ? (body as Array<{ deleted?: boolean }>) : [];
	return status === 200 && item?.deleted === true;
}

/** The executions of a workflow. */
export async function executionsOf(
	stage: QueueStage,
	workflow: QueueWorkflow,
): Promise<ExecutionSummary[]> {
	return await stage.api.executions(stage.workflows[workflow].id);
}

/** Waits until something holds; false when it doesn't in time. */
export async function until(
	holds: () => boolean | Promise<boolean>,
	withinMs: number,
): Promise<boolean> {
	const deadline = Date.now() + withinMs;
	while (!(await holds())) {
		if (Date.now() > deadline) return false;
		await pause(LOOK_EVERY_MS);
	}
	return true;
}

/** How many executions each worker has started, beyond those of before. */
export function perWorker(workers: Worker[], before: Map<Worker, number> = new Map()): string {
	return workers
		.map((worker) => `${worker.name} ${worker.started().length - (before.get(worker) ?? 0)}`)
		.join(', ');
}

/** Notes where figures begin; gives those since then. */
export function figuresFrom({ sandbox }: QueueStage): () => Figures {
	const startedAt = Date.now();
	const requestsBefore = sandbox.requests.length;
	const tokensBefore = sandbox.tokensIssued();
	return () => {
		const requests = sandbox.requests.slice(requestsBefore);
		const refused = requests.filter(({ status }) => status >= 400);
		const unauthorized = refused.filter(({ status }) => status === 401);
		return [
			['Requests the service saw', `${requests.length}`],
			['Tokens issued', `${sandbox.tokensIssued() - tokensBefore}`],
			['401s the service answered', `${unauthorized.length}`],
			['Requests the nodes repeated', `${refused.length}`],
			['Wall time', seconds(Date.now() - startedAt)],
		];
	};
}

/** Checks the index against all that was sent, and the tokens against the number of workers. */
export function checkService(stage: QueueStage, run: string): void {
	const { sandbox, checks, workers } = stage;
	const issued = sandbox.tokensIssued();
	const most = workers.length + SPARE_TOKENS;
	checks.add(
		`${run}: at most ${most} tokens were issued so far`,
		issued > 0 && issued <= most,
		`${issued}`,
	);
	const model = modelOf(stage.deliveries);
	const index = indexOf(sandbox);
	const missing = model.filter((chunk) => !index.includes(chunk));
	const strange = index.filter((chunk) => !model.includes(chunk));
	checks.add(
		`${run}: the index equals the model`,
		model.join('\n') === index.join('\n'),
		`${index.length} chunks, ${missing.length} missing, ${strange.length} strange`,
	);
}

/** Items with an error among the outputs of our nodes. */
async function errorItems(stage: QueueStage, executions: ExecutionSummary[]): Promise<number> {
	let found = 0;
	for (const { id } of executions) {
		const { items } = await stage.api.execution(id);
		const all = ['Chunk Text', 'Push Documents', 'Delete Document'].flatMap(items);
		found += all.filter(({ json }) => 'error' in json).length;
	}
	return found;
}

/** Many executions at once on all workers, with a service that revokes a scope's former token. */
export async function manyAtOnce(stage: QueueStage): Promise<Figures> {
	const { checks, workers } = stage;
	const run = 'Run 1';
	const figures = figuresFrom(stage);
	const deliveries = ingestDeliveries('run1', EXECUTIONS);
	stage.deliveries.push(...deliveries);
	const replies = await ingestAll(stage, deliveries);
	const service = figures();
	const executions = await executionsOf(stage, 'queue-ingest');
	const succeeded = executions.filter(({ status }) => status === 'success').length;
	const refused = replies.filter((reply) => !saysDeleted(reply)).length;
	const faulty = await errorItems(stage, executions);
	checks.add(
		`${run}: all executions succeed`,
		executions.length === EXECUTIONS && succeeded === EXECUTIONS,
		`${succeeded} of ${EXECUTIONS}`,
	);
	checks.add(
		`${run}: no failed request is visible to users`,
		refused === 0 && faulty === 0,
		`${refused} failed replies, ${faulty} items with an error`,
	);
	checks.add(
		`${run}: every worker takes part`,
		workers.every((worker) => worker.finished().length > 0),
		perWorker(workers),
	);
	checkService(stage, run);
	return [
		['Executions', `${executions.length}, ${succeeded} succeeded`],
		['Executions per worker', perWorker(workers)],
		['Failed requests users saw', `${refused + faulty}`],
		...service,
	];
}
