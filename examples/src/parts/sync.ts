/**
 * The parts of a sync. Everything outside the two seams is the same in all syncs:
 *
 * - List: the nodes between Settings and the group Plan and Result. They end with the node that has the list, such as
 *   Map Fields or the webhook.
 * - Fetch: only if the entries of the list have a version instead of a text. These nodes are a group between Begin the
 *   Batch and Chunk, Push, Delete.
 *
 * Plan compares the list with what earlier runs have pushed, and cuts the difference into batches. For each batch, the
 * workflow calls itself, so n8n forgets a batch when it is done, and what is done is remembered at once.
 *
 * The canvas has two lanes: the run, and below it the batch. What users replace stands outside the groups, and each group
 * that contains a credential says so.
 */
import type { Beginning } from './history';
import { BEGUN, beginChains, beginGroup, END, endNodes, HISTORY, stillAlive } from './history';
import type { FieldType } from './nodes';
import {
	allWentWell,
	BY_HEADING,
	CREDENTIALS,
	everyNight,
	failTheRun,
	fields,
	isTrue,
	manualTrigger,
	model,
} from './nodes';
import { autoMapped, columnsOf, condition, tableNode, values } from './tables';
import type { Chain, Group, Workflow, WorkflowNode } from './workflow';
import { code, isGroup, lane, node, note, workflow, X } from './workflow';

export interface Sync {
	name: string;
	about: About;
	/** Nodes that start the workflow. All of them are connected to Settings. */
	triggers: WorkflowNode[];
	settings: {
		/** Fields that describe the source. They come first, because users change them first. */
		source?: Field[];
		/** How a run was started, as an expression of a Code node: schedule, by hand, approval or webhook. */
		startedBy: string;
		/** The number of deletes that a caller has approved, as an expression of a Code node. */
		confirmed: string;
		/** What to do to approve deletes for one run, as the end of a sentence. `{number}` is replaced. */
		howToDelete: string;
		/** IDs to push again, or an expression that returns them. */
		pushAgain: unknown;
		/** Further limits. Fetch finds all settings in the field `settings` of When Called by Itself. */
		limits?: Field[];
	};
	list: {
		/** The nodes between Begin and State Table, in their order. Groups are of nodes that users need not change. */
		nodes: Array<WorkflowNode | Group>;
		/** Further nodes of the only group, with positions relative to its first node, and how they are connected. */
		below?: { nodes: WorkflowNode[]; chains: Chain[] };
		/** The list of documents as an expression of a Code node. */
		documents: string;
		/** Whether IDs are addresses of web pages, which may have several spellings. */
		areAddresses?: boolean;
	};
	/** If the entries have a version instead of a text. */
	fetch?: Fetch;
	/** Whether documents are chunked. Otherwise, each document is pushed with all its fields. */
	isChunked: boolean;
	/** How earlier versions split texts. By default, at headings. */
	formerSplit?: 'headings' | 'sentences';
	/** Whether a caller waits for an answer. */
	isAnswered: boolean;
	pinData?: object;
}

/** The texts of the two notes above the lanes. */
export interface About {
	/** What the example does, what to change, and how to try it: about 150 words. */
	content: string;
	/** What protects the data. */
	protection: string;
	/** Height of both notes. */
	height: number;
}

type Field = [name: string, type: FieldType, value: unknown];

export interface Fetch {
	/** The group that Entries and the nodes form. */
	group: Omit<Group, 'nodes'>;
	/** The nodes after Entries. The last one is Fetched. */
	nodes: WorkflowNode[];
	/**
	 * How they are connected, from Entries to Fetched. By default, each one is connected with the next one. With chains,
	 * the positions of the nodes are relative to Entries.
	 */
	chains?: Chain[];
	/** Documents per batch. By default 200. n8n keeps the files of a batch at the same time. */
	batchSize?: number;
}

const COLUMNS = [
	['run', 'number'],
	['entries', 'string'],
	['size', 'number'],
	['pushed', 'number'],
	['deleted', 'number'],
	['chunksDeleted', 'number'],
	['notIndexed', 'number'],
	['failed', 'number'],
	['unreadable', 'number'],
	['withheld', 'number'],
	['error', 'string'],
	['problems', 'string'],
	['lockedUntil', 'date'],
] as const;

