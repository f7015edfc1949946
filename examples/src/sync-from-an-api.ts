import { everyNight, fields, manualTrigger, mapFields } from './parts/nodes';
import { sync } from './parts/sync';
import { code, node } from './parts/workflow';

const PLACE = "$('Where the List Is').first().json";

export default sync({
	name: 'Sync From an API',
	about: {
		content: `## Sync an index with an API every night

Gets **all documents** from an API. It chunks and pushes new and changed documents, and deletes chunks that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *Get Documents*: enter your API's URL and authentication. In *Pagination*, enter how to request a page. **Fetch every page**, because documents that are missing from the list are deleted. Pagination ends at the first page with an empty list.
2. *Where the List Is*: enter \`body\` if the response is a list, or \`body.data.items\` if it is, for example, \`{ "data": { "items": […] } }\`. In *firstPage*, enter the number of your API's first page. If your API starts at 0 and you leave the 1, the first page is missing, and no run can notice this. If your API returns the total number of entries, enter its place in *total*, for example \`body.total\`. The run then stops if entries are missing.
3. *Map Fields*: enter where \`id\`, \`name\`, \`url\` and \`text\` are in each entry. To leave out an entry for good, add a *Filter* before this node, with *Always Output Data* on.
4. *Settings*: *mostDeletes* and *mostDeletesPercent* are the number of documents that a run may delete. In *pushAgain*, you can enter IDs to chunk again, and remove them after the run.
5. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\n\\s*\\n\`.
6. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table. Otherwise, unchanged documents are missing from that index.

**Nothing changes** if a page from the API contains no list or is the same as an earlier page, or if the list is empty or not valid. If too many documents are missing, they are not deleted. To delete them, start the workflow once by its trigger *Delete What Is Missing*.

**It runs three times a night.** If nothing has changed since the last run, the next run sends nothing. After an outage, the next run sends what is missing.

The data table **Synced Documents** says what each batch has done. Its name contains this workflow's ID. Each workflow is for one API, so duplicate the workflow for another API. If two workflows push to the same index, their IDs must differ, for example by a prefix in *Map Fields*.

**Try it:** click *Execute workflow*. Then publish the workflow.

**To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`,
		size: [480, 1240],
	},
	triggers: [everyNight([0, 0], [2, 4, 6]), manualTrigger('Delete What Is Missing', [0, 200])],
	settings: {
		confirmDeletes: "={{ $('Delete What Is Missing').isExecuted }}",
		howToDelete: "start the workflow once by its trigger 'Delete What Is Missing'",
		pushAgain: [],
	},
	list: {
		content:
			'## List\nFor another source, replace these nodes. The last one, *Map Fields*, returns one item per document: `id`, `name`, `url` and `text`. Turn on *Always Output Data* in the node before it, so that an empty list is noticed.',
		nodes: [
			node(
				'Where the List Is',
				'set',
				3.4,
				[0, 0],
				fields(
					['list', 'string', 'body'],
					['firstPage', 'number', 1],
					['total', 'string', ''],
				),
			),
			node('Get Documents', 'httpRequest', 4.2, [0, 0], {
				url: 'http://localhost:4321/files/articles',
				options: {
					pagination: {
						pagination: {
							parameters: {
								parameters: [
									{
										name: 'page',
										value: `={{ $pageCount + ${PLACE}.firstPage }}`,
									},
								],
							},
							paginationCompleteWhen: 'other',
							completeExpression: `={{ !(${PLACE}.list.split('.').reduce((value, name) => (value ?? {})[name], $response)?.length > 0) }}`,
						},
					},
					response: { response: { fullResponse: true, responseFormat: 'json' } },
				},
			}),
			code(
				'One Item per Entry',
				'pages',
				[0, 0],
				{
					responses: "$('Get Documents').all().map(({ json }) => json)",
					place: PLACE,
				},
				{ alwaysOutputData: true },
			),
			mapFields(
				'Map Fields',
				[0, 0],
				'={{ {\n\tid: $json.key,\n\tname: $json.title,\n\turl: $json.link,\n\ttext: $json.body,\n} }}',
			),
		],
		documents: "$('Map Fields').all().map(({ json }) => json)",
	},
	isChunked: true,
	isAnswered: false,
});
