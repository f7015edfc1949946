import type { StoredWorkflow, WorkflowNode } from '../n8n/workflow';
import { WEBHOOK_HEADER } from '../service/credentials';
import type { Stage } from './stage';
import type { SourceDocument } from './synced-source';
import { SyncedSource, tableOf } from './synced-source';

const EXAMPLE = 'sync-by-source';

/** With this many documents, two runs that start together use the table at the same time. */
const DOCUMENTS_AT_ONCE = 25;

const PUSH_MS = 3000;

const document = (id: string, text: string): SourceDocument => ({
	id: `sync/${id}`,
	name: id,
	url: `https://example.com/${id}`,
	text,
});

/**
 * Pushes changed documents and deletes documents that no longer exist. Then checks that bad calls, concurrent runs and
 * failures do not damage the index.
 */
export async function sync(stage: Stage): Promise<void> {
	const { dataTables } = stage.demo.n8n.api;
	// n8n finds tables by part of their name and lists the newest first.
	const table = `Not the ${tableOf(stage, EXAMPLE)}`;
	await dataTables.create(table, ['entries', 'lockedUntil']);
	const source = new SyncedSource(stage, {
		name: EXAMPLE,
		prefix: 'sync/',
		entriesOf: ({ id, text }) => [`${id}=${text}`],
	});
	await syncChanges(source);
	await refuseBadCalls(source);
	await syncTwiceAtOnce(source);
	await syncAfterFailure(source);
	await source.checkLock([document('a', 'Avocado'), document('b', 'Blueberry')]);
	await source.empty();
	const other = await dataTables.rows(table);
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
	source.checkCounts('a list with changes', { pushed: 2, deleted: 1, unchanged: 1 });
	const again = await source.sync('that has not changed', changed);
	source.stage.checks.add(
		'An unchanged source causes no request',
		Object.values(again).flat().length === 0,
	);
}

async function refuseBadCalls(source: SyncedSource): Promise<void> {
	const a = document('A', 'Almond');
	await source.refuseBadCalls(a);
	await source.sync('after most documents are gone', [a]);
	await source.checkIds(a);
	await source.keepUnreadable(a);
	const both = [a, document('B', 'Blueberry')];
	await source.sync('with two documents', both);
	await source.pushAgain(both);
	await source.sync('with one document', [a]);
	await ignoreVolatileFields(source, a);
}

/** Checks that a document is not pushed again if only its field order or an ignored field changes. */
async function ignoreVolatileFields(source: SyncedSource, a: SourceDocument): Promise<void> {
	const withFields = { ...a, views: 1, tags: { one: 1, two: [2, 3] } };
	const { name, text, url, id } = a;
	const same = { tags: { two: [2, 3], one: 1 }, views: 2, url, text, name, id };
	const other = { ...same, tags: { one: 1, two: [3, 2] } };
	await source.sync('with further fields', [withFields]);
	const pushed = async (what: string, one: SourceDocument) =>
		(await source.sync(what, [one])).pushed.length;
	const again = await pushed('with other views and another order of keys', same);
	const changed = await pushed('with another order of a list', other);
	source.stage.checks.add(
		'Ignored fields and the order of keys push nothing, the order of a list does',
		again === 0 && changed === 1,
		`${again}, ${changed}`,
	);
}

/**
 * Runs the sync twice at the same time. Then checks that no row in the data table would cause a later run to delete
 * existing documents.
 */
async function syncTwiceAtOnce(source: SyncedSource): Promise<void> {
	const { n8n, sandbox } = source.stage.demo;
	const documents = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, number) =>
		document(`at-once-${number}`, `Text ${number}`),
	);
	const headers = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };
	const call = async () =>
		await n8n.api.postWebhook(EXAMPLE, { documents, confirmDeletes: 100 }, headers);
	// With this latency, both runs compare their lists with the table before either run changes the table.
	sandbox.faults.add({ route: 'push', latencyMs: PUSH_MS });
	const responses = await Promise.all([call(), call()]);
	sandbox.faults.clear();
	const statuses = responses.map(({ status }) => status).sort();
	const isOne = statuses.join() === '200,409';
	source.stage.checks.add('One of two runs at once is refused', isOne, statuses.join(', '));
	const rows = documents.map(({ id }) => `${id}:1`).sort();
	await source.checkTable('after two runs at once', rows.join());
	await source.sync('after one more run', documents);
	await source.checkGuard(documents);
}

/**
 * Checks that the next run after a failure repairs the index, even though the table does not record what the failed run
 * did.
 */
