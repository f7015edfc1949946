import { allRuns, runsTable } from './parts/history';
import { CREDENTIALS } from './parts/nodes';
import { code, node, note, workflow } from './parts/workflow';

export default workflow(
	'Sync Status',
	[
		note(
			'Note',
			`## How are the syncs?

Shows a page with the state of each sync in this project: which one is late, was killed or has failed, what its last 30 runs have done, and which deletes wait for an approval. It reads only the data table **Sync Runs**, in which all syncs note their runs.

**Change these**
1. *Page Is Opened*: select a *Basic Auth* credential with the name and password of those who may see the page. The page shows IDs and errors of documents.
2. *Status Page*: in the line that begins with \`const project\`, enter the name of this project. n8n does not tell it to a workflow.
3. Publish the workflow, and open \`/webhook/sync-status\` of your n8n in a browser.

Each project has its own table. For another project, import this workflow there with another *Path*. To be told about late syncs, use **Tell Me**.`,
			[-500, -240],
			[420, 480],
			7,
		),
		node(
			'Page Is Opened',
			'webhook',
			2.1,
			[0, 0],
			{
				...{ httpMethod: 'GET', path: 'sync-status', authentication: 'basicAuth' },
				...{ responseMode: 'responseNode', options: {} },
			},
			{
				webhookId: '0c3a6d0e-54a5-4f0c-9a8e-6a1f7a1f2b9d',
				credentials: CREDENTIALS.statusPage,
			},
		),
		runsTable([220, 0]),
		allRuns([440, 0]),
		code('Status Page', 'status-page', [660, 0], {
			project: "'Personal'",
			rows: "$('All Runs').all().map(({ json }) => json)",
			now: 'new Date()',
			timeZone: '$now.zoneName',
		}),
		node('Show Page', 'respondToWebhook', 1.4, [880, 0], {
			respondWith: 'text',
			responseBody: '={{ $json.html }}',
			options: {
				responseHeaders: {
					entries: [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }],
				},
			},
		}),
	],
	[['Page Is Opened', 'Runs Table', 'All Runs', 'Status Page', 'Show Page']],
);
