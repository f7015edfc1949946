/**
 * The parts of a sync. Everything outside the two seams is the same in all syncs:
 *
 * - List: the nodes between the groups Begin the Run and Plan and Result. They end with the node that has the list, such
 *   as Map Fields or the webhook.
 * - Fetch: only if the entries of the list have a version instead of a text. These nodes are a group between Begin the
 *   Batch and Chunk, Push, Delete.
 *
 * Plan the Batches compares the list with what earlier runs have pushed, and cuts the difference into batches. For each
 * batch, the workflow calls itself, so n8n forgets a batch when it is done, and what is done is remembered at once.
 *
 * The canvas has two lanes: the run, and below it the batch. What users replace stands outside the groups, and each group
 * that contains a credential says so.
 */
import type { Beginning } from './history';
import {
	BEGUN,
	beginChains,
	beginGroup,
	END,
	endNodes,
	HISTORY,
	SHOWN,
	stillAlive,
} from './history';
import type { FieldType } from './nodes';
import {
	allWentWell,
	BY_HEADING,
	conditions,
	CREDENTIALS,
	everyNight,
	failTheRun,
	fields,
	isTrue,
	manualTrigger,
	mapFields,
	model,
	webhook,
	whenTrue,
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
		/** Whether the run ends with its plan, as an expression of a Code node. */
		isPlanOnly: string;
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
	/** Whether a document that is missing from the list costs a request. */
	asksForMissing: boolean;
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

/** The trigger that only shows what a run would do. */
export const SHOW_PLAN = 'Show the Plan';

export const IS_PLAN_ONLY = `$('${SHOW_PLAN}').isExecuted`;

/**
 * Defines the trigger that n8n's editor chooses first. It chooses by the kind of a trigger, and prefers a schedule to a
 * manual trigger. So this is a schedule for a day that hardly ever comes, and then it changes nothing.
 */
export const showThePlan = (): WorkflowNode =>
	node(
		SHOW_PLAN,
		'scheduleTrigger',
		1.2,
		[0, 0],
		{ rule: { interval: [{ field: 'cronExpression', expression: '0 0 29 2 *' }] } },
		{
			notes: 'For Execute workflow. It is a schedule, for 29 February, because n8n offers a schedule first.',
		},
	);

/** The triggers of a sync that nobody calls. The editor offers the first one. */
export const scheduledTriggers = (): WorkflowNode[] => [
	showThePlan(),
	everyNight([0, 0], [2, 4, 6]),
	manualTrigger(DELETE, [0, 0]),
];

export const HOW_TO_DELETE = `start the workflow once by its trigger '${DELETE}'`;

/** How a run was started that nobody calls. */
export const STARTED_BY = `$('${DELETE}').isExecuted ? 'approval' : $execution.mode === 'test' ? 'by hand' : 'schedule'`;

/** Returns how a sync starts that nobody calls. */
export const scheduled = (
	source: Field[] = [],
	limits: Field[] = [],
): Pick<Sync, 'triggers' | 'settings' | 'isAnswered'> => ({
	triggers: scheduledTriggers(),
	settings: {
		...{ source, limits, pushAgain: [] },
		...{ startedBy: STARTED_BY, confirmed: 'undefined', isPlanOnly: IS_PLAN_ONLY },
		howToDelete: HOW_TO_DELETE,
	},
	isAnswered: false,
});

const CALL = `($('${SHOW_PLAN}').isExecuted ? $('${SHOW_PLAN}') : $('List Arrives')).first().json.body`;

/**
 * Returns how a sync starts that a caller sends its list to.
 *
 * @param samples documents of a call that only shows its plan. It is pinned to both triggers, so a sync that is executed
 *   by hand does not push them
 */
export const called = (
	path: string,
	id: string,
	samples: object[],
	source: Field[] = [],
): Pick<Sync, 'triggers' | 'settings' | 'list' | 'isAnswered' | 'pinData'> => {
	const call = { headers: {}, params: {}, query: {} };
	const pinned = [{ json: { ...call, body: { dryRun: true, documents: samples } } }];
	return {
		triggers: [manualTrigger(SHOW_PLAN, [0, 0]), webhook('List Arrives', path, [0, 0], id)],
		settings: {
			source,
			startedBy: "$execution.mode === 'test' ? 'by hand' : 'webhook'",
			confirmed: `${CALL}?.confirmDeletes`,
			isPlanOnly: `${IS_PLAN_ONLY} || (${CALL}?.dryRun ?? false)`,
			howToDelete: 'send the list once with "confirmDeletes": {number}',
			pushAgain: '={{ $json.body?.pushAgain ?? [] }}',
		},
		list: { nodes: [], documents: `${CALL}?.documents` },
		isAnswered: true,
		pinData: { [SHOW_PLAN]: pinned, 'List Arrives': pinned },
	};
};

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
	const start = ['Begin', ...listed.map((each) => each.name), 'Lock or Look'];
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
	isPlanOnly: options.settings.isPlanOnly,
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
	const tableToRead = `$('State Table').isExecuted ? ${table} : ${BEGUN}.tableId`;
	const nodesThatCount = isChunked
		? "[$('Chunk Text').params, $('Push Documents').params]"
		: "$('Push Documents').params";
	const isAnyIgnored = settingsOf(options).some(([name]) => name === 'ignoredFields');
	const compared = ['name', 'url', 'text', 'version', 'problem'];
	const end = isAnswered ? 8 : 7;
	const nodes = [
		lockOrLook([0, y]),
		node(
			'State Table',
			'dataTable',
			1.1,
			[X, y - 120],
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
			[X * 2, y - 120],
			table,
			{ columns: values(COLUMNS, { lockedUntil: LATER }), options: {} },
			// Result says why the table cannot be written.
			{ onError: 'continueRegularOutput' },
		),
		tableNode(
			'Read State Table',
			'get',
			[X * 3, y],
			tableToRead,
			{
				...{ matchType: 'allConditions', filters: { conditions: [] }, returnAll: true },
				...{ orderBy: true, orderByColumn: 'id', orderByDirection: 'ASC' },
			},
			// Without a lock, the table may be empty.
			{ alwaysOutputData: true },
		),
		code('Known Documents', 'known', [X * 4, y], {
			rows: "$('Read State Table').isExecuted ? $('Read State Table').all().map(({ json }) => json) : []",
			lock: "$('Lock').isExecuted ? $('Lock').first().json : null",
			now: 'new Date()',
			mostRows: '500',
		}),
		code('Compute Versions', 'versions', [X * 5, y], {
			list: list.documents,
			fields: isChunked
				? JSON.stringify(compared).replaceAll('"', "'").replaceAll(',', ', ')
				: 'null',
			ignoredFields: isAnyIgnored ? IGNORED : "''",
			settings: `JSON.stringify(${nodesThatCount})`,
			formerSplit: `'${formerSplit}'`,
		}),
		code('Plan the Batches', 'plan', [X * 6, y], {
			list: list.documents,
			versions: "$('Compute Versions').first().json.versions",
			known: "$('Known Documents').first().json",
			settings: "$('Settings').first().json",
			approval: `${BEGUN}.approval`,
			lock: `$('Lock').isExecuted ? { run: $('Lock').first().json.id, tableId: ${table}, history: ${HISTORY} } : null`,
			batchSize: String(fetch?.batchSize ?? (isChunked ? 200 : 500)),
			isAsked: String(fetch !== undefined),
			asksForMissing: String(fetch?.asksForMissing ?? false),
			areAddresses: String(list.areAddresses ?? false),
			isChunked: String(isChunked),
		}),
		...planNodes([X * 7, y]),
		...batchLoop(X * 8, y, X * (list.areAddresses ? 12 : 11)),
		...(list.areAddresses ? [addTheList([X * 11, y + 20])] : []),
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
		allWentWell([X * (end + 1), y + 260], SHOWN),
		failTheRun([X * (end + 2), y + 260], SHOWN),
	];
	return { ...PLAN, nodes };
}

