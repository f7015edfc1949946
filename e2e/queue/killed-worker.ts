import type { JobSummary } from '../../sandbox';
import type { WebhookResponse } from '../n8n/api';
import type { ExecutionSummary } from '../n8n/execution';
import { NOT_OVER } from '../n8n/execution';
import { seconds } from '../shared/progress';
import type { Figures } from '../shared/report';
import { until } from '../shared/wait';
import type { Delivery } from './documents';
import { documentsOf } from './documents';
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
import type { Worker } from './worker';

/** n8n holds an execution in the worker's memory when its Wait node waits less than 65 seconds. */
const SHORT_WAIT_SECONDS = 25;
const LONG_WAIT_SECONDS = 66;

/** Executions of each kind. */
const SHORT_WAITS = 8;
const LONG_WAITS = 4;
const INGESTS = 24;

const DOCUMENTS_PER_SUBMIT = 2;

/** Slow enough that there are executions in every phase when the worker is killed. */
const CHUNK_DELAY_MS = 2000;
const PUSH_LATENCY_MS = 400;

/** The worker is killed after so many pushes, while it runs so many ingests. */
const PUSHES_BEFORE_KILL = 4;
const INGESTS_UNDER_WAY = 3;

const READY_TO_KILL_WITHIN_MS = 60_000;

/** How long after the kill every execution must have ended. */
const OVER_WITHIN_MS = 150_000;

const RUN = 'Run 2';

/** The executions that have submitted and now wait. */
interface Waits {
	/** IDs of the executions, and the chunking IDs n8n has stored of each. */
	chunkingIds: Map<string, string[]>;
	/** IDs of those that wait in the database, not in a worker. */
	inDatabase: Set<string>;
	/** All jobs the service has accepted from them. */
	jobs: JobSummary[];
}

/** The killed worker. */
interface Kill {
	victim: Worker;
	at: number;
	/** IDs of the executions it was running. */
	waits: string[];
	ingests: string[];
}

/** Starts the executions that submit and wait; returns once n8n has stored their chunking IDs. */
async function submit(stage: QueueStage): Promise<Waits> {
	const { api, sandbox } = stage;
	const before = new Set(sandbox.jobs().map(({ chunkingId }) => chunkingId));
	const deliveries = Array.from({ length: SHORT_WAITS + LONG_WAITS }, (_, number) => ({
		documents: documentsOf(`run2-submit-${number}`, DOCUMENTS_PER_SUBMIT),
		waitSeconds: number < SHORT_WAITS ? SHORT_WAIT_SECONDS : LONG_WAIT_SECONDS,
	}));
	stage.deliveries.push(...deliveries);
	for (const delivery of deliveries) await api.postWebhook('queue-submit', delivery);
	const chunkingIds: Waits['chunkingIds'] = new Map();
	const inDatabase: Waits['inDatabase'] = new Set();
	await until(async () => {
		for (const { id, status } of await executionsOf(stage, 'queue-submit')) {
			const { items } = await api.execution(id);
			if (status === 'waiting') inDatabase.add(id);
			if (items('Remember').length < DOCUMENTS_PER_SUBMIT) continue;
			chunkingIds.set(id, [
				...new Set(items('Submit').map(({ json }) => String(json.chunkingId))),
			]);
		}
		return chunkingIds.size === deliveries.length && inDatabase.size === LONG_WAITS;
	}, READY_TO_KILL_WITHIN_MS);
	const jobs = sandbox.jobs().filter(({ chunkingId }) => !before.has(chunkingId));
	const stored = new Set([...chunkingIds.values()].flat());
	stage.checks.add(
		`${RUN}: n8n stores every chunking ID before the wait`,
		jobs.length === deliveries.length && jobs.every(({ chunkingId }) => stored.has(chunkingId)),
		`${jobs.length} issued, ${stored.size} stored`,
	);
	return { chunkingIds, inDatabase, jobs };
}

function runningOn(worker: Worker): string[] {
	const finished = new Set(worker.finished());
	return worker.started().filter((id) => !finished.has(id));
}