export const BATCH = "$('When Called by Itself').first().json";

const LATER = '={{ $now.plus({ minutes: 15 }).toISO() }}';
const NOW = '={{ $now.toISO() }}';

const sameNames = autoMapped(COLUMNS);

/** The trigger that approves deletes for one run. */
export const DELETE = 'Delete What Is Missing';

export const HOW_TO_DELETE = `start the workflow once by its trigger '${DELETE}'`;

/** How a run was started that nobody calls. */
export const STARTED_BY = `$('${DELETE}').isExecuted ? 'approval' : $execution.mode === 'test' ? 'by hand' : 'schedule'`;

/** Returns how a sync starts that nobody calls. */
export const scheduled = (
	source: Field[] = [],
	limits: Field[] = [],
): Pick<Sync, 'triggers' | 'settings' | 'isAnswered'> => ({
	triggers: [everyNight([0, 0], [2, 4, 6]), manualTrigger(DELETE, [0, 0])],
	settings: {
		...{ source, limits, pushAgain: [] },
		...{ startedBy: STARTED_BY, confirmed: 'undefined', howToDelete: HOW_TO_DELETE },
	},
	isAnswered: false,
});

/** How to find a batch, and how to be notified, for the notes of all syncs. */
export const AFTERWARDS = `- **Each batch is an execution of its own.** To see one, open a run, then *Apply Batch* in *Plan and Result*, and click *View sub-execution*. The nodes of a batch show no data in the run itself.
- **To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`;

/** Returns the address of a page or a section for a note. */
export const docs = (page: string): string =>
	`https://example.com/n8n-nodes-search-ingest/blob/main/docs/${page}`;

/** Distance of the triggers, which stand below each other. */
const Y = 180;

/** Defines the two notes above the lanes. */
export const notes = ({ content, protection, height }: About): WorkflowNode[] => [
	note('Note', content, [-60, -80 - height], [900, height], 7),
	note('Protection', protection, [880, -80 - height], [760, height], 4),
];

/** Places the triggers below each other, then the run and the batch in two lanes. */
export function lanes(
	triggers: WorkflowNode[],
	run: Array<WorkflowNode | Group>,
	batch: Array<WorkflowNode | Group>,
): Array<WorkflowNode | Group> {
	const placed = triggers.map((trigger, at) => ({
		...trigger,
		position: [0, at * Y] as [number, number],
	}));
	// An opened group of the run has two rows of nodes. The second lane is below them.
	const below = Math.max(triggers.length, 3) * Y;
	return [...placed, ...lane(run, [X, 0]), ...lane(batch, [0, below])];
}

/**
 * Builds a sync from its source and the parts that all syncs share.
 *
 * @throws Error if fetched texts are not chunked, because a document without a text cannot be pushed as it is
 */
export function sync(options: Sync): Workflow {
	const { name, triggers, list, about, pinData } = options;
	if (options.fetch && !options.isChunked) throw new Error(`${name}: fetched texts are chunked`);
	const parts = [
		...notes(about),
		...lanes(
			triggers,
			[
				node('Settings', 'set', 3.4, [0, 0], fields(...settingsOf(options))),
				beginGroup(beginningOf(options)),
				...listParts(list),
				planGroup(options),
			],
			[CALLED_BY_ITSELF, ...applyGroups(options)],
		),
	];
	const listed = list.nodes.flatMap((part) => (isGroup(part) ? part.nodes : [part]));
	const start = ['Begin', ...listed.map((each) => each.name), 'State Table'];
	const chains = [
		...triggers.map((trigger) => [trigger.name, 'Settings']),
		...beginChains(beginningOf(options)),
		start,
		...(list.below?.chains ?? []),
		...planChains(options),
		...applyChains(options),
	];
	const settings = {
		callerPolicy: 'workflowsFromSameOwner',
		saveDataSuccessExecution: 'none',
	};
	return workflow(name, parts, chains, { settings, ...(pinData && { pinData }) });
}

