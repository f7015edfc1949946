import { AFTERWARDS, called, docs, sync } from './parts/sync';

export default sync({
	name: 'Sync by Source',
	about: {
		content: `## Keep the index equal to a source

Receives the **complete list** of a source's documents. It pushes new and changed documents, and deletes documents that are no longer in the list. It does not touch documents with other IDs.

**Change these**
1. *List Arrives*: select your *Header Auth* credential. A copy of this workflow needs another path.
2. Double-click *Push, Delete*. In *Push Documents* and *Delete Document*, select your credential.
3. *Settings*: in *ignoredFields*, enter the fields whose changes do not matter, such as counters.

**Try it:** click *Execute workflow*. It says what a run would do with the documents pinned to *List Arrives*, and changes nothing. Then publish the workflow, and send your list, first with \`"dryRun": true\`, which returns its plan:

\`POST /webhook/sync-by-source\`
\`{ "documents": [{ "id", "name", "text" }] }\`

[What a run returns](${docs('sync-failures.md#what-a-run-returns')})`,
		protection: `## What protects your index
- **A run deletes at most** *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. If more are missing, none is deleted. The answer says how many (*approvable*). To approve them, add \`"confirmDeletes"\` with this number.
- **The answer** has status 200 if everything succeeded, 400 if the list is not complete, 409 if another run is active, and 500 if something failed, could not be read, or was withheld.
- **Another index?** Before you select its credential, delete the rows of the data table **Synced Documents**. Otherwise, unchanged documents are missing from that index.
- **Each workflow is for one source.** If two push to the same index, their IDs must differ, for example by a prefix.
${AFTERWARDS}`,
		height: 360,
	},
	...called('sync-by-source', '683daaae-a916-443d-a62e-93d1f92cc35e', [
		{
			id: 'faq/opening-hours',
			name: 'Opening hours',
			text: 'We are open from nine to five.',
		},
		{
			id: 'faq/parking',
			name: 'Parking',
			text: 'Parking behind the house is free.',
		},
		{ id: 'faq/payment', name: 'Payment', text: 'We take cards and cash.' },
	]),
	isChunked: false,
});