/**
 * Defines the node that leads to a run, which creates its table and locks it, or to a plan, which only reads the table
 * if there is one.
 */
function lockOrLook(position: [number, number]): WorkflowNode {
	const rule = (outputKey: string, expression: string) => ({
		conditions: conditions('and', whenTrue(`={{ ${expression} }}`)),
		...{ renameOutput: true, outputKey },
	});
	const values = [rule('Lock', `!${BEGUN}.isPlanOnly`), rule('Look', `${BEGUN}.tableId !== ''`)];
	const options = { fallbackOutput: 'extra', renameFallbackOutput: 'No Table' };
	return node(
		'Lock or Look',
		'switch',
		3.2,
		position,
		{ rules: { values }, looseTypeValidation: true, options },
		// The list may be long, and only its end matters here.
		{ executeOnce: true },
	);
}

/** Defines the nodes that end a run with its plan. */
export const planNodes = ([x, y]: [number, number]): WorkflowNode[] => [
	node('Only the Plan', 'if', 2.2, [x, y], isTrue('={{ $json.plan !== undefined }}')),
	mapFields('Plan', [x + X, y - 160], '={{ $json.plan }}'),
];

const KNOWN = "$('Known Documents').first().json.entries";

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

const DONE = "$('Loop Over Batches').context.processedItems";
const FAILED = "String(json.error).startsWith('No request succeeded')";

