/**
 * The parts of a sync whose documents are rows of a PostgreSQL database. SQL compares the rows with what earlier runs
 * have pushed, so only changed documents leave the database. A batch is a range of keys. What is done with a batch is
 * the same as in all syncs (`sync.ts`), but the state is in two tables beside the documents.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

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
import { allWentWell, CREDENTIALS, failTheRun, fields, isTrue } from './nodes';
import {
	AFTERWARDS,
	afterTheNote,
	BATCH,
	batchLoop,
	CALLED_BY_ITSELF,
	chunkText,
	DELETE,
	deleteDocument,
	docs,
	HOW_TO_DELETE,
	IS_PLAN_ONLY,
	LAST_SETTINGS,
	lanes,
	loopChains,
	notes,
	PLAN,
	planNodes,
	pushDocuments,
	resultNode,
	scheduledTriggers,
	STARTED_BY,
	work,
} from './sync';
import type { Chain, Group, Workflow, WorkflowNode } from './workflow';
import { code, node, workflow, X } from './workflow';

export interface DatabaseSync {
	name: string;
	/** The main note: its title and first paragraph, and a table as an example. */
	about: { beginning: string; table: string };
	/** The file in `sql/` with the query that users change, and what its column `document` contains. */
	query: { file: string; document: string };
	isChunked: boolean;
}

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
 * The text of a document that counts in its version. Without an ignored field, it is the document as PostgreSQL writes
 * it, as in earlier versions. The statements call this `counted_text`.
 */
const countedText = (document: string, ignored: string): string => `coalesce((
    select case when bool_or(isIgnored) then
      coalesce(json_object_agg(key, value) filter (where not isIgnored)::text, '{}')
    end
    from (
      select key, value, clean_json(${ignored})::jsonb ? key as isIgnored
      from json_each(
        case when ${ignored} <> '[]' and json_typeof(to_json(${document})) = 'object'
          then clean_json(${document}::text)
        end
      )
    ) field
  ), ${document}::text, '')`;

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
	change = (statement: string): string => statement,
): WorkflowNode =>
	node(
		name,
		'postgres',
		2.6,
		position,
		{
			operation: 'executeQuery',
			query: change(readSql(file))
				.replace(
					/counted_text\(([^,]+), ([^)]+)\)/g,
					(_, document: string, ignored: string) => countedText(document, ignored),
				)
				.replace(/clean_json\(([^)]+)\)/g, (_, json: string) => cleanJson(json))
				.replaceAll('{{ $workflow.id }}', `{{ ${OWNER_OF[file]} }}`),
			options:
				parameters.length > 0
					? { queryReplacement: `={{ [${parameters.join(', ')}] }}` }
					: {},
		},
		{ executeOnce: true, credentials: CREDENTIALS.database, ...more },
	);

/** To whom the rows of the documents belong: to this workflow, or to the one that is named in the setting `table`. */
const OWNER_OF: Record<string, string> = {
	...Object.fromEntries(
		['tables', 'look-for-tables', 'lock', 'compare', 'unlock'].map((file) => [
			file,
			`${BEGUN}.table`,
		]),
	),
	...Object.fromEntries(
		['read', 'note-planned-changes', 'remember'].map((file) => [file, `${BATCH}.owner`]),
	),
};

/**
 * Turns Compare into a statement that needs no lock and writes nothing, and also returns the plan. Its two tables are
 * read from what stands in their place: a lock that belongs to run 0, and the known documents, if there are any.
 */
const withoutLock = (statement: string, isChunked: boolean): string =>
	[
		['set local time zone', 'set transaction read only;\n\nset local time zone'],
		[
			'with owner as (',
			"with search_sync_runs as (\n  select 0 as run, '' as workflow, now() + interval '1 minute' as locked_until\n), search_sync_documents as (\n  $7:raw\n), owner as (",
		],
		[
			'\nfrom compared;',
			`,\n${readSql('plan').replace('is_chunked', String(isChunked))}\nfrom compared;`,
		],
	].reduce((changed, [from, to]) => {
		if (changed.split(from).length !== 2) throw new Error(`Compare has not one '${from}'`);
		return changed.replace(from, () => to);
	}, statement);

const PREPARED = "$('Prepare the Query').first().json.query";

