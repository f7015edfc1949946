import { DEMO } from '../../sandbox';
import type { Stage } from './stage';
import type { Asked, SourceDocument } from './synced-source';
import { SyncedSource } from './synced-source';

const EXAMPLE = 'sync-chunks-by-source';

/** Makes a source document. Each section becomes a chunk. */
const document = (id: string, ...sections: string[]): SourceDocument => ({
	id: `chunks/${id}`,
	name: id,
	url: `https://example.com/${id}`,
	text: sections.map((section) => `# ${section}\nText.`).join('\n'),
});

/** Returns the chunks that the index should contain for a document. Each chunk has the form `id=text`. */
const chunksOf = ({ id, text }: SourceDocument): string[] =>
	text === ''
		? []
		: text.split(/\n(?=# )/).map((section, number) => `${id}#${number}=${section}`);

const ids = (one: SourceDocument, from = 0): string[] =>
	chunksOf(one)
		.slice(from)
		.map((chunk) => chunk.split('=')[0]);

/** Syncs a source that changes. Then checks that bad calls and failures do not damage the index. */
export async function syncChunks(stage: Stage): Promise<void> {
	const source = new SyncedSource(stage, {
		name: EXAMPLE,
		prefix: 'chunks/',
		entriesOf: chunksOf,
	});
	await changes(source);
	await badCalls(source);
	await failures(source);
	await source.checkLock([document('b', 'Boysenberry'), document('d', 'Damson', 'Date')]);
	await source.checkTable('after a lock expired', 'chunks/b:1,chunks/d:2');
	await source.empty();
}

/** Fields are in each chunk, so a search can be filtered by them. A changed field pushes its document again. */
async function filteredSearch(source: SyncedSource, documents: SourceDocument[]): Promise<void> {
	const { checks, demo } = source.stage;
	const inCategory = (category: string) =>
		demo.sandbox
			.search(DEMO.endpoint, 'orchard')
			.filter((hit) => Object(hit).category === category)
			.map(({ id }) => id)
			.sort()
			.join();
	const [b] = documents;
	const [c, d] = [
		document('c', 'Orchard, west'),
		document('d', 'Orchard, east', 'Orchard, north'),
	];
	const nuts = { ...c, fields: { category: 'nuts', views: 1 } };
	const fruit = { ...d, fields: { category: 'fruit' } };
	const check = (what: string, seen: string, expected: string) =>
		checks.add(`A search filtered by category: ${what}`, seen === expected, seen);
	const first = await source.sync('with fields', [b, nuts, fruit]);
	check(
		'only documents with fields are pushed',
		first.pushed.join(),
		ids(c).concat(ids(d)).join(),
	);
	check('fruit', inCategory('fruit'), ids(d).join());
	check('nuts', inCategory('nuts'), ids(c).join());
	const dried = { ...nuts, fields: { category: 'fruit', views: 1 } };
	const second = await source.sync('with another category', [b, dried, fruit]);
	check('only the changed one is pushed', second.pushed.join(), ids(c).join());
	check('fruit and nuts', inCategory('fruit'), ids(c).concat(ids(d)).join());
	check('no nuts', inCategory('nuts'), '');
	await source.sync('without fields again', documents);
}

const WITHOUT_FIRST = 'without the first one';

async function changes(source: SyncedSource): Promise<void> {
	const a = document('a', 'Almond', 'Apple');
	const b = document('b', 'Blackberry', 'Banana');
	const c = document('c', 'Chestnut');
	const d = document('d', 'Damson', 'Date');
	const changed = document('b', 'Blueberry', 'Banana');
	const shorter = document('b', 'Blueberry');
	const longer = document('b', 'Blueberry', 'Banana', 'Bilberry');
	const chunked = (...documents: SourceDocument[]) => ({
		chunked: documents.map(({ text }) => text).sort(),
		pushed: documents.flatMap((each) => ids(each)),
		deleted: [] as string[],
	});
	const runs: Array<[after: string, documents: SourceDocument[], asked: Asked]> = [
		['with new documents', [a, b, c], chunked(a, b, c)],
		['with a changed and a new one', [a, changed, c, d], chunked(changed, d)],
		[WITHOUT_FIRST, [changed, c, d], { ...chunked(), deleted: ids(a) }],
		['with a shorter one', [shorter, c, d], { ...chunked(shorter), deleted: ids(changed, 1) }],
		['with a longer one', [longer, c, d], chunked(longer)],
		['with an earlier text', [b, c, d], { ...chunked(b), deleted: ids(longer, 2) }],
		['that has not changed', [b, c, d], chunked()],
	];
	for (const [after, documents, expected] of runs) {
		const asked = await source.sync(after, documents);
		source.stage.checks.add(
			`Only what changed is chunked, pushed or deleted: a source ${after}`,
			JSON.stringify(asked) === JSON.stringify(expected),
			JSON.stringify(asked),
		);
		source.checkCounts(`a source ${after}`, {
			pushed: expected.chunked.length,
			deleted: after === WITHOUT_FIRST ? 1 : 0,
			chunksDeleted: expected.deleted.length,
			unchanged: documents.length - expected.chunked.length,
		});
	}
	await source.checkTable('after seven runs', 'chunks/b:2,chunks/c:1,chunks/d:2');
	await filteredSearch(source, [b, c, d]);
	const empty = { ...c, text: '' };
	await source.sync('with an emptied document', [b, empty, d]);
	await source.sync('with a document that stays empty', [b, empty, d]);
	await source.checkTable('with an empty document', 'chunks/b:2,chunks/c:0,chunks/d:2');
}

async function badCalls(source: SyncedSource): Promise<void> {
	const b = document('b', 'Blackberry', 'Banana');
	const d = document('d', 'Damson', 'Date');
	await source.refuseBadCalls(b);
	await source.sync('with two documents', [b, d]);
	const unreadable: Array<[what: string, document: object, why: string]> = [
		['a document without text', { id: d.id, name: 'd' }, "'chunks/d' has no text"],
		['a text that is an object', { ...d, text: { html: 'D' } }, `no text, only {"html":"D"}`],
		[
			'a name that is an object',
			{ ...d, name: { en: 'd' } },
			'a name, a URL or a description that is no text',
		],
		[
			'a text that the source could not read',
			{ ...d, problem: 'is encrypted' },
			'is encrypted',
		],
	];
	for (const [what, document, why] of unreadable) {
		const body = { documents: [b, document] };
		const counts = { unchanged: 1, unreadable: 1 };
		await source.finish(what, body, why, { index: [b, d], counts });
		// What could not be read is named in each run, until it changes.
		await source.finish(`${what} again`, body, why, { index: [b, d], counts });
	}
	await source.keepUnreadable(b);
	await source.sync('with two documents again', [b, d]);
	await source.pushAgain([b, d]);
	await source.sync('with one document', [b]);
	await source.checkIds(b);
	const many = Array.from({ length: 25 }, (_, at) => document(`many-${at}`, `Nut ${at}`));
	await source.sync('with many documents', many);
	const emptied = many.map((each, at) => (at < 11 ? { ...each, text: ' ' } : each));
	await source.finish(
		'a list in which eleven of 25 texts are empty',
		{ documents: emptied },
		'11 of 25 documents would be deleted',
		{ index: many, counts: { unchanged: 14, withheld: 11 } },
	);
	await source.checkGuard(many);
	await source.sync('as before', [b, d]);
}

/** Checks that a failure removes nothing from the index, and that the next run repairs the index. */
async function failures(source: SyncedSource): Promise<void> {
	const { sandbox } = source.stage.demo;
	const { faults } = sandbox;
	const documents = [document('b', 'Bramble'), document('d', 'Damson', 'Date')];
	faults.add({ route: 'submit', status: 400, whenBodyContains: 'Bramble' });
	await source.refuse('a text that cannot be chunked', { documents }, '1 of 1 documents failed');
	await source.checkTable('after a text failed', 'chunks/b:2*,chunks/d:2');
	faults.clear();
	faults.add({ route: 'push', status: 400 });
	const notPushed = "document 'chunks/b#0' was not pushed";
	await source.refuse('a push that is rejected', { documents }, notPushed);
	await source.checkTable('after a push failed', 'chunks/b:2*,chunks/d:2');
	faults.clear();
	await source.sync('after failures', documents);
	await source.checkTable('after failures were repaired', 'chunks/b:1,chunks/d:2');
	await source.refuseUnprovenDeletes(documents);
	await source.checkTable('after a 404 alone', 'chunks/b:1,chunks/d:2,gone:1*');
	await source.sync('after a 404 beside a push', [document('b', 'Bilberry'), documents[1]]);
	faults.clear();
	await source.checkTable('after a 404 beside a push', 'chunks/b:1,chunks/d:2');
}