/** Kills the worker with most waits as soon as it is in the middle of both workflows. */
async function kill(stage: QueueStage, waits: Waits, requestsBefore: number): Promise<Kill> {
	const { sandbox, workers, checks } = stage;
	const waitsOn = (worker: Worker) => runningOn(worker).filter((id) => waits.chunkingIds.has(id));
	const ingestsOn = (worker: Worker) =>
		runningOn(worker).filter((id) => !waits.chunkingIds.has(id));
	const [victim] = [...workers].sort((a, b) => waitsOn(b).length - waitsOn(a).length);
	const pushes = () =>
		sandbox.requests.slice(requestsBefore).filter(({ route }) => route === 'push').length;
	await until(
		() => pushes() >= PUSHES_BEFORE_KILL && ingestsOn(victim).length >= INGESTS_UNDER_WAY,
		READY_TO_KILL_WITHIN_MS,
	);
	victim.process.kill();
	const at = Date.now();
	// Only then its log is complete.
	await victim.process.ended;
	const killed: Kill = { victim, at, waits: waitsOn(victim), ingests: ingestsOn(victim) };
	checks.add(
		`${RUN}: ${victim.name} is killed in the middle of both workflows`,
		killed.waits.length > 0 && killed.ingests.length > 0,
		`${killed.ingests.length} ingests and ${killed.waits.length} short waits under way`,
	);
	return killed;
}

/** Waits until all executions have ended; checks how. Returns the failed ones. */
async function checkEnds(
	stage: QueueStage,
	waits: Waits,
	killed: Kill,
	before: Set<string>,
): Promise<ExecutionSummary[]> {
	const { checks, workers } = stage;
	let all: ExecutionSummary[] = [];
	const isOver = await until(async () => {
		const submits = await executionsOf(stage, 'queue-submit');
		all = [...submits, ...(await executionsOf(stage, 'queue-ingest'))];
		all = all.filter(({ id }) => !before.has(id));
		return all.every(({ status }) => !NOT_OVER.has(status));
	}, OVER_WITHIN_MS);
	checks.add(
		`${RUN}: every execution ends`,
		isOver && all.length === SHORT_WAITS + LONG_WAITS + INGESTS,
		`${all.length} executions`,
	);
	const failed = all.filter(({ status }) => status !== 'success');
	const lost = new Set([...killed.waits, ...killed.ingests]);
	// What the worker took just before its end may be missing in its log; then no other log has it.
	const isLost = (id: string) =>
		lost.has(id) || !workers.some((worker) => worker.started().includes(id));
	const last = Math.max(...failed.map(({ stoppedAt }) => Date.parse(stoppedAt ?? '')));
	checks.add(
		`${RUN}: the killed worker's executions end as failed, no others`,
		failed.length > 0 &&
			failed.every(({ id, status }) => isLost(id) && ['error', 'crashed'].includes(status)),
		`${failed.length} of ${lost.size}, the last ${seconds(last - killed.at)} after the kill`,
	);
	const starts = workers.flatMap((worker) => worker.started());
	const twice = all.filter(
		({ id }) => !waits.inDatabase.has(id) && starts.filter((one) => one === id).length > 1,
	);
	checks.add(`${RUN}: n8n runs none of them again`, twice.length === 0, `${twice.length}`);
	const survivors = all.filter(
		({ id, status }) => waits.inDatabase.has(id) && status === 'success',
	);
	checks.add(
		`${RUN}: waits in the database survive`,
		survivors.length === LONG_WAITS,
		`${survivors.length} of ${LONG_WAITS}, ${LONG_WAIT_SECONDS} s each`,
	);
	return failed;
}

