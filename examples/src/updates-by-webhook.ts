import {
	allWentWell,
	answer,
	AT_HEADINGS,
	CREDENTIALS,
	failTheRun,
	model,
	webhook,
	whenIs,
} from './parts/nodes';
import { keeping } from './parts/sync';
import { code, node, note, workflow } from './parts/workflow';

/** Returns what a node has returned, as an expression of a Code node. */
const outputOf = (name: string): string =>
	`$('${name}').isExecuted ? $('${name}').all().map(({ json }) => json) : []`;

const ON_ERROR = { onError: 'continueRegularOutput' };

const REMOVE = {
	...{ commit: 'lastDeleteOnly' },
	options: { ignoreNotFound: true, output: 'perInputItem', ...keeping('id') },
};

export default workflow(
	'Updates by Webhook',
	[
		note(
			'Note',
			`## Updates by webhook

Receives documents that are new, changed or deleted. It splits the texts into chunks, pushes each chunk as a document, and deletes chunks that no longer exist.

**Change these**
1. *Updates Arrive*: select your *Header Auth* credential. The *Path* is part of the URL that callers use.
2. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`.
3. *Push Documents*, *Delete Old Chunks* and *Delete Documents*: select your credential.

**Try it:** click *Execute workflow*. A call is pinned to the first node. Or publish the workflow and send your own:

\`POST /webhook/updates-by-webhook\`
\`{ "documents": [{ "id", "name", "url", "text", "chunkCount" }], "deleted": [{ "id", "chunkCount" }] }\`

Callers must send the header named in the credential of *Updates Arrive*.

**chunkCount** is the number of chunks that the index may contain of a document. Store it from each response, also after status 500, and send it with the next change. Leave it out for a new document. If it is missing, old chunks of a document that has become shorter stay in the index.

In *deleted*, a plain ID deletes the document with exactly this ID, for example \`"faq#3"\`.

Do not send a document again before the previous call for it has ended. If your source can send only the complete list, use **Sync Chunks by Source**.`,
			[-480, -280],
			[400, 920],
			7,
		),
		note(
			'Note 2',
			`### What has changed
*Changes* returns one item per document, or why the call is not valid. Then nothing is sent.`,
			[-40, -280],
			[720, 600],
			4,
		),
		note(
			'Note 3',
			`### Into the index, and out of it
The chunks are pushed first. Then chunks that no longer exist are deleted, so searches find the document at any time. A document that fails does not stop the others.`,
			[700, -280],
			[680, 600],
			5,
		),
		note(
			'Note 4',
			`### Answer the caller
n8n runs the upper branch first, so *Result* runs after all requests. The answer names each document and what has become of it. Status 200 means that everything succeeded, 400 that the call is not valid, and 500 that something failed. After a failure, *Fail the Run* marks the execution as failed.`,
			[200, 340],
			[1180, 320],
			3,
		),
		webhook(
			'Updates Arrive',
			'updates-by-webhook',
			[20, -60],
			'5f0d3c52-8f0e-4c8e-9a53-3c1e7b7a2d41',
		),
		code('Changes', 'changes', [240, -60], { body: '$input.first().json.body' }),
		node('New or Deleted', 'switch', 3.2, [460, -60], {
			rules: { values: ['document', 'deleted'].map((change) => whenIs('change', change)) },
			...{ looseTypeValidation: true, options: {} },
		}),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[740, -120],
			{
				...{ modelId: model(), textSource: 'item', text: '={{ $json.text }}' },
				...{ regex: AT_HEADINGS, output: 'perDocument' },
				...{ documentId: '={{ $json.id }}', documentName: '={{ $json.name }}' },
				options: {
					previousChunkCount: '={{ $json.previousChunkCount ?? 0 }}',
					vectorQuantizationMethod: 'max-scale',
					...keeping('id'),
				},
			},
			{ credentials: CREDENTIALS.ai, ...ON_ERROR },
		),
		node(
			'Push Documents',
			'pushDocuments',
			1,
			[960, -120],
			{
				...{ documentSource: 'json', documentJson: '={{ $json.documents ?? [] }}' },
				options: { output: 'perInputItem', ...keeping('id, removedIds') },
			},
			{ credentials: CREDENTIALS.push, ...ON_ERROR },
		),
		node(
			'Delete Old Chunks',
			'deleteDocument',
			1,
			[1180, -120],
			{
				idSource: 'list',
				// Old chunks stay if the new ones could not be pushed.
				listField: '={{ $json.failed === 0 ? $json.removedIds ?? [] : [] }}',
				...REMOVE,
			},
			{ credentials: CREDENTIALS.push, ...ON_ERROR },
		),
		node(
			'Delete Documents',
			'deleteDocument',
			1,
			[740, 120],
			{
				documentId: '={{ $json.id }}',
				...REMOVE,
				options: { ...REMOVE.options, chunkCount: '={{ $json.previousChunkCount }}' },
			},
			{ credentials: CREDENTIALS.push, ...ON_ERROR },
		),
		code(
			'Result',
			'changes-result',
			[240, 500],
			{
				changes: "$('Changes').all().map(({ json }) => json)",
				texts: outputOf('Chunk Text'),
				pushes: outputOf('Push Documents'),
				removals: outputOf('Delete Old Chunks'),
				deletions: outputOf('Delete Documents'),
			},
			{ executeOnce: true },
		),
		answer([460, 500]),
		allWentWell([680, 500]),
		failTheRun([900, 500]),
	],
	[
		['Updates Arrive', 'Changes', 'New or Deleted', 'Chunk Text', 'Push Documents'],
		['Push Documents', 'Delete Old Chunks'],
		['New or Deleted|1', 'Delete Documents'],
		['Updates Arrive', 'Result', 'Answer', 'All Went Well'],
		['All Went Well|1', 'Fail the Run'],
	],
	{
		pinData: {
			'Updates Arrive': [
				{
					json: {
						...{ headers: {}, params: {}, query: {} },
						body: {
							documents: [
								{
									id: 'handbook/returns.md',
									name: 'Returns',
									url: 'https://example.com/handbook/returns',
									text: '# Returns\nGoods may be returned within thirty days.\n# Refunds\nMoney is refunded within a week.',
								},
								{
									id: 'handbook/shipping.md',
									name: 'Shipping',
									url: 'https://example.com/handbook/shipping',
									text: '# Shipping\nParcels leave on the day of the order.\n# Islands\nParcels to islands take two days longer.',
									chunkCount: 3,
								},
							],
							deleted: [{ id: 'handbook/fax.md', chunkCount: 2 }],
						},
					},
				},
			],
		},
	},
);
