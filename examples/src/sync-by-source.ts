import { webhook } from './parts/nodes';
import { sync } from './parts/sync';

export default sync({
	name: 'Sync by Source',
	about: {
		content: `## Keep the index equal to a source

Receives the **complete list** of a source's documents. It pushes new and changed documents, and deletes documents that are no longer in the list. It does not touch documents with other IDs.

**Change these**
1. *List Arrives*: select your *Header Auth* credential. The *Path* is part of the URL that callers use.
2. *Settings*: in *ignoredFields*, enter the fields whose changes do not matter, such as counters. A run deletes at most *mostDeletes* documents, or *mostDeletesPercent* of all if that is more.
3. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table. Otherwise, unchanged documents are missing from that index.

The data table **Synced Documents** says what each batch has done. The first run creates the table. Its name contains this workflow's ID. Each workflow is for one source, so duplicate the workflow for another source. If two workflows push to the same index, their IDs must differ, for example by a prefix.

**Try it:** click *Execute workflow*. Then change a text or remove a document in the data pinned to *List Arrives*, and run it again. Or publish the workflow and send

\`POST /webhook/sync-by-source\`
\`{ "documents": [{ "id", "name", "text" }] }\`

To delete more than *Settings* allows, add \`"confirmDeletes": true\`. To push documents that have not changed, add \`"pushAgain": ["id"]\`.

The answer has status 200 if everything succeeded, 400 if the list is not complete, 409 if another run is active, and 500 if something failed or was withheld.`,
		size: [480, 900],
	},
	triggers: [
		webhook('List Arrives', 'sync-by-source', [0, 0], '683daaae-a916-443d-a62e-93d1f92cc35e'),
	],
	settings: {
		confirmDeletes: '={{ $json.body?.confirmDeletes === true }}',
		howToDelete: 'send the list once with "confirmDeletes": true',
		pushAgain: '={{ $json.body?.pushAgain ?? [] }}',
	},
	list: {
		content:
			'## List\nThe list is in the call. Each document needs an `id`. All its fields are pushed.\n\nIf your source cannot call, get the list here: see *Sync From an API*.',
		nodes: [],
		documents: "$('List Arrives').first().json.body?.documents",
	},
	isChunked: false,
	isAnswered: true,
	pinData: {
		'List Arrives': [
			{
				json: {
					...{ headers: {}, params: {}, query: {} },
					body: {
						documents: [
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
						],
					},
				},
			},
		],
	},
});
