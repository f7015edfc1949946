import { BY_KIND, EXTENSIONS, parseFiles, STEPS, TRY_IT } from './parts/files';
import { CREDENTIALS, fields } from './parts/nodes';
import { scheduled, sync } from './parts/sync';
import { code, node } from './parts/workflow';

const PLACE = "$('Where the Files Are').first().json";

export default sync({
	name: 'Sync of a Folder',
	about: {
		content: `## Sync an index with a folder on an SFTP server

Reads PDF, Markdown, text, HTML, CSV and XLSX files. A run gets only the **list** of the files, and downloads those that are new or changed. It chunks and pushes them, and deletes the chunks of files that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *List Files* and *Download*: select your *SFTP* or *FTP* credential.
2. *Where the Files Are*: enter the folder. Its subfolders are included. In *url*, enter what people open, for example \`https://files.example.com\`. The path of the file is added to it.
${STEPS}

**Which files.** Files with other *extensions* are not read. The result counts them by extension. Save Word files as PDF: n8n cannot read them. A file above *mostMegabytes* is not downloaded, and the run names it. A file that has changed in the last minutes (*minutesAtRest*) may still be written, so it waits for the next run.

**What cannot be read stays as it is in the index**, and the run names it and fails: PDF files that are encrypted, damaged, or scans without text. A file counts as changed if its size or time changes. Until then, it is not downloaded again.

**PDF.** Each chunk has its \`page\`, so that a result can link to \`guide.pdf#page=12\`. **XLSX and CSV.** Each row becomes a line such as \`Name: Ladder; Price: 79\`. n8n reads only the first sheet, and returns dates as numbers.

**The ID** of a document is the path of its file in the folder. A file that is renamed is deleted and pushed again. If two workflows push to the same index, their IDs must differ: enter a *prefix* in *Where the Files Are*.

${TRY_IT}`,
		size: [480, 1240],
	},
	...scheduled(),
	list: {
		content:
			'## List\nFor **S3**, replace *List Files* by *S3: Get Many Files* and *Download* by *S3: Download*, and return `type`, `name`, `path`, `size` and `modifyTime` to *Choose Files*. This was not tried.\n\nFor a **local disk**, use *Sync From an API*: n8n reads every file and tells no time, so its files are a list with texts.',
		nodes: [
			node(
				'Where the Files Are',
				'set',
				3.4,
				[0, 0],
				fields(
					['folder', 'string', '/documents'],
					['url', 'string', 'https://files.example.com'],
					['prefix', 'string', ''],
					['extensions', 'string', EXTENSIONS],
					['mostMegabytes', 'number', 20],
					['minutesAtRest', 'number', 5],
				),
			),
			node(
				'List Files',
				'ftp',
				1.1,
				[0, 0],
				{
					...{ protocol: 'sftp', operation: 'list', path: '={{ $json.folder }}' },
					...{ recursive: true, options: {} },
				},
				{ credentials: CREDENTIALS.sftp, alwaysOutputData: true },
			),
			code(
				'Choose Files',
				'files',
				[0, 0],
				{
					files: "$('List Files').all().map(({ json }) => json)",
					place: PLACE,
					now: 'new Date()',
				},
				{ alwaysOutputData: true },
			),
		],
		documents: "$('Choose Files').all().map(({ json }) => json)",
	},
	fetch: parseFiles(
		node(
			'Download',
			'ftp',
			1.1,
			[0, 0],
			{ protocol: 'sftp', operation: 'download', path: '={{ $json.path }}', options: {} },
			{ credentials: CREDENTIALS.sftp },
		),
	),
	isChunked: true,
	chunker: BY_KIND,
});
