import {
	oneItemPerFile,
	pushFile,
	reason,
	recordsLookWrong,
	storeFailedRecords,
} from './parts/large-files';
import {
	AT_HEADINGS,
	CREDENTIALS,
	download,
	failTheRun,
	manualTrigger,
	model,
} from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Ingest a Large Corpus',
	[
		note(
			'Note',
			`## Ingest a large corpus

Splits the texts in a file of any size into chunks with vectors, and pushes the chunks. Neither texts nor vectors become items, so a larger file needs no more memory.

**Change these**
1. *Get Corpus*: enter the URL of your file. It contains one record per text, with \`id\`, \`name\`, \`url\` and \`text\`.
2. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`. Remove *Bytes per File*: it is small only so that the sample produces several files.
3. *Push Documents*: select your credential.
4. *Store Failed Records*: enter the URL where failed records should be stored.

**Try it:** click *Execute workflow*. The demo's local service provides a sample file.

**If texts or chunks fail**, all others are pushed. Then *Fail the Run* ends the run with an error that states the reason. The run also fails if the file has too few records, or if its summary contains *warnings*, such as records with the same ID. *Records Look Wrong* contains the smallest number of records.

If the execution is interrupted, run it again. The chunks have the same IDs as before, so they are updated. A text that you remove from the file stays in the index, and so do the old last chunks of a text that becomes shorter.`,
			[-500, -420],
			[420, 680],
			7,
		),
		note(
			'Note 2',
			`### From file to files
**Chunk Text** uses *Texts From: File* and *Output To: Files*. It returns one item per file of chunks and one item with the summary of the corpus.`,
			[-40, -420],
			[620, 180],
			4,
		),
		note(
			'Note 3',
			`### From files to the index
**Push Documents** uses *Documents From: File*. The summary of the corpus has no file, so the node passes it on.`,
			[620, -420],
			[360, 180],
			5,
		),
		note(
			'Note 4',
			`### Keep what failed
The error outputs return files with failed records and with unusable responses from the AI service. n8n deletes these files together with the execution, so the workflow stores them. n8n runs the upper branch first, so keep *One Item per File* at the top and *Reason* at the bottom.`,
			[1000, -420],
			[460, 220],
			3,
		),
		manualTrigger('Run by Hand', [0, 0]),
		download('Get Corpus', [200, 0], 'corpus.jsonl'),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[420, 0],
			{
				textSource: 'file',
				modelId: model(),
				regex: AT_HEADINGS,
				output: 'documents',
				options: {
					outputTo: 'files',
					bytesPerFile: 1000000,
					vectorQuantizationMethod: 'max-scale',
				},
			},
			{ onError: 'continueErrorOutput', credentials: CREDENTIALS.ai },
		),
		pushFile([700, 0]),
		oneItemPerFile([940, -200]),
		storeFailedRecords([1160, -200]),
		recordsLookWrong([940, 0]),
		reason([1160, 160]),
		failTheRun([1380, 160]),
	],
	[
		[
			'Run by Hand',
			'Get Corpus',
			'Chunk Text',
			'Push Documents',
			'Records Look Wrong',
			'Reason',
			'Fail the Run',
		],
		['Chunk Text|1', 'One Item per File', 'Store Failed Records'],
		['Chunk Text|1', 'Reason'],
		['Push Documents|1', 'One Item per File'],
		['Push Documents|1', 'Reason'],
	],
);
