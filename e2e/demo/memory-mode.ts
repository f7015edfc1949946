import type { Execution } from '../n8n/execution';
import type { Stage } from './stage';

/** Records of the files: about 5 MB of documents, 1 MB of texts whose chunks are 7 MB. */
const DOCUMENTS = 6000;
const ARTICLES = 600;

/** Records of the sample files that fail: one in 200 documents, one in 50 articles. */
const FAILED_DOCUMENTS = DOCUMENTS / 200;
const FAILED_ARTICLES = ARTICLES / 50;

/**
 * The examples with files once more, with longer files, in an n8n that keeps files as base64 in its
 * items: n8n 2 can still be told to, and n8n 1 does so by default.
 */
export async function checkMemoryMode(stage: Stage): Promise<void> {
	await stage.demo.restartN8n({ N8N_DEFAULT_BINARY_DATA_MODE: 'default' });
	const pushed = await runWith(stage, 'bulk-load-a-file', 'documents.jsonl', DOCUMENTS);
	checkInItems(stage, pushed, 'Get File');
	const [summary] = pushed.items('Push Documents').map(({ json }) => json);
	const expected = DOCUMENTS - FAILED_DOCUMENTS;
	const documents = indexed(stage, 'bulk/');
	stage.checks.add(
		'Files in memory: every record is pushed or failed, and the index equals the file',
		summary?.pushed === expected &&
			summary.failed === FAILED_DOCUMENTS &&
			documents === expected,
		`${String(summary?.pushed)} pushed, ${String(summary?.failed)} failed, ${documents} indexed`,
	);

	const ingested = await runWith(stage, 'ingest-a-large-corpus', 'corpus.jsonl', ARTICLES);
	checkInItems(stage, ingested, 'Chunk Text');
	const items = ingested.items('Chunk Text').map(({ json }) => json);
	const { chunked, failed, chunks } = items.find(({ part }) => part === undefined) ?? {};
	const inIndex = indexed(stage, 'corpus/');
	stage.checks.add(
		'Files in memory: every text is chunked or failed, and the index equals the chunks',
		chunked === ARTICLES - FAILED_ARTICLES && failed === FAILED_ARTICLES && inIndex === chunks,
		`${String(chunked)} chunked, ${String(failed)} failed, ${inIndex} of ${String(chunks)} chunks indexed`,
	);
}

/** Runs an example whose sample file has so many records. */
async function runWith(
	stage: Stage,
	example: string,
	file: string,
	count: number,
): Promise<Execution> {
	const { workflows, n8n } = stage.demo;
	const text = JSON.stringify(workflows[example]).replace(
		`/files/${file}"`,
		`/files/${file}?count=${count}"`,
	);
	const workflow = JSON.parse(text) as (typeof workflows)[string];
	const name = `${workflow.name}, files in memory`;
	workflows[name] = await n8n.api.saveWorkflow({ ...workflow, name });
	return await stage.runByHand(name);
}

/** A file that is kept elsewhere has an ID. */
function checkInItems({ checks }: Stage, execution: Execution, node: string): void {
	const files = execution.items(node).flatMap(({ binary = {} }) => Object.values(binary));
	checks.add(
		`Files in memory: those of ${node} are in its items`,
		files.length > 0 && files.every(({ id }) => id === undefined),
		`${files.length} files`,
	);
}

function indexed(stage: Stage, prefix: string): number {
	return stage.documents().filter(({ id }) => String(id).startsWith(prefix)).length;
}
