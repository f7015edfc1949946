import path from 'node:path';

import { DEMO } from '../../sandbox';
import type { Row } from '../n8n/data-tables';
import { NOT_OVER } from '../n8n/execution';
import type { StoredWorkflow } from '../n8n/workflow';
import { WEBHOOK_HEADER } from '../service/credentials';
import type { Checks } from '../shared/checks';
import { EXAMPLES } from '../shared/paths';
import { seconds, step } from '../shared/progress';
import type { Figures } from '../shared/report';
import { until } from '../shared/wait';
import type { QueueMode } from './queue-mode';

const FILE = 'fan-out-queue.jsonl';
const FAN_OUT = 'fan-out-over-workers';
const ONE_RANGE = 'fan-out-one-range';
const TABLE = 'Fan-Out Ranges';
const HEADERS = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };

/** A range is bound by latency: few documents per request, few requests at once. */
const PER_REQUEST = 20;
const CONCURRENCY = 2;

const RANGES = 4;

/** Shorter waits would occupy a worker. */
const WAIT_SECONDS = 65;
/** After so long, a range counts as lost; the one that is left alone needs less. */
const DEADLINE_SECONDS = 60;
const OVER_WITHIN_MS = 15 * 60_000;
const BEGUN_WITHIN_MS = 120_000;

/** What the parts of the fan-out share. */
export interface FanOutStage extends QueueMode {
	checks: Checks;
	records: number;
	/** Of each request. */
	latencyMs: number;
	workflow: StoredWorkflow;
}

/** How a run of the example ended. */
interface Ended {
	status: string;
	message: string | undefined;
	/** From the first range's start to the last one's end. */
	ms: number;
	/** How often each range was called. */
	calls: number[];
}

/** Publishes both workflows of the example. */
export async function prepareFanOut(
	mode: QueueMode,
	checks: Checks,
	size: Pick<FanOutStage, 'records' | 'latencyMs'>,
): Promise<FanOutStage> {
	await publishRange(mode);
	const workflow = await mode.publish(path.join(EXAMPLES, `${FAN_OUT}.json`));
	return { ...mode, checks, ...size, workflow };
}

/** Empties the service, and stores the file in it. */
async function emptyService(stage: FanOutStage): Promise<void> {
	const { sandbox, records, latencyMs } = stage;
	sandbox.reset();
	sandbox.faults.add({ route: 'push', latencyMs });
	const lines = Array.from({ length: records }, (_, number) => {
		return `${JSON.stringify({ id: `queue/${number}`, name: `Document ${number}` })}\n`;
	});
	const headers = { 'Content-Type': 'application/x-ndjson' };
	const url = `${sandbox.url}/files/${FILE}`;
	const { ok, status } = await fetch(url, { method: 'PUT', headers, body: lines.join('') });
	if (!ok) throw new Error(`The file could not be stored: status ${status}`);
}

/** Publishes the workflow of a range, with few documents per request and few requests at once. */
async function publishRange(mode: QueueMode): Promise<void> {
	await mode.publish(path.join(EXAMPLES, `${ONE_RANGE}.json`), ({ nodes }) => {
		const push = nodes.find(({ name }) => name === 'Push Documents');
		const options = push?.parameters.options as Record<string, unknown>;
		Object.assign(options, { documentsPerRequest: PER_REQUEST, concurrency: CONCURRENCY });
	});
}

/** Calls the example; returns once it has been begun. */
async function start(stage: FanOutStage, ranges: number): Promise<string> {
	const { api, sandbox, records, workflow, n8nUrl } = stage;
	await emptyService(stage);
	const [before] = await api.executions(workflow.id, 1);
	await api.postWebhook(
		FAN_OUT,
		{
			n8nUrl,
			fileUrl: `${sandbox.url}/files/${FILE}`,
			ranges,
			recordsPerRange: Math.ceil(records / ranges),
			waitSeconds: WAIT_SECONDS,
			deadlineSeconds: DEADLINE_SECONDS * Math.ceil(RANGES / stage.workers.length),
		},
		HEADERS,
	);
	let id = before?.id;
	await until(async () => {
		[{ id }] = await api.executions(workflow.id, 1);
		return id !== before?.id;
	}, BEGUN_WITHIN_MS);
	if (id === undefined || id === before?.id) throw new Error('The example was not started');
	return id;
}

async function rowsOf(stage: FanOutStage, run: string): Promise<Row[]> {
	const rows = await stage.api.dataTables.rows(TABLE);
	return rows.filter((row) => row.run === run).reverse();
}

async function waitForEnd(stage: FanOutStage, run: string): Promise<Ended> {
	let status = 'running';
	const isOver = await until(async () => {
		const found = await stage.api.executions(stage.workflow.id).catch(() => []);
		status = found.find(({ id }) => id === run)?.status ?? status;
		return !NOT_OVER.has(status);
	}, OVER_WITHIN_MS);
	const rows = await rowsOf(stage, run);
	const at = (event: string) =>
		rows
			.filter((row) => row.event === event)
			.map(({ createdAt }) => Date.parse(String(createdAt)));
	const calls = (range: number) =>
		rows.filter((row) => row.event === 'called' && Number(row.range) === range).length;
	const message = isOver ? (await stage.api.execution(run)).message : 'it has not ended';
	return {
		status,
		message,
		ms: Math.max(...at('done')) - Math.min(...at('started')),
		calls: Array.from({ length: RANGES }, (_, range) => calls(range)).filter(Boolean),
	};
}

/** Whether the index has each record of the file once. */
const isComplete = ({ sandbox, records }: FanOutStage): boolean =>
	sandbox.documents(DEMO.endpoint).length === records;

async function run(stage: FanOutStage, ranges: number, what: string): Promise<Ended> {
	const ended = await step(what, async () => await waitForEnd(stage, await start(stage, ranges)));
	stage.checks.add(
		`${what}: the index equals the file`,
		ended.status === 'success' && isComplete(stage),
		ended.message ?? seconds(ended.ms),
	);
	return ended;
}

/** The file in four ranges on four workers that run one execution each. */
export async function fanOut(stage: FanOutStage): Promise<Figures> {
	for (const worker of stage.workers.splice(0)) await worker.process.stop();
	while (stage.workers.length < RANGES) await stage.addWorker(1);
	const { ms, calls } = await run(stage, RANGES, 'Fan-out over four workers');
	stage.checks.add(
		'Each range is called once',
		calls.length === RANGES && calls.every((count) => count === 1),
		calls.join(', '),
	);
	return [['4 workers', `${seconds(ms)}, ${Math.round((stage.records / ms) * 1000)} records/s`]];
}