/** The parameters of both comparisons that do not depend on the lock. */
const PREPARED_PARTS =
	"...['settings', 'pushAgain', 'query', 'ignored'].map((name) => $('Prepare the Query').first().json[name])";

const IGNORED_NAMES = "$('Prepare the Query').first().json.ignored";

const explanation = ({ about, query, isChunked }: DatabaseSync): string => `${about.beginning}

**Change these**
1. *Your Query*: enter your query. The node is not active, because the query runs only within *Compare* and *Read*. It returns **key**, the primary key of the table with its own type, **id**, the ID of the document, and **document**, ${query.document}
2. Double-click *Plan and Result*, and select your *Postgres* credential in *Tables*. n8n sets it in all nodes, and saves this when you press Ctrl+S.
3. *${work(isChunked).name}*: select your credentials in ${isChunked ? '*Chunk Text*, ' : ''}*Push Documents* and *Delete Document*${isChunked ? ', and enter your model' : ''}.

**Try it:** click *Execute workflow*. *Show the Plan* says what a run would do, and changes nothing. Then choose *Every Night* beside the button, and click again. Then publish the workflow. It runs three times a night. [All about syncs of a database](${docs('sources.md#a-postgresql-database')})`;

const protection = ({ about }: DatabaseSync): string => `## What protects your data
- **Grants.** The login may read your tables, and has a schema of its own. For a login named *n8n*, a database owner runs this once:
\`create schema authorization n8n;\`
\`grant select on ${about.table} to n8n;\`
- **Nothing changes** if the query returns no rows, or two rows with one ID.
- **A run deletes at most** *mostDeletes* documents, or *mostDeletesPercent* of all if that is more. If more are missing, none is deleted. To approve the deletes, start *${DELETE}* once.
- **Another index?** Before you select its credential, delete this workflow's rows from the table **search_sync_documents**.
${AFTERWARDS}`;

const SETTINGS: Array<[name: string, type: FieldType, value: unknown]> = [
	['ignoredFields', 'string', ''],
	['pushAgain', 'array', []],
	...LAST_SETTINGS,
	['mostDeletes', 'number', 10],
	['mostDeletesPercent', 'number', 5],
];

const BEGINNING: Beginning = {
	settings: SETTINGS.map(([name]) => name),
	...{ startedBy: STARTED_BY, confirmed: 'undefined', isPlanOnly: IS_PLAN_ONLY },
	ownTable: '$workflow.id',
	...{ isDataTable: false, isAnswered: false },
};

/** Builds a sync from its view and the parts that both database syncs share. */
export function databaseSync(options: DatabaseSync): Workflow {
	const { name, query } = options;
	const triggers = scheduledTriggers();
	const parts = [
		...notes({ content: explanation(options), protection: protection(options), height: 380 }),
		...lanes(
			triggers,
			[
				node('Settings', 'set', 3.4, [0, 0], fields(...SETTINGS)),
				beginGroup(BEGINNING),
				// n8n would replace {{ }} in the query, and read all its rows. An inactive node only keeps it.
				node(
					'Your Query',
					'postgres',
					2.6,
					[0, 0],
					{ operation: 'executeQuery', query: readSql(query.file), options: {} },
					{ disabled: true },
				),
				planGroup(options),
			],
			[CALLED_BY_ITSELF, applyGroup(options)],
		),
	];
	const chains = [
		...triggers.map((trigger) => [trigger.name, 'Settings']),
		...beginChains(BEGINNING),
		['Begin', 'Your Query', 'Prepare the Query', 'Lock or Look'],
		['Lock or Look', 'Look for Tables', 'Compare Without Lock', 'Plan the Batches'],
		['Lock or Look|1', 'Tables', 'Lock', 'Compare', 'Plan the Batches', 'Only the Plan'],
		['Only the Plan', 'Plan', 'All Went Well'],
		['Only the Plan|1', 'Anything to Do', 'Loop Over Batches', 'Result'],
		['Anything to Do|1', 'Result'],
		...loopChains(),
		['Result', 'Unlock', ...END, 'All Went Well'],
		['All Went Well|1', 'Fail the Run'],
		...applyChains(options),
	];
	const saved = { callerPolicy: 'workflowsFromSameOwner', saveDataSuccessExecution: 'none' };
	return workflow(name, parts, chains, { settings: saved });
}

