import type { Sandbox, SearchHit } from '../../sandbox';
import { DEMO } from '../../sandbox';
import type { Checks } from './checks';
import type { Demo } from './demo';
import { repositoryDocuments } from './documents';
import type { Execution, N8nApi } from './n8n-api';

/** Words in a query that picks one chunk out of all. */
const QUERY_WORDS = 6;

/** Node types that start a workflow. */
const TRIGGERS = new Set(['n8n-nodes-base.manualTrigger', 'n8n-nodes-base.webhook']);

/** What a scenario works with. */
export interface Stage {
	api: N8nApi;
	sandbox: Sandbox;
	demo: Demo;
	checks: Checks;
}

/** A workflow run and what it was for. */
export interface Run {
	workflow: string;
	execution: Execution;
}

/** What the ingest showed. */
export interface IngestResult {
	run: Run;
	documentsIn: number;
	chunksOut: number;
	query: string;
	hits: SearchHit[];
	/** The pushed chunk that will be deleted, and a query that finds it. */
	victim: { id: string; query: string };
}

interface IndexedChunk {
	id: string;
	text: string;
}

/** Checks that a run ended well. */
function succeeded(stage: Stage, run: Run): Run {
	const { status, message } = run.execution;
	stage.checks.add(
		`Workflow '${run.workflow}' succeeds`,
		status === 'success',
		message === undefined ? status : `${status}: ${message}`,
	);
	return run;
}

/** "Execute workflow": webhooks get the sample data pinned to them. */
async function byHand(stage: Stage, file: string): Promise<Run> {
	const workflow = stage.demo.workflows[file];
	const trigger = workflow.nodes.find(({ type }) => TRIGGERS.has(type));
	if (!trigger) throw new Error(`${file} has no trigger`);
	const execution = await stage.api.runManually(workflow.id, trigger.name);
	return succeeded(stage, { workflow: workflow.name, execution });
}

async function byWebhook(stage: Stage, file: string, body: unknown): Promise<Run> {
	const workflow = stage.demo.workflows[file];
	const execution = await stage.api.callWebhook(workflow.id, file, body);
	return succeeded(stage, { workflow: workflow.name, execution });
}

/** Search as the sandbox serves it over HTTP, with the words in any order. */
function search(stage: Stage, query: string): SearchHit[] {
	return stage.sandbox.search(DEMO.endpoint, query);
}

function finds(stage: Stage, query: string, id: string): boolean {
	return search(stage, query).some((hit) => hit.id === id);
}

/** Words that all occur in the text, taken where it has longer ones. */
function queryFor(text: string): string {
	const words = [...new Set(text.match(/\p{L}{5,}/gu) ?? [])];
	return words.slice(0, QUERY_WORDS).join(' ');
}

/** The texts of a document, its ID and address left out. */
function textOf(document: Record<string, unknown>): string {
	return Object.entries(document)
		.filter(([name, value]) => typeof value === 'string' && name !== 'id' && name !== 'url')
		.map(([, value]) => value)
		.join('\n');
}

/** Committed documents that came from one of the source documents. */
function chunksOf(stage: Stage, sourceIds: string[]): IndexedChunk[] {
	const sources = sourceIds.map((id) => `${id}#`);
	return stage.sandbox
		.documents(DEMO.endpoint)
		.map((document) => ({ id: String(document.id), text: textOf(document) }))
		.filter(({ id }) => sources.some((source) => id.startsWith(source)));
}

/** The main job: this repository's Markdown goes in by webhook, is chunked, pushed and found. */
export async function ingest(stage: Stage): Promise<IngestResult> {
	const documents = repositoryDocuments();
	const run = await byWebhook(stage, 'ingest-documents', { documents });
	const chunksOut = run.execution.items('Chunk Text').length;
	const indexed = chunksOf(
		stage,
		documents.map(({ id }) => id),
	);
	const { checks } = stage;
	checks.add('Every document gives chunks', chunksOut >= documents.length, `${chunksOut} chunks`);
	checks.add(
		'Every chunk is in the index',
		indexed.length >= chunksOut && chunksOut > 0,
		`${indexed.length} indexed`,
	);
	const first = indexed[0] ?? { id: '', text: '' };
	const last = indexed.at(-1) ?? first;
	const query = queryFor(first.text);
	const hits = search(stage, query);
	checks.add(
		'The search finds what was pushed',
		hits.some(({ id }) => id === first.id),
		`'${query}' finds ${hits.length}`,
	);
	const victim = { id: last.id, query: queryFor(last.text) };
	checks.add(
		'The search finds the document to be deleted',
		finds(stage, victim.query, victim.id),
		victim.id,
	);
	return { run, documentsIn: documents.length, chunksOut, query, hits, victim };
}

/** Deletes one of the pushed documents; it is gone from the index at once. */
export async function remove(stage: Stage, victim: IngestResult['victim']): Promise<Run> {
	const before = stage.sandbox.documents(DEMO.endpoint).length;
	const run = await byWebhook(stage, 'delete-documents', { ids: [victim.id] });
	const after = stage.sandbox.documents(DEMO.endpoint).length;
	const { checks } = stage;
	checks.add(
		'The search no longer finds the deleted document',
		!finds(stage, victim.query, victim.id),
		victim.id,
	);
	checks.add(
		'Nothing else was deleted',
		after === before - 1,
		`${before} before, ${after} after`,
	);
	const [item] = run.execution.items('Delete Document');
	checks.add('The node answers { deleted: true }', item?.json.deleted === true);
	return run;
}

