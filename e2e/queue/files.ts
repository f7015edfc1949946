import { DEMO } from '../../sandbox';
import { seconds } from '../shared/progress';
import type { Figures } from '../shared/report';
import { until } from '../shared/wait';
import type { QueueStage } from './stage';
import { executionsOf } from './stage';
import type { Worker } from './worker';

const RUN = 'Run 3';

/** A document of the file is 1 KB, so that it has so many of them in a MB. */
const DOCUMENTS_PER_MB = 1000;
const DOCUMENT_CHARACTERS = 900;

/** Texts are a fifth of the documents: each line becomes a chunk with a vector, several times as large. */
const TEXTS_PER_MB = 50;
const LINES_PER_TEXT = 4;

/** The first run of the file takes so long that its worker writes a line to its log, after 10 seconds. */
const REQUESTS = 100;
const PUSH_LATENCY_MS = 700;
const LINE_WITHIN_MS = 60_000;

/** How long n8n may take to see that the worker is gone. */
const NOTICED_WITHIN_MS = 60_000;

/** What the log of a worker says. */
const CONTINUE = /continue with Skip Records: (\d+)/g;

/** How n8n names a file that it keeps in its database. */
const IN_DATABASE = /^database:/;

/** What the index must hold. */
type Model = Map<string, string>;

interface FileOfRecords {
	name: string;
	content: string;
	model: Model;
}

function fileOfDocuments(megabytes: number): FileOfRecords {
	const documents = Array.from({ length: megabytes * DOCUMENTS_PER_MB }, (_, number) => ({
		id: `file/${number}`,
		name: `Document ${number}`,
		text: `Document ${number} ${'says so. '.repeat(DOCUMENT_CHARACTERS / 9)}`,
	}));
	return {
		name: 'queue-documents.jsonl',
		content: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
		model: new Map(documents.map(({ id, text }) => [id, text])),
	};
}

function fileOfTexts(megabytes: number): FileOfRecords {
	const model: Model = new Map();
	const texts = Array.from({ length: megabytes * TEXTS_PER_MB }, (_, number) => {
		const id = `text/${number}`;
		const lines = Array.from(
			{ length: LINES_PER_TEXT },
			(_line, line) => `Line ${line} of ${id} ${'and so on '.repeat(90)}`,
		);
		for (const [at, line] of lines.entries()) model.set(`${id}#${at}`, line.trim());
		return { id, name: `Text ${number}`, text: lines.join('\n') };
	});
	const content = texts.map((text) => `${JSON.stringify(text)}\n`).join('');
	return { name: 'queue-texts.jsonl', content, model };
}

async function store(stage: QueueStage, { name, content }: FileOfRecords): Promise<void> {
	const url = `${stage.sandbox.url}/files/${name}`;
	const headers = { 'Content-Type': 'application/x-ndjson' };
	const { ok, status } = await fetch(url, { method: 'PUT', headers, body: content });
	if (!ok) throw new Error(`The file could not be stored: status ${status}`);
}

/** What the index has of the IDs that begin like this. */
function indexed({ sandbox }: QueueStage, prefix: string): Model {
	const documents = sandbox.documents(DEMO.endpoint);
	return new Map(
		documents
			.filter(({ id }) => String(id).startsWith(prefix))
			.map(({ id, text }) => [String(id), String(text).trim()]),
	);
}

const isSame = (index: Model, model: Model): boolean =>
	index.size === model.size && [...model].every(([id, text]) => index.get(id) === text.trim());

/** The numbers that the workers' logs have named so far. */
const numbersIn = (workers: Worker[]): number[] =>
	workers.flatMap((worker) => [...worker.log().matchAll(CONTINUE)].map(([, n]) => Number(n)));