async function syncAfterFailure(source: SyncedSource): Promise<void> {
	const { faults } = source.stage.demo.sandbox;
	const [a, b] = [document('a', 'Almond'), document('b', 'Blueberry')];
	await source.sync('before a failure', [a, b], { confirmDeletes: 100 });
	for (const route of ['push', 'delete'] as const) {
		// The first attempt succeeds, but the node receives no response. The next attempt fails permanently.
		faults.add({ route, reset: 'afterWork', times: 1 });
		faults.add({ route, status: 400 });
	}
	const documents = [document('a', 'Apricot'), document('c', 'Chestnut')];
	const { status, message } = await source.stage.callWebhook(EXAMPLE, { documents });
	faults.clear();
	const isError = status === 'error';
	source.stage.checks.add('A run with failed requests ends as an error', isError, message);
	await source.sync('after a failure, with its earlier texts', [a, b]);
	await source.refuseUnprovenDeletes([a, b]);
	await source.checkTable('after a 404 alone', 'gone:1*,sync/a:1,sync/b:1');
	await source.sync('after a 404 beside a push', [document('a', 'Apple'), b]);
	faults.clear();
	await source.checkTable('after a 404 beside a push', 'sync/a:1,sync/b:1');
}

/** Changes the row of the example's API. */
function settings(node: WorkflowNode, firstPage: number, total: string): WorkflowNode {
	if (node.name !== 'Where the List Is') return node;
	const jsCode = String(node.parameters.jsCode)
		.replace('firstPage: 1 }', `firstPage: ${firstPage} }`)
		.replace("{ list: 'body', total: '' }", `{ list: 'body.data.items', total: '${total}' }`);
	return { ...node, parameters: { ...node.parameters, jsCode } };
}

/** Syncs all pages of an API. Checks that an incomplete list changes nothing. */
export async function apiSync(stage: Stage): Promise<void> {
	const example = 'sync-from-an-api';
	const { faults } = stage.demo.sandbox;
	const { api } = stage.demo.n8n;
	// The original is used, because a copy of the workflow would use its own table.
	const original = stage.demo.workflows[example];
	const indexed = () =>
		stage
			.documents()
			.map(({ id }) => String(id))
			.filter((id) => id.startsWith('articles/'));
	await stage.runByHand(example);
	stage.checks.add(
		'All pages of the API are in the index',
		indexed().length === 10,
		`${indexed().length} chunks`,
	);
	const page = (...titles: string[]) => ({
		total: '3',
		data: {
			items: titles.map((title) => ({ key: `articles/${title}`, title, body: title })),
		},
	});
	const answer = (body: object, times?: number) =>
		faults.add({
			...{ route: 'files', status: 200, contentType: 'application/json' },
			...{ body: JSON.stringify(body), ...(times && { times }) },
		});
	const refuse = async (what: string, why: string) => {
		const { status, message = '' } = await stage.tryByHand(example);
		faults.clear();
		stage.checks.add(
			`${what} fails the run and changes nothing`,
			status === 'error' && message.includes(why) && indexed().length === 10,
			message,
		);
	};
	answer([]);
	await refuse('An API that returns nothing', 'would be deleted');
	answer(page('parking', 'repairs'));
	await refuse('A list at another place', "page 1 of the API has no list at 'body'");
	faults.add({ ...{ route: 'files', skip: 1, status: 200 }, body: '{"error":"slow down"}' });
	await refuse('A second page without a list', "page 2 of the API has no list at 'body'");
	faults.add({ route: 'files', skip: 1, status: 503 });
	await refuse('An API that fails at its second page', 'no healthy upstream');
	answer([{ key: 'articles/parking', title: 'Parking', body: 'Same' }]);
	await refuse('An API that returns one page again and again', 'identical');
	for (const title of ['Parking', 'Parking', 'Returns'])
		answer([{ key: `articles/${title}`, title, body: title }], 1);
	answer([]);
	await refuse('A page that repeats', 'page 2 of the API is the same as page 1');
	const save = async (total: string) => {
		const nodes = original.nodes.map((node) => settings(node, 7, total));
		await api.saveWorkflow({ ...original, nodes }, original.id);
	};
	await save('body.total');
	answer(page('parking', 'repairs'), 1);
	answer(page());
	const lost = `3 entries according to 'body.total', but only 2 different entries arrived`;
	await refuse('An API that loses its last page', lost);
	await save('body.count');
	answer(page('parking', 'repairs', 'returns'), 1);
	answer(page());
	await refuse('A total at another place', "the API returns no number at 'body.count'");
	await save('body.total');
	await oneUnreadable(stage, original, answer);
	await manyMissing(stage, original, answer);
	await save('body.total');
	answer(page('parking', 'repairs'), 1);
	answer(page('returns'), 1);
	answer(page());
	const before = stage.demo.sandbox.requests.length;
	await stage.runByHand(example);
	await api.saveWorkflow(original, original.id);
	faults.clear();
	const pages = stage.demo.sandbox.requests
		.slice(before)
		.filter(({ route }) => route === 'files')
		.map(({ query }) => query.page)
		.join();
	stage.checks.add(
		'The first page has the number that the example is set to',
		pages === '7,8,9',
		pages,
	);
	const found = indexed().join();
	stage.checks.add(
		'All pages of a nested list are in the index, and what is gone is not',
		found === 'articles/parking#0,articles/repairs#0,articles/returns#0',
		found,
	);
	await endOfPages(stage, example);
}

type Answer = (body: object, times?: number) => void;

