import path from 'node:path';

import type { Execution } from '../n8n/execution';
import type { WorkflowNode } from '../n8n/workflow';
import { postgresCredential } from '../service/credentials';
import type { Postgres } from '../service/postgres';
import { startPostgres } from '../service/postgres';
import { CACHE } from '../shared/paths';
import { until } from '../shared/wait';
import type { Cases } from './runs';
import {
	BY_HAND,
	BY_TIME,
	checkPlan,
	counted,
	inTurn,
	killInTheMiddle,
	pushes,
	readExample,
	startTwo,
} from './runs';
import type { SourcesStage } from './stage';

const ROWS = 60;

/** Texts that differ only in numbers would be taken for the same page. */
const NAME = "translate(id::text, '0123456789', 'ghijklmnop')";
const ROWS_PER_BATCH = 10;
const RETRY_FOR_SECONDS = 2;
const WITHIN_MS = 60_000;

const OUR_TABLES =
	"select count(*) from pg_class where relkind = 'r' and relname like 'search_sync%'";

const OUR_ROWS =
	"select (select md5(string_agg(r::text, ',' order by run)) from search_sync_runs r), (select md5(string_agg(d::text, ',' order by id)) from search_sync_documents d)";

/** Longer than a run takes. */
const LATE_MS = 10_000;

interface Example {
	table: string;
	isChunked: boolean;
	/** The entries that the index should contain for a row. Each has the form `id=text`. */
	entriesOf(id: string, text: string): string[];
}

