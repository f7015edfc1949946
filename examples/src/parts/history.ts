/**
 * The history of all syncs of a project: the data table Sync Runs has one row per run. It also says how many deletes a
 * person may approve, and which workflow has used the table of a sync.
 */
import { answer, failTheRun, isTrue, mapFields } from './nodes';
import { autoMapped, columnsOf, condition, tableNode, values } from './tables';
import type { Chain, Group, WorkflowNode } from './workflow';
import { code, node, X } from './workflow';

const COLUMNS = [
	['workflow', 'string'],
	['name', 'string'],
	['startedBy', 'string'],
	['beganAt', 'date'],
	['endedAt', 'date'],
	['aliveUntil', 'date'],
	['nextBefore', 'date'],
	['documents', 'number'],
	['unchanged', 'number'],
	['pushed', 'number'],
	['deleted', 'number'],
	['chunksDeleted', 'number'],
	['notIndexed', 'number'],
	['failed', 'number'],
	['unreadable', 'number'],
	['withheld', 'number'],
	['later', 'number'],
	['skipped', 'number'],
	['outcome', 'string'],
	['error', 'string'],
	['problems', 'string'],
	['approvable', 'number'],
	// JSON. Tables get no new columns, so later fields belong here.
	['more', 'string'],
] as const;

const FIRST = [
	...['workflow', 'name', 'startedBy', 'beganAt', 'aliveUntil', 'nextBefore', 'outcome'],
	...['error', 'problems', 'approvable', 'more'],
];

const TABLE = "$('Runs Table').first().json.id";

/** What Check the Run has returned, for Code nodes. */
export const BEGUN = "$('Check the Run').first().json";

/** Where the row of this run is, for Code nodes. */
export const HISTORY = `{ tableId: ${TABLE}, row: $('Note the Beginning').first().json.id }`;

// A history that cannot be written never stops a batch or changes how a run ends.
const CONTINUE = { onError: 'continueRegularOutput', executeOnce: true, alwaysOutputData: true };

export interface Beginning {
	/** The names of the settings. */
	settings: string[];
	/** An expression: schedule, by hand, approval or webhook. */
	startedBy: string;
	/** An expression: the number of deletes that a caller has approved. */
	confirmed: string;
	/** An expression: whether the run ends with its plan. */
	isPlanOnly: string;
	/** An expression: the table, or in databases the owner of the rows, if the setting `table` is empty. */
	ownTable: string;
	/** Whether the table is one of n8n's data tables. */
	isDataTable: boolean;
	/** Whether a caller waits for an answer. */
	isAnswered: boolean;
}

/**
 * Defines the group that checks the settings and the history before anything is read or written. A run that only shows
 * its plan has no row in the history, and creates no table.
 */
export function beginGroup(options: Beginning): Group {
	const { settings, startedBy, confirmed, isPlanOnly, ownTable, isDataTable, isAnswered } =
		options;
	const table = `$('Settings').first().json.table || ${ownTable}`;
	const nodes = [
		node(
			'Tables of n8n',
			'dataTable',
			1.1,
			[0, 0],
			{ resource: 'table', operation: 'list', options: {} },
			{ executeOnce: true, alwaysOutputData: true },
		),
		node(
			'Has a History',
			'if',
			2.2,
			[X, 0],
			isTrue("={{ $input.all().some(({ json }) => json.name === 'Sync Runs') }}"),
			{ executeOnce: true },
		),
		tableNode(
			'Read Runs',
			'get',
			[X * 2, -120],
			"$('Tables of n8n').all().find(({ json }) => json.name === 'Sync Runs').json.id",
			{
				matchType: 'allConditions',
				filters: {
					conditions: [condition('more', 'like', `={{ '%' + (${table}) + '%' }}`)],
				},
				returnAll: true,
			},
			{ executeOnce: true, alwaysOutputData: true },
		),
		code(
			'Check the Run',
			'begin',
			[X * 3, 0],
			{
				settings: "$('Settings').first().json",
				names: JSON.stringify(settings).replaceAll('"', "'").replaceAll(',', ', '),
				startedBy,
				confirmed,
				isPlanOnly,
				ownTable,
				isDataTable: String(isDataTable),
				tables: "$('Tables of n8n').all().map(({ json }) => json)",
				runs: "$('Read Runs').isExecuted ? $('Read Runs').all().map(({ json }) => json) : []",
				workflow: '$workflow',
				execution: '$execution.id',
				now: 'new Date()',
			},
			isAnswered ? { onError: 'continueErrorOutput' } : {},
		),
		...(isAnswered ? refusal(X * 4) : []),
		node('Shows Its Plan', 'if', 2.2, [X * 4, 0], isTrue('={{ $json.isPlanOnly }}')),
		runsTable([X * 5, -120]),
		tableNode('Note the Beginning', 'insert', [X * 6, -120], TABLE, {
			columns: values(
				COLUMNS,
				Object.fromEntries(
					FIRST.map((name) => [
						name,
						`={{ $('Check the Run').first().json.row.${name} }}`,
					]),
				),
			),
			options: {},
		}),
		mapFields('Begin', [X * 7, 0], "={{ $('Settings').first().json }}"),
	];
	return {
		name: 'Begin the Run',
		description: 'Checks the settings, and notes the run in the data table Sync Runs.',
		nodes,
	};
}

