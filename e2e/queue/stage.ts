import type { WebhookResponse } from '../n8n/api';
import type { ExecutionSummary } from '../n8n/execution';
import type { Checks } from '../shared/checks';
import { seconds } from '../shared/progress';
import type { Figures } from '../shared/report';
import type { Delivery } from './documents';
import { documentsOf, indexOf, modelOf } from './documents';
import type { QueueMode, QueueWorkflow } from './queue-mode';
import type { Worker } from './worker';

/** Tokens beyond one for each worker, which at first revoke each other's. */
const SPARE_TOKENS = 2;

const DOCUMENTS_PER_INGEST = 3;

/** What both runs use, and everything that was sent so far. */
export interface QueueStage extends QueueMode {
	checks: Checks;
	deliveries: Delivery[];
}

/** Deliveries for the workflow that chunks, pushes and deletes. */
export function ingestDeliveries(prefix: string, count: number): Delivery[] {
	return Array.from({ length: count }, (_, number) => {
		const documents = documentsOf(`${prefix}-${number}`, DOCUMENTS_PER_INGEST);
		return { documents, delete: `${documents[0].id}#1` };
	});
}

/** Calls the ingest webhook once for each delivery, all concurrently. */
export async function ingestAll(
	stage: QueueStage,
	deliveries: Delivery[],
): Promise<WebhookResponse[]> {
	const call = async (delivery: Delivery) =>
		await stage.api.postWebhook('queue-ingest', delivery);
	return await Promise.all(deliveries.map(call));
}

/** True if the response says that the chunk was deleted, the last thing the workflow does. */
export function saysDeleted({ status, body }: WebhookResponse): boolean {
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

/** How many executions each worker has started, those of `before` not counted. */
export function perWorker(workers: Worker[], before: Map<Worker, number> = new Map()): string {
	return workers
		.map((worker) => `${worker.name} ${worker.started().length - (before.get(worker) ?? 0)}`)
		.join(', ');
}

/** Starts measuring; the returned function tells what the service saw since then. */
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