const EXAMPLES: Record<string, Example> = {
	'sync-of-a-database': {
		table: 'products',
		isChunked: false,
		entriesOf: (id, text) => [`${id}=${text}`],
	},
	'sync-chunks-of-a-database': {
		table: 'articles',
		isChunked: true,
		// Each section becomes a chunk.
		entriesOf: (id, text) =>
			text === ''
				? []
				: text.split(/\n(?=# )/).map((section, at) => `${id}#${at}=${section}`),
	},
};

type Steps = Record<string, (cases: DatabaseCases) => Promise<void>>;

/** Returns the cases of one example against a PostgreSQL. */
export function databaseCases(name: string): Cases {
	// The rules of a list are the same with chunks.
	const rules: Steps = {
		'refused lists': async (cases) => await cases.refusals(),
		'many missing': async (cases) => await cases.manyMissing(),
		'one text for many': async (cases) => await cases.sameTexts(),
		'time zones': async (cases) => await cases.timeZones(),
	};
	const unreadable: Steps = {
		'texts that cannot be read': async (cases) => await cases.unreadable(),
	};
	return inTurn(async (stage) => await DatabaseCases.start(stage, name), {
		changes: async (cases) => await cases.changes(),
		'failures of the service': async (cases) => await cases.failures(),
		...(EXAMPLES[name].isChunked ? unreadable : rules),
		'a lost lock': async (cases) => await cases.lostLock(),
		'two runs at once': async (cases) => await cases.twice(),
		'killed in the middle': async (cases) => await cases.killed(),
	});
}

class DatabaseCases {
	private workflow = '';

	private constructor(
		private readonly stage: SourcesStage,
		private readonly postgres: Postgres,
		private readonly name: string,
		private readonly example: Example,
	) {}

	static async start(stage: SourcesStage, name: string): Promise<DatabaseCases> {
		const postgres = await startPostgres(stage.command, path.join(CACHE, 'sources'));
		await stage.n8n.api.saveCredential(postgresCredential(postgres));
		const example = EXAMPLES[name];
		await postgres.query(`
			create table ${example.table} (
				id bigint primary key, title text, body text, price numeric, changed timestamptz
			);
			insert into ${example.table}
			select n, 'Number ' || n, ${sections('n')}, n / 7.0, '2026-03-29 01:00Z'
			from generate_series(1, ${ROWS}) n`);
		const cases = new DatabaseCases(stage, postgres, name, example);
		cases.workflow = await cases.publish();
		return cases;
	}

	/** Publishes the example with small batches. The IDs of its documents have a prefix. */
	private async publish(change: (query: string) => string = (query) => query): Promise<string> {
		const workflow = readExample(this.name);
		const { table } = this.example;
		const prefixed = (query: string) =>
			change(query.replace(/(\w)\.id::text/, `'${table}/' || $1.id`));
		const nodes = workflow.nodes.map((node) => withQuery(quick(node), prefixed));
		return await this.stage.publish({ ...workflow, nodes });
	}

	async changes(): Promise<void> {
		const { table } = this.example;
		await this.plan('before the first run', `new ${ROWS}`);
		const tables = await this.postgres.query(OUR_TABLES);
		this.stage.checks.add(
			`${this.name}: the plan before the first run creates no table`,
			tables === '0',
			tables,
		);
		await this.sync('a first load', `success, pushed ${ROWS}`);
		await this.sync('nothing changed', `success, unchanged ${ROWS}`);
		await this.postgres.query(`update ${table} set body = '# New' where id = 7`);
		await this.plan('with one changed', `changed 1, unchanged ${ROWS - 1}`);
		await this.sync('one changed', `success, pushed 1, unchanged ${ROWS - 1}`);
		await this.postgres.query(`delete from ${table} where id = 8`);
		await this.plan('with one deleted', `missing 1, unchanged ${ROWS - 1}`);
		await this.sync('one deleted', `success, deleted 1, unchanged ${ROWS - 1}`);
		await this.postgres.query(
			`insert into ${table} values (8, 'It''s, "8"', '# 8, it''s "back"', 8)`,
		);
		await this.sync('one new with quotes', `success, pushed 1, unchanged ${ROWS - 1}`);
	}

	/** Cases in which nothing may change. */
	async refusals(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(
			`alter table ${table} rename to hidden; create table ${table} as select * from hidden limit 0`,
		);
		await this.sync('an empty table', `error, withheld ${ROWS}`, 'would be deleted', 'hidden');
		await this.postgres.query(`insert into ${table} select * from hidden`);
		await this.postgres.query(`insert into ${table} select * from hidden where id = 3`);
		await this.sync(
			'two rows with one ID',
			'error',
			`two rows of 'Your Query' have the ID '${table}/3'`,
			'hidden',
		);
		await this.postgres.query(
			`delete from ${table}; insert into ${table} values (null, 'No ID')`,
		);
		await this.sync(
			'a row without ID',
			'error',
			"1 of 1 rows of 'Your Query' have no ID",
			'hidden',
		);
		await this.postgres.query(
			`drop table ${table} cascade; create view ${table} as select * from hidden where id / 0 = 1`,
		);
		await this.sync('a query that fails', 'error', 'division by zero', 'hidden');
		await this.postgres.query(
			`drop view ${table} cascade; alter table hidden rename to ${table}`,
		);
		// The failed query has not kept its lock.
		await this.sync('as before', `success, unchanged ${ROWS}`);
	}

	/** Too many deletes are withheld, and everything else is done, until they are approved for one run. */
	async manyMissing(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(`
			create table moved as select * from ${table} where id > 40;
			delete from ${table} where id > 40;
			update ${table} set body = '# Changed' where id = 2`);
		const all = `(select * from ${table} union all select * from moved)`;
		await this.sync(
			'a list that is cut off',
			`error, pushed 1, unchanged ${ROWS - 21}, withheld 20`,
			`20 of ${ROWS} documents would be deleted`,
			all,
		);
		await this.sync(
			'a list that is still cut off',
			`error, unchanged ${ROWS - 20}, withheld 20`,
			`start the workflow once by its trigger '${BY_HAND}'`,
			all,
		);
		await this.sync(
			'the deletes, approved',
			`success, deleted 20, unchanged ${ROWS - 20}`,
			'',
			table,
			BY_HAND,
		);
		await this.postgres.query(`insert into ${table} select * from moved; drop table moved`);
		await this.sync('all again', `success, pushed 20, unchanged ${ROWS - 20}`);
		await this.postgres.query(
			`create table moved as select * from ${table}; delete from ${table}`,
		);
		await this.sync('everything gone', `error, withheld ${ROWS}`, 'would be deleted', 'moved');
		await this.sync(
			'everything gone, approved',
			`success, deleted ${ROWS}`,
			'',
			table,
			BY_HAND,
		);
		await this.postgres.query(`insert into ${table} select * from moved; drop table moved`);
		await this.sync('everything back', `success, pushed ${ROWS}`);
	}

	/** A document that is refused, and a service that answers each delete with 404. */
	async failures(): Promise<void> {
		const { table } = this.example;
		const { faults } = this.stage.sandbox;
		const before = await this.postgres.query(`select body from ${table} where id = 4`);
		await this.postgres.query(`
			update ${table} set body = '# Refused' where id = 4;
			update ${table} set body = '# Accepted' where id = 5`);
		faults.add({ route: 'push', status: 400, whenBodyContains: 'Refused' });
		const restored = `(select id, case id when 4 then ${quoted(before)} else body end as body from ${table})`;
		await this.sync(
			'one document refused',
			`error, pushed 1, unchanged ${ROWS - 2}, failed 1`,
			'1 of 2 documents failed',
			restored,
		);
		faults.clear();
		await this.sync('the refused document again', `success, pushed 1, unchanged ${ROWS - 1}`);
		await this.postgres.query(`delete from ${table} where id = 6`);
		faults.add({ route: 'delete', status: 404 });
		const kept = `(select id, body from ${table} union all select 6, ${sections('6')})`;
		await this.sync(
			'each delete with 404',
			`error, unchanged ${ROWS - 1}, failed 1`,
			'status 404',
			kept,
		);
		faults.clear();
		await this.outage(kept);
		await this.sync('the delete again', `success, pushed 1, deleted 1, unchanged ${ROWS - 2}`);
		await this.postgres.query(`insert into ${table} values (6, 'Six', '# Six', 6)`);
		await this.sync('six again', `success, pushed 1, unchanged ${ROWS - 1}`);
		await this.longOutage();
	}

	/** After one batch of ten documents that were all answered with 503, the run leaves out the others. */
	private async longOutage(): Promise<void> {
		const { table } = this.example;
		const { faults } = this.stage.sandbox;
		await this.postgres.query(`create table before_long_outage as select * from ${table}`);
		await this.postgres.query(`update ${table} set body = '# Down ' || ${NAME}`);
		for (const route of ['submit', 'push'] as const) faults.add({ route, status: 503 });
		const left = ROWS - ROWS_PER_BATCH;
		await this.sync(
			'a long outage',
			`error, failed ${ROWS_PER_BATCH}`,
			`${left} waiting`,
			'before_long_outage',
		);
		faults.clear();
		await this.sync('after the long outage', `success, pushed ${ROWS}`);
		await this.postgres.query(
			`update ${table} t set body = b.body from before_long_outage b where b.id = t.id`,
		);
		await this.sync('with the texts of before', `success, pushed ${ROWS}`);
	}

	/** Nothing can be chunked, pushed or deleted. */
	private async outage(index: string): Promise<void> {
		const { table } = this.example;
		const { faults } = this.stage.sandbox;
		await this.postgres.query(`create table before_outage as select * from ${index} as t`);
		await this.postgres.query(`update ${table} set body = '# Changed' where id = 3`);
		for (const route of ['submit', 'push', 'delete'] as const)
			faults.add({ route, status: 503 });
		await this.sync(
			'an outage',
			`error, unchanged ${ROWS - 2}, failed 2`,
			'503',
			'before_outage',
		);
		faults.clear();
		await this.postgres.query('drop table before_outage');
	}

	/** A document without a text keeps what the index has. */
	async unreadable(): Promise<void> {
		const { table } = this.example;
		const before = await this.postgres.query(`select body from ${table} where id = 9`);
		await this.postgres.query(`update ${table} set body = null where id = 9`);
		const kept = `(select id, coalesce(body, ${quoted(before)}) as body from ${table})`;
		await this.sync(
			'a row without text',
			`error, unchanged ${ROWS - 1}, unreadable 1`,
			`'${table}/9' has no text`,
			kept,
		);
		await this.sync(
			'still without text',
			`error, unchanged ${ROWS - 1}, unreadable 1`,
			`'${table}/9' has no text`,
			kept,
		);
		await this.postgres.query(`update ${table} set body = ${quoted(before)} where id = 9`);
		await this.sync('with its text again', `success, pushed 1, unchanged ${ROWS - 1}`);
		await this.postgres.query(`update ${table} set body = '' where id = 9`);
		await this.sync('an empty text', `success, deleted 1, unchanged ${ROWS - 1}`);
		await this.sync('a text that stays empty', `success, unchanged ${ROWS}`);
		await this.postgres.query(`update ${table} set body = ${quoted(before)} where id = 9`);
		await this.sync(
			'a text in place of an empty one',
			`success, pushed 1, unchanged ${ROWS - 1}`,
		);
	}

	/** Texts in the wrong encoding, and one text in place of different ones. */
	async sameTexts(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(`create table saved as select * from ${table}`);
		await this.postgres.query(
			`update ${table} set body = '# K\ufffdche ' || id where id in (11, 12)`,
		);
		await this.sync(
			'two texts in another encoding',
			`error, unchanged ${ROWS - 2}, unreadable 2`,
			'U+FFFD',
			'saved',
		);
		await this.restore();
		await this.sync(
			'right encoding',
			`success, pushed 2, unchanged ${ROWS - 2}`,
			'',
			table,
			BY_TIME,
			true,
		);
		await this.postgres.query(
			`update ${table} set body = '# Sign in' where id between 21 and 24`,
		);
		await this.sync(
			'a sign-in page',
			`error, unchanged ${ROWS - 4}, unreadable 4`,
			'sign-in page',
			'saved',
		);
		await this.restore();
		await this.sync('the texts again', `success, unchanged ${ROWS}`, '', table, BY_TIME, true);
		await this.postgres.query(`drop table saved`);
	}

	private async restore(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(
			`update ${table} t set body = s.body from saved s where s.id = t.id`,
		);
	}

	/** A timestamp is the same in all time zones of the server. JSON may contain what jsonb does not accept. */
	async timeZones(): Promise<void> {
		const withTime = await this.publish((query) =>
			query.replace("'text',", `'changed', changed, 'odd', '"\\u0000"'::json, 'text',`),
		);
		const first = await this.run(withTime);
		await this.postgres.query(
			"alter system set timezone = 'Asia/Kathmandu'; select pg_reload_conf()",
		);
		const second = await this.run(withTime);
		await this.postgres.query('alter system reset timezone; select pg_reload_conf()');
		this.check(
			'another time zone of the server changes nothing',
			`${counted(first)}; ${counted(second)}`,
			`success, pushed ${ROWS}; success, unchanged ${ROWS}`,
		);
	}

	/** A run loses its lock while it pushes. Its push arrives after that of a newer run, and another run repairs this. */
	async lostLock(): Promise<void> {
		const { table } = this.example;
		const { faults } = this.stage.sandbox;
		await this.postgres.query(`update ${table} set body = '# Late ' || ${NAME} where id <= 25`);
		faults.add({ route: 'push', latencyMs: LATE_MS, whenBodyContains: '# Late' });
		const before = pushes(this.stage);
		const late = this.run(this.workflow);
		await until(() => pushes(this.stage) > before, WITHIN_MS);
		await this.postgres.query(`
			update search_sync_runs set locked_until = now() where locked_until > now();
			update ${table} set body = '# Newer ' || ${NAME} where id <= 25`);
		this.check(
			'a newer run',
			counted(await this.run(this.workflow)),
			`success, pushed 25, unchanged ${ROWS - 25}`,
		);
		const { status, message = '' } = await late;
		this.check(
			'a run without lock stops',
			`${status}, ${String(message.includes('lost its lock'))}`,
			'error, true',
			message,
		);
		faults.clear();
		await this.sync(
			'a push that came late',
			`success, pushed ${ROWS_PER_BATCH}, unchanged ${ROWS - ROWS_PER_BATCH}`,
		);
		await this.sync('a push that came late, once more', `success, unchanged ${ROWS}`);
	}

	/** Of two runs at once, one works and the other one is refused. */
	async twice(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(`update ${table} set body = '# Twice ' || ${NAME} where id < 30`);
		const { counts, refusal } = await startTwo(
			this.stage,
			async () => await this.run(this.workflow),
		);
		this.check('two at once', counts, `error; success, pushed 29, unchanged ${ROWS - 29}`);
		this.check('the second run says why', refusal, 'another run has not ended');
		await this.checkIndex('two at once', table);
	}

	/** A run that is killed while it pushes. Meanwhile, the table changes. */
	async killed(): Promise<void> {
		const { table } = this.example;
		await this.postgres.query(`
			update ${table} set body = ${sections('id')} || E'\\n# More\\nText' where id < 50;
			delete from ${table} where id = 59`);
		const { message = '' } = await killInTheMiddle(
			this.stage,
			async () => await this.run(this.workflow),
		);
		this.check(
			'while the killed run has the lock, nothing changes',
			/Its lock expires at/.exec(message)?.[0] ?? message,
			'Its lock expires at',
		);
		await this.postgres.query(`
			update search_sync_runs set locked_until = now() where locked_until > now();
			update ${table} set body = '# Shorter ' || ${NAME} where id between 5 and 25;
			delete from ${table} where id in (10, 11)`);
		const execution = await this.run(this.workflow);
		const pushed = Number(execution.items('Result')[0]?.json.pushed);
		this.check('after a kill, the run succeeds', execution.status, 'success');
		this.check(
			'after a kill, the run goes on',
			String(pushed > 0 && pushed < 49),
			'true',
			String(pushed),
		);
		await this.checkIndex('a kill', table);
		await this.sync('after that', `success, unchanged ${ROWS - 3}`);
	}

	/** Shows the plan, and checks that neither the tables of the sync nor a lock have changed. */
	private async plan(when: string, counts: string): Promise<void> {
		const rows = async () =>
			(await this.postgres.query(OUR_TABLES)) === '0'
				? 'no tables'
				: await this.postgres.query(OUR_ROWS);
		const before = await rows();
		const { workflow: id, name } = this;
		await checkPlan(this.stage, { id, name }, when, counts);
		const after = await rows();
		this.stage.checks.add(`${name}, the plan ${when} takes no lock`, before === after, after);
	}

	/**
	 * Runs the sync once, and checks its counts, its error and the index.
	 * @param like what the index must contain then, as a table with `id` and `body`
	 * @param isMore whether more documents than these may have been pushed
	 */
	private async sync(
		after: string,
		expected: string,
		why = '',
		like: string | null = this.example.table,
		trigger = BY_TIME,
		isMore = false,
	): Promise<void> {
		const execution = await this.run(this.workflow, trigger);
		const seen = counted(execution);
		const isRight = isMore ? seen.startsWith(expected.split(',')[0]) : seen === expected;
		const message = execution.message ?? '';
		this.stage.checks.add(
			`${this.name}, ${after}: ${expected}`,
			isRight && message.includes(why),
			`${seen}; ${message}`,
		);
		if (like !== null) await this.checkIndex(after, like);
	}

	private async run(workflow: string, trigger = BY_TIME): Promise<Execution> {
		return await this.stage.n8n.api.runManually(workflow, trigger);
	}

	private async checkIndex(after: string, like: string): Promise<void> {
		const list = await this.postgres.query(
			`select coalesce(json_agg(json_build_array('${this.example.table}/' || id, coalesce(body, ''))), '[]') from ${like} as t`,
		);
		const rows = JSON.parse(list) as Array<[string, string]>;
		const expected = rows.flatMap(([id, text]) => this.example.entriesOf(id, text)).sort();
		const index = this.stage.indexed(`${this.example.table}/`);
		const missing = expected.filter((entry) => !index.includes(entry));
		const strange = index.filter((entry) => !expected.includes(entry));
		this.check(
			`the index equals the table after ${after}`,
			`${missing.length} missing, ${strange.length} strange`,
			'0 missing, 0 strange',
			[...missing.slice(0, 3), '|', ...strange.slice(0, 3)].join('; '),
		);
	}

	private check(what: string, seen: string, expected: string, more = ''): void {
		const { checks } = this.stage;
		checks.add(`${this.name}: ${what}`, seen === expected, `${seen} ${more}`);
	}
}

/** SQL for a text of one to three sections. A heading without a text would join another section. */
const sections = (number: string): string =>
	`'# Text ' || ${number} || E'\\nText' || repeat(E'\\n# Section of ' || ${number} || E'\\nText', (${number} % 3)::int)`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** With small batches, a run can be killed in the middle. During an outage, the nodes retry only briefly. */
function quick(node: WorkflowNode): WorkflowNode {
	const options = node.parameters.options as Record<string, unknown> | undefined;
	if (options?.retryForSeconds) options.retryForSeconds = RETRY_FOR_SECONDS;
	if (node.name === 'Compare' && options) {
		const given = String(options.queryReplacement);
		const ours = given.replace(/ (?:200|1000)(?=\] \}\}$)/, ` ${ROWS_PER_BATCH}`);
		if (ours === given) throw new Error(`Compare has no number of rows in ${given}`);
		options.queryReplacement = ours;
	}
	return node;
}

const withQuery = (node: WorkflowNode, change: (query: string) => string): WorkflowNode =>
	node.name === 'Your Query'
		? {
				...node,
				parameters: { ...node.parameters, query: change(String(node.parameters.query)) },
			}
		: node;
