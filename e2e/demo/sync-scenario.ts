import type { Execution } from '../n8n/execution';
import { WEBHOOK_HEADER } from '../service/credentials';
import type { Stage } from './stage';

const EXAMPLE = 'sync-by-source';
const TABLE = 'Synced Documents';

/** As many as two runs need to meet in the table. */
const DOCUMENTS_AT_ONCE = 25;

const PUSH_MS = 3000;

interface SourceDocument {
	id: string;
	name: string;
	text: string;
}

/** A document of the source, made of an ID and a text. */
const document = (id: string, text: string): SourceDocument => ({
	id: `sync/${id}`,
	name: id,
	text,
});

const textOf = ({ id, text }: Record<string, unknown>) => `${String(id)}=${String(text)}`;

const listed = (documents: Array<Record<string, unknown>>) => documents.map(textOf).sort().join();

/** What the index holds of the source. */
function indexed(stage: Stage): string {
	return listed(stage.documents().filter(({ id }) => String(id).startsWith('sync/')));
}

function checkIndex(stage: Stage, after: string, documents: SourceDocument[]): void {
	const seen = indexed(stage);
	const title = `The index equals the source ${after}`;
	stage.checks.add(title, seen === listed(asRecords(documents)), seen);
}

const asRecords = (documents: SourceDocument[]) => documents.map((one) => ({ ...one }));

/** Calls the example with a list that must be synced. */
async function run(
	stage: Stage,
	after: string,
	documents: SourceDocument[],
	more: object = {},
): Promise<Execution> {
	const execution = await stage.runByWebhook(EXAMPLE, { documents, ...more });
	checkIndex(stage, after, documents);
	return execution;
}

/** Calls the example with what must make it stop; the index must stay as it is. */
async function refuse(stage: Stage, what: string, body: object): Promise<void> {
	const before = indexed(stage);
	const { status, message } = await stage.callWebhook(EXAMPLE, body);
	stage.checks.add(`Sync with ${what} stops with an error`, status === 'error', message);
	stage.checks.add(`Sync with ${what} changes nothing`, indexed(stage) === before);
}

/** What is in the table: documents by ID, several times if there are several rows, and locks. */
async function tableOf(stage: Stage): Promise<{ ids: string; locks: number }> {
	const rows = await stage.demo.n8n.api.dataTables.rows(TABLE);
	const ids = rows.map(({ documentId }) => documentId).filter((id) => id);
	return { ids: ids.sort().join(), locks: rows.length - ids.length };
}

/** Pushes what changed and deletes what is gone; then everything that must not harm the index. */
export async function sync(stage: Stage): Promise<void> {
	// n8n finds tables by a part of their name, the newest first.
	await stage.demo.n8n.api.dataTables.create(`Not the ${TABLE}`, ['documentId', 'fingerprint']);
	await syncChanges(stage);
	await refuseBadCalls(stage);
	await syncTwiceAtOnce(stage);
	await syncAfterFailure(stage);
	await syncWhileLocked(stage);
	await emptySource(stage);
	const other = await stage.demo.n8n.api.dataTables.rows(`Not the ${TABLE}`);
	stage.checks.add('Sync leaves other tables alone', other.length === 0);
	const status = await stage.statusWithoutKey(EXAMPLE);
	stage.checks.add('The webhook refuses a caller without its key', status === 403, `${status}`);
}

async function syncChanges(stage: Stage): Promise<void> {
	const { sandbox } = stage.demo;
	const changed = [document('a', 'Almond'), document('b', 'Blueberry'), document('d', 'Damson')];
	const lists = [
		[document('a', 'Almond'), document('b', 'Blackberry'), document('c', 'Chestnut')],
		changed,
		changed,
	];
	const requests: string[] = [];
	for (const [number, documents] of lists.entries()) {
		const before = sandbox.requests.length;
		await run(stage, `(sync ${number + 1})`, documents);
		const sent = sandbox.requests.slice(before).map(({ method }) => method);
		requests.push(sent.sort().join('+'));
	}
	stage.checks.add(
		'An unchanged source causes no request',
		requests[2] === '',
		requests.join(' | '),
	);
}

/** A list that is missing, empty, far too short or unclear stops the sync. */
async function refuseBadCalls(stage: Stage): Promise<void> {
	const a = document('a', 'Almond');
	const badCalls = {
		'no list': { oops: [] },
		'an empty list': { documents: [] },
		'a list that lacks most documents': { documents: [a, document('new', 'Nut')] },
		'a document without ID': { documents: [a, { name: 'b', text: 'Blueberry' }] },
		'two documents of one ID': { documents: [a, { ...a, text: 'Apricot' }] },
	};
	for (const [what, body] of Object.entries(badCalls)) await refuse(stage, what, body);
	await run(stage, 'after a confirmed call with most documents gone', [a], {
		confirmDeletes: true,
	});
}