function planGroup({ isChunked }: DatabaseSync): Group {
	const params = isChunked
		? "[$('Chunk Text').params, $('Push Documents').params]"
		: "$('Push Documents').params";
	const compared = (name: string): string => `$('${name}').first().json`;
	const batchSize = isChunked ? '200' : '1000';
	const nodes = [
		code('Prepare the Query', 'query', [0, 0], {
			query: "$('Your Query').params.query",
			settings: `JSON.stringify(${params})`,
			choices: "$('Settings').first().json",
			isChunked: String(isChunked),
		}),
		node('Lock or Look', 'if', 2.2, [X, 0], isTrue(`={{ ${BEGUN}.isPlanOnly }}`)),
		sql('Look for Tables', 'look-for-tables', [X * 2, -160]),
		sql(
			'Compare Without Lock',
			'compare',
			[X * 4, -160],
			['0', PREPARED_PARTS, batchSize, '$json.known'],
			// Plan the Batches says why the query fails.
			{ onError: 'continueRegularOutput' },
			(statement) => withoutLock(statement, isChunked),
		),
		sql('Tables', 'tables', [X * 2, 0], [], {
			// Two first runs at the same moment may both create a table, and one of them fails.
			...{ alwaysOutputData: true, retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
		}),
		sql('Lock', 'lock', [X * 3, 0]),
		sql(
			'Compare',
			'compare',
			[X * 4, 0],
			['$json.run ?? 0', PREPARED_PARTS, batchSize],
			// If the query fails, the lock is given back.
			{ onError: 'continueRegularOutput' },
		),
		code('Plan the Batches', 'plan-database', [X * 5, 0], {
			compared: `$('Compare').isExecuted ? ${compared('Compare')} : ${compared('Compare Without Lock')}`,
			query: PREPARED,
			ignored: IGNORED_NAMES,
			settings: "$('Settings').first().json",
			approval: `${BEGUN}.approval`,
			owner: `${BEGUN}.table`,
			lock: `$('Lock').isExecuted ? { run: $('Lock').first().json.run, history: ${HISTORY} } : null`,
			isChunked: String(isChunked),
		}),
		...planNodes([X * 6, 0]),
		...batchLoop(X * 7, 0),
		resultNode([X * 4, 260], isChunked, HOW_TO_DELETE),
		sql(
			'Unlock',
			'unlock',
			[X * 5, 260],
			["$('Lock').first().json.run ?? 0", 'JSON.stringify($json)'],
		),
		...endNodes(
			[X * 6, 260],
			'[]',
			{ documents: "$('Unlock').first().json.documents ?? 0" },
			false,
		),
		allWentWell([X * 9, 260], SHOWN),
		failTheRun([X * 10, 260], SHOWN),
	];
	return { ...PLAN, description: `${PLAN.description} ${POSTGRES}`, nodes };
}

const POSTGRES = 'Your Postgres credential is in Tables.';

function applyGroup({ isChunked }: DatabaseSync): Group {
	const y = 0;
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
	const beforeX = isChunked ? X * 5 : X * 4;
	const pushX = beforeX + X * 4;
	const nodes = [
		{ ...stillAlive(BATCH), position: [X * 2, -200] as [number, number] },
		sql(
			'Read',
			'read',
			[0, y],
			[
				...['run', 'settings', 'pushAgain', 'from', 'to', 'goneFrom', 'goneTo'],
				...['documents', 'query', 'ids', 'ignored'],
			].map((name) => `$json.${name}`),
		),
		node('Lock Is Mine', 'filter', 2.2, [X, y], isTrue('={{ $json.run > 0 }}')),
		node('Anything Left', 'if', 2.2, [X * 2, y], isTrue(anyLeft)),
		code('Documents', 'documents', [X * 3, y], {
			batch,
			fetched: 'null',
			isChunked: String(isChunked),
			isRow: 'true',
		}),
		...(isChunked ? [chunkText([X * 4, y])] : []),
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
	return { ...work(isChunked), nodes };
}

function applyChains({ isChunked }: DatabaseSync): Chain[] {
	const work = isChunked ? 'Chunk Text' : 'Documents';
	return [
		['When Called by Itself', 'Read', 'Lock Is Mine', 'Anything Left', 'Documents'],
		['Lock Is Mine', 'Still Alive'],
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
