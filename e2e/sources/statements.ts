import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Postgres } from '../service/postgres';
import { startPostgres } from '../service/postgres';
import { CACHE, EXAMPLES } from '../shared/paths';
import type { Cases } from './runs';
import { inTurn } from './runs';
import type { SourcesStage } from './stage';

const SQL = path.join(EXAMPLES, 'src/sql');
const WORKFLOW = 'w';
const ROWS = 12;

/** Ways in which a run can lose its lock between two statements. */
const LOSSES: Record<string, string> = {
	'it has expired': 'update search_sync_runs set locked_until = now()',
	'it was given back': 'update search_sync_runs set locked_until = null',
	'its row was deleted': 'delete from search_sync_runs',
	'a newer run has it':
		"update search_sync_runs set locked_until = now(); insert into search_sync_runs (workflow, execution, locked_until) values ('w', 'newer', now() + interval '15 minutes')",
};

/** Parameters of the statements that do nothing without the lock. */
const GUARDED: Record<string, (run: string) => string[]> = {
	read: (run) => [run, 'settings', '[]', '1', String(ROWS), 'doc/1', 'doc/9', '10'],
	'note-planned-changes': (run) => [run, JSON.stringify([['doc/1', '', 5, 'sum']])],
};

/** Statements that may also run without the lock: before it, to report, or after it was lost. */
const OTHERS = [
	...['chunked-documents-view', 'documents-view', 'tables', 'lock', 'unlock'],
	// Without the lock, it only says so.
	'compare',
	// It marks what it writes as late.
	'remember',
];

/** Time zones of a server, east and west of UTC. */
const ZONES = ['UTC', 'Asia/Kathmandu', 'America/New_York'];

const DOCUMENT = "json_build_object('name', 'N', 'text', 'T')";

/** Versions of a document in the table: none, the same as in the source, or another one. */
const SAME = '';
const KNOWN = [undefined, SAME, 'another'];

/** A document is in the source, in the table, or in both. Only the table can say that it has a problem. */
const COMBINATIONS = [true, false]
	.flatMap((isInSource) => KNOWN.map((known) => ({ isInSource, known })))
	.flatMap((each) => [true, false].map((hasProblem) => ({ ...each, hasProblem })))
	.flatMap((each) => [true, false].map((isNamed) => ({ ...each, isNamed })))
	.filter(
		({ isInSource, known, hasProblem }) => known !== undefined || (isInSource && !hasProblem),
	);

/** Runs the statements of the database syncs by themselves, for moments that a whole run seldom meets. */
export const statementCases = (): Cases =>
	inTurn(async (stage) => await StatementCases.start(stage), {
		'a lost lock': async (cases) => await cases.lostLocks(),
		'documents that are gone': async (cases) => await cases.gone(),
		'the state of each document': async (cases) => await cases.states(),
		'time zones': async (cases) => await cases.timeZones(),
	});

class StatementCases {
	private constructor(
		private readonly stage: SourcesStage,
		private readonly postgres: Postgres,
	) {}

	static async start(stage: SourcesStage): Promise<StatementCases> {
		const postgres = await startPostgres(stage.command, path.join(CACHE, 'sources'));
		const cases = new StatementCases(stage, postgres);
		await cases.run('tables', []);
		await postgres.query(`
			create table source (n int primary key);
			create view "search_documents_${WORKFLOW}" as
			select n as key, 'doc/' || n as id, ${DOCUMENT} as document
			from source`);
		return cases;
	}

	/** A run that has lost its lock reads nothing, and does not take the lock again. */
	async lostLocks(): Promise<void> {
		const files = readdirSync(SQL).map((file) => path.basename(file, '.sql'));
		const known = [...Object.keys(GUARDED), ...OTHERS].sort();
		this.check('each statement is known', files.sort().join(), known.join());
		for (const [file, parameters] of Object.entries(GUARDED)) {
			const run = await this.fill();
			const before = await this.tables();
			const rows = await this.run(file, parameters(run));
			this.check(`${file} with the lock`, String(rows !== ''), 'true');
			this.check(`${file} renews the lock`, String(before !== (await this.tables())), 'true');
			for (const [how, loss] of Object.entries(LOSSES)) {
				const lost = await this.fill();
				await this.postgres.query(loss);
				const expected = await this.tables();
				this.check(
					`${file} returns nothing: ${how}`,
					await this.run(file, parameters(lost)),
					'',
				);
				this.check(`${file} changes nothing: ${how}`, await this.tables(), expected);
			}
		}
	}

	/** A batch of documents that are gone never has one that the source has again, or that lies between two others. */
	async gone(): Promise<void> {
		const run = await this.fill();
		await this.postgres.query('delete from source where n % 3 = 0');
		const missing = (
			await this.postgres.query(
				`select k.id from search_sync_documents k where not exists
			(select from "search_documents_${WORKFLOW}" d where d.id = k.id) order by k.id collate "C"`,
			)
		).split('\n');
		for (const [at, from] of missing.entries())
			for (const to of missing.slice(at)) {
				const row = await this.run('read', [
					...[run, 'settings', '[]', '1', '1', from, to, '10'],
				]);
				const [, list = '[]'] = row.split('|');
				const found = (JSON.parse(list) as Array<{ id: string }>).map(({ id }) => id);
				const expected = missing.filter((id) => id >= from && id <= to);
				this.check(
					`the gone ones from ${from} to ${to}`,
					found.sort().join(),
					expected.join(),
				);
			}
	}

