import { DEMO } from '../../sandbox';
import { NOT_OVER } from '../n8n/execution';
import { WEBHOOK_HEADER } from '../service/credentials';
import { until } from '../shared/wait';
import type { Worker } from './queue-mode';
import {
	type QueueStage,
	checkService,
	deliveriesOf,
	executionsOf,
	ingest,
	saysDeleted,
} from './stage';

const EXECUTIONS = 40;
const RANGES = 4;
const FAN_OUT = 'fan-out-over-workers';

/**
 * Runs many concurrent executions on all workers. In this test, the service revokes a scope's token when it issues a
 * new one.
 */
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

/** Runs the example that spreads a file across all workers. The local service provides the file. */
export async function fanOut(stage: QueueStage): Promise<void> {
	const run = 'Fan-out';
	const { api, sandbox, checks, workers, workflows, n8nUrl, model } = stage;
	const before = workers.map((worker) => worker.started().length);
	const execution = await api.callWebhook(
		workflows[FAN_OUT],
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

const RUN = 'Killed worker';
const FILE = 'queue-documents.jsonl';
const RECORDS = 2000;

/** With this many requests, the push takes more than 10 seconds, so the worker logs its progress. */
const REQUESTS = 150;
const PUSH_LATENCY_MS = 700;

const INGESTS = 16;

/** Duration of a chunking job. It is long enough that ingests are still running when the worker is killed. */
const CHUNK_DELAY_MS = 3000;

const WITHIN_MS = 180_000;

/** Reads the number of records to skip from a worker's log. Returns 0 if the log does not contain the number yet. */
const skipIn = (worker: Worker): number =>
	Number([...worker.log().matchAll(/set 'Skip Records' to (\d+)/g)].at(-1)?.[1] ?? 0);

/** Kills a worker while it pushes a file and runs other executions. Checks that nothing is lost or indexed twice. */
export async function killedWorker(stage: QueueStage): Promise<void> {
	const { api, sandbox, workers, checks, model } = stage;
	const before = new Set((await executionsOf(stage, 'queue-ingest')).map(({ id }) => id));
	const documents = await storeFile(stage);
	sandbox.settings.chunkDelayMs = CHUNK_DELAY_MS;
	sandbox.faults.add({ route: 'push', latencyMs: PUSH_LATENCY_MS });
	const perRequest = Math.ceil(RECORDS / REQUESTS);
	const push = api.postWebhook('queue-file', { file: FILE, skip: 0, perRequest });
	await until(() => workers.some((worker) => skipIn(worker) > 0), WITHIN_MS);
	const victim = workers.find((worker) => skipIn(worker) > 0);
	if (!victim) throw new Error('No worker has written how to continue');
	const deliveries = deliveriesOf(stage, 'killed', INGESTS);
	const calls = ingest(stage, deliveries);
	// The execution that pushes the file is already under way. A second execution must be under way too.
	await until(() => victim.underWay().length > 1, WITHIN_MS);
	victim.process.kill();
	// The log is complete only after the process has ended.
	await victim.process.ended;
	sandbox.faults.clear();
	const lost = new Set(victim.underWay());
	const skip = skipIn(victim);
	const indexed = new Set(sandbox.documents(DEMO.endpoint).map(({ id }) => id));
	checks.add(
		`${RUN}: its log names a number in the middle, up to which all is indexed`,
		skip > 0 && skip < RECORDS && documents.slice(0, skip).every(({ id }) => indexed.has(id)),
		`${skip} of ${RECORDS} records`,
	);
	await stage.restart(victim);

	const [pushed, responses] = await Promise.all([push, calls]);
	const ended = async () => [
		...(await executionsOf(stage, 'queue-file')),
		...(await executionsOf(stage, 'queue-ingest')).filter(({ id }) => !before.has(id)),
	];
	await until(
		async () => (await ended()).every(({ status }) => !NOT_OVER.has(status)),
		WITHIN_MS,
	);
	const executions = await ended();
	const failed = executions.filter(({ status }) => status !== 'success');
	// The killed worker's last executions can be missing from its log. In that case, no other log contains them either.
	const isLost = (id: string) =>
		lost.has(id) || !workers.some((worker) => worker.started().includes(id));
	checks.add(
		`${RUN}: only its executions fail, and none is run again`,
		executions.length === INGESTS + 1 &&
			failed.length > 1 &&
			failed.every(({ id, status }) => isLost(id) && ['error', 'crashed'].includes(status)),
		`${failed.length} failed, ${lost.size} were under way`,
	);
	const unserved = deliveries.filter((_, number) => !saysDeleted(responses[number]));
	checks.add(
		`${RUN}: the callers of failed executions get an error`,
		pushed.status >= 400 && unserved.length >= failed.length - 1,
		`${unserved.length} and the caller with the file`,
	);

	const again = await ingest(stage, unserved);
	checks.add(`${RUN}: called again, they succeed`, again.every(saysDeleted), `${again.length}`);
	const rest = await api.postWebhook('queue-file', { file: FILE, skip, perRequest: RECORDS });
	checks.add(`${RUN}: the rest of the file is pushed`, rest.status === 200, `${rest.status}`);
	for (const { id, text } of documents) model.add(`${id}=${text}`);
	checkService(stage, RUN);
}

async function storeFile({ sandbox }: QueueStage): Promise<Array<{ id: string; text: string }>> {
	const documents = Array.from({ length: RECORDS }, (_, number) => ({
		id: `file/${number}`,
		name: `Document ${number}`,
		text: `What document ${number} says`,
	}));
	const { ok, status } = await fetch(`${sandbox.url}/files/${FILE}`, {
		method: 'PUT',
		headers: { 'Content-Type': 'application/x-ndjson' },
		body: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
	});
	if (!ok) throw new Error(`The file could not be stored: status ${status}`);
	return documents;
}
