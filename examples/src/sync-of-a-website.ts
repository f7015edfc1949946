import { mainPart, toMarkdown } from './parts/files';
import { fields, isTrue, OWN_SITE_ONLY } from './parts/nodes';
import { BATCH, scheduled, sync } from './parts/sync';
import type { WorkflowNode } from './parts/workflow';
import { code, node } from './parts/workflow';

const X = 220;

const CONTINUE = { onError: 'continueRegularOutput' };

const json = (name: string): string => `$('${name}').all().map(({ json }) => json)`;

/** Requests begin at this interval. Without it, n8n starts all requests of a batch at once. */
const oneByOne = (settings: string) => ({
	batch: { batchSize: 1, batchInterval: `={{ ${settings}.secondsBetweenRequests * 1000 }}` },
});

/** A status other than 200 is an answer, too. */
const getPages = (name: string, url: string, redirect: object): WorkflowNode =>
	node(
		name,
		'httpRequest',
		4.2,
		[0, 0],
		{
			url,
			options: {
				batching: oneByOne(`${BATCH}.settings`),
				redirect: { redirect },
				...OWN_SITE_ONLY,
				response: { response: { fullResponse: true, neverError: true } },
				timeout: 30_000,
			},
		},
		CONTINUE,
	);

const at = (each: WorkflowNode, column: number, y = 0): WorkflowNode => ({
	...each,
	position: [X * column, y],
});

const attribute = (key: string, cssSelector: string, name: string) => ({
	...{ key, cssSelector, returnValue: 'attribute', attribute: name },
});

