import {
	oneItemPerFile,
	pushFile,
	reason,
	recordsLookWrong,
	storeFailedRecords,
} from './parts/large-files';
import { download, failTheRun, manualTrigger } from './parts/nodes';
import { note, workflow } from './parts/workflow';

export default workflow(
	'Bulk Load a File',
	[
		note(
			'Note',
			`## Bulk load a file

Pushes a file of documents of any size. The file goes from disk to the index and never becomes items.

**Change these**
1. *Get File*: enter the URL of your file (JSON Lines, a JSON list or CSV).
2. *Push Documents*: select your credential. If your columns are not named \`id\` and \`name\`, enter their names in *ID Field* and *Name Field*.
3. *Store Failed Records*: enter the URL where failed records should be stored.

**Try it:** click *Execute workflow*.

**If records fail**, the others are pushed. The workflow stores files with the failed records, because n8n deletes files together with the execution. Then *Fail the Run* ends the run with an error that states the reason. Correct the stored records and push them with the same workflow.

The run also fails if the file has too few records, or if its summary contains *warnings*, such as records with the same ID. *Records Look Wrong* contains the smallest number of records.

n8n runs the upper branch first, so keep *Reason* below *One Item per File*.

If the execution is interrupted, the error or n8n's log says how many records to skip. Enter that number in *Skip Records*.

A document that you remove from the file stays in the index.`,
			[-480, -240],
			[400, 660],
			7,
		),
		manualTrigger('Run by Hand', [0, -60]),
		download('Get File', [220, -60], 'documents.jsonl'),
		pushFile([440, -60]),
		oneItemPerFile([680, -220]),
		storeFailedRecords([900, -220]),
		recordsLookWrong([680, -40]),
		reason([900, 120]),
		failTheRun([1120, 120]),
	],
	[
		[
			'Run by Hand',
			'Get File',
			'Push Documents',
			'Records Look Wrong',
			'Reason',
			'Fail the Run',
		],
		['Push Documents|1', 'One Item per File', 'Store Failed Records'],
		['Push Documents|1', 'Reason'],
	],
);
