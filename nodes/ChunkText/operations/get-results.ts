import { passedOn } from '../../shared/n8n/sources/source';
import { parseResultsPath } from '../../shared/service/chunking/chunking';
import { sinkOf } from '../chunks/chunk-files';
import { ChunkOutput } from '../chunks/report';
import { fetchAll, fetchOnce } from '../fetch/fetch';
import type { Job } from '../submit/job';
import { openChunking, previousJob } from '../submit/chunking';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties } from '../parameters';
import { optionsProperties } from '../parameters/options';
import { documentProperties, outputProperties } from '../parameters/output';
import { previousRequestProperties } from '../parameters/previous-request';
import { readPreviousRequests } from '../texts/previous-requests';
import { readSourceDocuments } from '../texts/source-documents';
import { ItemOutcomes } from '../chunks/failed-texts';
import { placeInOrder } from '../texts/text';

/** Fetches the chunks of requests submitted before, each once however many items stand for it. */
export const getResults: Operation = {
	value: 'getResults',
	name: 'Get Results',
	action: 'Get chunking results',
	description: 'Fetch the chunks of submitted texts by chunking ID',
	properties: [
		...previousRequestProperties,
		...outputProperties,
		...documentProperties,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		const path = parseResultsPath(options.resultsPath);
		const mode = parameters.choice('output');
		const taken = new Set<number>();
		// Submit returns one such item for each file.
		for (const itemIndex of run.items.keys())
			if (passedOn(run, itemIndex)) taken.add(itemIndex);
		const source = {
			idOf: (itemIndex: number) =>
				parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
			positionOf: (itemIndex: number) => parameters.value('textPosition', itemIndex),
		};
		const documents =
			mode === 'documents'
				? await readSourceDocuments(run, parameters, source, taken)
				: undefined;
		const requests = await readPreviousRequests(run, parameters, path, source, taken);

		const scopes = requests.map(({ scope }) => scope);
		const chunking = await openChunking(run, parameters, options, scopes);
		placeInOrder(requests.flatMap(({ refs }) => refs));
		const destination = {
			jobs: chunking.jobs,
			outcomes: new ItemOutcomes(run),
			sink: sinkOf(chunking),
		};
		const output = new ChunkOutput(run, parameters, options, mode, destination, documents);
		const jobs = requests.map((request) => previousJob(chunking, request));
		const fetched = parameters.boolean('wait')
			? fetchAll(asSource(jobs), chunking)
			: fetchOnce(jobs, chunking);
		for await (const { job, outcome } of fetched) await output.report(job, outcome);
		await output.finish();
	},
};

const ID_ADVICE = "Point it to the field with the chunking ID, as returned by 'Submit'.";

async function* asSource(jobs: Job[]): AsyncGenerator<Job, void, undefined> {
	yield* jobs;
}
