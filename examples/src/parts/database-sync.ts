/**
 * The parts of a sync whose documents are rows of a PostgreSQL database. SQL compares the rows with what earlier runs
 * have pushed, so only changed documents leave the database. A batch is a range of keys. What is done with a batch is
 * the same as in all syncs (`sync.ts`), but the state is in two tables beside the documents.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { FieldType } from './nodes';
import { CREDENTIALS, everyNight, failTheRun, fields, isTrue, manualTrigger } from './nodes';
import {
	afterTheNote,
	BATCH,
	batchLoop,
	chunkText,
	DELETE,
	deleteDocument,
	HOW_TO_DELETE,
	pushDocuments,
	resultNode,
	SEAM,
	X,
} from './sync';
import type { Chain, Workflow, WorkflowNode } from './workflow';
import { code, node, note, workflow } from './workflow';

export interface DatabaseSync {
	name: string;
	/** The note that explains the example: its title and first paragraph, a table as an example, and its size. */
	about: { beginning: string; table: string; size: [width: number, height: number] };
	/** The file in `sql/` with the query that users change, and what its column `document` contains. */
	query: { file: string; document: string };
	isChunked: boolean;
}

const QUERY =
	'## Your query\nThe node is not active, because the query runs only within *Compare* and *Read*.\n**key**: the primary key of the table, with its own type. Batches are found by it. If it has several columns: `array[a, b]`.\n**id**: the ID of the document.\n**document**: ';

const SQL = path.join(__dirname, '..', 'sql');

const readSql = (file: string): string =>
	readFileSync(path.join(SQL, `${file}.sql`), 'utf8').trimEnd();

/**
 * PostgreSQL cannot read a text with NUL or half a surrogate pair from JSON. In JSON, both are escapes. The statements
 * call this `clean_json`, which is no function of the database.
 */
const cleanJson = (json: string): string =>
	String.raw`regexp_replace(${json}, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'gi')::json`;

/**
 * Defines a node that runs a file in `sql/`. n8n sends the whole file at once, so PostgreSQL runs it as one
 * transaction. `$5:raw` stands for a text that becomes part of the statement as it is.
 *
 * @param parameters what `$1`, `$2` and so on stand for, as expressions
 */
const sql = (
	name: string,
	file: string,
	position: [number, number],
	parameters: string[] = [],
	more: object = {},
): WorkflowNode =>
	node(
		name,
		'postgres',
		2.6,
		position,
		{
			operation: 'executeQuery',
			query: readSql(file).replace(/clean_json\(([^)]+)\)/g, (_, json: string) =>
				cleanJson(json),
			),
			options:
				parameters.length > 0
					? { queryReplacement: `={{ [${parameters.join(', ')}] }}` }
					: {},
		},
		{ executeOnce: true, credentials: CREDENTIALS.database, ...more },
	);

const PREPARED = "$('Prepare the Query').first().json.query";

const PUSH_AGAIN = "JSON.stringify($('Settings').first().json.pushAgain)";

function explanation({ about, isChunked }: DatabaseSync): string {
	const steps = [
		'*Your Query*: enter your query. See the note above it.',
		'*Tables*, *Lock*, *Compare*, *Unlock*, *Read*, *Note Planned Changes* and *Remember*: select your *Postgres* credential.',
		"*Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete this workflow's rows from the table **search_sync_documents**. Otherwise, unchanged documents are missing from that index.",
		`*Settings*: a run deletes at most *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. In *pushAgain*, you can enter IDs to ${isChunked ? 'chunk' : 'push'} again, and remove them after the run.`,
	];
	const chunk =
		'*Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to `\\r?\\n\\s*\\n`.';
	if (isChunked) steps.splice(2, 0, chunk);
	return `${about.beginning}

**What the database needs:** a login that may read your tables, and a schema in which it may create two tables. For a login named *n8n*, a database owner runs this once:

\`create schema authorization n8n;\`
\`grant select on ${about.table} to n8n;\`

With a login that may only read, or another database, do not use this example. Get the rows with n8n's node for that database, and put it before *Map Fields* in **Sync From an API**.

**Change these**
${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}

**Nothing changes** if the query returns no rows, or two rows with one ID. If too many documents are missing, they are not deleted. To delete them, start the workflow once by its trigger *${DELETE}*.

**It runs three times a night.** If nothing has changed since the last run, the next run sends nothing. After an outage, the next run sends what is missing.

The table **search_sync_runs** says what each run has done. **search_sync_documents** says it for each document. Each workflow has rows of its own, so duplicate the workflow for another table. If two workflows push to the same index, their IDs must differ, for example by a prefix in the query.

**Try it:** click *Execute workflow*. Then publish the workflow.

**To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`;
}

