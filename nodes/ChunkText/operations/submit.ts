import type { Failed } from '../../shared/flow/deliver';
import { ChunkOutput } from '../chunks/report';
import { TO_ITEMS } from '../chunks/chunk-sink';
import { outcomeOfSubmission } from '../fetch/fetch';
import { submitFiles } from '../submit/file-submit';
import { openChunking } from '../submit/chunking';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties } from '../parameters';
import { chunkerProperties } from '../parameters/chunker';
import { modelProperties } from '../parameters/model';
import { optionsProperties } from '../parameters/options';
import { fileTextProperties, textProperties } from '../parameters/texts';
import { hintAtRegexes, submit as submitAll } from '../submit/submit';
import { ItemOutcomes } from '../chunks/failed-texts';
import { readTexts, type TextEntry } from '../texts/text';

/** Submits texts and returns each with its chunking ID and position, for Get Results. */
export const submit: Operation = {
	value: 'submit',
	name: 'Submit',
	action: 'Submit text for chunking',
	description: 'Submit texts and return their chunking IDs immediately',
	properties: [
		...textProperties,
		...fileTextProperties,
		...modelProperties,
		...chunkerProperties,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		if (parameters.choice('textSource') === 'file') {
			return await submitFiles(run, parameters, options);
		}
		const texts = await readTexts(run, parameters, options.bytesPerRequest);
		const scopes = texts.map(({ settings }) => settings.scope);
		const chunking = await openChunking(run, parameters, options, scopes);
		const destination = {
			jobs: chunking.jobs,
			outcomes: new ItemOutcomes(run),
			sink: TO_ITEMS,
		};
		const output = new ChunkOutput(run, parameters, options, 'chunks', destination);
		hintAtRegexes(texts, chunking);
		const notSubmitted = async (text: TextEntry, outcome: Failed) =>
			await output.notSubmitted(text, outcome);
		for await (const job of submitAll(texts, chunking, notSubmitted)) {
			await output.report(job, outcomeOfSubmission(job, chunking));
		}
		await output.finish({ hintAtPending: false });
	},
};
