import { askedIn, type Asked } from '../service/asked';
import type { Stage } from './stage';

const EXAMPLE = 'sync-chunks-by-source';
const TABLE = 'Synced Chunks';

/** A document of the source. Each of its sections becomes a chunk. */
interface SourceDocument {
	id: string;
	name: string;
	url: string;
	text: string;
}

const document = (id: string, ...sections: string[]): SourceDocument => ({
	id: `chunks/${id}`,
	name: id,
	url: `https://example.com/${id}`,
	text: sections.map((section) => `# ${section}`).join('\n'),
});

/** The chunks of documents as the index should have them: `id=text`. */
function chunksOf(documents: SourceDocument[]): string[] {
	const ofOne = ({ id, text }: SourceDocument) =>
		text === '' ? [] : text.split('\n').map((section, number) => `${id}#${number}=${section}`);
	return documents.flatMap(ofOne).sort();
}

/** The chunks of the source in the index. */
const indexed = (stage: Stage): string[] =>
	stage
		.documents()
		.map(({ id, text }) => `${String(id)}=${String(text)}`)
		.filter((chunk) => chunk.startsWith('chunks/'))
		.sort();

/** Syncs a list and checks the index against it. */
async function sync(
	stage: Stage,
	after: string,
	documents: SourceDocument[],
	more: object = {},
): Promise<Asked> {
	const before = stage.demo.sandbox.requests.length;
	await stage.runByWebhook(EXAMPLE, { documents, ...more });
	const seen = indexed(stage);
	stage.checks.add(
		`The chunks in the index are those of the source ${after}`,
		seen.join('\n') === chunksOf(documents).join('\n'),
		seen.join(', '),
	);
	return askedIn(stage.demo.sandbox.requests.slice(before));
}

/** Rows of the table: `id:count`, with an asterisk if the hash is empty; and the number of locks. */
async function tableOf(stage: Stage): Promise<{ rows: string; locks: number }> {
	const rows = await stage.demo.n8n.api.dataTables.rows(TABLE);
	const documents = rows.filter(({ documentId }) => documentId);
	const shown = documents.map(
		({ documentId, hash, chunkCount }) =>
			`${String(documentId)}:${String(chunkCount)}${hash ? '' : '*'}`,
	);
	return { rows: shown.sort().join(), locks: rows.length - documents.length };
}

async function checkTable(stage: Stage, when: string, expected: string): Promise<void> {
	const { rows, locks } = await tableOf(stage);
	stage.checks.add(`The table of chunks is right ${when}`, rows === expected, rows);
	stage.checks.add(`No lock is left ${when}`, locks === 0, `${locks}`);
}

/** Calls the example with what must make it fail; the index must stay as it is. */
async function refuse(stage: Stage, what: string, body: object, why: string): Promise<void> {
	const before = indexed(stage).join();
	const { status, message = '' } = await stage.callWebhook(EXAMPLE, body);
	const isRefused = status === 'error' && message.includes(why);
	stage.checks.add(`Syncing chunks with ${what} fails and says why`, isRefused, message);
	const after = indexed(stage).join();
	stage.checks.add(`Syncing chunks with ${what} changes nothing`, after === before, after);
}

/** Syncs a source that changes, and then everything that must not harm the index. */
export async function syncChunks(stage: Stage): Promise<void> {
	await changes(stage);
	await badCalls(stage);
	await failures(stage);
	await lock(stage);
	await sync(stage, 'after a confirmed empty list', [], { confirmDeletes: true });
	await checkTable(stage, 'without documents', '');
	const status = await stage.statusWithoutKey(EXAMPLE);
	stage.checks.add('The webhook refuses a caller without its key', status === 403, `${status}`);
}

