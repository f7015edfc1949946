import { PATHS } from '../../nodes/shared/service/url';
import { step } from '../shared/progress';
import { syncChunks } from './chunk-sync-scenario';
import { repositoryDocuments } from './documents';
import { useTools } from './agent-scenario';
import { fanOut, oldRange } from './fan-out-scenario';
import { bulkLoad, chunkTextFiles, ingestCorpus, pushInRounds } from './file-scenarios';
import { exampleNames } from './import';
import type { Stage } from './stage';
import { nightlySync, sync } from './sync-scenario';

/** Words in a query that picks one chunk out of all. */
const QUERY_WORDS = 6;

/** How each file of examples/ is run and checked, by its name without `.json`, in this order. */
const SCENARIOS: Record<string, (stage: Stage) => Promise<void>> = {
	'getting-started': start,
	'ingest-documents': ingest,
	'chunk-text-files': chunkTextFiles,
	'delete-documents': remove,
	'migrate-blobs': migrate,
	'submit-wait-get-results': submitAndWait,
	'update-documents': update,
	'sync-by-source': sync,
	'sync-chunks-by-source': syncChunks,
	'nightly-sync-from-an-api': nightlySync,
	'rules-with-http-request': rules,
	'bulk-load-a-file': bulkLoad,
	'push-a-large-file-with-progress': pushInRounds,
	'ingest-a-large-corpus': ingestCorpus,
	'fan-out-over-workers': fanOut,
	'fan-out-one-range': oldRange,
	'agent-with-search-ingest-tools': useTools,
};

/**
 * Makes sure that every example has its scenario, and every scenario its example.
 * @throws Error that names those without
 */
export function checkScenarios(): void {
	const examples = exampleNames();
	const scenarios = Object.keys(SCENARIOS);
	const lacking = [
		...examples
			.filter((name) => !scenarios.includes(name))
			.map((name) => `examples/${name}.json has no entry in e2e/demo/scenarios.ts`),
		...scenarios
			.filter((name) => !examples.includes(name))
			.map((name) => `'${name}' in e2e/demo/scenarios.ts has no file in examples/`),
	];
	if (lacking.length > 0) throw new Error(lacking.join('\n'));
}

/** Runs and checks one example. */
export async function runScenario(example: string, stage: Stage): Promise<void> {
	await step(example, async () => await SCENARIOS[example](stage));
}

/**
 * Runs and checks every example, in one line that counts.
 * @param names which examples; all without any
 */
export async function runScenarios(stage: Stage, names: string[] = []): Promise<void> {
	const examples = Object.keys(SCENARIOS);
	const chosen = names.length === 0 ? examples : examples.filter((one) => names.includes(one));
	const { checks } = stage;
	await step('Running the examples', async (detail) => {
		for (const [at, example] of chosen.entries()) {
			const which = `${at + 1} of ${chosen.length}, ${example}`;
			detail(() => `${which}; ${checks.all.length} checks, ${checks.failed.length} failed`);
			try {
				await SCENARIOS[example](stage);
			} catch (error) {
				// The other examples and the report are still worth having.
				const { message } = error as Error;
				checks.add(`The scenario of '${example}' runs to its end`, false, message);
			}
		}
	});
}

/** Words that all occur in the text, taken where it has longer ones. */
function queryFor(text: string): string {
	const words = [...new Set(text.match(/\p{L}{5,}/gu) ?? [])];
	return words.slice(0, QUERY_WORDS).join(' ');
}

/** Three documents become chunks at their blank lines, with vectors, and each chunk is in the index. */
async function start(stage: Stage): Promise<void> {
	const execution = await stage.runByHand('getting-started');
	const pushed = execution.items('Push Documents').filter(({ json }) => json.pushed === true);
	// The index that `npm start` keeps has those of other examples too.
	const ids = new Set(pushed.map(({ json }) => json.id));
	const vectors = stage
		.documents()
		.filter(({ id, vector }) => ids.has(id as string) && Array.isArray(vector));
	stage.checks.add(
		'Three documents are in the index in seven chunks, with their vectors',
		pushed.length === 7 && vectors.length === 7,
		`${pushed.length} pushed, ${vectors.length} with vectors`,
	);
}

/** This repository's Markdown is sent to the webhook, chunked, pushed and found. Then the sample. */
async function ingest(stage: Stage): Promise<void> {
	const { checks } = stage;
	const documents = repositoryDocuments();
	const execution = await stage.runByWebhook('ingest-documents', { documents });
	const chunks = execution.items('Chunk Text').length;
	const indexed = stage.chunksOf(documents.map(({ id }) => id));
	checks.add('Every document gives chunks', chunks >= documents.length, `${chunks} chunks`);
	checks.add(
		'Every chunk is in the index',
		indexed.length >= chunks && chunks > 0,
		`${indexed.length} indexed`,
	);
	const first = indexed[0] ?? { id: '', text: '' };
	const query = queryFor(first.text);
	const hits = stage.search(query);
	checks.add(
		'The search finds what was pushed',
		hits.some(({ id }) => id === first.id),
		`'${query}' finds ${hits.length}`,
	);
	await stage.runByHand('ingest-documents');
	const samples = sampleChunks(stage);
	checks.add('The sample documents are indexed', samples.length === 4, samples.join(', '));
}

