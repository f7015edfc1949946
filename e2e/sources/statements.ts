import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { WorkflowNode } from '../n8n/workflow';
import type { Postgres } from '../service/postgres';
import { startPostgres } from '../service/postgres';
import { CACHE, EXAMPLES } from '../shared/paths';
import type { Cases } from './runs';
import { inTurn } from './runs';
import type { SourcesStage } from './stage';

const WORKFLOW = 'w';
const QUERY =
	"select n as key, 'doc/' || n as id, json_build_object('text', 'T') as document from source";
const HOLD = 'select pg_sleep(1)';

/**
 * Runs the statements of the database syncs in two connections at once. Everything else about them is tested in
 * `test/unit/examples/database.test.ts`.
 */
export const statementCases = (): Cases =>
	inTurn(async (stage) => await StatementCases.start(stage), {
		'two locks at once': async (cases) => await cases.twoLocks(),
		'a lock that is lost meanwhile': async (cases) => await cases.lostMeanwhile(),
	});

class StatementCases {
	private constructor(
		private readonly stage: SourcesStage,
		private readonly postgres: Postgres,
		private readonly nodes: WorkflowNode[],
	) {}

	static async start(stage: SourcesStage): Promise<StatementCases> {
		const postgres = await startPostgres(stage.command, path.join(CACHE, 'sources'));
		const file = path.join(EXAMPLES, 'sync-of-a-database.json');
		const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: WorkflowNode[] };
		const cases = new StatementCases(stage, postgres, nodes);
		await postgres.query(
			`${cases.statement('Tables')}; create table source as select generate_series(1, 9) n`,
		);
		return cases;
	}

	/** Of two runs that start together, the second one waits for the first one, and then gets no lock. */
	async twoLocks(): Promise<void> {
		const lock = this.statement('Lock');
		const [first, second] = await this.together(`${lock}; ${HOLD}`, lock);
		this.check('the first run has the lock', String(first !== ''), 'true');
		this.check('the second run waits and has none', second, '');
		const runs = await this.postgres.query('select count(*) from search_sync_runs');
		this.check('one run is noted', runs, '1');
	}

	/** A statement that waits for the end of another transaction sees that its lock is lost. */
	async lostMeanwhile(): Promise<void> {
		const guarded: Record<string, string[]> = {
			Read: ['settings', '[]', '1', '9', 'doc/1', 'doc/9', '10', QUERY, '[]', '[]'],
			'Note Planned Changes': [JSON.stringify([['doc/1', '', 5, 'sum']])],
		};
		for (const [name, parameters] of Object.entries(guarded)) {
			const run = await this.postgres.query(`
				truncate search_sync_documents, search_sync_runs;
				insert into search_sync_runs (workflow, execution, locked_until)
				values ('${WORKFLOW}', '1', now() + interval '5 minutes') returning run`);
			const lose = "update search_sync_runs set locked_until = now() - interval '1 second'";
			const statement = this.statement(name, [run, ...parameters]);
			const [, rows] = await this.together(`${lose}; ${HOLD}`, statement);
			this.check(`${name} returns nothing`, rows, '');
			const noted = await this.postgres.query('select count(*) from search_sync_documents');
			this.check(`${name} changes nothing`, noted, '0');
		}
	}

	/** Runs two transactions. The second one begins while the first one waits for its end. */
	private async together(first: string, second: string): Promise<[string, string]> {
		const running = this.postgres.query(`begin; ${first}; commit`);
		const isHeld =
			"select count(*) from pg_stat_activity where wait_event = 'PgSleep' and query like '%pg_sleep(1)%'";
		while ((await this.postgres.query(isHeld)) === '0');
		return await Promise.all([running, this.postgres.query(`begin; ${second}; commit`)]);
	}

	/** Returns the statement of a node as n8n sends it, without a semicolon at its end. */
	private statement(name: string, parameters: string[] = []): string {
		const node = this.nodes.find((each) => each.name === name);
		return String(node?.parameters.query)
			.replaceAll(
				/\{\{ (?:\$workflow\.id|\$\('[^']+'\)[^}]*\.(?:table|owner)) \}\}/g,
				WORKFLOW,
			)
			.replaceAll('{{ $execution.id }}', '1')
			.replace(/\$(\d+)(:raw)?/g, (_, number: string, raw?: string) => {
				const value = parameters[Number(number) - 1];
				return raw ? value : `'${value.replaceAll("'", "''")}'`;
			})
			.replace(/;$/, '');
	}

	private check(title: string, seen: string, expected: string): void {
		this.stage.checks.add(`statements: ${title}`, seen === expected, seen);
	}
}