/** Six runs over a source that changes in between, and one over a source that does not. */
async function changes(stage: Stage): Promise<void> {
	const a = document('a', 'Almond', 'Apple');
	const b = document('b', 'Blackberry', 'Banana');
	const c = document('c', 'Chestnut');
	const d = document('d', 'Damson', 'Date');
	const changed = document('b', 'Blueberry', 'Banana');
	const shorter = document('b', 'Blueberry');
	const longer = document('b', 'Blueberry', 'Banana', 'Bilberry');
	const chunked = (...documents: SourceDocument[]) => ({
		chunked: documents.map(({ text }) => text).sort(),
		pushed: chunksOf(documents).map((chunk) => chunk.split('=')[0]),
		deleted: [] as string[],
	});
	const runs: Array<[after: string, documents: SourceDocument[], asked: Asked]> = [
		['with new documents', [a, b, c], chunked(a, b, c)],
		['with a changed and a new one', [a, changed, c, d], chunked(changed, d)],
		['without the first one', [changed, c, d], { ...chunked(), deleted: ids(a) }],
		['with a shorter one', [shorter, c, d], { ...chunked(shorter), deleted: ids(changed, 1) }],
		['with a longer one', [longer, c, d], chunked(longer)],
		['with an earlier text', [b, c, d], { ...chunked(b), deleted: ids(longer, 2) }],
		['that has not changed', [b, c, d], chunked()],
	];
	for (const [after, documents, expected] of runs) {
		const asked = await sync(stage, after, documents);
		stage.checks.add(
			`Only what changed is chunked, pushed or deleted: a source ${after}`,
			JSON.stringify(asked) === JSON.stringify(expected),
			`${asked.chunked.length} chunked, pushed ${asked.pushed.join()}, deleted ${asked.deleted.join()}`,
		);
	}
	await checkTable(stage, 'after seven runs', 'chunks/b:2,chunks/c:1,chunks/d:2');
	const empty = { ...c, text: '' };
	await sync(stage, 'with an emptied document', [b, empty, d]);
	await sync(stage, 'with a document that stays empty', [b, empty, d]);
	await checkTable(stage, 'with an empty document', 'chunks/b:2,chunks/d:2');
}

/** IDs of the chunks of a document, from one number on. */
const ids = (one: SourceDocument, from = 0): string[] =>
	chunksOf([one])
		.slice(from)
		.map((chunk) => chunk.split('=')[0]);

/** A list that is missing, empty, far too short or unclear stops the sync. */
async function badCalls(stage: Stage): Promise<void> {
	const b = document('b', 'Blackberry', 'Banana');
	const most = { documents: [document('new', 'Nut')] };
	await refuse(stage, 'a list that lacks most documents', most, '2 of 2 documents would be');
	const calls = {
		'no list': { oops: [] },
		'an empty list': { documents: [] },
		'a document without ID': { documents: [b, { name: 'd', text: 'Damson' }] },
		'a document without text': { documents: [b, { id: 'chunks/d', name: 'd' }] },
		'two documents of one ID': { documents: [b, { ...b, text: 'Apricot' }] },
	};
	for (const [what, body] of Object.entries(calls))
		await refuse(stage, what, body, 'is missing or empty');
}

/** What fails keeps what the index has, and the next run repairs it. */
async function failures(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const b = document('b', 'Bramble');
	const d = document('d', 'Damson', 'Date');
	faults.add({ route: 'submit', status: 400, whenBodyContains: 'Bramble' });
	const source = { documents: [b, d] };
	await refuse(stage, 'a text that cannot be chunked', source, '1 of 1 documents failed');
	await checkTable(stage, 'after a text failed', 'chunks/b:2,chunks/d:2');
	faults.clear();
	faults.add({ route: 'push', status: 400 });
	await refuse(stage, 'a push that is rejected', source, "document 'chunks/b#0' was not pushed");
	await checkTable(stage, 'after a push failed', 'chunks/b:2*,chunks/d:2');
	faults.clear();
	await sync(stage, 'after failures', [b, d]);
	await checkTable(stage, 'after failures were repaired', 'chunks/b:1,chunks/d:2');
	const gone = { documentId: 'chunks/gone', hash: '', chunkCount: 1 };
	await stage.demo.n8n.api.dataTables.insert(TABLE, [gone]);
	faults.add({ route: 'delete', status: 404 });
	await sync(stage, 'after a 404 without any other request', [b, d]);
	await checkTable(stage, 'after a 404 alone', 'chunks/b:1,chunks/d:2,chunks/gone:1*');
	await sync(stage, 'after a 404 beside a push', [document('b', 'Bilberry'), d]);
	faults.clear();
	await checkTable(stage, 'after a 404 beside a push', 'chunks/b:1,chunks/d:2');
}

/** Another run that has not ended stops the sync, until its lock expires. */
async function lock(stage: Stage): Promise<void> {
	const { dataTables } = stage.demo.n8n.api;
	const lockedUntil = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
	await dataTables.insert(TABLE, [{ lockedUntil: lockedUntil(3600) }]);
	const documents = [document('b', 'Boysenberry'), document('d', 'Damson', 'Date')];
	await refuse(stage, 'another run active', { documents }, 'another run has not ended');
	await dataTables.deleteWith(TABLE, 'lockedUntil');
	await dataTables.insert(TABLE, [{ lockedUntil: lockedUntil(-1) }]);
	await sync(stage, 'after the lock of a killed run expired', documents);
	await checkTable(stage, 'after a lock expired', 'chunks/b:1,chunks/d:2');
}