/** Defines the node that finds the table. The first sync of a project creates it. */
export const runsTable = (position: [number, number]): WorkflowNode =>
	node(
		'Runs Table',
		'dataTable',
		1.1,
		position,
		{
			...{ resource: 'table', operation: 'create', tableName: 'Sync Runs' },
			...{ columns: columnsOf(COLUMNS), options: { createIfNotExists: true } },
		},
		// Two syncs that create it at the same moment: one of them fails, and finds it at the next try.
		{ executeOnce: true, retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
	);

/**
 * Defines the nodes that complete the row of a run that failed before its result, for example because the source could
 * not be listed. Otherwise, the run would look killed.
 */
export function closeRow([x, y]: [number, number]): WorkflowNode[] {
	const failed = "$('Run Failed').first().json.execution";
	return [
		{ ...runsTable([x, y]), name: 'History' },
		tableNode(
			'Close the Row',
			'update',
			[x + X, y],
			"$('History').first().json.id",
			{
				matchType: 'allConditions',
				filters: {
					conditions: [
						condition('more', 'like', `={{ '%"execution":"' + ${failed}.id + '"%' }}`),
						condition('endedAt', 'isEmpty', ''),
					],
				},
				columns: values(COLUMNS, {
					endedAt: '={{ $now.toISO() }}',
					aliveUntil: '={{ $now.toISO() }}',
					outcome: 'failed',
					error: `={{ ${failed}.error.message }}`,
				}),
				options: {},
			},
			CONTINUE,
		),
	];
}

/** Defines the node that reads the runs of all syncs of the project. */
export const allRuns = (position: [number, number]): WorkflowNode =>
	tableNode(
		'All Runs',
		'get',
		position,
		TABLE,
		{ matchType: 'allConditions', filters: { conditions: [] }, returnAll: true },
		{ executeOnce: true, alwaysOutputData: true },
	);

const refusal = (x: number): WorkflowNode[] => [
	node('Answer Why Not', 'respondToWebhook', 1.4, [x, 200], {
		...{ respondWith: 'json', responseBody: '={{ { status: 500, error: $json.error } }}' },
		options: { responseCode: 500 },
	}),
	{ ...failTheRun([x + X, 200]), name: 'Refuse the Run' },
];

export const beginChains = ({ isAnswered }: Beginning): Chain[] => [
	['Settings', 'Tables of n8n', 'Has a History', 'Read Runs', 'Check the Run', 'Shows Its Plan'],
	['Has a History|1', 'Check the Run'],
	['Shows Its Plan', 'Begin'],
	['Shows Its Plan|1', 'Runs Table', 'Note the Beginning', 'Begin'],
	...(isAnswered ? [['Check the Run|1', 'Answer Why Not', 'Refuse the Run']] : []),
];

/** Defines the node that says, with each batch, that the run is alive. */
export const stillAlive = (batch: string): WorkflowNode =>
	tableNode(
		'Still Alive',
		'update',
		[0, 0],
		`${batch}.history.tableId`,
		{
			matchType: 'allConditions',
			filters: { conditions: [condition('id', 'eq', `={{ ${batch}.history.row }}`)] },
			columns: values(COLUMNS, { aliveUntil: '={{ $now.plus({ minutes: 15 }).toISO() }}' }),
			options: {},
		},
		CONTINUE,
	);

export const END = ['Sum Up the Run', 'Note the End', 'Forget Old Runs'];

const RESULT = "$('Result').first().json";

/** What a run returns in the end: its plan, if it shows only this, or its result. */
export const SHOWN = "($('Plan').isExecuted ? $('Plan') : $('Result')).first().json";

/**
 * Defines the nodes between the result and the end of a run.
 *
 * @param counted what the index contains after the run, or an expression of how many documents
 */
export const endNodes = (
	[x, y]: [number, number],
	batches: string,
	counted: { known: string } | { documents: string },
	isAnswered: boolean,
): WorkflowNode[] => [
	code('Sum Up the Run', 'end', [x, y], {
		result: RESULT,
		summary: "$('Plan the Batches').first().json.summary",
		known: 'known' in counted ? counted.known : 'null',
		batches,
		counted: 'documents' in counted ? counted.documents : 'null',
		begun: BEGUN,
		now: 'new Date()',
	}),
	tableNode(
		'Note the End',
		'update',
		[x + X, y],
		TABLE,
		{
			matchType: 'allConditions',
			filters: {
				conditions: [
					condition('id', 'eq', "={{ $('Note the Beginning').first().json.id }}"),
				],
			},
			...{ columns: autoMapped(COLUMNS), options: {} },
		},
		CONTINUE,
	),
	tableNode(
		'Forget Old Runs',
		'deleteRows',
		[x + X * 2, y],
		TABLE,
		{
			matchType: 'allConditions',
			filters: {
				conditions: [condition('beganAt', 'lt', '={{ $now.minus({ days: 90 }).toISO() }}')],
			},
			options: {},
		},
		CONTINUE,
	),
	...(isAnswered ? [answer([x + X * 3, y], SHOWN)] : []),
];
