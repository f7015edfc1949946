import { webhook } from './parts/nodes';
import { sync } from './parts/sync';

export default sync({
	name: 'Sync Chunks by Source',
	about: {
		content: `## Keep the chunks in an index equal to a source

Receives the **complete list** of a source's documents. It chunks and pushes new and changed documents, and deletes chunks that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *List Arrives*: select your *Header Auth* credential. The *Path* is part of the URL that callers use.
2. *Settings*: a run deletes at most *mostDeletes* documents, or *mostDeletesPercent* of all if that is more.
3. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`.
4. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table. Otherwise, unchanged documents are missing from that index.

The data table **Synced Documents** says what each batch has done. The first run creates the table. Its name contains this workflow's ID. Each workflow is for one source, so duplicate the workflow for another source. If two workflows push to the same index, their IDs must differ, for example by a prefix.

**Try it:** click *Execute workflow*. Then change a text or remove a document in the data pinned to *List Arrives*, and run it again. Or publish the workflow and send

\`POST /webhook/sync-chunks-by-source\`
\`{ "documents": [{ "id", "name", "url", "text" }] }\`

To delete more than *Settings* allows, add \`"confirmDeletes": true\`. To chunk documents again that have not changed, add \`"pushAgain": ["id"]\`.

The answer has status 200 if everything succeeded, 400 if the list is not complete, 409 if another run is active, and 500 if something failed, could not be read, or was withheld. What cannot be read stays as it is in the index: a document without \`text\`, or with a \`problem\` in place of it.`,
		size: [480, 1010],
	},
	triggers: [
		webhook(
			'List Arrives',
			'sync-chunks-by-source',
			[0, 0],
			'3b0f7d0c-4a59-4a52-9d0b-0f6a5a8a4c1e',
		),
	],
	settings: {
		confirmDeletes: '={{ $json.body?.confirmDeletes === true }}',
		howToDelete: 'send the list once with "confirmDeletes": true',
		pushAgain: '={{ $json.body?.pushAgain ?? [] }}',
	},
	list: {
		content:
			'## List\nThe list is in the call. Each document has `id`, `name`, `url` and `text`.\n\nIf your source cannot call, get the list here: see *Sync From an API*.',
		nodes: [],
		documents: "$('List Arrives').first().json.body?.documents",
	},
	isChunked: true,
	isAnswered: true,
	pinData: {
		'List Arrives': [
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
								text: '# Shipping\nParcels leave on the day of the order.',
							},
						],
					},
				},
			},
		],
	},
});
