import type { Figures } from '../shared/report';
import { until } from '../shared/wait';
import { executionsOf, ingestDeliveries, type QueueStage } from './stage';

const RUN = 'Run 4';

/** What n8n says of a node that it does not have, and of which package it is. */
const UNKNOWN_NODE = /Unrecognized node type: n8n-nodes-search-ingest\./;
const ENDED_WITHIN_MS = 60_000;

/** The only worker lacks the package: the execution fails with n8n's error, and nothing is sent. */
export async function lackingPackage(stage: QueueStage): Promise<Figures> {
	const { api, sandbox, workers, checks } = stage;
	for (const worker of workers.splice(0)) await worker.process.stop();
	const worker = await stage.addWorker({ lacksPackage: true });
	const [before] = await executionsOf(stage, 'queue-ingest');
	const requests = sandbox.requests.length;
	const [delivery] = ingestDeliveries('lacking', 1);
	const call = api.postWebhook('queue-ingest', delivery);
	await until(async () => {
		const [execution] = await executionsOf(stage, 'queue-ingest');
		return execution?.id !== before?.id && execution?.status === 'error';
	}, ENDED_WITHIN_MS);
	const { status } = await call;
	const [execution] = await executionsOf(stage, 'queue-ingest');
	const { message = '' } = await api.execution(execution.id);
	const log = worker.log();
	checks.add(
		`${RUN}: on a worker that lacks the package, the execution fails with n8n's error`,
		execution.status === 'error' && status >= 400 && UNKNOWN_NODE.test(message + log),
		message || UNKNOWN_NODE.exec(log)?.[0],
	);
	checks.add(
		`${RUN}: nothing is sent then`,
		sandbox.requests.length === requests,
		`${sandbox.requests.length - requests} requests`,
	);
	workers.pop();
	await worker.process.stop();
	return [
		["n8n's error", message],
		['Status of the webhook', `${status}`],
	];
}
