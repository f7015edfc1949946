import { readFileSync } from 'node:fs';

import { until } from '../../e2e/shared/wait';
import { DEMO, startSandbox, type RouteName, type Sandbox } from '../../sandbox';
import { makeDocuments } from '../lib/documents';
import { print, table, whole } from '../lib/table';
import { documentsFile } from './data-files';
import { warmServer } from './push';
import type { Stage } from './stage';
import { CREDENTIALS, getFile, push, type Step } from './workflows';

/** A run takes so long that it writes lines to n8n's log, which it does every 10 seconds. */
const RUN_SECONDS = 25;
const LINE_WITHIN_MS = 60_000;

/** A node that works on the file. */
interface Work {
	node: string;
	documents: number;
	route: RouteName;
	requests: number;
	concurrency: number;
	step: (options: Record<string, unknown>) => Step;
	/** Whether the index is as it must be if all records up to this one are done. */
	isRight: (index: Map<string, string>, upTo: number, all: string[]) => boolean;
}

const credentials = { pushEndpointApi: CREDENTIALS.sandbox };

const pushing = (documents: number): Work => ({
	node: 'Push Documents',
	documents,
	route: 'push',
	requests: documents / 500,
	concurrency: 4,
	step: (options) => ({ ...push({ documentSource: 'file' }, options), credentials }),
	isRight: (index, upTo, all) =>
		all.slice(0, upTo).every((line) => index.get(idOf(line)) === line),
});

/** Deletes are one request each. */
const deleting = (documents: number): Work => ({
	node: 'Delete Document',
	documents,
	route: 'delete',
	requests: documents,
	concurrency: 8,
	step: (options) => ({
		name: 'Delete Document',
		type: 'n8n-nodes-search-ingest.deleteDocument',
		parameters: { idSource: 'file', commit: 'serviceDefault', options },
		credentials,
	}),
	isRight: (index, upTo, all) => all.slice(0, upTo).every((line) => !index.has(idOf(line))),
});

const idOf = (line: string): string => (JSON.parse(line) as { id: string }).id;

/** Files that are interrupted in the middle, and continued with the number that n8n names. */
export async function benchInterrupted(stage: Stage): Promise<void> {
	const sandbox = await startSandbox({ settings: { keepBodies: false } });
	stage.command.onStop(async () => await sandbox.close());
	await warmServer(stage);
	await stage.server.addCredential({
		name: CREDENTIALS.sandbox,
		type: 'pushEndpointApi',
		data: { pushUrl: sandbox.urls.pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
	});
	const rows = [];
	for (const work of [
		pushing(stage.options.interrupted),
		deleting(stage.options.interrupted / 10),
	]) {
		for (const interrupt of [stopped, killed]) {
			rows.push(await interruptAndContinue(stage, sandbox, work, interrupt));
		}
	}
	print(
		'',
		'### Interrupted in the middle, then continued',
		'',
		table(['', 'how', 'Skip Records', 'done when interrupted', 'index'], rows),
	);
}

type Interrupt = (
	stage: Stage,
	sandbox: Sandbox,
	work: Work,
	steps: Step[],
) => Promise<{ how: string; skip: number }>;

async function interruptAndContinue(
	stage: Stage,
	sandbox: Sandbox,
	work: Work,
	interrupt: Interrupt,
): Promise<string[]> {
	const { folder, stub, server, goals } = stage;
	const file = await documentsFile(folder, work.documents, 'jsonl');
	const lines = makeDocuments(work.documents).map((document) => JSON.stringify(document));
	const get = getFile(`${stub.files}/${file}`);
	sandbox.reset();
	if (work.route === 'delete') await pushAll(sandbox, lines);
	const { how, skip } = await interrupt(stage, sandbox, work, [
		get,
		work.step({ maxAttempts: 2 }),
	]);
	sandbox.faults.clear();
	sandbox.commit();
	const before = indexOf(sandbox);
	const what = `${work.node} ${how}`;
	goals.check(`${what}: it was in the middle`, skip > 0 && skip < work.documents, `${skip}`);
	goals.check(
		`${what}: all records before the number are done`,
		work.isRight(before, skip, lines),
	);
	await server.run(`${what}, continued`, [get, work.step({ skipRecords: skip })]);
	sandbox.commit();
	const index = indexOf(sandbox);
	const size = work.route === 'push' ? work.documents : 0;
	const isRight = index.size === size && work.isRight(index, work.documents, lines);
	goals.check(`${what}, then continued with Skip Records: the index equals the file`, isRight);
	const done = work.route === 'push' ? before.size : work.documents - before.size;
	return [
		`${whole(work.documents)} records, ${work.node}`,
		how,
		whole(skip),
		whole(done),
		isRight ? 'equals the file' : 'wrong',
	];
}

/** The service fails from the middle on: the error of the execution says how to continue. */
const stopped: Interrupt = async ({ server }, sandbox, work, steps) => {
	sandbox.faults.add({ route: work.route, skip: Math.floor(work.requests / 2), status: 503 });
	const { ended } = await server.start(`${work.node} stops`, steps);
	const { executionId, status } = await ended();
	const { message = '' } = await server.execution(executionId);
	if (status !== 'error') throw new Error(`The execution ended with '${status}'`);
	return { how: 'stopped by a failure', skip: numberIn(message) };
};

/** n8n is killed once it has said in its log how to continue. */
const killed: Interrupt = async ({ server }, sandbox, work, steps) => {
	const rounds = work.requests / work.concurrency;
	sandbox.faults.add({ route: work.route, latencyMs: (RUN_SECONDS * 1000) / rounds });
	const readLog = () => readFileSync(server.logFile, 'utf8');
	const before = readLog().length;
	const log = () => readLog().slice(before);
	await server.start(`${work.node} is killed`, steps);
	await until(() => /Skip Records: \d/.test(log()), LINE_WITHIN_MS);
	await server.kill();
	const skip = numberIn(log());
	await server.restart();
	return { how: 'killed with n8n', skip };
};

/** The last number in a text that says how to continue. */
const numberIn = (text: string): number =>
	Number([...text.matchAll(/Skip Records: (\d+)/g)].at(-1)?.[1] ?? NaN);

function indexOf(sandbox: Sandbox): Map<string, string> {
	return new Map(
		sandbox
			.documents(DEMO.endpoint)
			.map((document) => [String(document.id), JSON.stringify(document)]),
	);
}

async function pushAll(sandbox: Sandbox, lines: string[]): Promise<void> {
	for (let from = 0; from < lines.length; from += 1000) {
		await fetch(`${sandbox.urls.pushUrl}/api/v1/push/${DEMO.endpoint}`, {
			method: 'POST',
			headers: { 'X-API-Key': DEMO.pushKey, 'Content-Type': 'application/json' },
			body: `[${lines.slice(from, from + 1000).join(',')}]`,
		});
	}
}
