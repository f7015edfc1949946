import known from '../../examples/src/code/known';
import type { Row as StateRow } from '../../examples/src/parts/types';
import type { RecordedRequest } from '../../sandbox';
import type { Stage } from './stage';

export interface SourceDocument {
	id: string;
	name: string;
	url: string;
	text: string;
	fields?: object;
}

interface SyncExample {
	name: string;
	prefix: string;
	/** Returns the entries that the index should contain for a document. Each entry has the form `id=text`. */
	entriesOf(document: SourceDocument): string[];
}

/** The counts that a sync answers. */
interface Counts {
	pushed: number;
	deleted: number;
	chunksDeleted?: number;
	unchanged: number;
	failed: number;
	withheld: number;
	unreadable: number;
	problems: string[];
}

/** A source of documents, and the example that syncs it. The methods check the example's data table and the index. */
export class SyncedSource {
	counts: Partial<Counts> = {};

	private readonly table: string;

	constructor(
		readonly stage: Stage,
		private readonly example: SyncExample,
	) {
		this.table = tableOf(stage, example.name);
	}

	/** Syncs a list and checks the index against it. Returns what the service was asked to do. */
	async sync(after: string, documents: SourceDocument[], more: object = {}): Promise<Asked> {
		const { sandbox } = this.stage.demo;
		const before = sandbox.requests.length;
		const body = { documents, ...more };
		const { response } = await this.stage.runByWebhook(this.example.name, body);
		this.counts = response.body as Counts;
		this.checkIndex(after, documents);
		return askedIn(sandbox.requests.slice(before));
	}

	/** Checks that the last run answered these counts, and 0 for all others. */
	checkCounts(what: string, expected: Partial<Counts>): void {
		const { failed = 0, withheld = 0, unreadable = 0 } = expected;
		const all: Partial<Counts> = { ...expected, failed, withheld, unreadable };
		const seen = Object.fromEntries(
			Object.keys(all).map((name) => [name, this.counts[name as keyof Counts]]),
		);
		this.stage.checks.add(
			`${this.example.name}: the caller gets the counts of ${what}`,
			JSON.stringify(seen) === JSON.stringify(all),
			JSON.stringify(this.counts),
		);
	}

	/** Calls the example with an invalid body. Checks that the call fails and that the index does not change. */
	async refuse(what: string, body: object, why: string): Promise<void> {
		const before = this.indexed();
		await this.fail(what, body, why);
		const { checks } = this.stage;
		checks.add(`${this.example.name}: ${what} changes nothing`, this.indexed() === before);
	}

	/**
	 * Calls the example with a list that has a fault. Checks that the run fails, that the answer says why, and that the
	 * index then contains these documents.
	 */
	async finish(
		what: string,
		body: object,
		why: string,
		expected: { index: SourceDocument[]; counts: Partial<Counts> },
	): Promise<void> {
		await this.fail(what, body, why);
		this.checkIndex(`after ${what}`, expected.index);
		this.checkCounts(what, expected.counts);
	}

	private async fail(what: string, body: object, why: string): Promise<void> {
		const { name } = this.example;
		const { status, message = '', response } = await this.stage.callWebhook(name, body);
		const { error } = response.body as { error?: string };
		this.counts = response.body as Counts;
		const isRefused = status === 'error' && message.includes(why) && message === error;
		this.stage.checks.add(
			`${name}: ${what} fails, and the response says why`,
			isRefused && response.status >= 400,
			`${response.status}: ${String(error)}; ${message}`,
		);
	}

	/**
	 * Checks what the table says about the documents, in sorted order. An asterisk means that the state of a document
	 * is unknown. Also checks that no run has left a valid lock behind.
	 */
	async checkTable(when: string, expected: string): Promise<void> {
		const rows = await this.stage.demo.n8n.api.dataTables.rows(this.table);
		const { entries } = knownFrom(rows);
		const shown = entries
			.map(([id, version, chunks]) => `${id}:${chunks}${version ? '' : '*'}`)
			.sort();
		const locks = rows.filter(
			({ lockedUntil }) => lockedUntil && new Date(String(lockedUntil)) > new Date(),
		).length;
		const title = `${this.example.name}: the table is right, without a valid lock, ${when}`;
		const isRight = shown.join() === expected && locks === 0;
		this.stage.checks.add(title, isRight, `${shown.join()}; ${locks} locks`);
	}

