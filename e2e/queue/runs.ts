import { DEMO } from '../../sandbox';
import { WEBHOOK_HEADER } from '../service/credentials';
import type { QueueStage } from './stage';
import { checkService, deliveriesOf, executionsOf, ingest, saysDeleted } from './stage';

const EXECUTIONS = 40;
const RANGES = 4;
const FAN_OUT = 'fan-out-over-workers';

/** Runs many concurrent executions on all workers, with a service that revokes a scope's previous token. */
export async function sharedTokens(stage: QueueStage): Promise<void> {
	const run = 'Shared tokens';
	const { checks, workers } = stage;
	const responses = await ingest(stage, deliveriesOf(stage, 'shared', EXECUTIONS));
	const executions = await executionsOf(stage, 'queue-ingest');
	const succeeded = executions.filter(({ status }) => status === 'success').length;
	checks.add(`${run}: all executions succeed`, succeeded === EXECUTIONS, `${succeeded}`);
	const refused = responses.filter((response) => !saysDeleted(response)).length;
	checks.add(`${run}: no caller sees a failed request`, refused === 0, `${refused} do`);
	checks.add(
		`${run}: every worker takes part`,
		workers.every((worker) => worker.started().length > 0),
		workers.map((worker) => `${worker.name} ${worker.started().length}`).join(', '),
	);
	checkService(stage, run);
}

/** Runs the example that spreads a file over all workers, with the file that the service provides for it. */
export async function fanOut(stage: QueueStage): Promise<void> {
	const run = 'Fan-out';
	const { api, sandbox, checks, workers, workflows, n8nUrl, model } = stage;
	const before = workers.map((worker) => worker.started().length);
	const execution = await api.callWebhook(
		workflows[FAN_OUT].id,
		FAN_OUT,
		{
			n8nUrl,
			fileUrl: `${sandbox.url}/files/fan-out.jsonl`,
			ranges: RANGES,
			recordsPerRange: 250,
			waitSeconds: 3,
		},
		{ [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value },
	);
	const [result] = execution.items('Result').map(({ json }) => json);
	const ranges = (result?.ranges ?? []) as Array<{ state: string; calls: number }>;
	checks.add(
		`${run}: each range is called once and done`,
		ranges.length === RANGES &&
			ranges.every(({ state, calls }) => state === 'done' && calls === 1),
		execution.message ?? JSON.stringify(ranges),
	);
	const shares = workers.map((worker, at) => worker.started().length - (before[at] ?? 0));
	checks.add(
		`${run}: several workers take part`,
		shares.filter((share) => share > 0).length > 1,
		shares.join(', '),
	);
	const indexed = sandbox.documents(DEMO.endpoint).length - model.size;
	checks.add(`${run}: the index has each record`, indexed === 1000, `${indexed}`);
}