function sampleChunks(stage: Stage): string[] {
	return stage.chunksOf(['handbook/returns.md', 'handbook/shipping.md']).map(({ id }) => id);
}

/** A deleted document is gone from the index at once, and no other. Then the sample. */
async function remove(stage: Stage): Promise<void> {
	const { checks } = stage;
	const deleted = stage.chunksOf(repositoryDocuments().map(({ id }) => id)).at(-1);
	if (!deleted) throw new Error('The index has no document to delete');
	const query = queryFor(deleted.text);
	const finds = () => stage.search(query).some(({ id }) => id === deleted.id);
	checks.add('The search finds the document to be deleted', finds(), deleted.id);
	const before = stage.documents().length;
	const execution = await stage.runByWebhook('delete-documents', { ids: [deleted.id] });
	const after = stage.documents().length;
	checks.add('The search no longer finds the deleted document', !finds(), deleted.id);
	checks.add(
		'Nothing else was deleted',
		after === before - 1,
		`${before} before, ${after} after`,
	);
	const [item] = execution.items('Delete Document');
	checks.add('The node returns { deleted: true }', item?.json.deleted === true);
	await stage.runByHand('delete-documents');
	const left = sampleChunks(stage);
	checks.add('The sample deletes are committed', left.length === 2, left.join(', '));
}

/** Blob manifests: nothing without the confirmation, all of them with it. */
async function migrate(stage: Stage): Promise<void> {
	const blobVersions = async () => {
		const response = await fetch(stage.demo.sandbox.urls.baseUrl + PATHS.blobs);
		const blobs = (await response.json()) as Array<{ id: string; version: string }>;
		return blobs.map(({ version }) => version);
	};
	const before = await blobVersions();
	const { status, message = '' } = await stage.tryByHand('migrate-blobs');
	stage.checks.add(
		'As it is shipped, the example migrates nothing and says why',
		status === 'error' &&
			message.includes("'Confirm Migration' is off") &&
			String(await blobVersions()) === String(before),
		message,
	);
	await stage.runWith('migrate-blobs', 'Migrate Blobs', { confirm: true });
	const versions = await blobVersions();
	stage.checks.add(
		'The blob manifests are migrated',
		versions.length > 0 && versions.every((version) => version.startsWith('4.')),
		versions.join(', '),
	);
}

/** Submit, n8n's Wait node, Get Results. */
async function submitAndWait(stage: Stage): Promise<void> {
	const execution = await stage.runByHand('submit-wait-get-results');
	const chunks = execution.items('Chunks');
	stage.checks.add(
		'Submit, Wait and Get Results return chunks',
		chunks.length === 3,
		`${chunks.length}`,
	);
}

/** A document comes in with three chunks, then shorter: the chunk that is gone leaves the index. */
async function update(stage: Stage): Promise<void> {
	const id = 'update/shrinking.md';
	const versions = [
		{ sections: ['Almond', 'Blackberry', 'Chestnut'], previousChunkCount: 0 },
		{ sections: ['Almond', 'Blueberry'], previousChunkCount: 3 },
	];
	for (const [number, { sections, previousChunkCount }] of versions.entries()) {
		const text = sections.map((section) => `# ${section}`).join('\n');
		const documents = [{ id, name: 'Shrinking', text, previousChunkCount }];
		const execution = await stage.runByWebhook('update-documents', { documents });
		const indexed = stage.chunksOf([id]).map((chunk) => chunk.id);
		const expected = sections.map((_section, position) => `${id}#${position}`);
		stage.checks.add(
			`The index has the chunks of the document (update ${number + 1})`,
			indexed.sort().join() === expected.join(),
			indexed.join(', '),
		);
		const counts = execution.items('Result').map(({ json }) => json);
		stage.checks.add(
			`The caller gets the number of its chunks (update ${number + 1})`,
			JSON.stringify(counts) === JSON.stringify([{ id, chunkCount: sections.length }]),
			JSON.stringify(counts),
		);
	}
}

/** n8n's own HTTP Request node with our credential. */
async function rules(stage: Stage): Promise<void> {
	const execution = await stage.runByHand('rules-with-http-request');
	const found = execution.items('One Item per Rule').length;
	stage.checks.add(
		'HTTP Request gets the rules with our credential',
		found === 2,
		`${found} rules`,
	);
}
