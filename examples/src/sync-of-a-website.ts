import { isTrue } from './parts/nodes';
import { AFTERWARDS, BATCH, DELETE, docs, scheduled, sync } from './parts/sync';
import type { WorkflowNode } from './parts/workflow';
import { code, node, X } from './parts/workflow';

const CONTINUE = { onError: 'continueRegularOutput' };

const json = (name: string): string => `$('${name}').all().map(({ json }) => json)`;

const jsonIfAny = (name: string): string => `$('${name}').isExecuted ? ${json(name)} : []`;

/** The bytes of each item, in the order of the items: those of the first nodes before the others. */
const BYTES =
	"await Promise.all($input.all().map(({ binary }, at) => binary?.data && this.helpers.getBinaryDataBuffer(at, 'data')))";

/** Requests begin at this interval. Without it, n8n starts all requests of a batch at once. */
const oneByOne = (settings: string) => ({
	batch: { batchSize: 1, batchInterval: `={{ ${settings}.secondsBetweenRequests * 1000 }}` },
});

/** A status other than 200 is an answer, too. */
const getPages = (name: string, url: string, redirect: object): WorkflowNode =>
	node(
		name,
		'httpRequest',
		4.4,
		[0, 0],
		{
			url,
			options: {
				batching: oneByOne(`${BATCH}.settings`),
				redirect: { redirect },
				// As a text, n8n would guess the encoding, and take French for Chinese.
				response: {
					response: { fullResponse: true, neverError: true, responseFormat: 'file' },
				},
				timeout: 30_000,
			},
		},
		CONTINUE,
	);

const at = (each: WorkflowNode, column: number, y = 0): WorkflowNode => ({
	...each,
	position: [X * column, y],
});

