import type { ExecutionSummary } from '../n8n/execution';
import type { Figures } from '../shared/report';
import type { QueueStage } from './stage';
import {
	checkService,
	executionsOf,
	figuresFrom,
	ingestAll,
	ingestDeliveries,
	perWorker,
	saysDeleted,
} from './stage';

const EXECUTIONS = 40;

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

/** Many concurrent executions on all workers, with a service that revokes a scope's previous token. */
export async function manyExecutions(stage: QueueStage): Promise<Figures> {
	const { checks, workers } = stage;
	const run = 'Run 1';
	const figures = figuresFrom(stage);
	const deliveries = ingestDeliveries('run1', EXECUTIONS);
	stage.deliveries.push(...deliveries);
	const responses = await ingestAll(stage, deliveries);
	const service = figures();
	const executions = await executionsOf(stage, 'queue-ingest');
	const succeeded = executions.filter(({ status }) => status === 'success').length;
	const refused = responses.filter((response) => !saysDeleted(response)).length;
	const faulty = await errorItems(stage, executions);
	checks.add(
		`${run}: all executions succeed`,
		executions.length === EXECUTIONS && succeeded === EXECUTIONS,
		`${succeeded} of ${EXECUTIONS}`,
	);
	checks.add(
		`${run}: no failed request is visible to users`,
		refused === 0 && faulty === 0,
		`${refused} failed responses, ${faulty} items with an error`,
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
