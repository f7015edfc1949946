import { pushFile, reason, recordsLookWrong } from './parts/large-files';
import { CREDENTIALS, download, everyNight, failTheRun, model } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Every Night, a CSV',
	[
		note(
			'Note',
			`## Every night, a CSV

Downloads a file and pushes each row as a document.

**Change these**
1. *Get CSV*: enter the URL of your file and its authentication. If the file has no URL, replace *Get CSV* with a node for SFTP, S3 or a drive. JSON Lines, JSON lists and gzip work as well.
2. *Push Documents*: select your credential, and enter your column names in *ID Field* and *Name Field*. All other columns become fields of the document.
3. To search in long texts, turn on *Chunk Text*: select the node and press *D*. Enter your credential, your model and your columns there. Then set *ID Field* and *Name Field* in *Push Documents* back to \`id\` and \`name\`. Documents that an earlier run pushed without *Chunk Text* stay in the index beside their chunks, so delete them by ID.
4. *Records Look Wrong*: enter the smallest number of rows that you expect, in place of the 1.
5. *Every Night*: choose the times.

**Try it:** click *Execute workflow*. Then publish the workflow.

**If something fails**, all other rows are pushed. *Fail the Run* then ends the run with an error that states the reason. *Records Look Wrong* does the same if too few rows were pushed, or if its summary contains *warnings*, such as rows with the same ID or with too few cells. To get a message about failures, choose the example **Tell Me** as *Error Workflow* in the settings.

**It runs three times a night**, so an outage delays the index by a few hours, not a day. *Chunk Text* and *Push Documents* also retry for 15 minutes. Each run pushes all rows again, which does not affect unchanged rows. With *Chunk Text* on, each run also chunks all texts again. If that costs too much, keep only one time.

**A row that you remove from the file stays in the index.** With *Chunk Text* on, the old last chunks of a text that becomes shorter stay too. To delete such documents, use **Sync From an API** with *Extract from File* in place of its first nodes.`,
			[-500, -300],
			[420, 860],
			7,
		),
		everyNight([0, 0], [2, 4, 6]),
		download('Get CSV', [220, 0], 'products.csv'),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[440, 0],
			{
				textSource: 'file',
				modelId: model('id'),
				output: 'documents',
				options: {
					outputTo: 'files',
					vectorQuantizationMethod: 'max-scale',
					retryForSeconds: 900,
				},
			},
			{ credentials: CREDENTIALS.ai, onError: 'continueErrorOutput', disabled: true },
		),
		pushFile([680, -120], { retryForSeconds: 900 }),
		recordsLookWrong(
			[900, -180],
			'={{ $input.all().find(({ json }) => json.chunked !== undefined)?.json.chunked ?? $input.first().json.pushed }}',
		),
		reason([1120, 160]),
		failTheRun([1340, 160]),
	],
	[
		[
			'Every Night',
			'Get CSV',
			'Chunk Text',
			'Push Documents',
			'Records Look Wrong',
			'Reason',
			'Fail the Run',
		],
		['Chunk Text|1', 'Reason'],
		['Push Documents|1', 'Reason'],
	],
);