/** The samples that come with the templates. */
export async function samples(stage: Stage): Promise<Run[]> {
	const sampleIds = ['handbook/returns.md', 'handbook/shipping.md'];
	const pushed = await byHand(stage, 'ingest-documents');
	const indexed = chunksOf(stage, sampleIds).map(({ id }) => id);
	stage.checks.add('The sample documents are indexed', indexed.length === 4, indexed.join(', '));
	const deleted = await byHand(stage, 'delete-documents');
	const left = chunksOf(stage, sampleIds).map(({ id }) => id);
	stage.checks.add('The sample deletes are committed', left.length === 2, left.join(', '));
	return [pushed, deleted];
}

/** Submit, n8n's Wait node, Get Results. */
export async function submitAndWait(stage: Stage): Promise<Run> {
	const run = await byHand(stage, 'submit-wait-get-results');
	const chunks = run.execution.items('Chunks');
	stage.checks.add(
		'Submit, Wait and Get Results give chunks',
		chunks.length === 3,
		`${chunks.length}`,
	);
	return run;
}

/** Blob manifests, once. */
export async function migrate(stage: Stage): Promise<Run> {
	const run = await byHand(stage, 'migrate-blobs');
	const versions = (await blobs(stage)).map(({ version }) => version);
	stage.checks.add(
		'The blob manifests are migrated',
		versions.length > 0 && versions.every((version) => version.startsWith('4.')),
		versions.join(', '),
	);
	return run;
}

/** The blob service's listing. */
export async function blobs(stage: Stage): Promise<Array<{ id: string; version: string }>> {
	const reply = await fetch(`${stage.sandbox.addresses.baseUrl}/blobs`);
	return (await reply.json()) as Array<{ id: string; version: string }>;
}

/** Pushes what changed and deletes what vanished, in three calls. */
export async function sync(stage: Stage): Promise<Run[]> {
	const document = (id: string, text: string) => ({ id: `sync/${id}`, name: id, text });
	const lists = [
		[document('a', 'Almond'), document('b', 'Blackberry'), document('c', 'Chestnut')],
		[document('a', 'Almond'), document('b', 'Blueberry'), document('d', 'Damson')],
		[document('a', 'Almond'), document('b', 'Blueberry'), document('d', 'Damson')],
	];
	const runs: Run[] = [];
	const requests: string[] = [];
	for (const documents of lists) {
		const before = stage.sandbox.requests.length;
		runs.push(await byWebhook(stage, 'sync-by-source', { documents }));
		const sent = stage.sandbox.requests.slice(before).map(({ method }) => method);
		requests.push(sent.sort().join('+'));
		const expected = documents.map(({ id, text }) => `${id}=${text}`).sort();
		const indexed = stage.sandbox
			.documents(DEMO.endpoint)
			.filter(({ id }) => String(id).startsWith('sync/'))
			.map(({ id, text }) => `${String(id)}=${String(text)}`)
			.sort();
		stage.checks.add(
			`The index equals the source (sync ${runs.length})`,
			indexed.join() === expected.join(),
			indexed.join(', '),
		);
	}
	stage.checks.add(
		'An unchanged source causes no request',
		requests[2] === '',
		requests.join(' | '),
	);
	return runs;
}

/** A document comes in with three chunks, then shorter: the chunk that is gone leaves the index. */
export async function update(stage: Stage): Promise<Run[]> {
	const id = 'update/shrinking.md';
	const document = (sections: string[], formerChunkCount: number) => ({
		id,
		name: 'Shrinking',
		text: sections.map((section) => `# ${section}`).join('\n'),
		formerChunkCount,
	});
	const runs: Run[] = [];
	for (const [sections, former] of [
		[['Almond', 'Blackberry', 'Chestnut'], 0],
		[['Almond', 'Blueberry'], 3],
	] as const) {
		const documents = [document([...sections], former)];
		runs.push(await byWebhook(stage, 'update-documents', { documents }));
		const indexed = chunksOf(stage, [id]).map((chunk) => chunk.id);
		const expected = sections.map((_section, number) => `${id}#${number}`);
		stage.checks.add(
			`The index has the chunks of the document (update ${runs.length})`,
			indexed.sort().join() === expected.join(),
			indexed.join(', '),
		);
	}
	return runs;
}

/** n8n's own HTTP Request node with our credential. */
export async function rules(stage: Stage): Promise<Run> {
	const run = await byHand(stage, 'rules-with-http-request');
	const found = run.execution.items('One Item per Rule').length;
	stage.checks.add(
		'HTTP Request gets the rules with our credential',
		found === 2,
		`${found} rules`,
	);
	return run;
}

/** The Test button of each credential; and a wrong secret must be refused in words. */
export async function credentialTests(stage: Stage): Promise<void> {
	const { api, demo, checks } = stage;
	for (const credential of Object.values(demo.credentials)) {
		const { status, message } = await api.testCredential(credential);
		checks.add(`The test of '${credential.name}' says OK`, status === 'OK', message);
	}
	const wrong = { 'Demo AI Service': 'clientSecret', 'Demo Push Endpoint': 'apiKey' };
	for (const [name, field] of Object.entries(wrong)) {
		const credential = demo.credentials[name];
		const data = { ...credential.data, [field]: 'not-the-right-one' };
		const { status, message } = await api.testCredential({ ...credential, data });
		checks.add(`The test of '${name}' refuses a wrong ${field}`, status === 'Error', message);
	}
}
