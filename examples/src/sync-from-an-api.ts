import { fields, mapFields, OWN_SITE_ONLY } from './parts/nodes';
import { scheduled, sync } from './parts/sync';
import { code, node } from './parts/workflow';

const PLACE = "$('Where the List Is').first().json";

/** Reads a place such as `body.data.items` in a response. */
const read = (place: string): string =>
	`${PLACE}.${place}.split('.').reduce((value, name) => (value ?? {})[name], $response)`;

export default sync({
	name: 'Sync From an API',
	about: {
		content: `## Sync an index with an API every night

Gets **all documents** from an API. It chunks and pushes new and changed documents, and deletes chunks that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *Your API*: enter \`WordPress\`, \`Zendesk\` or \`Confluence\`, and the address of your site: \`https://www.example.com\`, \`https://example.zendesk.com\`, \`https://example.atlassian.net/wiki\`. If it is not public, select a credential in *Get Documents*.
2. **For another API**, change the row *Example* in *Where the List Is*: the path, how to request a page, and where the list and the total are, for example \`body.data.items\`. **Every page is needed**, because documents that are missing from the list are deleted. Without *pages* and *next*, pagination ends at the first page with an empty list. If your API starts at page 0 and *firstPage* stays 1, the first page is missing, and only *total* can notice this. Then enter where \`id\`, \`name\`, \`link\` and \`text\` are in an entry, and if the text is HTML.
3. To leave out an entry for good, use *leaveOut*, or add a *Filter* before *Map Fields*, with *Always Output Data* on.
4. *Settings*: a run deletes at most *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. In *pushAgain*, you can enter IDs to chunk again, and remove them after the run.
5. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`.
6. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table. Otherwise, unchanged documents are missing from that index.

**Nothing changes** if a page from the API contains no list, says \`success: false\` or is the same as an earlier page, or if the list is empty or not valid. If too many documents are missing, they are not deleted. To delete them, start the workflow once by its trigger *Delete What Is Missing*.

**It runs three times a night.** If nothing has changed since the last run, the next run sends nothing. After an outage, the next run sends what is missing.

The data table **Synced Documents** says what each batch has done. Its name contains this workflow's ID. Each workflow is for one API, so duplicate the workflow for another API. If two workflows push to the same index, their IDs must differ, for example by a prefix in *Map Fields*: \`'shop/' + $json.id\`.

**Try it:** click *Execute workflow*. Then publish the workflow.

**To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`,
		size: [480, 1240],
	},
	...scheduled(),
	list: {
		content:
			'## List\nFor another source, replace these nodes. The last one, *Map Fields*, returns one item per document: `id`, `name`, `url` and `text`. Turn on *Always Output Data* in the node before it, so that an empty list is noticed.',
		nodes: [
			node(
				'Your API',
				'set',
				3.4,
				[0, 0],
				fields(['api', 'string', 'Example'], ['site', 'string', 'http://localhost:4321']),
			),
			code('Where the List Is', 'apis', [0, 0], {
				api: "$('Your API').first().json.api",
				site: "$('Your API').first().json.site",
			}),
			node('Get Documents', 'httpRequest', 4.2, [0, 0], {
				url: `={{ ${PLACE}.site }}`,
				options: {
					pagination: {
						pagination: {
							paginationMode: 'responseContainsNextURL',
							// The slash keeps what follows from changing the host, for example if it begins with `@`.
							nextURL: `={{ ${PLACE}.site + (${read('next')}?.replace(${PLACE}.site, '').replace(/^(?![/?])/, '/') ?? ${PLACE}.path + (${PLACE}.page && ${PLACE}.page + ($pageCount + ${PLACE}.firstPage))) }}`,
							paginationCompleteWhen: 'other',
							completeExpression: `={{ !(${read('list')}?.length > 0) || $pageCount + ${PLACE}.firstPage > ${read('pages')} || (!${PLACE}.page && !${read('next')}) }}`,
						},
					},
					...OWN_SITE_ONLY,
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
				'={{ {\n\tid: $json.id,\n\tname: $json.name,\n\turl: $json.url,\n\ttext: $json.text,\n} }}',
			),
		],
		documents: "$('Map Fields').all().map(({ json }) => json)",
	},
	isChunked: true,
});
