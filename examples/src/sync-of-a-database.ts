import { databaseSync } from './parts/database-sync';

export default databaseSync({
	name: 'Sync of a Database',
	about: {
		beginning: `## Sync an index with a PostgreSQL database every night

Pushes rows that are new or have changed, and deletes documents whose rows no longer exist. It does not touch documents with other IDs. Only changed rows leave the database, so a table may have millions of rows.`,
		table: 'products',
	},
	query: {
		file: 'your-query',
		document: 'all other fields as JSON, among them `name`.',
	},
	isChunked: false,
});