/** Builds a sync from its view and the parts that both database syncs share. */
export function databaseSync(options: DatabaseSync): Workflow {
	const { name, about, query } = options;
	const shown: Array<[name: string, type: FieldType, value: unknown]> = [
		['mostDeletes', 'number', 10],
		['mostDeletesPercent', 'number', 5],
		['pushAgain', 'array', []],
		['confirmDeletes', 'boolean', `={{ $('${DELETE}').isExecuted }}`],
	];
	const nodes = [
		note('Note', explanation(options), [-560, -200], about.size, 7),
		note('Query', QUERY + query.document, [X * 2.75, -220], [X * 2, 380], SEAM),
		everyNight([0, 0], [2, 4, 6]),
		manualTrigger(DELETE, [0, 200]),
		node('Settings', 'set', 3.4, [X, 0], fields(...shown)),
		sql('Tables', 'tables', [X * 2, 0], [], {
			// Two first runs at the same moment may both create a table, and one of them fails.
			...{ alwaysOutputData: true, retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
		}),
		// n8n would replace {{ }} in the query, and read all its rows. An inactive node only keeps it.
		node(
			'Your Query',
			'postgres',
			2.6,
			[X * 3.25, 0],
			{ operation: 'executeQuery', query: readSql(query.file), options: {} },
			{ disabled: true },
		),
		...planNodes(options, 520),
		...applyNodes(options, 1260),
	];
	const chains = [
		['Every Night', 'Settings'],
		[DELETE, 'Settings'],
		[
			'Settings',
			'Tables',
			'Your Query',
			'Prepare the Query',
			'Lock',
			'Compare',
			'Plan the Batches',
		],
		['Plan the Batches', 'Anything to Do', 'Loop Over Batches', 'Result'],
		['Anything to Do|1', 'Result'],
		['Loop Over Batches|1', 'Apply Batch', 'Loop Over Batches'],
		['Result', 'Unlock', 'All Went Well'],
		['All Went Well|1', 'Fail the Run'],
		...applyChains(options),
	];
	const settings = { callerPolicy: 'workflowsFromSameOwner', saveDataSuccessExecution: 'none' };
	return workflow(name, nodes, chains, { settings });
}

function planNodes({ isChunked }: DatabaseSync, y: number): WorkflowNode[] {
	const params = isChunked
		? "[$('Chunk Text').params, $('Push Documents').params]"
		: "$('Push Documents').params";
	return [
		note(
			'Plan',
			'## Plan: what has changed?\n*Compare* is one query. It compares a checksum of each document with the table **search_sync_documents**, and cuts the difference into batches. If too many documents are missing, nothing is deleted, but everything else is done.\n\nOnly one run at a time can hold the lock. If a run is killed, its lock expires after 15 minutes at most.',
			[-40, y - 180],
			[X * 7.5, 660],
			4,
		),
		code('Prepare the Query', 'query', [0, y], { query: "$('Your Query').params.query" }),
		sql('Lock', 'lock', [X, y]),
		sql(
			'Compare',
			'compare',
			[X * 2, y],
			[
				...['$json.run ?? 0', `JSON.stringify(${params})`, PUSH_AGAIN],
				...[isChunked ? '200' : '1000', PREPARED],
			],
			// If the query fails, the lock is given back.
			{ onError: 'continueRegularOutput' },
		),
		code('Plan the Batches', 'plan-database', [X * 3, y], {
			compared: "$('Compare').first().json",
			query: PREPARED,
			settings: "$('Settings').first().json",
			run: "$('Lock').first().json.run",
			howToDelete: JSON.stringify(HOW_TO_DELETE),
		}),
		...batchLoop(X * 4, y),
		resultNode([X * 3, y + 260], isChunked, HOW_TO_DELETE),
		sql(
			'Unlock',
			'unlock',
			[X * 4, y + 260],
			["$('Lock').first().json.run ?? 0", 'JSON.stringify($json)'],
		),
		node('All Went Well', 'if', 2.2, [X * 5, y + 260], isTrue("={{ $json.error === '' }}")),
		failTheRun([X * 6, y + 260]),
	];
}

function applyNodes({ isChunked }: DatabaseSync, y: number): WorkflowNode[] {
	const read = "$('Read').first().json";
	// jsonb could add the ID in the query, but does not accept every JSON.
	const changed = `${read}.changed.map((work) => ({ ...work, document: { ...work.document, id: work.id } }))`;
	const batch = `{ ...${BATCH}, work: [...${read}.gone, ...${read}.missed, ...${changed}] }`;
	// If a batch finds nothing to do, these nodes are not executed.
	const all = (name: string) =>
		`$('${name}').isExecuted ? $('${name}').all().map(({ json }) => json) : []`;
	const documents = all('Documents');
	const texts = isChunked ? all('Chunk Text') : 'null';
	const anyLeft = '={{ $json.gone.length + $json.missed.length + $json.changed.length > 0 }}';
	const beforeX = isChunked ? X * 6 : X * 5;
	const pushX = beforeX + X * 4;
	return [
		note(
			'Apply',
			'## Apply: one batch\nThe workflow calls itself for each batch, so that n8n forgets a batch when it is done. *Note Planned Changes* writes down which documents are about to change, and *Remember* what has become of them. So a run that was killed goes on with the next batch.',
			[-40, y - 260],
			[pushX + X * 4, 700],
			6,
		),
		node('When Called by Itself', 'executeWorkflowTrigger', 1.1, [0, y], {
			inputSource: 'passthrough',
		}),
		sql(
			'Read',
			'read',
			[X, y],
			[
				...['$json.run', '$json.settings', '$json.pushAgain', '$json.from', '$json.to'],
				...[
					'$json.goneFrom',
					'$json.goneTo',
					'$json.documents',
					'$json.query',
					'$json.ids',
				],
			],
		),
		node('Lock Is Mine', 'filter', 2.2, [X * 2, y], isTrue('={{ $json.run > 0 }}')),
		node('Anything Left', 'if', 2.2, [X * 3, y], isTrue(anyLeft)),
		code('Documents', 'documents', [X * 4, y], {
			batch,
			fetched: 'null',
			isChunked: String(isChunked),
		}),
		...(isChunked ? [chunkText([X * 5, y])] : []),
		code(
			'List Planned Changes',
			'planned-changes',
			[beforeX, y - 120],
			{ batch, documents, texts },
			{ executeOnce: true },
		),
		sql(
			'Note Planned Changes',
			'note-planned-changes',
			[beforeX + X, y - 120],
			['$json.run', '$json.entries'],
		),
		node(
			'Lock Is Still Mine',
			'filter',
			2.2,
			[beforeX + X * 2, y - 120],
			isTrue('={{ $json.run > 0 }}'),
		),
		node('Wait for the Note', 'merge', 3.2, [beforeX + X * 3, y], {
			mode: 'chooseBranch',
			useDataOfInput: 2,
		}),
		pushDocuments([pushX, isChunked ? y : y - 100], isChunked),
		deleteDocument([pushX + (isChunked ? X : 0), isChunked ? y : y + 100], isChunked),
		code('Sum Up the Batch', 'batch-row', [pushX + X * 2, isChunked ? y : y + 100], {
			batch,
			documents,
			texts,
			pushes: all('Push Documents'),
			deletes: all('Delete Document'),
		}),
		sql(
			'Remember',
			'remember',
			[pushX + X * 3, isChunked ? y : y + 100],
			['JSON.stringify($json)', `${BATCH}.documents`],
		),
	];
}

function applyChains({ isChunked }: DatabaseSync): Chain[] {
	const work = isChunked ? 'Chunk Text' : 'Documents';
	return [
		['When Called by Itself', 'Read', 'Lock Is Mine', 'Anything Left', 'Documents'],
		['Anything Left|1', 'Sum Up the Batch'],
		...(isChunked ? [['Documents', 'Chunk Text']] : []),
		[
			work,
			'List Planned Changes',
			'Note Planned Changes',
			'Lock Is Still Mine',
			'Wait for the Note',
		],
		...afterTheNote(work, isChunked),
	];
}
