import { EXTENSIONS, parseFiles, PROTECTION } from './parts/files';
import { CREDENTIALS } from './parts/nodes';
import { docs, scheduled, sync } from './parts/sync';
import { code, node } from './parts/workflow';

const SETTINGS = "$('Settings').first().json";

export default sync({
	name: 'Sync of a Folder',
	about: {
		content: `## Sync an index with a folder on an SFTP server

Reads PDF, Word, PowerPoint, Excel, Markdown, text, HTML and CSV files. Chunks and pushes files that are new or changed, and deletes the chunks of files that no longer exist. It does not touch documents with other IDs.

**Change these**
1. *Settings*: enter the *folder*. Its subfolders are included. In *url*, enter what people open, such as \`https://files.example.com\`.
2. *List Files*, and *Download* in the group *Read the Files*: select your *SFTP* credential. For FTP, first set *Protocol*. Double-click a group to open it.
3. *Chunk, Push, Delete*: select your credentials in *Chunk Text*, *Push Documents* and *Delete Document*, and enter your model.

**Try it:** set *minutesAtRest* to 0, and click *Execute workflow*. *Show the Plan* says what a run would do, and changes nothing. Then choose *Every Night* beside the button, and click again. Then set *minutesAtRest* to 5, and publish the workflow. It runs three times a night. [All settings, and which files are read](${docs('sources.md#a-folder')})`,
		protection: PROTECTION,
		height: 330,
	},
	...scheduled([
		['folder', 'string', '/documents'],
		['url', 'string', 'https://files.example.com'],
		['prefix', 'string', ''],
		['extensions', 'string', EXTENSIONS],
		['fields', 'string', ''],
		['ignoredFields', 'string', ''],
		['titleAsName', 'boolean', false],
		['mainPart', 'string', ''],
		['leaveOut', 'string', ''],
		['minutesAtRest', 'number', 5],
		['mostMegabytes', 'number', 20],
	]),
	list: {
		nodes: [
			node(
				'List Files',
				'ftp',
				1.1,
				[0, 0],
				{
					...{ protocol: 'sftp', operation: 'list', path: `={{ ${SETTINGS}.folder }}` },
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
					place: SETTINGS,
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
	formerSplit: 'sentences',
});
