import { randomBytes } from 'node:crypto';
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
const PER_REQUEST = 20;
const CONCURRENCY = 2;

const RANGES = 4;
export const WORKERS = [1, 2, 4];
/** Of what 1 worker does, 4 workers must do at least so many times as much. */
const TARGET = 3;

/** Shorter waits would occupy a worker. */
const WAIT_SECONDS = 65;
/** After so long, a range counts as lost; the one that is left alone needs less. */
const DEADLINE_SECONDS = 60;
/** A machine that does something else meanwhile is measured again. */
const MEASUREMENTS = 2;
/** As many documents of 1 KB as a range pushes per request, where the file counts and not the service. */
const MANY_PER_REQUEST = 500;
const DOCUMENT_BYTES = 700;
const OVER_WITHIN_MS = 15 * 60_000;
const BEGUN_WITHIN_MS = 120_000;

/** What the parts of the fan-out share. */
export interface FanOutStage extends QueueMode {
	checks: Checks;
	records: number;
	/** Of each request. */
	latencyMs: number;
	/** Makes each record longer, by text that PostgreSQL cannot compress. */
	padding?: () => string;
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
	await publishRange(mode, CONCURRENCY);
	const workflow = await mode.publish(path.join(EXAMPLES, `${FAN_OUT}.json`));
	return { ...mode, checks, ...size, workflow };
}

/** Empties the service, and stores the file in it. */
async function emptyService(stage: FanOutStage): Promise<void> {
	const { sandbox, records, latencyMs, padding = () => '' } = stage;
	sandbox.reset();
	sandbox.faults.add({ route: 'push', latencyMs });
	const lines = Array.from({ length: records }, (_, number) => {
		const text = `Text ${number} ${padding()}`;
		return `${JSON.stringify({ id: `queue/${number}`, name: `Document ${number}`, text })}\n`;
	});
	const headers = { 'Content-Type': 'application/x-ndjson' };
	const url = `${sandbox.url}/files/${FILE}`;
	const { ok, status } = await fetch(url, { method: 'PUT', headers, body: lines.join('') });
	if (!ok) throw new Error(`The file could not be stored: status ${status}`);
}

async function publishRange(
	mode: QueueMode,
	concurrency: number,
	documentsPerRequest = PER_REQUEST,
): Promise<void> {
	await mode.publish(path.join(EXAMPLES, `${ONE_RANGE}.json`), ({ nodes }) => {
		const push = nodes.find(({ name }) => name === 'Push Documents');
		const options = push?.parameters.options as Record<string, unknown>;
		Object.assign(options, { documentsPerRequest, concurrency });
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

/** The same file with so many workers after another, the first time 1 and at last 4. */
async function speeds(stage: FanOutStage, workers: number[]): Promise<Map<number, number>> {
	const times = new Map<number, number>();
	for (const count of workers) {
		// The last ones are taken away again, to measure fewer after more.
		for (const worker of stage.workers.splice(count)) await worker.process.stop();
		while (stage.workers.length < count) await stage.addWorker({ concurrency: 1 });
		const { ms } = await run(stage, RANGES, `Fan-out, workers: ${count}`);
		times.set(count, ms);
	}
	return times;
}

/** The same file with several numbers of workers, and in one execution with four times the concurrency. */
export async function fanOutSpeed(stage: FanOutStage, counts: number[]): Promise<Figures> {
	const { checks, records } = stage;
	const factorOf = (times: Map<number, number>) => (times.get(1) ?? 0) / (times.get(RANGES) ?? 1);
	let times = await speeds(stage, counts);
	for (let tries = 1; tries < MEASUREMENTS && factorOf(times) < TARGET; tries++) {
		say(`    4 workers had ${factorOf(times).toFixed(2)} times the throughput of 1: once more`);
		const again = await speeds(stage, counts);
		if (factorOf(again) > factorOf(times)) times = again;
	}
	await publishRange(stage, RANGES * CONCURRENCY);
	const alone = await run(stage, 1, 'One execution with four times the concurrency');
	await publishRange(stage, CONCURRENCY);
	checks.add(
		`4 workers have at least ${TARGET} times the throughput of 1`,
		factorOf(times) >= TARGET,
		factorOf(times).toFixed(2),
	);
	const figure = (ms: number) => `${seconds(ms)}, ${Math.round((records / ms) * 1000)} records/s`;
	return [
		...[...times].map(([count, ms]): [string, string] => [
			`${count} ${count === 1 ? 'worker' : 'workers'}`,
			figure(ms),
		]),
		['One execution, four times the concurrency', figure(alone.ms)],
	];
}

/** What n8n's database holds of a file that ranges fetch, and how long they take. */
export async function fanOutCopies(stage: FanOutStage, megabytes: number): Promise<Figures> {
	const { postgres } = stage;
	const padding = () => randomBytes(DOCUMENT_BYTES).toString('base64');
	const large = { ...stage, records: megabytes * 1000, padding };
	const sizes = async () => ({
		files: await postgres.query('SELECT coalesce(sum("fileSize"), 0) FROM binary_data'),
		database: await postgres.query('SELECT pg_database_size(current_database())'),
	});
	await publishRange(stage, CONCURRENCY, MANY_PER_REQUEST);
	const figures: Figures = [];
	for (const ranges of [1, RANGES]) {
		const before = await sizes();
		const { ms, calls } = await run(
			large,
			ranges,
			`A file of ${megabytes} MB, ranges: ${ranges}`,
		);
		const after = await sizes();
		const megabytesMore = (what: keyof typeof before) =>
			Math.round((after[what] - before[what]) / 1e6);
		// A range whose deadline has passed is called again.
		const copies = calls.reduce((sum, count) => sum + count, 0);
		stage.checks.add(
			`Ranges of a file of ${megabytes} MB: ${ranges}: the database has a copy for each call`,
			Math.abs(megabytesMore('files') / megabytes - copies) < 0.1 * copies,
			`${megabytesMore('files')} MB`,
		);
		const size = `${copies} copies, ${megabytesMore('files')} MB of files, database + ${megabytesMore('database')} MB`;
		figures.push([`${ranges} ${ranges === 1 ? 'range' : 'ranges'}`, `${seconds(ms)}, ${size}`]);
	}
	await publishRange(stage, CONCURRENCY);
	return figures;
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