export default sync({
	name: 'Sync of a Website',
	about: {
		content: `## Sync an index with a website every night

Reads the sitemap, gets only pages that are new or changed, and chunks and pushes their main part. It deletes the chunks of pages that no longer exist. It does not touch documents with other IDs. If your website is public, first consider Site Search's crawler.

**Change these**
1. *Settings*: enter the address of the *sitemap*, often \`https://www.example.com/sitemap.xml\`. In *exclude*, enter parts of addresses to leave out.
2. Double-click *Chunk, Push, Delete*. Select your credentials in *Chunk Text*, *Push Documents* and *Delete Document*, and enter your model.
3. If the website needs a sign-in, select a credential in *Get Sitemaps*, *Get Pages*, *Get Redirected Pages* and *Get Originals*.

**Try it:** set *mostPerRun* to 20, and click *Execute workflow*. *Show the Plan* says what a run would do, and changes nothing. Then choose *Every Night* beside the button, and click again. Then set *mostPerRun* to 1000, and publish the workflow. [All settings, and when a page is read](${docs('sources.md#a-website')})`,
		protection: `## What protects your index
- **A page is deleted** if it is missing from the sitemap, or gone: 404, 410, moved for good, \`noindex\`, or another canonical address. A run deletes at most *mostDeletes* pages, or *mostDeletesPercent* of all if that is more. To approve more, start *${DELETE}* once.
- **What cannot be read stays as it is in the index**, and the run names it and fails: pages that answer with 503, sign-in pages, and pages without text.
- **Another index?** Before you select its credential, delete the rows of the data table **Synced Documents**. Otherwise, unchanged pages are missing from that index.
${AFTERWARDS}`,
		height: 330,
	},
	...scheduled(
		[
			['sitemap', 'string', 'https://www.example.com/sitemap.xml'],
			['exclude', 'string', ''],
			['mainPart', 'string', ''],
			['leaveOut', 'string', ''],
			['fields', 'string', ''],
			['nameSuffix', 'string', ''],
			['readNoindex', 'boolean', false],
			['daysUntilReread', 'number', 30],
			['secondsBetweenRequests', 'number', 1],
		],
		[['mostPerRun', 'number', 1000]],
	),
	list: {
		nodes: [
			{
				name: 'List the Pages',
				description:
					'Reads the sitemaps. If your list of addresses is elsewhere, replace the group, and return id, url, name and version.',
				nodes: [
					node(
						'Get Sitemaps',
						'httpRequest',
						4.4,
						[0, 0],
						{
							url: '={{ $json.sitemap }}',
							options: {
								batching: oneByOne("$('Settings').first().json"),
								response: { response: { responseFormat: 'file' } },
								timeout: 60_000,
							},
						},
						{ retryOnFail: true, maxTries: 3, waitBetweenTries: 5000 },
					),
					code('As Archives', 'archives', [0, 0], { files: "$('Get Sitemaps').all()" }),
					node(
						'Decompress',
						'compression',
						1.1,
						[0, 0],
						{
							operation: 'decompress',
							binaryPropertyName: 'data',
							outputPrefix: 'file_',
						},
						CONTINUE,
					),
					code('Sitemap Files', 'sitemap-files', [0, 0], {
						downloads: "$('Get Sitemaps').all()",
						decompressed: "$('Decompress').all()",
					}),
					// n8n would guess the encoding. Sitemap Texts decodes the bytes.
					node('Read Sitemaps', 'extractFromFile', 1.1, [0, 0], {
						operation: 'binaryToPropery',
						options: {},
					}),
					code('Sitemap Texts', 'sitemap-texts', [0, 0], {
						texts: json('Read Sitemaps'),
						urls: "$('Sitemap Files').all().map(({ json }) => json.sitemap)",
						isInIndex: '$runIndex > 0',
					}),
					node('Read XML', 'xml', 1, [0, 0], { mode: 'xmlToJson', options: {} }),
					node(
						'Has Pages',
						'if',
						2.2,
						[0, 0],
						isTrue('={{ $json.sitemapindex === undefined }}'),
					),
					code(
						'Pages of the Website',
						'website-pages',
						[0, 0],
						{
							sitemaps: json('Read XML'),
							settings: "$('Settings').first().json",
							now: 'new Date()',
						},
						{ alwaysOutputData: true },
					),
				],
			},
		],
		below: {
			nodes: [
				code('Sitemaps in the Index', 'sitemap-index', [X * 4, 180], {
					indexes: json('Read XML'),
				}),
			],
			chains: [['Has Pages|1', 'Sitemaps in the Index', 'Get Sitemaps']],
		},
		documents: json('Pages of the Website'),
		areAddresses: true,
	},
	fetch: {
		group: {
			name: 'Get the Pages',
			description: 'Gets new, changed and missing pages, and the text of their main part.',
		},
		nodes: [
			at(node('Is Included', 'filter', 2.2, [0, 0], isTrue('={{ !$json.isExcluded }}')), 1),
			at(getPages('Get Pages', '={{ $json.id }}', { followRedirects: false }), 2),
			at(
				node(
					'Is Redirected',
					'filter',
					2.2,
					[0, 0],
					isTrue(
						"={{ $json.statusCode >= 300 && $json.statusCode < 400 && $json.headers.location && !$('Entries').item.json.isMissing }}",
					),
				),
				3,
				180,
			),
			at(
				getPages('Get Redirected Pages', "={{ $('Entries').item.json.id }}", {
					followRedirects: true,
					maxRedirects: 5,
				}),
				4,
				180,
			),
			at(node('All Answered', 'merge', 3.2, [0, 0], { numberInputs: 3 }), 5),
			at(
				code('Pages to Read', 'pages-to-read', [0, 0], {
					entries: json('Entries'),
					responses: jsonIfAny('Get Pages'),
					redirected: jsonIfAny('Get Redirected Pages'),
					bytes: BYTES,
				}),
				6,
			),
			at(
				code('Originals', 'originals', [0, 0], {
					pages: json('Pages to Read'),
					listed: `${BATCH}.listed`,
				}),
				7,
				180,
			),
			at(getPages('Get Originals', '={{ $json.id }}', { followRedirects: false }), 8, 180),
			at(node('All Known', 'merge', 3.2, [0, 0], {}), 9),
			at(
				code('Fetched', 'fetched-pages', [0, 0], {
					pages: json('Pages to Read'),
					settings: `${BATCH}.settings`,
					listed: `${BATCH}.listed`,
					originals: jsonIfAny('Originals'),
					responses: jsonIfAny('Get Originals'),
					bytes: BYTES,
				}),
				10,
			),
		],
		chains: [
			['Entries', 'Is Included', 'Get Pages', 'All Answered', 'Pages to Read'],
			['Get Pages', 'Is Redirected', 'Get Redirected Pages', '1|All Answered'],
			// A batch may have only excluded pages.
			['Entries', '2|All Answered'],
			['Pages to Read', 'All Known', 'Fetched'],
			['Pages to Read', 'Originals', 'Get Originals', '1|All Known'],
		],
		asksForMissing: true,
		// With 5 seconds between requests, a batch takes less than the 15 minutes of its lock.
		batchSize: 50,
	},
	isChunked: true,
});