/** Two runs at the same time must not leave rows that make a later run delete what exists. */
async function syncTwiceAtOnce(stage: Stage): Promise<void> {
	const { n8n, sandbox } = stage.demo;
	const documents = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, number) =>
		document(`at-once-${number}`, `Text ${number}`),
	);
	const headers = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };
	const call = async () =>
		await n8n.api.postWebhook(EXAMPLE, { documents, confirmDeletes: true }, headers);
	// Both have compared before one of them has written.
	sandbox.faults.add({ route: 'push', latencyMs: PUSH_MS });
	const responses = await Promise.all([call(), call()]);
	sandbox.faults.clear();
	const statuses = responses.map(({ status }) => status).sort();
	const isOne = statuses.join() === '200,500';
	stage.checks.add('One of two runs at once is refused', isOne, statuses.join(', '));
	checkIndex(stage, 'after two runs at once', documents);
	const { ids, locks } = await tableOf(stage);
	const expected = documents.map(({ id }) => id).sort();
	stage.checks.add('Two runs at once leave one row per document', ids === expected.join(), ids);
	stage.checks.add('Two runs at once leave no lock', locks === 0, `${locks}`);
	await run(stage, 'after one more run', documents);
}

/** What a failed run had done is unknown to the table, so the next run must not trust it. */
async function syncAfterFailure(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const earlier = [document('a', 'Almond'), document('b', 'Blueberry')];
	await run(stage, 'before a failure', earlier, { confirmDeletes: true });
	for (const route of ['push', 'delete'] as const) {
		// The first attempt does its work, which the node does not learn; the next one fails for good.
		faults.add({ route, reset: 'afterWork', times: 1 });
		faults.add({ route, status: 400 });
	}
	const later = [document('a', 'Apricot'), document('c', 'Chestnut')];
	const { status, message } = await stage.callWebhook(EXAMPLE, { documents: later });
	faults.clear();
	stage.checks.add('A run with failed requests ends as an error', status === 'error', message);
	await run(stage, 'after a failure, with its earlier texts', earlier);
	const row = { documentId: 'sync/already-gone', fingerprint: '' };
	await stage.demo.n8n.api.dataTables.insert(TABLE, [row]);
	faults.add({ route: 'delete', status: 404 });
	const isKept = async () => (await tableOf(stage)).ids.includes(row.documentId);
	await run(stage, 'after a 404 without any other request', earlier);
	stage.checks.add('A 404 alone does not count as deleted', await isKept());
	await run(stage, 'after a 404 beside a push', [document('a', 'Apple'), earlier[1]]);
	faults.clear();
	stage.checks.add('A 404 beside a push counts as deleted', !(await isKept()));
}

/** Another run that has not ended stops the sync, until its lock expires. */
async function syncWhileLocked(stage: Stage): Promise<void> {
	const { dataTables } = stage.demo.n8n.api;
	const lockedUntil = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
	await dataTables.insert(TABLE, [{ lockedUntil: lockedUntil(3600) }]);
	const documents = [document('a', 'Avocado'), document('b', 'Blueberry')];
	await refuse(stage, 'another run active', { documents });
	await dataTables.deleteWith(TABLE, 'lockedUntil');
	await dataTables.insert(TABLE, [{ lockedUntil: lockedUntil(-1) }]);
	await run(stage, 'after the lock of a killed run expired', documents);
	const { locks } = await tableOf(stage);
	stage.checks.add('Expired locks are removed', locks === 0, `${locks}`);
}

async function emptySource(stage: Stage): Promise<void> {
	await run(stage, 'after a confirmed empty list', [], { confirmDeletes: true });
	const { ids } = await tableOf(stage);
	stage.checks.add('An empty source leaves no row', ids === '', ids);
}

/** All pages of an API are synced; one that suddenly returns nothing changes nothing. */
export async function nightlySync(stage: Stage): Promise<void> {
	const example = 'nightly-sync-from-an-api';
	const { faults } = stage.demo.sandbox;
	const chunks = () =>
		stage.documents().filter(({ id }) => String(id).startsWith('articles/')).length;
	await stage.runByHand(example);
	stage.checks.add(
		'All pages of the API are in the index',
		chunks() === 10,
		`${chunks()} chunks`,
	);
	faults.add({ route: 'files', status: 200, contentType: 'application/json', body: '[]' });
	const { status, message = '' } = await stage.tryByHand(example);
	faults.clear();
	stage.checks.add(
		'An API that returns nothing fails the run and changes nothing',
		status === 'error' && message.includes('is missing or empty') && chunks() === 10,
		message,
	);
}
