import { CREDENTIALS, manualTrigger, model } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Chunk a Folder of Text Files',
	[
		note(
			'Note',
			`## Chunk a folder of text files

Reads every .txt and .md file in a folder, splits it into chunks with vectors, and pushes the chunks to the index.

**Change these**
1. *Read Files*: enter your folder before \`/*.{txt,TXT,md,MD}\`. n8n 2 reads only \`~/.n8n-files\`, or the folder in its environment variable \`N8N_RESTRICT_FILE_ACCESS_TO\`. The path in the example is for Docker.
2. *Chunk Text*: select your credential and enter your model. A chunk begins after each blank line. To start a chunk at each Markdown heading instead, set *Regex* to \`\\r?\\n(?=#{1,6} )\`.
3. *Push Documents*: select your credential.

**Try it:** click *Execute workflow*.

*Always Output Data* is on in *Read Files*, so the run fails if the folder contains no files.

The file name is the document ID, so a file that is read again updates its chunks. If a file is deleted or becomes shorter, its old chunks stay in the index. For files in other places, replace *Read Files* with a node for S3, SFTP or Google Drive.`,
			[-460, -280],
			[400, 600],
			7,
		),
		manualTrigger('Run by Hand', [0, -60]),
		node(
			'Read Files',
			'readWriteFile',
			1,
			[220, -60],
			{
				operation: 'read',
				fileSelector: '/home/node/.n8n-files/*.{txt,TXT,md,MD}',
				options: {},
			},
			{ alwaysOutputData: true },
		),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[440, -60],
			{
				textSource: 'textFile',
				modelId: model('id'),
				options: { vectorQuantizationMethod: 'max-scale' },
			},
			{ credentials: CREDENTIALS.ai },
		),
		node(
			'Push Documents',
			'pushDocuments',
			1,
			[660, -60],
			{ options: {} },
			{ credentials: CREDENTIALS.push },
		),
	],
	[['Run by Hand', 'Read Files', 'Chunk Text', 'Push Documents']],
);
