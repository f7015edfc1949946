import path from 'node:path';

import { DEMO } from '../../sandbox';
import type { Row } from '../n8n/data-tables';
import { NOT_OVER } from '../n8n/execution';
import type { StoredWorkflow } from '../n8n/workflow';
import { WEBHOOK_HEADER } from '../service/credentials';
import type { Checks } from '../shared/checks';
import { EXAMPLES } from '../shared/paths';
import { say, seconds, step } from '../shared/progress';
import type { Figures } from '../shared/report';
import { until } from '../shared/wait';
import type { QueueMode } from './queue-mode';

const FILE = 'fan-out-queue.jsonl';
const FAN_OUT = 'fan-out-over-workers';
const ONE_RANGE = 'fan-out-one-range';
const TABLE = 'Fan-Out Ranges';
const HEADERS = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };

/** A range is bound by latency: few documents per request, few requests at once. */
const LATENCY_MS = 50;
const PER_REQUEST = 20;
const CONCURRENCY = 2;

const RANGES = 4;
const WORKERS = [1, 2, 4];
/** Of what 1 worker does, 4 workers must do at least so many times as much. */
const TARGET = 3;

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
	records: number,
): Promise<FanOutStage> {
	await publishRange(mode, CONCURRENCY);
	const workflow = await mode.publish(path.join(EXAMPLES, `${FAN_OUT}.json`));
	return { ...mode, checks, records, workflow };
}

/** Empties the service, and stores the file in it. */
async function emptyService({ sandbox, records }: FanOutStage): Promise<void> {
	sandbox.reset();
	sandbox.faults.add({ route: 'push', latencyMs: LATENCY_MS });
	const lines = Array.from(
		{ length: records },
		(_, number) =>
			`${JSON.stringify({ id: `queue/${number}`, name: `Document ${number}`, text: `Text ${number}` })}\n`,
	);
	const headers = { 'Content-Type': 'application/x-ndjson' };
	const url = `${sandbox.url}/files/${FILE}`;
	const { ok, status } = await fetch(url, { method: 'PUT', headers, body: lines.join('') });
	if (!ok) throw new Error(`The file could not be stored: status ${status}`);
}

async function publishRange(mode: QueueMode, concurrency: number): Promise<void> {
	await mode.publish(path.join(EXAMPLES, `${ONE_RANGE}.json`), ({ nodes }) => {
		const push = nodes.find(({ name }) => name === 'Push Documents');
		const options = push?.parameters.options as Record<string, unknown>;
		Object.assign(options, { documentsPerRequest: PER_REQUEST, concurrency });
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

/** The same file with 1, 2 and 4 workers, and in one execution with four times the concurrency. */
export async function fanOutSpeed(stage: FanOutStage): Promise<Figures> {
	const { checks, records, workers } = stage;
	const times = new Map<number, number>();
	for (const count of WORKERS) {
		while (workers.length < count) await stage.addWorker();
		const { ms } = await run(stage, RANGES, `Fan-out, workers: ${count}`);
		times.set(count, ms);
	}
	await publishRange(stage, RANGES * CONCURRENCY);
	const alone = await run(stage, 1, 'One execution with four times the concurrency');
	await publishRange(stage, CONCURRENCY);
	const [one = 0, , four = 1] = WORKERS.map((count) => times.get(count));
	const factor = one / four;
	checks.add(
		`4 workers have at least ${TARGET} times the throughput of 1`,
		factor >= TARGET,
		factor.toFixed(2),
	);
	const figure = (ms: number) => `${seconds(ms)}, ${Math.round((records / ms) * 1000)} records/s`;
	return [
		...WORKERS.map((count): [string, string] => [
			`${count} ${count === 1 ? 'worker' : 'workers'}`,
			figure(times.get(count) ?? 0),
		]),
		['One execution, four times the concurrency', figure(alone.ms)],
	];
}

/** Something happens while all ranges run: the run must end with an index that equals the file. */
async function disturbed(
	stage: FanOutStage,
	what: string,
	disturb: () => Promise<void>,
): Promise<[string, string]> {
	const ended = await step(what, async () => {
		const id = await start(stage, RANGES);
		const started = async () =>
			(await rowsOf(stage, id)).filter(({ event }) => event === 'started').length;
		await until(async () => (await started()) >= RANGES, BEGUN_WITHIN_MS);
		await until(
			() => stage.sandbox.documents(DEMO.endpoint).length > stage.records / 10,
			BEGUN_WITHIN_MS,
		);
		const before = stage.sandbox.documents(DEMO.endpoint).length;
		say(`    ${before} of ${stage.records} documents are in the index`);
		await disturb();
		return await waitForEnd(stage, id);
	});
	const { status, message = '', calls } = ended;
	const seen = `${status} ${message}, calls per range: ${calls.join(', ')}`;
	stage.checks.add(
		`${what}: the run ends, and the index equals the file`,
		status === 'success' && isComplete(stage),
		seen,
	);
	return [what, `${seen}; ${stage.sandbox.documents(DEMO.endpoint).length} documents`];
}

/** A worker is killed in the middle of its range. */
export async function fanOutKilledWorker(stage: FanOutStage): Promise<Figures> {
	const victim = stage.workers.pop();
	if (!victim) throw new Error('There is no worker');
	const seen = await disturbed(stage, 'A worker is killed', async () => {
		victim.process.kill();
		await victim.process.ended;
	});
	stage.workers.push(await stage.restart(victim));
	return [seen];
}

/** What operators restart while ranges run. */
export async function fanOutRestarts(stage: FanOutStage): Promise<Figures> {
	return [
		await disturbed(stage, 'Redis is restarted', async () => await stage.redis.restart()),
		await disturbed(
			stage,
			'PostgreSQL is restarted',
			async () => await stage.postgres.restart(),
		),
		await disturbed(stage, "n8n's main process is killed", async () => {
			stage.api = await stage.restartMain();
		}),
	];
}