	/** Checks that the sync stops if the list is missing or empty, or if it contains bad IDs or conflicting documents. */
	async refuseBadCalls(document: SourceDocument): Promise<void> {
		const calls: Array<[what: string, body: object, why: string]> = [
			['no list', { oops: [] }, 'Expected: {'],
			['a bare list', [document], 'Expected: {'],
			['an empty list', { documents: [] }, 'would be deleted'],
			[
				'a document without ID',
				{ documents: [document, { name: 'd', text: 'Damson' }] },
				'document 2 of 2 in the list has no ID',
			],
			[
				'an ID that has lost digits',
				{ documents: [{ ...document, id: 2 ** 60 }] },
				'document 1 of 1 in the list has no ID, only 115292150460684',
			],
			[
				'two documents of one ID',
				{ documents: [document, { ...document, text: 'Apricot' }] },
				`two different documents with the ID '${document.id}'`,
			],
			[
				'an ID in another encoding',
				{ documents: [document, { ...document, id: `${document.id}/caf\ufffd` }] },
				`caf\ufffd' contains the character U+FFFD`,
			],
		];
		for (const [what, body, why] of calls) await this.refuse(what, body, why);
		const damaged = { ...document, text: '# Almond\ufffd' };
		await this.sync('with the character U+FFFD in one text', [damaged], CONFIRMED);
		await this.sync('with its earlier text', [document]);
	}

	/**
	 * Checks that texts in the wrong encoding and sign-in pages are not pushed, while other documents are, and that
	 * the next run reads them again.
	 * @param document an indexed document
	 */
	async keepUnreadable(document: SourceDocument): Promise<void> {
		const [one, two, three] = copies(document, '# One', '# Two', '# Three');
		const other = { ...document, text: '# Other' };
		const garbled = copies(document, '# K\ufffdche', '# Gr\ufffdn');
		await this.sync('with three more documents', [document, one, two, three]);
		await this.finish(
			'two texts in another encoding',
			{ documents: [other, ...garbled, three] },
			'contains the character U+FFFD',
			{ index: [other, one, two, three], counts: { pushed: 1, unreadable: 2 } },
		);
		const signIn = copies(document, '# Sign in', '# Sign in', '# Sign in');
		await this.finish(
			'three texts replaced by a sign-in page',
			{ documents: [document, ...signIn] },
			'it may be a sign-in page',
			{ index: [document, one, two, three], counts: { pushed: 1, unreadable: 3 } },
		);
		const more = copies(document, ...Array.from({ length: 12 }, () => '# No description'));
		const news = more.slice(3);
		await this.sync('with new documents that have the same text', [
			...[document, one, two, three],
			...news,
		]);
		await this.sync('without these documents', [document, one, two, three]);
		await this.sync('with the same text, which was confirmed', [document, ...signIn], {
			pushAgain: signIn.map(({ id }) => id),
		});
		await this.sync('as before', [document]);
	}

	/**
	 * Checks that deletes are withheld if too many documents are missing from the list, while everything else is done.
	 * They are too many if more than ten documents and more than 5% of all documents are missing.
	 * @param documents 25 indexed documents
	 */
	async checkGuard(documents: SourceDocument[]): Promise<void> {
		const [last, ...others] = documents.slice(11).reverse();
		const changed = { ...last, text: `${last.text} again` };
		const withheld = { withheld: 11, deleted: 0 };
		await this.finish(
			'a list that lacks eleven of 25 documents',
			{ documents: [...others, changed] },
			'11 of 25 documents would be deleted',
			{
				index: [...documents.slice(0, 11), ...others, changed],
				counts: { pushed: 1, unchanged: 13, ...withheld },
			},
		);
		await this.finish(
			'a list that lacks eleven, which says how to confirm',
			{ documents: [...others, changed] },
			'send the list once with "confirmDeletes": 11',
			{
				index: [...documents.slice(0, 11), ...others, changed],
				counts: { pushed: 0, unchanged: 14, ...withheld },
			},
		);
		const lacking = [...documents.slice(10, -1), changed];
		await this.sync('that lacks ten', lacking);
		await this.sync('of which all but one are gone, confirmed', [changed], CONFIRMED);
	}

