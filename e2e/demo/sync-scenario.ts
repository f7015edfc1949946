import { WEBHOOK_HEADER } from '../service/credentials';
import type { Stage } from './stage';
import type { SourceDocument } from './synced-source';
import { SyncedSource } from './synced-source';

const EXAMPLE = 'sync-by-source';
const TABLE = 'Synced Documents';

/** As many as two runs need to meet in the table. */
const DOCUMENTS_AT_ONCE = 25;

const PUSH_MS = 3000;

const document = (id: string, text: string): SourceDocument => ({
	id: `sync/${id}`,
	name: id,
	url: `https://example.com/${id}`,
	text,
});

/** Pushes what changed and deletes what is gone; then everything that must not harm the index. */
export async function sync(stage: Stage): Promise<void> {
	const { dataTables } = stage.demo.n8n.api;
	// n8n finds tables by a part of their name, the newest first.
	await dataTables.create(`Not the ${TABLE}`, ['documentId', 'fingerprint']);
	const source = new SyncedSource(stage, {
		name: EXAMPLE,
		table: TABLE,
		prefix: 'sync/',
		entriesOf: ({ id, text }) => [`${id}=${text}`],
		shown: ({ documentId, fingerprint }) => `${String(documentId)}${fingerprint ? '' : '*'}`,
	});
	await syncChanges(source);
	await refuseBadCalls(source);
	await syncTwiceAtOnce(source);
	await syncAfterFailure(source);
	await source.checkLock([document('a', 'Avocado'), document('b', 'Blueberry')]);
	await source.empty();
	const other = await dataTables.rows(`Not the ${TABLE}`);
	stage.checks.add('Sync leaves other tables alone', other.length === 0);
}

async function syncChanges(source: SyncedSource): Promise<void> {
	const [a, c, d] = ['Almond', 'Chestnut', 'Damson'].map((text) => document(text[0], text));
	await source.sync('at first', [a, document('B', 'Blackberry'), c]);
	const changed = [a, document('B', 'Blueberry'), d];
	const asked = await source.sync('with a new, a changed and without an old one', changed);
	const { pushed, deleted } = asked;
	source.stage.checks.add(
		'Only what changed is pushed or deleted',
		pushed.join() === 'sync/B,sync/D' && deleted.join() === 'sync/C',
		`${pushed.join()} pushed, ${deleted.join()} deleted`,
	);
	const again = await source.sync('that has not changed', changed);
	source.stage.checks.add(
		'An unchanged source causes no request',
		Object.values(again).flat().length === 0,
	);
}

async function refuseBadCalls(source: SyncedSource): Promise<void> {
	const a = document('A', 'Almond');
	const most = { documents: [a, document('new', 'Nut')] };
	await source.refuse('a list that lacks most documents', most, '2 of 3 documents would be');
	await source.refuseBadCalls(a);
	const confirmed = { confirmDeletes: true };
	await source.sync('after a confirmed call with most documents gone', [a], confirmed);
}

/** Two runs at the same time must not leave rows that make a later run delete what exists. */
async function syncTwiceAtOnce(source: SyncedSource): Promise<void> {
	const { n8n, sandbox } = source.stage.demo;
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
	source.stage.checks.add('One of two runs at once is refused', isOne, statuses.join(', '));
	const rows = documents.map(({ id }) => id).sort();
	await source.checkTable('after two runs at once', rows.join());
	await source.sync('after one more run', documents);
}

/** What a failed run had done is unknown to the table, so the next run must not trust it. */
async function syncAfterFailure(source: SyncedSource): Promise<void> {
	const { faults } = source.stage.demo.sandbox;
	const [a, b] = [document('a', 'Almond'), document('b', 'Blueberry')];
	await source.sync('before a failure', [a, b], { confirmDeletes: true });
	for (const route of ['push', 'delete'] as const) {
		// The first attempt does its work, which the node does not learn; the next one fails for good.
		faults.add({ route, reset: 'afterWork', times: 1 });
		faults.add({ route, status: 400 });
	}
	const documents = [document('a', 'Apricot'), document('c', 'Chestnut')];
	const { status, message } = await source.stage.callWebhook(EXAMPLE, { documents });
	faults.clear();
	const isError = status === 'error';
	source.stage.checks.add('A run with failed requests ends as an error', isError, message);
	await source.sync('after a failure, with its earlier texts', [a, b]);
	const gone = { documentId: 'sync/gone', fingerprint: '' };
	await source.stage.demo.n8n.api.dataTables.insert(TABLE, [gone]);
	faults.add({ route: 'delete', status: 404 });
	await source.sync('after a 404 without any other request', [a, b]);
	await source.checkTable('after a 404 alone', 'sync/a,sync/b,sync/gone*');
	await source.sync('after a 404 beside a push', [document('a', 'Apple'), b]);
	faults.clear();
	await source.checkTable('after a 404 beside a push', 'sync/a,sync/b');
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
