import {
	oneItemPerFile,
	pushFile,
	recordsLookWrong,
	storeFailedRecords,
} from './parts/large-files';
import { download, failTheRun, fields, isTrue, manualTrigger } from './parts/nodes';
import { code, node, note, workflow } from './parts/workflow';

export default workflow(
	'Push a Large File With Progress',
	[
		note(
			'Note',
			`## Push a large file with progress

Pushes a file of any size in rounds of 100,000 records. The canvas counts the rounds while they run. If you stop the execution, finished rounds stay in the index.

**Change these**
1. *Get File*: enter the URL of your file.
2. *Push Documents*: select your credential. If your columns are not named \`id\` and \`name\`, enter their names in *ID Field* and *Name Field*.
3. *Store Failed Records*: enter the URL where failed records should be stored.

**Push Documents** uses the file from *Get File* in each round. *Skip Records* is the number of records in earlier rounds, and *Max Records* is the size of a round. Each round reads the file from the beginning, so do not make the rounds small.

**If records fail**, the workflow stores them after each round and continues with the next round. After the last round, *Fail the Run* ends the run with an error. It ends the run immediately if a round makes no progress, or if the node's run ends early, for example because the service refuses the key.

The run also fails after the last round if the file has too few records, or if the summary of a round contains *warnings*, such as records with the same ID. *Records Look Wrong* contains the smallest number of records.

n8n runs the upper branch first, so keep *Records Look Wrong* and *One Item per File* above *Goes On?*.

A document that you remove from the file stays in the index.`,
			[-480, -240],
			[400, 720],
			7,
		),
		manualTrigger('Run by Hand', [0, 0]),
		download('Get File', [220, 0], 'documents.jsonl'),
		pushFile(
			[440, 0],
			{ skipRecords: '={{ $json.records ?? 0 }}', maxRecords: 100000 },
			{ binaryPropertyName: "={{ $('Get File').first().binary.data }}" },
		),
		oneItemPerFile([680, -340], {
			include: 'selectedOtherFields',
			fieldsToInclude: 'skipped, failures',
		}),
		storeFailedRecords([900, -340], 'after-{{ $json.skipped }}-'),
		recordsLookWrong([680, -160]),
		node(
			'Keep Warning',
			'set',
			3.4,
			[900, -160],
			fields([
				'error',
				'string',
				"={{ $json.warnings?.[0] ?? `The file has ${$json.records} records, fewer than the node 'Records Look Wrong' requires` }}",
			]),
		),
		node(
			'Goes On?',
			'if',
			2.2,
			[680, 20],
			isTrue(
				'={{ !$json.atEnd && $json.records > $json.skipped && !$json.error && !$json.readError }}',
			),
		),
		node(
			'All Pushed?',
			'if',
			2.2,
			[900, 100],
			isTrue(
				"={{ $json.atEnd && !$json.error && !$('One Item per File').isExecuted && !$('Keep Warning').isExecuted }}",
			),
		),
		code('Reason', 'reason-of-rounds', [1120, 180], {
			round: '$input.first().json',
			warning: "$('Keep Warning').isExecuted ? $('Keep Warning').first().json.error : ''",
			failed: "$('One Item per File').isExecuted ? $('One Item per File').all().map(({ json }) => json) : null",
		}),
		failTheRun([1340, 180]),
	],
	[
		['Run by Hand', 'Get File', 'Push Documents', 'Records Look Wrong', 'Keep Warning'],
		['Push Documents', 'Goes On?', 'Push Documents'],
		['Push Documents|1', 'One Item per File', 'Store Failed Records'],
		['Push Documents|1', 'Goes On?'],
		['Goes On?|1', 'All Pushed?'],
		['All Pushed?|1', 'Reason', 'Fail the Run'],
	],
);
