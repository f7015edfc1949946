import { parseFiles, PROTECTION } from './parts/files';
import { CREDENTIALS } from './parts/nodes';
import { BATCH, docs, scheduled, sync } from './parts/sync';
import type { WorkflowNode } from './parts/workflow';
import { code, node } from './parts/workflow';

const SETTINGS = "$('Settings').first().json";
const FOLDER = 'application/vnd.google-apps.folder';

const drive = (name: string, parameters: object, more: object = {}): WorkflowNode =>
	node(name, 'googleDrive', 3, [0, 0], parameters, { credentials: CREDENTIALS.drive, ...more });

/** Only the field * returns the checksum and the time of the last change. */
const search = (name: string, queryString: string): WorkflowNode =>
	drive(
		name,
		{
			...{ resource: 'fileFolder', searchMethod: 'query', queryString, returnAll: true },
			...{ filter: {}, options: { fields: ['*'] } },
		},
		{ alwaysOutputData: true },
	);

const FILE = 'https://www.googleapis.com/drive/v3/files/';
const FIELDS = '?fields=id,trashed,parents&supportsAllDrives=true';

/**
 * Drive does not say if a list is short. So a missing file is asked for, then the folder that it is in, and so on up to
 * the folder of the sync.
 */
const askForFile = node(
	'Ask for File',
	'httpRequest',
	4.4,
	[0, 0],
	{
		...{ url: `=${FILE}{{ $json.id }}${FIELDS}`, authentication: 'predefinedCredentialType' },
		nodeCredentialType: 'googleDriveOAuth2Api',
		options: {
			pagination: {
				pagination: {
					paginationMode: 'responseContainsNextURL',
					nextURL: `={{ '${FILE}' + ($response?.body?.parents?.[0] ?? $json.id) + '${FIELDS}' }}`,
					paginationCompleteWhen: 'other',
					completeExpression: `={{ !$response.body?.parents || $response.body.id === ${BATCH}.settings.folder }}`,
				},
			},
			response: {
				response: { fullResponse: true, neverError: true, responseFormat: 'json' },
			},
		},
	},
	{ credentials: CREDENTIALS.drive },
);

export default sync({
	name: 'Sync From Google Drive',
	about: {
		content: `## Sync an index with a folder in Google Drive

**Tested against a stand-in for Google Drive, never with a real account.**

Reads PDF, Word, PowerPoint, Excel, Markdown, text, HTML and CSV files, and Google's Docs, Sheets and Slides. Chunks and pushes files that are new or changed, and deletes the chunks of files that no longer exist or are in the trash. It does not touch documents with other IDs.

**Change these**
1. *Settings*: in *folder*, enter the ID of the folder, the last part of its URL. Its subfolders are included.
2. *Folders*, *List Files*, and *Ask for File* and *Download* in the group *Read the Files*: select your *Google Drive* credential. Double-click a group to open it.
3. *Chunk, Push, Delete*: select your credentials in *Chunk Text*, *Push Documents* and *Delete Document*, and enter your model.

**Try it:** click *Execute workflow*. *Show the Plan* says what a run would do, and changes nothing. Then choose *Every Night* beside the button, and click again. Then publish the workflow. It runs three times a night. [All settings, and which files are read](${docs('sources.md#google-drive')})`,
		protection: PROTECTION,
		height: 360,
	},
	...scheduled([
		['folder', 'string', ''],
		['fields', 'string', ''],
		['ignoredFields', 'string', ''],
		['titleAsName', 'boolean', false],
		['mainPart', 'string', ''],
		['leaveOut', 'string', ''],
		['mostMegabytes', 'number', 20],
	]),
	list: {
		nodes: [
			{
				name: 'List the Files',
				description:
					'Gets all folders, chooses yours and those below it, and asks for the files of each. Your credential of Google Drive is here.',
				nodes: [
					search('Folders', `mimeType = '${FOLDER}' and trashed = false`),
					code('Folders Below', 'drive-folders', [0, 0], {
						folders: "$('Folders').all().map(({ json }) => json)",
						root: `${SETTINGS}.folder`,
					}),
					search(
						'List Files',
						`='{{ $json.id }}' in parents and mimeType != '${FOLDER}' and trashed = false`,
					),
				],
			},
			code(
				'Choose Files',
				'drive-files',
				[0, 0],
				{
					files: "$('List Files').all().map(({ json }) => json)",
					folders: "$('Folders Below').all().map(({ json }) => json)",
					mostMegabytes: `${SETTINGS}.mostMegabytes`,
					fields: `${SETTINGS}.fields`,
					titleAsName: `${SETTINGS}.titleAsName`,
					mainPart: `${SETTINGS}.mainPart`,
					leaveOut: `${SETTINGS}.leaveOut`,
				},
				{ alwaysOutputData: true },
			),
		],
		documents: "$('Choose Files').all().map(({ json }) => json)",
	},
	fetch: parseFiles(
		drive('Download', {
			...{ resource: 'file', operation: 'download' },
			fileId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			options: {
				googleFileConversion: {
					conversion: {
						docsToFormat: 'text/markdown',
						slidesToFormat: 'application/pdf',
						sheetsToFormat: 'text/csv',
					},
				},
			},
		}),
		askForFile,
	),
	isChunked: true,
	formerSplit: 'sentences',
});