export default sync({
	name: 'Sync of a Website',
	about: {
		content: `## Sync an index with a website every night

**Is your website public?** Site Search has a crawler for public websites. Use that, unless you want chunks with vectors, control over deletes and fields, or pages that need a sign-in or are in your own network.

Reads the sitemap, and gets only pages that are new or changed. It chunks and pushes their main part, and deletes the chunks of pages that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *Where the Website Is*: enter the address of the sitemap. This is often \`https://www.example.com/sitemap.xml\`, or see \`robots.txt\`. An index of sitemaps and \`.xml.gz\` are fine. In *exclude*, enter parts of addresses to leave out, for example \`/tag/, /author/\`.
2. *Settings*: *secondsBetweenRequests* (0.1 to 5) and *mostPerRun*, the number of pages per run, with three runs per night. The others wait for the next run. The run then says how many (*later*) and that it is incomplete, but it does not fail. *mostDeletes* and *mostDeletesPercent* are the number of pages that a run may delete without the website's confirmation. If pages of an internal website say \`noindex\`, turn on *readNoindex*. Otherwise, they are left out.
3. *Main Part*: the selector of the text. \`main\` or \`article\` is right for most websites. Do not turn on *Clean Up Text*, because it glues words together.
4. *Chunk Text*: select your credential and enter your model.
5. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table.
6. If the website needs a sign-in, select a credential in *Get Sitemaps*, *Get Pages* and *Get Redirected Pages*.

**When is a page read?** If it is new, if its \`lastmod\` has changed, and every 30 days (*daysUntilReread*), because \`lastmod\` may be wrong. If your sitemap has no \`lastmod\`, enter 1 to 7.

**When is a page deleted?** If it is missing from the sitemap *and* answers with 404 or 410, redirects to another page for good, says \`noindex\`, or has another canonical address. If only one of the two is true, it counts under the limits in *Settings*.

**What cannot be read stays as it is in the index**, and the run names it and fails: pages that answer with 503 or not at all, sign-in pages, and pages without text, for example because they need JavaScript.

**Try it:** lower *mostPerRun* to 20, and click *Execute workflow*. Then publish the workflow. To delete more pages than *Settings* allows, start it once by its trigger *Delete What Is Missing*. **To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`,
		size: [480, 1340],
	},
	...scheduled([
		['mostPerRun', 'number', 1000],
		['secondsBetweenRequests', 'number', 1],
		['readNoindex', 'boolean', false],
	]),
	list: {
		content:
			'## List\nGets the sitemap. If it is an index, the nodes run again for the sitemaps in it. If a sitemap cannot be read, nothing changes. If you have a list of addresses elsewhere, replace these nodes: return `id` and `url` (the address), `name` and `version`.',
		nodes: [
			node(
				'Where the Website Is',
				'set',
				3.4,
				[0, 0],
				fields(
					['sitemap', 'string', 'https://www.example.com/sitemap.xml'],
					['exclude', 'string', ''],
					['daysUntilReread', 'number', 30],
				),
			),
			node(
				'Get Sitemaps',
				'httpRequest',
				4.2,
				[0, 0],
				{
					url: '={{ $json.sitemap }}',
					options: {
						batching: oneByOne("$('Settings').first().json"),
						...OWN_SITE_ONLY,
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
				{ operation: 'decompress', binaryPropertyName: 'data', outputPrefix: 'file_' },
				CONTINUE,
			),
			code('Sitemap Files', 'sitemap-files', [0, 0], {
				downloads: "$('Get Sitemaps').all()",
				decompressed: "$('Decompress').all()",
			}),
			node('Read Sitemaps', 'extractFromFile', 1.1, [0, 0], {
				operation: 'text',
				options: {},
			}),
			code('Sitemap Texts', 'sitemap-texts', [0, 0], {
				texts: json('Read Sitemaps'),
				urls: "$('Sitemap Files').all().map(({ json }) => json.sitemap)",
				isInIndex: '$runIndex > 0',
			}),
			node('Read XML', 'xml', 1, [0, 0], { mode: 'xmlToJson', options: {} }),
			node('Has Pages', 'if', 2.2, [0, 0], isTrue('={{ $json.sitemapindex === undefined }}')),
			code(
				'Pages of the Website',
				'website-pages',
				[0, 0],
				{
					sitemaps: json('Read XML'),
					place: "$('Where the Website Is').first().json",
					settings: "$('Settings').first().json",
					now: 'new Date()',
				},
				{ alwaysOutputData: true },
			),
		],
		below: {
			nodes: [
				code('Sitemaps in the Index', 'sitemap-index', [X * 4.4, 130], {
					indexes: json('Read XML'),
				}),
			],
			chains: [['Has Pages|1', 'Sitemaps in the Index', 'Get Sitemaps']],
		},
		documents: json('Pages of the Website'),
		areAddresses: true,
	},
	fetch: {
		content:
			'## Fetch\nGets each new or changed page, and its main part as Markdown. Pages that are missing from the sitemap are asked for, too.',
		nodes: [
			at(getPages('Get Pages', '={{ $json.id }}', { followRedirects: false }), 1),
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
				2,
				180,
			),
			at(
				getPages('Get Redirected Pages', "={{ $('Entries').item.json.id }}", {
					followRedirects: true,
					maxRedirects: 5,
				}),
				3,
				180,
			),
			at(node('All Answered', 'merge', 3.2, [0, 0], {}), 4),
			at(
				code('Pages to Read', 'pages-to-read', [0, 0], {
					entries: json('Entries'),
					responses: json('Get Pages'),
					redirected: `$('Get Redirected Pages').isExecuted ? ${json('Get Redirected Pages')} : []`,
				}),
				5,
			),
			mainPart(
				[X * 6, 0],
				[
					attribute('canonical', 'link[rel=canonical i]', 'href'),
					attribute('robots', 'meta[name=robots i]', 'content'),
					attribute(
						'password',
						'main input[type=password i], body:not(:has(main)) input[type=password i]',
						'type',
					),
				],
			),
			...toMarkdown([X * 7, 0]),
			at(
				code('Fetched', 'fetched-pages', [0, 0], {
					pages: json('Pages to Read'),
					read: json('HTML to Markdown'),
					readNoindex: `${BATCH}.settings.readNoindex`,
				}),
				9,
			),
		],
		chains: [
			['Entries', 'Get Pages', 'All Answered', 'Pages to Read'],
			['Get Pages', 'Is Redirected', 'Get Redirected Pages', '1|All Answered'],
			['Pages to Read', 'Main Part', 'Readable Part', 'HTML to Markdown', 'Fetched'],
		],
		// With 5 seconds between requests, a batch takes less than the 15 minutes of its lock.
		batchSize: 50,
	},
	isChunked: true,
});