/** Whether a run goes on: neither were two batches in a row in vain, nor one with ten documents or more. */
const SERVICE_ANSWERS = [
	`={{ !${DONE}?.at(-1)?.json.notDone }}`,
	`={{ ${DONE}?.slice(-2).filter(({ json }) => ${FAILED}).length !== 2 }}`,
	`={{ !${DONE}?.slice(-1).some(({ json }) => json.failed >= 10 && ${FAILED}) }}`,
];

/** Defines the nodes with which the workflow calls itself, once for each batch. */
export const batchLoop = (x: number, y: number, applyX = x + X * 3): WorkflowNode[] => [
	node('Anything to Do', 'if', 2.2, [x, y], isTrue('={{ $json.batch > 0 }}')),
	node('Loop Over Batches', 'splitInBatches', 3, [x + X, y], { batchSize: 1, options: {} }),
	// After an outage, each batch would fail after its last retry, and the run would take hours.
	node('Service Answers', 'if', 2.2, [x + X * 2, y + 20], {
		conditions: conditions('and', ...SERVICE_ANSWERS.map(whenTrue)),
		...{ looseTypeValidation: true, options: {} },
	}),
	mapFields(
		'Leave Out',
		[x + X * 3, y + 180],
		'={{ { notDone: $json.documents ?? $json.work.length } }}',
	),
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

/** How the nodes of the loop are connected. */
export const loopChains = (isListAdded = false): Chain[] => [
	[
		...['Loop Over Batches|1', 'Service Answers', ...(isListAdded ? ['Add the List'] : [])],
		...['Apply Batch', 'Loop Over Batches'],
	],
	['Service Answers|1', 'Leave Out', 'Loop Over Batches'],
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

const planChains = ({ isAnswered, list }: Sync): Chain[] => {
	const answered = isAnswered ? ['Answer'] : [];
	const [afterPlan] = [...answered, 'All Went Well'];
	return [
		['Lock or Look', 'State Table', 'Lock', 'Read State Table', 'Known Documents'],
		['Lock or Look|1', 'Read State Table'],
		['Lock or Look|2', 'Known Documents'],
		['Known Documents', 'Compute Versions', 'Plan the Batches', 'Only the Plan'],
		['Only the Plan', 'Plan', afterPlan],
		['Only the Plan|1', 'Anything to Do', 'Loop Over Batches', 'Unlock'],
		['Anything to Do|1', 'Unlock'],
		...loopChains(list.areAddresses),
		['Unlock', 'Result', ...END, ...answered, 'All Went Well'],
		['All Went Well|1', 'Fail the Run'],
	];
};

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
