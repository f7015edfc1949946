import { addRow, makeTable, rowsOf, WHOLE_RUN } from './parts/fan-out';
import { CREDENTIALS, fields, webhook, whenIs } from './parts/nodes';
import { code, lane, node, note, workflow } from './parts/workflow';

const SETTINGS = "$('Settings').first().json";
const RUN = `={{ ${SETTINGS}.run }}`;

export default workflow(
	'Fan Out over Workers',
	[
		note(
			'Note',
			`## One file over all workers of queue mode

Divides a file into ranges and calls **Fan Out: One Range** once for each range. n8n queues every call to a production webhook, so all workers take part.

**Change these**
1. *File Arrives*, and *Call Fan Out One Range* in the group *Call and Wait*: select your *Header Auth* credential. Double-click a group to open it.
2. *Settings*: enter the URL of your file, the number of ranges (one or two per worker) and the records per range. The last range has no limit and reads to the end of the file.
3. **Fan Out: One Range**: select the credentials. Publish both workflows.

**The data table** *Fan-Out Ranges* contains the state of each range. If a range has several rows, the newest one counts. This workflow reads the table every 65 seconds and occupies no worker while it waits.

**Retries:** a range that has failed, or has not ended by the deadline, is called up to *maxCalls* times. A range may be pushed twice, which does no harm. Each ID must occur only once in the file, because the index may keep the record of either range.

**It succeeds** only if the ranges have no gaps and the last one reached the end of the file. All ranges must also have read the same file, which is checked by ETag, or by length and date. A range whose summary contains *warnings* makes the run fail too. The error names the range.

If *N8N_SSRF_PROTECTION_ENABLED* is \`true\`, n8n blocks calls to itself. Allow its host with *N8N_SSRF_ALLOWED_HOSTNAMES*.

**Try it:** publish *Fan Out: One Range*, then click *Execute workflow*.`,
			[-480, -300],
			[420, 860],
			7,
		),
		...lane(
			[
				webhook(
					'File Arrives',
					'fan-out-over-workers',
					[0, 0],
					'3db3c74c-6ebf-5420-a36b-e400407d1822',
					'onReceived',
				),
				makeTable([220, 0]),
				node(
					'Settings',
					'set',
					3.4,
					[440, 0],
					fields(
						['run', 'string', '={{ $execution.id }}'],
						['fileUrl', 'string', "={{ $('File Arrives').first().json.body.fileUrl }}"],
						[
							'ranges',
							'number',
							"={{ $('File Arrives').first().json.body.ranges ?? 4 }}",
						],
						[
							'recordsPerRange',
							'number',
							"={{ $('File Arrives').first().json.body.recordsPerRange ?? 100000 }}",
						],
						[
							'waitSeconds',
							'number',
							"={{ $('File Arrives').first().json.body.waitSeconds ?? 65 }}",
						],
						[
							'deadlineSeconds',
							'number',
							"={{ $('File Arrives').first().json.body.deadlineSeconds ?? 3600 }}",
						],
						[
							'maxCalls',
							'number',
							"={{ $('File Arrives').first().json.body.maxCalls ?? 3 }}",
						],
						[
							'rangeUrl',
							'string',
							"={{ $('File Arrives').first().json.body.n8nUrl ?? $execution.resumeUrl.split('/webhook-waiting')[0] }}/webhook/fan-out-one-range",
						],
					),
				),
				{
					name: 'Plan the Ranges',
					description: 'Notes that the run has begun, and divides the file into ranges.',
					nodes: [
						addRow('Begin Run', [660, 0], {
							run: RUN,
							range: WHOLE_RUN,
							event: 'began',
						}),
						code('Ranges', 'ranges', [880, 0], { settings: SETTINGS }),
					],
				},
				{
					name: 'Call and Wait',
					description:
						'Calls each range, and waits until all have ended. Calls a range again if it is late or has failed. Your credential is here.',
					nodes: [
						node('One Item per Range', 'splitOut', 1, [1100, 0], {
							fieldToSplitOut: 'ranges',
							options: {},
						}),
						addRow('Note Call', [1320, 0], {
							run: RUN,
							range: '={{ $json.range }}',
							event: 'called',
						}),
						node(
							'Call Fan Out One Range',
							'httpRequest',
							4.4,
							[1540, 0],
							{
								method: 'POST',
								url: "={{ $('Settings').first().json.rangeUrl }}",
								authentication: 'genericCredentialType',
								genericAuthType: 'httpHeaderAuth',
								sendBody: true,
								specifyBody: 'json',
								jsonBody: `={{ {
  run: $('Settings').first().json.run,
  fileUrl: $('Settings').first().json.fileUrl,
  ...$('Ranges').first().json.ranges[$json.range],
} }}`,
								options: {},
							},
							{
								retryOnFail: true,
								maxTries: 5,
								waitBetweenTries: 5000,
								credentials: CREDENTIALS.webhook,
							},
						),
						node(
							'Wait',
							'wait',
							1.1,
							[1760, 0],
							{
								amount: "={{ $('Settings').first().json.waitSeconds }}",
								unit: 'seconds',
							},
							{ webhookId: 'a4bde86f-3c4d-5672-8e9c-766d1b3ff416' },
						),
						rowsOf(
							'Rows of This Run',
							[1980, 0],
							['run', RUN],
							{ limit: { returnAll: true }, order: 'ASC' },
							{ executeOnce: true },
						),
						node('All Rows', 'aggregate', 1, [2200, 0], {
							aggregate: 'aggregateAllItemData',
							destinationFieldName: 'rows',
							options: {},
						}),
						code('State of Ranges', 'state-of-ranges', [2420, 0], {
							ranges: "$('Ranges').first().json.ranges",
							rows: '$input.first().json.rows',
							settings: SETTINGS,
							now: 'Date.now()',
						}),
						code('Verdict', 'verdict', [2640, 0], {
							ranges: '$input.first().json.ranges',
						}),
						node('What Next', 'switch', 3.2, [2860, 0], {
							rules: {
								values: ['again', 'wait', 'done', 'failed'].map((verdict) =>
									whenIs('verdict', verdict),
								),
							},
							...{ looseTypeValidation: true, options: {} },
						}),
						node('One Item per Call', 'splitOut', 1, [1100, 220], {
							fieldToSplitOut: 'again',
							options: {},
						}),
						addRow('End Run', [3080, 100], {
							run: RUN,
							range: WHOLE_RUN,
							event: 'ended',
						}),
						node(
							'Result',
							'set',
							3.4,
							[3300, 100],
							fields(
								['fileUrl', 'string', "={{ $('Settings').first().json.fileUrl }}"],
								[
									'file',
									'string',
									"={{ $('Verdict').last().json.ranges[0].file }}",
								],
								['pushed', 'number', "={{ $('Verdict').last().json.pushed }}"],
								['ranges', 'array', "={{ $('Verdict').last().json.ranges }}"],
							),
						),
						addRow('Give Up Run', [3080, 300], {
							run: RUN,
							range: WHOLE_RUN,
							event: 'ended',
						}),
						node('Fail the Run', 'stopAndError', 1, [3300, 300], {
							errorMessage: "={{ $('Verdict').last().json.error }}",
						}),
					],
				},
			],
			[0, 0],
		),
	],
	[
		[
			'File Arrives',
			'Make Table if Missing',
			'Settings',
			'Begin Run',
			'Ranges',
			'One Item per Range',
			'Note Call',
			'Call Fan Out One Range',
			'Wait',
			'Rows of This Run',
			'All Rows',
			'State of Ranges',
			'Verdict',
			'What Next',
			'One Item per Call',
			'Note Call',
		],
		['What Next|1', 'Wait'],
		['What Next|2', 'End Run', 'Result'],
		['What Next|3', 'Give Up Run', 'Fail the Run'],
	],
	{
		pinData: {
			'File Arrives': [
				{
					json: {
						body: {
							fileUrl: 'http://localhost:4321/files/fan-out.jsonl',
							ranges: 4,
							recordsPerRange: 250,
							waitSeconds: 5,
						},
					},
				},
			],
		},
	},
);