const listParts = ({ nodes, below }: Sync['list']): Array<WorkflowNode | Group> =>
	nodes.map((part) =>
		isGroup(part)
			? { ...part, nodes: [...lane(part.nodes, [0, 0]), ...(below?.nodes ?? [])] }
			: part,
	);

/** Settings of all syncs. */
export const LAST_SETTINGS: Field[] = [
	['table', 'string', ''],
	['hoursBetweenRuns', 'number', 24],
];

const IGNORED_FIELDS: Field = ['ignoredFields', 'string', 'views, updatedAt'];

function settingsOf({ settings, isChunked }: Sync): Field[] {
	const shown: Field[] = [...(settings.source ?? [])];
	if (!isChunked) shown.push(IGNORED_FIELDS);
	shown.push(
		['pushAgain', 'array', settings.pushAgain],
		...LAST_SETTINGS,
		...(settings.limits ?? []),
		['mostDeletes', 'number', 10],
		['mostDeletesPercent', 'number', 5],
	);
	return shown;
}

const beginningOf = (options: Sync): Beginning => ({
	settings: settingsOf(options).map(([name]) => name),
	...{ startedBy: options.settings.startedBy, confirmed: options.settings.confirmed },
	...{ ownTable: OWN_TABLE, isDataTable: true, isAnswered: options.isAnswered },
});

const OWN_TABLE = "'Synced Documents ' + $workflow.id";

/** The trigger of a batch. */
export const CALLED_BY_ITSELF = node(
	'When Called by Itself',
	'executeWorkflowTrigger',
	1.1,
	[0, 0],
	{
		inputSource: 'passthrough',
	},
);

const IGNORED = "$('Settings').first().json.ignoredFields";