	/** Checks that what happens to a document follows from what the source and the table say of it. */
	async states(): Promise<void> {
		const run = await this.fill();
		await this.postgres.query('truncate source, search_sync_documents');
		const pushAgain: string[] = [];
		const expected: string[] = [];
		let unchanged = 0;
		for (const [at, { isInSource, known, hasProblem, isNamed }] of COMBINATIONS.entries()) {
			const number = at + 1;
			const id = `doc/${number}`;
			const version = `md5('${known}' || md5('settings') || ${DOCUMENT}::text)`;
			if (isInSource) await this.postgres.query(`insert into source values (${number})`);
			if (known !== undefined)
				await this.postgres.query(`
					insert into search_sync_documents (workflow, id, version, chunks, problem) values
					('${WORKFLOW}', '${id}', ${version}, 1, ${hasProblem ? "'is a scan'" : 'null'})`);
			if (isNamed) pushAgain.push(id);
			if (!isInSource) expected.push(`gone ${id}`);
			else if (known !== SAME || isNamed) expected.push(`changed ${id}`);
			else if (hasProblem) expected.push(`unreadable ${id}`);
			else unchanged += 1;
		}
		const parameters = [run, 'settings', JSON.stringify(pushAgain), '1'];
		const columns = (await this.run('compare', parameters)).split('|');
		const [problems, changed, gone] = columns.slice(-3).map((list) => JSON.parse(list)) as [
			string[],
			...Array<Array<{ from: string }>>,
		];
		const seen = [
			...problems.map((problem) => `unreadable ${problem.split("'")[1]}`),
			...changed.map(({ from }) => `changed doc/${from}`),
			...gone.map(({ from }) => `gone ${from}`),
		];
		this.check('each document has its state', seen.sort().join(), expected.sort().join());
		this.check('the others are unchanged', columns[7], String(unchanged));
	}

	/** Checks that Read and Compare get the same version of a timestamp, whatever the time zone of the server is. */
	async timeZones(): Promise<void> {
		await this.postgres.query(`
			create or replace view "search_documents_${WORKFLOW}" as
			select n as key, 'doc/' || n as id,
				json_build_object('text', 'T', 'at', timestamptz '2026-03-01 12:00+00') as document
			from source`);
		const settings = await this.postgres.query("select md5('settings')");
		for (const zone of ZONES)
			for (const later of ZONES) {
				const run = await this.fill();
				const range = ['1', String(ROWS), 'doc/1', 'doc/9', String(ROWS)];
				const row = await this.run('read', [run, settings, '[]', ...range], zone);
				const [, , changed = '[]'] = row.split('|');
				const title = `read in ${zone}`;
				this.check(title, String((JSON.parse(changed) as unknown[]).length), String(ROWS));
				await this.postgres.query(`
					update search_sync_documents k set version = work ->> 'version'
					from json_array_elements(${literal(changed)}) work where k.id = work ->> 'id'`);
				const columns = await this.run('compare', [run, 'settings', '[]', '1'], later);
				const unchanged = columns.split('|')[7];
				this.check(`${title}, compared in ${later}`, unchanged, String(ROWS));
			}
	}

	/** Fills the tables, and returns the number of a run that has the lock. */
	private async fill(): Promise<string> {
		return await this.postgres.query(`
			truncate source, search_sync_documents, search_sync_runs restart identity;
			insert into source select generate_series(1, ${ROWS});
			insert into search_sync_documents (workflow, id, version, chunks)
			select '${WORKFLOW}', 'doc/' || n, 'old', 1 from source;
			insert into search_sync_runs (workflow, execution, locked_until)
			values ('${WORKFLOW}', '1', now() + interval '5 minutes') returning run`);
	}

	private async tables(): Promise<string> {
		return await this.postgres.query(`
			select (select json_agg(d order by id) from search_sync_documents d),
				(select json_agg(r order by run) from search_sync_runs r)`);
	}

	/** Runs a statement as n8n does: the whole file is one transaction. */
	private async run(file: string, parameters: string[], zone = 'UTC'): Promise<string> {
		const text = readFileSync(path.join(SQL, `${file}.sql`), 'utf8')
			.replaceAll('{{ $workflow.id }}', WORKFLOW)
			.replaceAll('{{ $execution.id }}', '1')
			.replace(/\$(\d)/g, (_, number) => literal(parameters[Number(number) - 1] ?? ''));
		const statement = text.trimEnd().replace(/;$/, '');
		return await this.postgres.query(
			`begin; set local time zone '${zone}'; ${statement}; commit`,
		);
	}

	private check(title: string, seen: string, expected: string): void {
		this.stage.checks.add(`statements: ${title}`, seen === expected, seen);
	}
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
