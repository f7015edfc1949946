import { PATHS } from '../../nodes/shared/service/url';
import { step } from '../shared/progress';
import { syncChunks } from './chunk-sync-scenario';
import { badDays } from './bad-day-scenario';
import { chunksWithContext, nightlyCsv } from './csv-scenarios';
import { useTools } from './agent-scenario';
import { databaseChunksSync, databaseSync } from './database-scenario';
import { fanOut, oldRange } from './fan-out-scenario';
import { bulkLoad, chunkTextFiles, ingestCorpus, pushInRounds } from './file-scenarios';
import { exampleNames, STARTER } from './import';
import { outages } from './outage-scenario';
import { compareChunkers } from './compare-scenario';
import { checkService, syncStatus, tellMe } from './service-scenarios';
import type { Stage } from './stage';
import { apiSync, sync } from './sync-scenario';
import { updates } from './webhook-scenarios';

export { STARTER };

/** Runs an example whose source the demo does not have. Its cases are in `e2e/sources/`. */
function withoutSource(example: string) {
	return async (stage: Stage): Promise<void> => {
		const before = stage.documents().length;
		const { status, message = '' } = await stage.tryByHand(example);
		stage.checks.add(
			`${example}: without its source, the run fails and changes nothing`,
			status === 'error' && stage.documents().length === before,
			`${status}: ${message}`,
		);
	};
}

/**
 * Functions that run and check the examples. The keys are the file names without `.json`. The functions run in this
 * order. The starter is the last one, because others delete documents with its IDs.
 */
const SCENARIOS: Record<string, (stage: Stage) => Promise<void>> = {
	'updates-by-webhook': updates,
	'chunk-text-files': chunkTextFiles,
	'migrate-blobs': migrate,
	'submit-wait-get-results': submitAndWait,
	'sync-by-source': sync,
	'sync-chunks-by-source': syncChunks,
	'sync-from-an-api': apiSync,
	'sync-of-a-database': databaseSync,
	'sync-chunks-of-a-database': databaseChunksSync,
	'sync-of-a-folder': withoutSource('sync-of-a-folder'),
	'sync-from-google-drive': withoutSource('sync-from-google-drive'),
	'sync-of-a-website': withoutSource('sync-of-a-website'),
	'every-night-a-csv': nightlyCsv,
	'chunks-with-context': chunksWithContext,
	'compare-chunkers': compareChunkers,
	'check-my-service': checkService,
	'tell-me': tellMe,
	'sync-status': syncStatus,
	'bulk-load-a-file': bulkLoad,
	'push-a-large-file-with-progress': pushInRounds,
	'ingest-a-large-corpus': ingestCorpus,
	'fan-out-over-workers': fanOut,
	'fan-out-one-range': oldRange,
	'agent-with-search-ingest-tools': useTools,
	[STARTER]: start,
};

/** Scenarios that check all examples together. Their names can be passed on the command line. */
const OF_ALL: Record<string, (stage: Stage) => Promise<void>> = { 'bad-days': badDays, outages };

/**
 * Checks that every example has a scenario, and that every scenario has an example.
 * @param names the scenarios to run. Each of them must exist
 * @throws Error with the names that have no counterpart
 */
export function checkScenarios(names: string[]): void {
	const examples = exampleNames();
	const scenarios = Object.keys(SCENARIOS);
	const all = [...scenarios, ...Object.keys(OF_ALL)];
	const lacking = [
		...names
			.filter((name) => !all.includes(name))
			.map((name) => `There is no example '${name}'. There are: ${all.join(', ')}`),
		...examples
			.filter((name) => !scenarios.includes(name))
			.map((name) => `examples/${name}.json has no entry in e2e/demo/scenarios.ts`),
		...scenarios
			.filter((name) => !examples.includes(name))
			.map((name) => `'${name}' in e2e/demo/scenarios.ts has no file in examples/`),
	];
	if (lacking.length > 0) throw new Error(lacking.join('\n'));
}

export async function runScenario(example: string, stage: Stage): Promise<void> {
	await step(example, async () => await SCENARIOS[example](stage));
}

/**
 * Runs and checks examples, and shows what each of them takes.
 * @param names the examples to run. By default, all of them run
 * @param options.withBadDays whether to also run the scenarios in `OF_ALL`. Applies only if no names are given
 */
export async function runScenarios(
	stage: Stage,
	names: string[],
	{ withBadDays }: { withBadDays: boolean },
): Promise<void> {
	const all = { ...SCENARIOS, ...OF_ALL };
	const unnamed = Object.keys(withBadDays ? all : SCENARIOS);
	const chosen =
		names.length === 0 ? unnamed : Object.keys(all).filter((one) => names.includes(one));
	for (const name of chosen) {
		await step(name, async (detail) => {
			const { checks } = stage;
			detail(() => `${checks.all.length} checks, ${checks.failed.length} failed`);
			await runToEnd(stage, name, all[name]);
		});
	}
}

/** Runs a scenario. Adds a failed check if the scenario throws an error. The other scenarios still run. */
async function runToEnd(
	stage: Stage,
	name: string,
	scenario: (stage: Stage) => Promise<void>,
): Promise<void> {
	try {
		await scenario(stage);
	} catch (error) {
		const { message } = error as Error;
		stage.checks.add(`The scenario of '${name}' runs to its end`, false, message);
	}
}

/** Splits three documents into chunks at blank lines. Checks that the index contains each chunk and its vector. */
async function start(stage: Stage): Promise<void> {
	const execution = await stage.runByHand(STARTER);
	const pushed = execution.items('Push Documents').filter(({ json }) => json.pushed === true);
	// The index also contains what a user has pushed since an earlier start.
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
	await stage.runWith('migrate-blobs', { 'Migrate Blobs': { parameters: { confirm: true } } });
	const versions = await blobVersions();
	stage.checks.add(
		'The blob manifests are migrated',
		versions.length > 0 && versions.every((version) => version.startsWith('4.')),
		versions.join(', '),
	);
}

async function submitAndWait(stage: Stage): Promise<void> {
	const execution = await stage.runByHand('submit-wait-get-results');
	const chunks = execution.items('Chunks');
	stage.checks.add(
		'Submit, Wait and Get Results return chunks',
		chunks.length === 3,
		`${chunks.length}`,
	);
}
