import { parseResultsPath } from '../../shared/service/chunking/chunking';
import { sinkOf } from '../chunks/chunk-files';
import { ChunkOutput } from '../chunks/report';
import { fetchAll } from '../fetch/fetch';
import { chunkFiles } from './chunk-texts';
import { canIsolate, isolated, type FailedJob } from '../fetch/isolation';
import type { Job } from '../submit/job';
import { openChunking, previousJob, type Chunking } from '../submit/chunking';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties } from '../parameters';
import { chunkerProperties } from '../parameters/chunker';
import { modelProperties } from '../parameters/model';
import { optionsProperties } from '../parameters/options';
import { documentPropertiesOfItems, outputProperties } from '../parameters/output';
import { fileTextProperties, textProperties } from '../parameters/texts';
import { readPreviousRequests, type PreviousRequest } from '../texts/previous-requests';
import { readSourceDocuments } from '../texts/source-documents';
import { hintAtRegexes, submit } from '../submit/submit';
import { ItemOutcomes } from '../chunks/failed-texts';
import { placeInOrder, readTexts, type TextEntry } from '../texts/text';

/** Submits texts and returns their chunks. Items that already have a chunking ID may be resumed. */
export const submitAndWait: Operation = {
	value: 'submitAndWait',
	name: 'Submit and Wait',
	action: 'Chunk text',
	description: 'Split texts into chunks and wait for the results',
	properties: [
		...textProperties,
		...fileTextProperties,
		...modelProperties,
		...chunkerProperties,
		...outputProperties,
		...documentPropertiesOfItems,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		// Before anything is submitted that could not be fetched.
		const path = parseResultsPath(options.resultsPath);
		if (parameters.choice('textSource') === 'file') {
			return await chunkFiles(run, parameters, options);
		}
		const mode = parameters.choice('output');
		const taken = new Set<number>();
		const resuming = {
			idOf: (itemIndex: number) => parameters.text('options.resumeChunkingId', itemIndex),
			positionOf: (itemIndex: number) => run.items[itemIndex]?.json.textPosition,
		};
		const documents =
			mode === 'documents'
				? await readSourceDocuments(run, parameters, resuming, taken)
				: undefined;
		const resumed = await readPreviousRequests(run, parameters, path, resuming, taken);
		const { bytesPerRequest } = options;
		const texts = await readTexts(run, parameters, bytesPerRequest, taken, documents);

		const scopes = [...resumed, ...texts.map(({ settings }) => settings)].map((s) => s.scope);
		const chunking = await openChunking(run, parameters, options, scopes);
		placeInOrder([...resumed.flatMap(({ refs }) => refs), ...texts]);
		const destination = {
			jobs: chunking.jobs,
			outcomes: new ItemOutcomes(run),
			sink: sinkOf(chunking),
		};
		const output = new ChunkOutput(run, parameters, options, mode, destination, documents);
		hintAtRegexes(texts, chunking);

		const toIsolate: FailedJob[] = [];
		let hasSucceeded = false;
		const jobs = resumeAndSubmit(resumed, texts, chunking, output);
		for await (const { job, outcome } of fetchAll(jobs, chunking)) {
			hasSucceeded ||= outcome.ok && outcome.response.type !== 'pending';
			if (!outcome.ok && canIsolate(job, chunking)) toIsolate.push({ job, outcome });
			else await output.report(job, outcome);
		}
		const isWorthIt = hasSucceeded && !run.ended;
		const last = isWorthIt ? isolated(toIsolate, chunking, output) : toIsolate;
		for await (const { job, outcome } of last) await output.report(job, outcome);
		await output.finish();
	},
};

async function* resumeAndSubmit(
	resumed: PreviousRequest[],
	texts: TextEntry[],
	chunking: Chunking,
	output: ChunkOutput,
): AsyncGenerator<Job, void, undefined> {
	for (const request of resumed) yield previousJob(chunking, request);
	yield* submit(texts, chunking, async (text, outcome) => {
		await output.notSubmitted(text, outcome);
	});
}
