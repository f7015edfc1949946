import { bulk } from '../shared/flow/bulk';
import { Parameters } from '../shared/n8n/parameters';
import { openPushEndpoint, type PushEndpoint } from '../shared/n8n/push-endpoint';
import type { Run } from '../shared/n8n/run';
import { documentText } from '../shared/service/push';
import { readDocuments, type Entry } from './documents';
import { pushFiles } from './file';
import { pushProperties, type PushOptions, type PushParameters } from './properties';
import { PushReport } from './report';
import { pushRequests } from './requests';

/**
 * Pushes the documents of all input items (docs/service-interface.md, Push).
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options', ['skipRecords']);
	const endpoint = await openPushEndpoint(run);
	const isFile = parameters.choice('documentSource') === 'file';
	await (isFile ? pushFiles : pushItems)(run, endpoint, parameters, options);
}

/**
 * Pushes documents that are items or part of items. The fields of all are checked before the first
 * request; documents that cannot be sent fail alone.
 */
async function pushItems(
	run: Run,
	endpoint: PushEndpoint,
	parameters: PushParameters,
	options: PushOptions,
): Promise<void> {
	const report = new PushReport(run, options);
	const textOf = ({ document }: Entry) => documentText(document);
	const pushing = pushRequests<Entry>(run, endpoint, options, report, textOf);
	run.progress = () => report.progress();

	const read = readDocuments(run, parameters, options, report);
	const documents = await withoutDuplicates(read, options.duplicates, report);
	for await (const answer of bulk(report.watch(documents), pushing)) await report.answer(answer);
	report.end();
}

/**
 * Applies the policy for equal IDs, once all documents have been read.
 *
 * @returns what to push, in the order of the input
 */
async function withoutDuplicates(
	entries: AsyncIterable<Entry>,
	duplicates: PushOptions['duplicates'],
	report: PushReport,
): Promise<Entry[]> {
	const kept = new Map<unknown, Entry>();
	for await (const entry of entries) {
		const key = duplicates === 'sendInOrder' ? entry : entry.document.id;
		const earlier = kept.get(key);
		if (earlier && duplicates === 'fail') {
			report.duplicate(entry);
			continue;
		}
		if (earlier) report.leftOut(earlier);
		// A map keeps the place of the earlier one otherwise.
		kept.delete(key);
		kept.set(key, entry);
	}
	return [...kept.values()];
}
