import { BY_KIND, parseFiles, STEPS, TRY_IT } from './parts/files';
import { CREDENTIALS, fields } from './parts/nodes';
import { scheduled, sync } from './parts/sync';
import type { WorkflowNode } from './parts/workflow';
import { code, node } from './parts/workflow';

const PLACE = "$('Where the Files Are').first().json";
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

export default sync({
	name: 'Sync From Google Drive',
	about: {
		content: `## Sync an index with a folder in Google Drive

**This example was tested against a stand-in for Google Drive, never with a real account.**

Reads PDF, Markdown, text, HTML, CSV and XLSX files, and Google's Docs, Sheets and Slides. A run gets only the **list** of the files, and downloads those that are new or changed. It chunks and pushes them, and deletes the chunks of files that no longer exist or are in the trash. It does not touch documents with other IDs.

**Change these**
1. *Folders*, *List Files* and *Download*: select your *Google Drive* credential.
2. *Where the Files Are*: in *folder*, enter the ID of the folder. It is the last part of the folder's URL. Its subfolders are included. The alias \`root\` does not find subfolders.
${STEPS}

**Which files.** Other files, such as Word files and pictures, are not read. The result counts them by kind. Save Word files as Google Docs or PDF. A file above *mostMegabytes* is not downloaded, and the run names it.

**What cannot be read stays as it is in the index**, and the run names it and fails: PDF files that are encrypted, damaged, or scans without text. A file counts as changed if its checksum changes, and Google's own files if their time changes. Until then, it is not downloaded again.

**What n8n reads.** Docs are exported as Markdown, Sheets as CSV (only the first sheet), and Slides as PDF. Google exports at most 10 MB. Each chunk of a PDF has its \`page\`. Each row of a table becomes a line such as \`Name: Ladder; Price: 79\`.

**The ID** of a document is the ID of its file, so a file that is renamed or moved within the folder keeps its ID.

${TRY_IT}`,
		size: [480, 1280],
	},
	...scheduled(),
	list: {
		content:
			"## List\nDrive's search is not recursive. So *Folders* gets all folders, *Folders Below* chooses yours and those below it, and *List Files* asks for the files of each one.",
		nodes: [
			node(
				'Where the Files Are',
				'set',
				3.4,
				[0, 0],
				fields(['folder', 'string', ''], ['mostMegabytes', 'number', 20]),
			),
			search('Folders', `mimeType = '${FOLDER}' and trashed = false`),
			code('Folders Below', 'drive-folders', [0, 0], {
				folders: "$('Folders').all().map(({ json }) => json)",
				root: `${PLACE}.folder`,
			}),
			search(
				'List Files',
				`='{{ $json.id }}' in parents and mimeType != '${FOLDER}' and trashed = false`,
			),
			code(
				'Choose Files',
				'drive-files',
				[0, 0],
				{
					files: "$('List Files').all().map(({ json }) => json)",
					mostMegabytes: `${PLACE}.mostMegabytes`,
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
	),
	isChunked: true,
	chunker: BY_KIND,
});
