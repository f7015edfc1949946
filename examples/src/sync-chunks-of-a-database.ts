import { databaseSync } from './parts/database-sync';
import { docs } from './parts/sync';

export default databaseSync({
	name: 'Sync Chunks of a Database',
	about: {
		beginning: `## Sync an index with the texts in a PostgreSQL database every night

Chunks and pushes texts that are new or have changed, and deletes chunks that no longer exist. It does not touch documents with other IDs.`,
		table: 'articles',
	},
	query: {
		file: 'your-query-chunked',
		document: `\`name\`, \`url\` and \`text\` as JSON. Other members become [fields](${docs('sources.md#fields')}) of each chunk.`,
	},
	isChunked: true,
});
