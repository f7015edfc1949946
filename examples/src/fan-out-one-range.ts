import { addRow, makeTable, rowsOf, WHOLE_RUN } from './parts/fan-out';
import { pushFile } from './parts/large-files';
import { isTrue, webhook } from './parts/nodes';
import { code, node, note, workflow } from './parts/workflow';

const RANGE = {
	run: "={{ $('Range Arrives').first().json.body.run }}",
	range: "={{ $('Range Arrives').first().json.body.range }}",
};

const DONE = ['atEnd', 'records', 'pushed', 'failed', 'file', 'message'];

export default workflow(
	'Fan Out: One Range',
	[
		note(
			'Note',
			`## One range of a file

**Fan Out over Workers** calls this workflow once per range, and again if a range fails. The call contains *Skip Records* and *Max Records* for **Push Documents**. This workflow fetches the file itself, because it may run on another worker.

The workflow records in the data table when it starts and how it ends. It does nothing if the run that called it has already ended, or if a newer run has started.

**Change these**
1. *Range Arrives*: select the same *Header Auth* credential as in **Fan Out over Workers**.
2. *Get File*: select the authentication for your file.
3. *Push Documents*: select your credential. If your columns are not named \`id\` and \`name\`, enter their names in *ID Field* and *Name Field*.

Keep the file in a place that all workers can reach, such as S3. To delete or chunk instead, replace **Push Documents** with **Delete Document** or **Chunk Text**. Turn on *Ignore Not Found* in **Delete Document**, because a range may run twice.`,
			[-480, -200],
			[420, 600],
			7,
		),
		webhook(
			'Range Arrives',
			'fan-out-one-range',
			[0, 0],
			'7ed1cf57-925d-5aa8-bff0-404bc0aee2d5',
			'onReceived',
		),
		makeTable([220, 0]),
		rowsOf(
			'Newest Run',
			[440, 0],
			['range', WHOLE_RUN],
			{ limit: { limit: 1 }, order: 'DESC' },
			{ alwaysOutputData: true },
		),
		node(
			'Run Goes On',
			'if',
			2.2,
			[660, 0],
			isTrue(
				"={{ $json.event === 'began' && $json.run === $('Range Arrives').first().json.body.run }}",
			),
		),
		addRow('Note Start', [880, 0], { ...RANGE, event: 'started' }),
		node(
			'Get File',
			'httpRequest',
			4.4,
			[1100, 0],
			{
				url: "={{ $('Range Arrives').first().json.body.fileUrl }}",
				options: {
					response: {
						response: {
							fullResponse: true,
							responseFormat: 'file',
							outputPropertyName: 'data',
						},
					},
				},
			},
			{ onError: 'continueErrorOutput' },
		),
		pushFile([1320, -80], {
			skipRecords: "={{ $('Range Arrives').first().json.body.skip }}",
			maxRecords: "={{ $('Range Arrives').first().json.body.max }}",
		}),
		code('Range Done', 'range-done', [1540, -160], {
			summary: '$input.first().json',
			headers: "$('Get File').first().json.headers",
		}),
		addRow('Note Success', [1760, -160], {
			...RANGE,
			event: 'done',
			...Object.fromEntries(DONE.map((field) => [field, `={{ $json.${field} }}`])),
		}),
		addRow('Note Failure', [1760, 80], {
			...RANGE,
			event: 'failed',
			message:
				"={{ $json.failures?.[0] ? `${$json.failed} records failed, the first: ${$json.failures[0].error}` : String($json.error?.message ?? $json.error ?? 'unknown') }}",
		}),
	],
	[
		[
			'Range Arrives',
			'Make Table if Missing',
			'Newest Run',
			'Run Goes On',
			'Note Start',
			'Get File',
			'Push Documents',
			'Range Done',
			'Note Success',
		],
		['Get File|1', 'Note Failure'],
		['Push Documents|1', 'Note Failure'],
	],
);