/** Kills the worker that pushes the file as soon as its log says how to continue. */
async function killInTheMiddle(stage: QueueStage, file: FileOfRecords): Promise<number> {
	const { api, sandbox, workers, checks } = stage;
	const requests = Math.ceil(file.model.size / REQUESTS);
	sandbox.faults.add({ route: 'push', latencyMs: PUSH_LATENCY_MS });
	const before = numbersIn(workers).length;
	const call = api.postWebhook('queue-file', { file: file.name, skip: 0, perRequest: requests });
	await until(() => numbersIn(workers).length > before, LINE_WITHIN_MS);
	const [execution] = await executionsOf(stage, 'queue-file');
	const victim = workers.findLast((worker) => worker.started().includes(execution?.id ?? ''));
	if (!victim) throw new Error('No worker has begun to push the file');
	victim.process.kill();
	const killedAt = Date.now();
	await victim.process.ended;
	sandbox.faults.clear();
	const skip = numbersIn([victim]).at(-1) ?? NaN;
	const index = indexed(stage, 'file/');
	const ids = [...file.model.keys()].slice(0, skip);
	checks.add(
		`${RUN}: the log of the killed worker names a number in the middle, up to which all is indexed`,
		skip > 0 && skip < file.model.size && ids.every((id) => index.has(id)),
		`${skip} of ${file.model.size} records, ${index.size} indexed`,
	);
	workers.push(await stage.restart(victim));
	const { status } = await call;
	let failed = '';
	const isOver = await until(async () => {
		failed = (await executionsOf(stage, 'queue-file'))[0]?.status ?? '';
		return ['error', 'crashed'].includes(failed);
	}, NOTICED_WITHIN_MS);
	checks.add(
		`${RUN}: the killed execution ends as failed, and is not run again`,
		isOver && status >= 400,
		`${failed} ${seconds(Date.now() - killedAt)} after the kill, status ${status}`,
	);
	return skip;
}

/** Files in queue mode, where n8n keeps them in its database: one is pushed by two workers, one chunked. */
export async function files(stage: QueueStage, megabytes: number): Promise<Figures> {
	const { api, sandbox, checks } = stage;
	sandbox.faults.clear();
	sandbox.settings.chunkDelayMs = 0;
	const documents = fileOfDocuments(megabytes);
	const texts = fileOfTexts(megabytes);
	await store(stage, documents);
	await store(stage, texts);

	const skip = await killInTheMiddle(stage, documents);
	const again = { file: documents.name, skip, perRequest: 500 };
	const pushed = await api.postWebhook('queue-file', again);
	const [execution] = await executionsOf(stage, 'queue-file');
	const [item] = (await api.execution(execution.id)).items('Get File');
	const { id = '' } = item?.binary?.data ?? {};
	checks.add(`${RUN}: n8n keeps the file in its database`, IN_DATABASE.test(id), id);
	const index = indexed(stage, 'file/');
	checks.add(
		`${RUN}: continued with Skip Records, the index equals the file`,
		pushed.status === 200 && isSame(index, documents.model),
		`${index.size} of ${documents.model.size} documents, status ${pushed.status}`,
	);

	const { status } = await api.postWebhook('queue-file-chunk', { file: texts.name });
	const chunks = indexed(stage, 'text/');
	const [chunked] = await executionsOf(stage, 'queue-file-chunk');
	// The items that the filter discards are among those of the node.
	const parts = (await api.execution(chunked.id))
		.items('Files with Chunks')
		.filter(({ json }) => 'part' in json);
	const stored = parts.filter(({ binary }) => IN_DATABASE.test(binary?.data?.id ?? ''));
	checks.add(
		`${RUN}: a file is chunked to files in the database, and the index equals its chunks`,
		status === 200 &&
			parts.length > 1 &&
			stored.length === parts.length &&
			isSame(chunks, texts.model),
		`${chunks.size} of ${texts.model.size} chunks in ${parts.length} files`,
	);
	return [
		['Files', `${megabytes} MB of documents, ${texts.content.length / 1e6} MB of texts`],
		['Skip Records named by the log', `${skip} of ${documents.model.size}`],
		['Chunks', `${chunks.size} in ${parts.length} files`],
	];
}
