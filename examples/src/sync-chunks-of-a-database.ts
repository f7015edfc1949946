import { databaseSync } from './parts/database-sync';

export default databaseSync({
	name: 'Sync Chunks of a Database',
	about: {
		content: `## Sync an index with the texts in a PostgreSQL database every night

Chunks and pushes texts that are new or have changed, and deletes chunks that no longer exist. It does not touch documents with other IDs. Only changed rows leave the database.

**What the database needs:** a login that may read your tables, and a schema in which it may create two tables and a view. For a login named *n8n*, a database owner runs this once:

\`create schema authorization n8n;\`
\`grant select on articles to n8n;\`

With a login that may only read, or another database, do not use this example. Get the rows with n8n's node for that database, and put it before *Map Fields* in **Sync From an API**.

**Change these**
1. *Documents View*: enter your query. See the note above it.
2. All nodes with a database icon: select your *Postgres* credential. Select all of them and choose it once.
3. *Chunk Text*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`.
4. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete this workflow's rows from the table **search_sync_documents**. Otherwise, unchanged documents are missing from that index.
5. *Settings*: *mostDeletes* and *mostDeletesPercent* are the number of documents that a run may delete. In *pushAgain*, you can enter IDs to chunk again, and remove them after the run.

**Nothing changes** if the query returns no rows, or two rows with one ID. If too many documents are missing, they are not deleted. To delete them, start the workflow once by its trigger *Delete What Is Missing*.

**It runs three times a night.** If nothing has changed since the last run, the next run sends nothing. After an outage, the next run sends what is missing.

The table **search_sync_runs** says what each run has done. **search_sync_documents** says it for each document. Each workflow has rows of its own, so duplicate the workflow for another table. If two workflows push to the same index, their IDs must differ, for example by a prefix in the query.

**Try it:** click *Execute workflow*. Then publish the workflow.

**To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.`,
		size: [480, 1440],
	},
	view: {
		file: 'chunked-documents-view',
		content:
			'## Your query\n**key**: the primary key of the table, with its own type. Batches are found by it.\n**id**: the ID of the document, as text.\n**document**: `name`, `url` and `text` as JSON. A `problem` instead of a text keeps what the index has.',
	},
	isChunked: true,
});