/** Whoever got an error calls again, as a real caller would. */
async function checkCallers(
	stage: QueueStage,
	deliveries: Delivery[],
	responses: WebhookResponse[],
	failedIngests: number,
): Promise<void> {
	const unserved = deliveries.filter((_, number) => !saysDeleted(responses[number]));
	const statuses = responses
		.filter((response) => !saysDeleted(response))
		.map(({ status }) => status);
	stage.checks.add(
		`${RUN}: the callers of failed executions get an error`,
		unserved.length >= failedIngests,
		`${unserved.length} of ${INGESTS}, status ${[...new Set(statuses)].join(', ')}`,
	);
	const again = await ingestAll(stage, unserved);
	stage.checks.add(
		`${RUN}: called again, they succeed`,
		again.every(saysDeleted),
		`${again.length} calls`,
	);
}

/** Chunks that were not fetched are fetched now, with the chunking IDs in the data table. */
async function checkChunkingIds(stage: QueueStage, { jobs }: Waits): Promise<void> {
	const { api, sandbox, checks } = stage;
	const given = new Set(jobs.map(({ chunkingId }) => chunkingId));
	const fetched = () =>
		sandbox
			.jobs()
			.filter(({ chunkingId, status }) => given.has(chunkingId) && status === 'RETRIEVED')
			.length;
	const before = fetched();
	const { status } = await api.postWebhook('queue-resume', {});
	const after = fetched();
	checks.add(
		`${RUN}: no chunking ID is lost`,
		status === 200 && after === given.size,
		`${before} fetched by their executions, ${after - before} resumed from the data table`,
	);
	const { body } = await api.postWebhook('queue-resume', {});
	checks.add(`${RUN}: nothing is left to resume`, Array.isArray(body) && body.length === 0);
}

/** How many chunks were pushed a second time, which the index does not show. */
function pushedAgain({ sandbox }: QueueStage, requestsBefore: number): number {
	const pushed = sandbox.requests
		.slice(requestsBefore)
		.filter(({ route, status }) => route === 'push' && status === 200)
		.flatMap(({ body }) => body as Array<{ id: string }>);
	return pushed.length - new Set(pushed.map(({ id }) => id)).size;
}

/** How many failed executions still have their chunking ID in their stored data. */
async function stillStored(stage: QueueStage, ids: string[]): Promise<number> {
	let found = 0;
	for (const id of ids) {
		const { items } = await stage.api.execution(id);
		if (items('Submit').length > 0) found += 1;
	}
	return found;
}

/** A worker is killed in the middle of its work: nothing may be lost or indexed twice. */
export async function killedWorker(stage: QueueStage): Promise<Figures> {
	const { sandbox, api, workers } = stage;
	const figures = figuresFrom(stage);
	const requestsBefore = sandbox.requests.length;
	const startedBefore = new Map(workers.map((worker) => [worker, worker.started().length]));
	const before = new Set((await executionsOf(stage, 'queue-ingest')).map(({ id }) => id));
	sandbox.settings.chunkDelayMs = CHUNK_DELAY_MS;
	sandbox.faults.add({ route: 'push', latencyMs: PUSH_LATENCY_MS });

	// Creates the data table before many executions write to it.
	await api.postWebhook('queue-resume', {});
	const waits = await submit(stage);
	const deliveries = ingestDeliveries('run2', INGESTS);
	stage.deliveries.push(...deliveries);
	const calls = ingestAll(stage, deliveries);
	const killed = await kill(stage, waits, requestsBefore);
	workers.push(await stage.restart(killed.victim));
	const responses = await calls;

	const failed = await checkEnds(stage, waits, killed, before);
	const failedWaits = failed.filter(({ id }) => waits.chunkingIds.has(id)).map(({ id }) => id);
	await checkCallers(stage, deliveries, responses, failed.length - failedWaits.length);
	const stored = await stillStored(stage, failedWaits);
	await checkChunkingIds(stage, waits);
	checkService(stage, RUN);
	const { victim } = killed;
	return [
		[
			'Executions',
			`${SHORT_WAITS + LONG_WAITS + INGESTS}, ${failed.length} failed with ${victim.name}`,
		],
		['Executions per worker', perWorker(workers, startedBefore)],
		['Failed waits whose stored data kept the ID', `${stored} of ${failedWaits.length}`],
		['Chunks pushed again, to no effect', `${pushedAgain(stage, requestsBefore)}`],
		...figures(),
	];
}
