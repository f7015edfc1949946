import { mapFields } from './parts/nodes';
import { AFTERWARDS, DELETE, docs, scheduled, sync } from './parts/sync';
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
1. *Settings*: in *api*, enter \`WordPress\`, \`Zendesk\` or \`Confluence\`, and in *site* the address of your site, such as \`https://www.example.com\`. If it is not public, select a credential in *Get Documents*, in the group *Get All Pages*.
2. **For another API**, change the row *Example* in [*Where the List Is*](${docs('sources.md#another-api')}). **Every page is needed**, because documents that are missing from the list are deleted.
3. Double-click *Chunk, Push, Delete*. Select your credentials in *Chunk Text*, *Push Documents* and *Delete Document*, and enter your model.

**Try it:** click *Execute workflow*. *Show the Plan* says what a run would do, and changes nothing. Then choose *Every Night* beside the button, and click again. Then publish the workflow. It runs three times a night. [All settings](${docs('sources.md#an-api')})`,
		protection: `## What protects your index
- **For a public index**, use a login that sees only what everybody may see. Articles of Zendesk for a user segment, and personal spaces and restricted pages of Confluence, are left out by *leaveOut* in *Where the List Is*.
- **Nothing changes** if a page from the API contains no list, says that it has failed, or repeats an earlier page, or if the list is empty or not valid.
- **A run deletes at most** *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. If more are missing, none is deleted. To approve the deletes, start *${DELETE}* once.
- **Another index?** Before you select its credential, delete the rows of the data table **Synced Documents**. Otherwise, unchanged documents are missing from that index.
- **Each workflow is for one API.** If two push to the same index, their IDs must differ: \`'shop/' + $json.id\` in *Map Fields*.
${AFTERWARDS}`,
		height: 340,
	},
	...scheduled([
		['api', 'string', 'Example'],
		['site', 'string', 'http://localhost:4321'],
		['fields', 'string', ''],
		['ignoredFields', 'string', ''],
	]),
	list: {
		nodes: [
			code('Where the List Is', 'apis', [0, 0], {
				api: "$('Settings').first().json.api",
				site: "$('Settings').first().json.site",
				fields: "$('Settings').first().json.fields",
			}),
			{
				name: 'Get All Pages',
				description:
					'Gets all pages of the API, and returns one item per document. Your credential of the API is in Get Documents.',
				nodes: [
					node('Get Documents', 'httpRequest', 4.4, [0, 0], {
						url: `={{ ${PLACE}.site }}`,
						options: {
							pagination: {
								pagination: {
									paginationMode: 'responseContainsNextURL',
									// The slash keeps what follows from changing the host, for example if it begins with `@`.
									nextURL: `={{ ${PLACE}.site + (${read('next')}?.replace(/^(?=\\/\\/)/, ${PLACE}.site.split('/')[0]).replace(${PLACE}.site, '').replace(/^(?![/?])/, '/') ?? ${PLACE}.path + (${PLACE}.page && ${PLACE}.page + ($pageCount + ${PLACE}.firstPage))) }}`,
									paginationCompleteWhen: 'other',
									completeExpression: `={{ !(${read('list')}?.length > 0) || $pageCount + ${PLACE}.firstPage > ${read('pages')} || (!${PLACE}.page && !${read('next')}) }}`,
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
				],
			},
			mapFields(
				'Map Fields',
				[0, 0],
				'={{ {\n\tid: $json.id,\n\tname: $json.name,\n\turl: $json.url,\n\ttext: $json.text,\n\tfields: $json.fields,\n} }}',
			),
		],
		documents: "$('Map Fields').all().map(({ json }) => json)",
	},
	isChunked: true,
});
