import { say, step } from '../shared/progress';
import { syncChunks } from './chunk-sync-scenario';
import { repositoryDocuments } from './documents';
import { useTools } from './agent-scenario';
import { fanOut, oldRange } from './fan-out-scenario';
import { bulkLoad, chunkTextFiles, ingestCorpus } from './file-scenarios';
import { exampleNames } from './import';
import { Stage } from './stage';
import { sync } from './sync-scenario';

/** Words in a query that picks one chunk out of all. */
const QUERY_WORDS = 6;

/** How an example is run and checked. */
interface Scenario {
	/** Shown while it runs. */
	title: string;
	run(stage: Stage): Promise<void>;
}

/** One entry for each file of examples/, by its name without `.json`. They run in this order. */
const SCENARIOS: Record<string, Scenario> = {
	'getting-started': { title: 'Getting started', run: start },
	'ingest-documents': { title: 'Ingesting the Markdown files', run: ingest },
	'chunk-text-files': { title: 'Chunking a folder of text files', run: chunkTextFiles },
	'delete-documents': { title: 'Deleting documents', run: remove },
	'migrate-blobs': { title: 'Migrating blobs', run: migrate },
	'submit-wait-get-results': { title: 'Submit, Wait, Get Results', run: submitAndWait },
	'update-documents': { title: 'Updating a document', run: update },
	'sync-by-source': {
		title: 'Syncing a source',
		run: sync,
	},
	'sync-chunks-by-source': {
		title: 'Syncing the chunks of a source',
		run: syncChunks,
	},
	'rules-with-http-request': { title: 'Rules with HTTP Request', run: rules },
	'bulk-load-a-file': { title: 'Bulk loading a file', run: bulkLoad },
	'ingest-a-large-corpus': { title: 'Ingesting a large corpus', run: ingestCorpus },
	'fan-out-over-workers': {
		title: 'Fanning out over workers',
		run: fanOut,
	},
	'fan-out-one-range': {
		title: 'A range of a run that is over',
		run: oldRange,
	},
	'agent-with-search-ingest-tools': { title: 'Using the tools of an agent', run: useTools },
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
	const { title, run } = SCENARIOS[example];
	await step(title, async () => await run(stage));
}

/**
 * Runs and checks every example.
 * @param names which examples; all without any
 */
export async function runScenarios(stage: Stage, names: string[] = []): Promise<void> {
	for (const example of Object.keys(SCENARIOS)) {
		if (names.length > 0 && !names.includes(example)) continue;
		try {
			await runScenario(example, stage);
		} catch (error) {
			// The other examples and the report are still worth having.
			const { message } = error as Error;
			stage.checks.add(`The scenario of '${example}' runs to its end`, false, message);
		}
	}
}

/** Runs every example again, as a second start does, with the index, the tables and the files that are there. */
export async function checkAgain({ demo, checks }: Stage): Promise<void> {
	say('  Once more, with what is there now:');
	const again = new Stage(demo);
	await runScenarios(again);
	const { failed } = again.checks;
	checks.add(
		'Every example passes again, with what its first run left',
		failed.length === 0,
		failed.map(({ title, seen }) => `${title} (${seen})`).join('; '),
	);
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
	const { checks, figures } = stage;
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
	figures.push(
		['Documents in', `${documents.length} Markdown files of this repository`],
		['Chunks pushed', `${chunks}`],
		[`Found by '${query}'`, hits.map(({ id }) => id).join(', ')],
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
	const { checks, figures } = stage;
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
	figures.push(['Deleted', deleted.id]);
	await stage.runByHand('delete-documents');
	const left = sampleChunks(stage);
	checks.add('The sample deletes are committed', left.length === 2, left.join(', '));
}

/** Blob manifests: nothing without the confirmation, all of them with it. */
async function migrate(stage: Stage): Promise<void> {
	const blobVersions = async () => {
		const response = await fetch(`${stage.demo.sandbox.urls.baseUrl}/blobs`);
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
	stage.figures.push(['Blobs migrated', `${versions.length}`]);
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
