import { AFTERWARDS, called, docs, sync } from './parts/sync';

export default sync({
	name: 'Sync Chunks by Source',
	about: {
		content: `## Keep the chunks in an index equal to a source

Receives the **complete list** of a source's documents. It chunks and pushes new and changed documents, and deletes chunks that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *List Arrives*: select your *Header Auth* credential. A copy of this workflow needs another path.
2. Double-click *Chunk, Push, Delete*. Select your credentials in *Chunk Text*, *Push Documents* and *Delete Document*, and enter your model.

**Try it:** click *Execute workflow*. It says what a run would do with the documents pinned to *List Arrives*, and changes nothing. Then publish the workflow, and send your list, first with \`"dryRun": true\`, which returns its plan:

\`POST /webhook/sync-chunks-by-source\`
\`{ "documents": [{ "id", "name", "url", "text", "fields" }] }\`

A change in [\`fields\`](${docs('sources.md#fields')}) chunks the document again, unless *ignoredFields* names the field.

[What a run returns](${docs('sync-failures.md#what-a-run-returns')})`,
		protection: `## What protects your index
- **A run deletes at most** *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. If more are missing, none is deleted. The answer says how many (*approvable*). To approve them, add \`"confirmDeletes"\` with this number.
- **The answer** has status 200 if everything succeeded, 400 if the list is not complete, 409 if another run is active, and 500 if something failed, could not be read, or was withheld. What cannot be read stays as it is in the index: a document without \`text\`, or with a \`problem\` in place of it.
- **Another index?** Before you select its credential, delete the rows of the data table **Synced Documents**. Otherwise, unchanged documents are missing from that index.
- **Each workflow is for one source.** If two push to the same index, their IDs must differ, for example by a prefix.
${AFTERWARDS}`,
		height: 370,
	},
	...called(
		'sync-chunks-by-source',
		'3b0f7d0c-4a59-4a52-9d0b-0f6a5a8a4c1e',
		[
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
		[['ignoredFields', 'string', '']],
	),
	isChunked: true,
});
