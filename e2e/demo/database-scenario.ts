import path from 'node:path';

import { postgresCredential } from '../service/credentials';
import type { Postgres } from '../service/postgres';
import { hasPostgres, startPostgres } from '../service/postgres';
import { CACHE } from '../shared/paths';
import type { Stage } from './stage';

const ROWS = 3;

let database: Promise<Postgres> | undefined;

/**
 * Syncs a table twice. All other cases are in `e2e/sources/database.ts`. If PostgreSQL is not installed, the demo that
 * stays open leaves the example out.
 */
async function syncTable(stage: Stage, example: string, table: string): Promise<void> {
	const { command, n8n, isTest } = stage.demo;
	if (!isTest && !(await hasPostgres())) return;
	const postgres = await (database ??= startPostgres(command, path.join(CACHE, 'demo')));
	await n8n.api.saveCredential(postgresCredential(postgres));
	await postgres.query(`
		create table ${table} (id bigint primary key, title text, body text, price numeric);
		insert into ${table} select n, 'Number ' || n, '# Text of ${table} ' || n, n / 7.0
		from generate_series(1, ${ROWS}) n`);
	const runs = [await stage.runByHand(example), await stage.runByHand(example)];
	const counts = runs.map((run) => {
		const [{ json }] = run.items('Result');
		return `${String(json.pushed)} pushed, ${String(json.unchanged)} unchanged`;
	});
	const indexed = stage
		.documents()
		.filter(({ text }) => String(text).startsWith(`# Text of ${table}`)).length;
	stage.checks.add(
		`${example}: the first run pushes the table, and the second one nothing`,
		counts.join('; ') === '3 pushed, 0 unchanged; 0 pushed, 3 unchanged' && indexed === ROWS,
		`${counts.join('; ')}, ${indexed} in the index`,
	);
}

export const databaseSync = async (stage: Stage): Promise<void> =>
	await syncTable(stage, 'sync-of-a-database', 'products');

export const databaseChunksSync = async (stage: Stage): Promise<void> =>
	await syncTable(stage, 'sync-chunks-of-a-database', 'articles');