/** Checks that a text that is an object is named, and that the other documents are pushed. */
async function oneUnreadable(
	stage: Stage,
	{ name }: StoredWorkflow,
	answer: Answer,
): Promise<void> {
	const entry = (key: string, body: unknown) => ({ key: `unreadable/${key}`, title: key, body });
	const articles = {
		total: '2',
		data: { items: [entry('one', '# One'), entry('two', { html: 'B' })] },
	};
	answer(articles, 1);
	answer({ data: { items: [] } });
	await stage.withCopy(
		'sync-from-an-api',
		({ nodes }) => ({ nodes: nodes.map((node) => settings(node, 7, 'body.total')) }),
		async (copy) => {
			const { status, message = '', items } = await stage.tryByHand(copy);
			const [{ json }] = items('Result');
			stage.checks.add(
				`${name}: a text that is an object is named, and the other document is pushed`,
				status === 'error' &&
					message.includes(`'unreadable/two' has no text, only {"html":"B"}`) &&
					json.pushed === 1 &&
					json.unreadable === 1,
				JSON.stringify(json),
			);
		},
	);
	stage.demo.sandbox.faults.clear();
}

/** Checks that deletes are withheld until they are approved by the second trigger, for one run. */
async function manyMissing(stage: Stage, { name }: StoredWorkflow, answer: Answer): Promise<void> {
	const items = Array.from({ length: 15 }, (_, at) => ({
		...{ key: `missing/${at}`, title: `${at}`, body: `# Text ${at}` },
	}));
	const indexed = () =>
		stage.documents().filter(({ id }) => String(id).startsWith('missing/')).length;
	await stage.withCopy(
		'sync-from-an-api',
		({ nodes }) => ({ nodes: nodes.map((node) => settings(node, 7, '')) }),
		async (copy) => {
			const run = async (entries: object[], trigger?: string) => {
				answer({ data: { items: entries } }, 1);
				answer({ data: { items: [] } });
				const execution = await stage.tryByHand(copy, trigger);
				stage.demo.sandbox.faults.clear();
				return `${execution.status}, ${indexed()} in the index`;
			};
			const seen = [
				await run(items),
				await run(items.slice(11)),
				await run(items.slice(11)),
				await run(items.slice(11), 'Delete What Is Missing'),
				await run([]),
				await run([], 'Delete What Is Missing'),
			];
			stage.checks.add(
				`${name}: too many deletes are withheld until they are approved for one run`,
				seen.map((each) => each.split(' ').slice(0, 2).join(' ')).join('; ') ===
					'success, 15; error, 15; error, 15; success, 4; error, 4; success, 0',
				seen.join('; '),
			);
		},
	);
}

/** Checks the ways to end pagination on the last page. All of them are described in docs/sources.md. */
async function endOfPages(stage: Stage, example: string): Promise<void> {
	const { sandbox } = stage.demo;
	const row = (from: string, to: string) => (node: WorkflowNode) => {
		if (node.name !== 'Where the List Is') return node;
		const jsCode = String(node.parameters.jsCode).replace(from, to);
		return { ...node, parameters: { ...node.parameters, jsCode } };
	};
	const numbers = "page: '?page=', firstPage: 1 }";
	const advice = [
		{
			what: 'Pages whose numbers are strings',
			change: row(numbers, "page: '?page=', firstPage: 9, pages: 'body.pages' }"),
			fields: [{ pages: '10' }, { pages: '10' }],
			asked: '9,10',
		},
		{
			what: 'Pages that name the next one',
			change: row(numbers, "next: 'body.next' }"),
			fields: [{ next: '/files/articles?page=b' }, { next: null }],
			asked: ',b',
		},
		{
			what: 'Pages with a cursor',
			change: withCursor,
			fields: [{ next: 'b' }, { next: null }],
			asked: ',b',
		},
	];
	for (const { what, change, fields, asked } of advice) {
		for (const [at, more] of fields.entries()) {
			const entry = { key: `paged/${at}`, title: `${at}`, body: `${what} ${at}` };
			const body = JSON.stringify({ data: { items: [entry] }, ...more });
			sandbox.faults.add({ route: 'files', status: 200, body, times: 1 });
		}
		const before = sandbox.requests.length;
		await stage.withCopy(
			example,
			({ nodes }) => ({ nodes: nodes.map((node) => settings(change(node), 1, '')) }),
			async (name) => await stage.runByHand(name),
		);
		sandbox.faults.clear();
		const seen = sandbox.requests
			.slice(before)
			.filter(({ route }) => route === 'files')
			.map(({ query }) => query.page)
			.join();
		stage.checks.add(`${what} are all read`, seen === asked, seen);
	}
}

/** Enters a cursor in Get Documents. */
function withCursor(node: WorkflowNode): WorkflowNode {
	if (node.name !== 'Get Documents') return node;
	const place = "$('Where the List Is').first().json";
	const { options, ...parameters } = node.parameters;
	const pagination = {
		paginationMode: 'responseContainsNextURL',
		nextURL: `={{ ${place}.site + ${place}.path + '?page=' + ($response.body?.next ?? '') }}`,
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.next }}',
	};
	return {
		...node,
		parameters: {
			...parameters,
			options: { ...(options as object), pagination: { pagination } },
		},
	};
}