	/** Checks that the number 0 is accepted as an ID, and that duplicates of a document count as one document. */
	async checkIds(document: SourceDocument): Promise<void> {
		const zero = { ...document, id: 0 as unknown as string };
		await this.stage.runByWebhook(this.example.name, { documents: [document, document, zero] });
		const ids = this.stage.documents().map(({ id }) => String(id));
		this.stage.checks.add(
			`${this.example.name}: the number 0 is an ID, and two copies of a document count once`,
			ids.some((id) => /^0(#0)?$/.test(id)),
			ids.filter((id) => id.startsWith('0')).join(),
		);
		await this.sync('without the document 0', [document]);
	}

	/** Checks that a document is pushed again if its ID is in the call, although it has not changed. */
	async pushAgain(documents: SourceDocument[]): Promise<void> {
		const [{ id }] = documents;
		await this.sync('that is pushed again in part', documents, { pushAgain: [id] });
		this.checkCounts('a document that is pushed again', {
			...{ pushed: 1, unchanged: documents.length - 1 },
		});
	}

	/**
	 * Checks that the run fails if it sends only deletes and all of them receive status 404. A 404 does not prove that
	 * a document no longer exists.
	 */
	async refuseUnprovenDeletes(documents: SourceDocument[]): Promise<void> {
		const { sandbox, n8n } = this.stage.demo;
		const rows = await n8n.api.dataTables.rows(this.table);
		const run = Math.max(...rows.map((row) => Number(row.run)));
		const entries = JSON.stringify([['gone', '', 1]]);
		await n8n.api.dataTables.insert(this.table, [{ run, size: 1, entries }]);
		sandbox.faults.add({ route: 'delete', status: 404 });
		await this.refuse(
			'a wrong push URL while only deletes are due',
			{ documents },
			'status 404',
		);
	}

	/**
	 * Checks that a sync refuses to run while another run holds the lock, and runs again after the lock has expired.
	 */
	async checkLock(documents: SourceDocument[]): Promise<void> {
		const { dataTables } = this.stage.demo.n8n.api;
		const lock = (seconds: number) => ({
			lockedUntil: new Date(Date.now() + seconds * 1000).toISOString(),
		});
		await dataTables.insert(this.table, [lock(3600)]);
		await this.refuse('another run active', { documents }, 'another run has not ended');
		await dataTables.deleteWith(this.table, 'lockedUntil');
		await dataTables.insert(this.table, [lock(-1)]);
		await this.sync('after the lock of a killed run expired', documents);
	}

	/**
	 * Syncs an empty list, which removes the source from the index. Checks that a caller without the webhook's key is
	 * rejected.
	 */
	async empty(): Promise<void> {
		await this.sync('after a confirmed empty list', [], CONFIRMED);
		await this.checkTable('without documents', '');
		const status = await this.stage.statusWithoutKey(this.example.name);
		const title = `${this.example.name}: the webhook refuses a caller without its key`;
		this.stage.checks.add(title, status === 403, `${status}`);
	}

	private checkIndex(after: string, documents: SourceDocument[]): void {
		const expected = documents.flatMap((each) => this.example.entriesOf(each)).sort();
		const title = `${this.example.name}: the index has what the source has ${after}`;
		this.stage.checks.add(title, this.indexed() === expected.join(), this.indexed());
	}

	private indexed(): string {
		return this.stage
			.documents()
			.map(({ id, text }) => `${String(id)}=${String(text)}`)
			.filter((entry) => entry.startsWith(this.example.prefix))
			.sort()
			.join();
	}
}

/** Returns the name of a sync's data table. */
export const tableOf = (stage: Stage, example: string): string =>
	`Synced Documents ${stage.demo.workflows[example].id}`;

/** Returns what the rows of a sync's data table say. */
function knownFrom(rows: object[]) {
	const inputs = { rows: rows as StateRow[], lock: { id: 0 }, now: new Date(), mostRows: 500 };
	return known(inputs)[0].json;
}

/** Allows as many deletes as a source of this test has documents. */
const CONFIRMED = { confirmDeletes: 100 };

/** Returns one copy of the document for each text. Each copy has its own ID. */
const copies = (document: SourceDocument, ...texts: string[]): SourceDocument[] =>
	texts.map((text, at) => ({ ...document, id: `${document.id}/${at}`, text }));

export interface Asked {
	chunked: string[];
	pushed: string[];
	deleted: string[];
}

/** Lists what these requests asked the service to do. Each list is in alphabetical order. */
function askedIn(requests: RecordedRequest[]): Asked {
	const of = (route: RecordedRequest['route']) => requests.filter((one) => one.route === route);
	// If the connection was reset immediately, the request has no body.
	const submitted = of('submit').flatMap(({ body }) => (body as Submission | undefined) ?? []);
	const pushed = of('push').flatMap(({ body = [] }) => body as Document | Document[]);
	return {
		chunked: submitted.flatMap(({ batch }) => batch.map(({ text }) => text)).sort(),
		pushed: pushed.map(({ id }) => id).sort(),
		deleted: of('delete')
			.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''))
			.sort(),
	};
}

interface Submission {
	batch: Array<{ text: string }>;
}

interface Document {
	id: string;
}
