import { print, table, whole } from '../lib/table';
import { documentsFile } from './data-files';
import { warmServer } from './push';
import type { Stage } from './stage';
import { checkDocuments, COLUMNS, rowOf } from './stage';
import { CREDENTIALS, getFile, push, type Step } from './workflows';

/**
 * n8n's own node that makes an item of each row. Extract from File calls the same code, but does not
 * load in the n8n of e2e/, where npm leaves out a package that it needs for calendars.
 */
const EXTRACT: Step = {
	name: 'Spreadsheet File',
	type: 'n8n-nodes-base.spreadsheetFile',
	typeVersion: 2,
	parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
};

/** HTTP Request sends one request for each item, here 50 at a time. */
const httpRequests = (url: string): Step => ({
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'pushEndpointApi',
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ $json }}',
		options: { batching: { batch: { batchSize: 50, batchInterval: 0 } } },
	},
	credentials: { pushEndpointApi: CREDENTIALS.push },
});

/** What users do without a node for files, or without this package. */
export async function benchToday(stage: Stage): Promise<void> {
	const { folder, options, server, stub } = stage;
	const rows = [];
	const pushUrl = `${stub.pushUrl}/api/v1/push/docs`;
	for (const [count, steps] of [
		[options.items, [EXTRACT, push({ documentSource: 'wholeItem' })]],
		[options.today, [EXTRACT, httpRequests(pushUrl)]],
	] as const) {
		const file = await documentsFile(folder, count, 'csv');
		await warmServer(stage);
		const names = steps.map(({ name }) => name);
		const what = `${whole(count)} documents: Get File, ${names.join(', ')}`;
		const run = await server.measure(what, [getFile(`${stub.files}/${file}`), ...steps]);
		await checkDocuments(stage, what, count);
		rows.push([what, ...rowOf(run, names)]);
	}
	print('', '### What users do today', '', table(['', ...COLUMNS], rows));
}