function planGroup(options: Sync): Group {
	const y = 0;
	const { list, settings, isChunked, isAnswered, fetch, formerSplit = 'headings' } = options;
	const table = "$('State Table').first().json.id";
	const nodesThatCount = isChunked
		? "[$('Chunk Text').params, $('Push Documents').params]"
		: "$('Push Documents').params";
	const isAnyIgnored = settingsOf(options).some(([name]) => name === 'ignoredFields');
	const compared = ['name', 'url', 'text', 'version', 'problem'];
	const end = isAnswered ? 8 : 7;
	const nodes = [
		node(
			'State Table',
			'dataTable',
			1.1,
			[0, y],
			{
				...{ resource: 'table', operation: 'create' },
				tableName: `={{ ${BEGUN}.table }}`,
				columns: columnsOf(COLUMNS),
				options: { createIfNotExists: true },
			},
			// Two first runs at the same moment may both create the table, and one of them fails.
			{ executeOnce: true, retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
		),
		tableNode(
			'Lock',
			'insert',
			[X, y],
			table,
			{ columns: values(COLUMNS, { lockedUntil: LATER }), options: {} },
			// Result says why the table cannot be written.
			{ onError: 'continueRegularOutput' },
		),
		tableNode('Read State Table', 'get', [X * 2, y], table, {
			...{ matchType: 'allConditions', filters: { conditions: [] }, returnAll: true },
			...{ orderBy: true, orderByColumn: 'id', orderByDirection: 'ASC' },
		}),
		code('Known Documents', 'known', [X * 3, y], {
			rows: "$('Read State Table').all().map(({ json }) => json)",
			lock: "$('Lock').first().json",
			now: 'new Date()',
			mostRows: '500',
		}),
		code('Compute Versions', 'versions', [X * 4, y], {
			list: list.documents,
			fields: isChunked
				? JSON.stringify(compared).replaceAll('"', "'").replaceAll(',', ', ')
				: 'null',
			ignoredFields: isAnyIgnored ? IGNORED : "''",
			settings: `JSON.stringify(${nodesThatCount})`,
			formerSplit: `'${formerSplit}'`,
		}),
		code('Plan the Batches', 'plan', [X * 5, y], {
			list: list.documents,
			versions: "$('Compute Versions').first().json.versions",
			known: "$('Known Documents').first().json",
			settings: "$('Settings').first().json",
			approval: `${BEGUN}.approval`,
			history: HISTORY,
			tableId: table,
			run: "$('Lock').first().json.id",
			batchSize: String(fetch?.batchSize ?? (isChunked ? 200 : 500)),
			isAsked: String(fetch !== undefined),
			areAddresses: String(list.areAddresses ?? false),
			isChunked: String(isChunked),
		}),
		...batchLoop(X * 6, y, X * (list.areAddresses ? 9 : 8)),
		...(list.areAddresses ? [addTheList([X * 8, y + 20])] : []),
		tableNode(
			'Unlock',
			'deleteRows',
			[X * 3, y + 260],
			table,
			{
				matchType: 'anyCondition',
				filters: {
					// The expired lock of another run stays until its row is compacted. If it were deleted, SQLite could give
					// its ID to a new lock, and the other run, if it still lives, would take that lock for its own.
					conditions: [
						condition('id', 'eq', "={{ $('Lock').first().json.id ?? 0 }}"),
						condition(
							'id',
							'lte',
							"={{ $json.id ? $('Plan the Batches').first().json.summary.compactUpTo : 0 }}",
						),
					],
				},
				options: {},
			},
			{ executeOnce: true, alwaysOutputData: true },
		),
		resultNode([X * 4, y + 260], isChunked, settings.howToDelete),
		...endNodes([X * 5, y + 260], BATCHES, { known: KNOWN }, isAnswered),
		allWentWell([X * (end + 1), y + 260], RESULT),
		failTheRun([X * (end + 2), y + 260], RESULT),
	];
	return { ...PLAN, nodes };
}

const KNOWN = "$('Known Documents').first().json.entries";

export const RESULT = "$('Result').first().json";

/** The group that compares and ends the run. */
export const PLAN = {
	name: 'Plan and Result',
	description:
		'Compares the list with what was pushed, calls this workflow once for each batch, and returns the counts.',
};

/** The group that does the work of a batch. */
export const work = (isChunked: boolean) => ({
	name: isChunked ? 'Chunk, Push, Delete' : 'Push, Delete',
	description: isChunked
		? 'Does the work of a batch. Your credentials and your model are here.'
		: 'Does the work of a batch. Your credentials are here.',
});

/** Defines the nodes with which the workflow calls itself, once for each batch. */
export const batchLoop = (x: number, y: number, applyX = x + X * 2): WorkflowNode[] => [
	node('Anything to Do', 'if', 2.2, [x, y], isTrue('={{ $json.batch > 0 }}')),
	node('Loop Over Batches', 'splitInBatches', 3, [x + X, y], { batchSize: 1, options: {} }),
	node(
		'Apply Batch',
		'executeWorkflow',
		1.3,
		[applyX, y + 20],
		{
			workflowId: { __rl: true, mode: 'id', value: '={{ $workflow.id }}' },
			workflowInputs: {
				...{ mappingMode: 'defineBelow', value: {}, matchingColumns: [], schema: [] },
				...{ attemptToConvertTypes: false, convertFieldsToString: true },
			},
			...{ mode: 'once', options: { waitForSubWorkflow: true } },
		},
		{ onError: 'continueRegularOutput', alwaysOutputData: true },
	),
];

/**
 * Defines the node that gives each batch the checksums of all addresses. Within one process, all batches share one text,
 * but Plan the Batches would return a copy of it for each batch.
 */
const addTheList = (position: [number, number]): WorkflowNode =>
	node('Add the List', 'set', 3.4, position, {
		...fields(['listed', 'string', "={{ $('Plan the Batches').first().json.listed }}"]),
		includeOtherFields: true,
	});

/** The rows of all batches, for Code nodes. */
export const BATCHES =
	"$('Loop Over Batches').isExecuted ? $('Loop Over Batches').all().map(({ json }) => json) : []";

export const resultNode = (
	position: [number, number],
	isChunked: boolean,
	howToDelete: string,
): WorkflowNode =>
	code(
		'Result',
		'result',
		position,
		{
			summary: "$('Plan the Batches').first().json.summary",
			batches: BATCHES,
			approval: `${BEGUN}.approval`,
			isChunked: String(isChunked),
			howToDelete: JSON.stringify(howToDelete),
		},
		{ executeOnce: true },
	);

const planChains = ({ isAnswered, list }: Sync): Chain[] => [
	[
		'State Table',
		'Lock',
		'Read State Table',
		'Known Documents',
		'Compute Versions',
		'Plan the Batches',
	],
	['Plan the Batches', 'Anything to Do', 'Loop Over Batches', 'Unlock'],
	['Anything to Do|1', 'Unlock'],
	[
		'Loop Over Batches|1',
		...(list.areAddresses ? ['Add the List'] : []),
		...['Apply Batch', 'Loop Over Batches'],
	],
	['Unlock', 'Result', ...END, ...(isAnswered ? ['Answer'] : []), 'All Went Well'],
	['All Went Well|1', 'Fail the Run'],
];

/**
 * Defines the nodes that renew the lock and go on only if this run still has it. An older lock counts too: in PostgreSQL,
 * another run can see a lock later than a newer one, so both runs may think that they have it.
 */
const renewLock = (renew: string, filter: string, x: number, y: number): WorkflowNode[] => [
	tableNode(
		renew,
		'update',
		[x, y],
		`${BATCH}.tableId`,
		{
			matchType: 'allConditions',
			filters: {
				conditions: [
					condition('id', 'lte', `={{ ${BATCH}.run }}`),
					condition('lockedUntil', 'gt', NOW),
				],
			},
			columns: values(COLUMNS, { lockedUntil: LATER }),
			options: {},
		},
		{ executeOnce: true, alwaysOutputData: true },
	),
	node(
		filter,
		'filter',
		2.2,
		[x + X, y],
		isTrue(`={{ $input.all().length === 1 && $json.id === ${BATCH}.run }}`),
	),
];

function applyGroups(options: Sync): Group[] {
	const { isChunked, fetch } = options;
	const begin = [stillAlive(BATCH), ...renewLock('Renew Lock', 'Lock Is Mine', X, 0)];
	if (!fetch) return [{ ...work(isChunked), nodes: [...begin, ...workNodes(options, X * 3)] }];
	const entries = code(
		'Entries',
		'entries',
		[0, 0],
		{ batch: BATCH },
		// If nothing is asked for, one empty item goes through Fetch.
		{ alwaysOutputData: true },
	);
	const fetched = fetch.chains ? fetch.nodes : lane(fetch.nodes, [X, 0]);
	return [
		{ ...BEGIN, nodes: begin },
		{ ...fetch.group, nodes: [entries, ...fetched] },
		{ ...work(isChunked), nodes: workNodes(options, 0) },
	];
}

const BEGIN = {
	name: 'Begin the Batch',
	description: 'Renews the lock, and goes on only if this run still has it.',
};

function workNodes(options: Sync, x: number): WorkflowNode[] {
	const { isChunked, fetch } = options;
	const y = 0;
	const documents = "$('Documents').all().map(({ json }) => json)";
	const texts = isChunked ? "$('Chunk Text').all().map(({ json }) => json)" : 'null';
	const beforeX = isChunked ? x + X * 4 : x + X;
	const pushX = beforeX + X * 3;
	return [
		code('Documents', 'documents', [x, y], {
			batch: BATCH,
			fetched: fetch ? "$('Fetched').all().map(({ json }) => json)" : 'null',
			isChunked: String(isChunked),
			isRow: 'false',
		}),
		...(isChunked
			? [
					chunkText([x + X, y]),
					...renewLock('Renew Lock Again', 'Lock Is Still Mine', x + X * 2, y - 120),
				]
			: []),
		code(
			'List Planned Changes',
			'planned-changes',
			[beforeX, y - 120],
			{ batch: BATCH, documents, texts },
			{ executeOnce: true },
		),
		tableNode('Note Planned Changes', 'insert', [beforeX + X, y - 120], `${BATCH}.tableId`, {
			columns: sameNames,
			options: {},
		}),
		node('Wait for the Note', 'merge', 3.2, [beforeX + X * 2, y], {
			mode: 'chooseBranch',
			useDataOfInput: 2,
		}),
		pushDocuments([pushX, isChunked ? y : y - 100], isChunked),
		deleteDocument([pushX + (isChunked ? X : 0), isChunked ? y : y + 100], isChunked),
		code('Sum Up the Batch', 'batch-row', [pushX + X * 2, isChunked ? y : y + 100], {
			batch: BATCH,
			documents,
			texts,
			pushes: "$('Push Documents').all().map(({ json }) => json)",
			deletes: "$('Delete Document').all().map(({ json }) => json)",
		}),
		tableNode(
			'Remember',
			'insert',
			[pushX + X * 3, isChunked ? y : y + 100],
			`${BATCH}.tableId`,
			{
				columns: sameNames,
				options: {},
			},
		),
	];
}

function applyChains({ isChunked, fetch }: Sync): Chain[] {
	const work = isChunked ? 'Chunk Text' : 'Documents';
	const start = ['When Called by Itself', 'Still Alive', 'Renew Lock', 'Lock Is Mine'];
	const steps = fetch?.chains ?? [['Entries', ...(fetch?.nodes ?? []).map((each) => each.name)]];
	return [
		...(fetch
			? [[...start, 'Entries'], ...steps, ['Fetched', 'Documents']]
			: [[...start, 'Documents']]),
		...(isChunked ? [['Documents', 'Chunk Text']] : []),
		[
			work,
			...(isChunked ? ['Renew Lock Again', 'Lock Is Still Mine'] : []),
			'List Planned Changes',
			'Note Planned Changes',
			'Wait for the Note',
		],
		...afterTheNote(work, isChunked),
	];
}

/** Returns the connections from the node before the note to the end of a batch. */
export const afterTheNote = (work: string, isChunked: boolean): Chain[] => [
	[work, '1|Wait for the Note', 'Push Documents'],
	[isChunked ? 'Push Documents' : 'Wait for the Note', 'Delete Document'],
	['Delete Document', 'Sum Up the Batch', 'Remember'],
];

/** By the ID, Sum Up the Batch finds the results of each document. */
export const keeping = (sourceFieldsToKeep: string) => ({
	...{ keepSourceFields: 'listed', sourceFieldsToKeep },
});

export const chunkText = (position: [number, number], chunker: object = BY_HEADING): WorkflowNode =>
	node(
		'Chunk Text',
		'chunkText',
		1,
		position,
		{
			modelId: model(),
			...{ textSource: 'item', text: '={{ $json.text }}', ...chunker },
			...{
				output: 'perDocument',
				documentId: '={{ $json.id }}',
				documentName: '={{ $json.name }}',
			},
			options: {
				...{ previousChunkCount: '={{ $json.previousChunkCount }}', textsPerRequest: 1 },
				documentFields: '={{ $json.fields }}',
				...{ vectorQuantizationMethod: 'max-scale', retryForSeconds: 120 },
				...keeping('id'),
			},
		},
		{ credentials: CREDENTIALS.ai, onError: 'continueRegularOutput' },
	);

export const pushDocuments = (position: [number, number], isChunked: boolean): WorkflowNode =>
	node(
		'Push Documents',
		'pushDocuments',
		1,
		position,
		{
			documentSource: 'json',
			documentJson: isChunked ? '={{ $json.documents ?? [] }}' : '={{ $json.documents }}',
			options: {
				...{ output: 'perInputItem', retryForSeconds: 120 },
				...keeping(isChunked ? 'id, removedIds' : 'id'),
			},
		},
		{ credentials: CREDENTIALS.push, onError: 'continueRegularOutput' },
	);

export const deleteDocument = (position: [number, number], isChunked: boolean): WorkflowNode =>
	node(
		'Delete Document',
		'deleteDocument',
		1,
		position,
		{
			idSource: 'list',
			// Old chunks stay if the new ones could not be pushed.
			listField: isChunked
				? '={{ $json.failed === 0 ? $json.removedIds ?? [] : [] }}'
				: 'removedIds',
			commit: 'lastDeleteOnly',
			options: {
				...{ ignoreNotFound: true, output: 'perInputItem', retryForSeconds: 120 },
				...keeping('id'),
			},
		},
		{ credentials: CREDENTIALS.push, onError: 'continueRegularOutput' },
	);
