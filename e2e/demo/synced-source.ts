import type { RecordedRequest } from '../../sandbox';
import type { Row } from '../n8n/data-tables';
import type { Stage } from './stage';

export interface SourceDocument {
	id: string;
	name: string;
	url: string;
	text: string;
}

interface SyncExample {
	name: string;
	table: string;
	prefix: string;
	/** Returns the entries that the index should contain for a document. Each entry has the form `id=text`. */
	entriesOf(document: SourceDocument): string[];
	shown(row: Row): string;
}

/** A source of documents, and the example that syncs it. The methods check the example's data table and the index. */
export class SyncedSource {
	counts = '';

	constructor(
		readonly stage: Stage,
		private readonly example: SyncExample,
	) {}

	/** Syncs a list and checks the index against it. Returns what the service was asked to do. */
	async sync(after: string, documents: SourceDocument[], more: object = {}): Promise<Asked> {
		const { sandbox } = this.stage.demo;
		const before = sandbox.requests.length;
		const body = { documents, ...more };
		const { response } = await this.stage.runByWebhook(this.example.name, body);
		const { error: _error, ...counts } = response.body as Record<string, unknown>;
		this.counts = JSON.stringify(counts);
		const expected = documents.flatMap((each) => this.example.entriesOf(each)).sort();
		const title = `${this.example.name}: the index has what the source has ${after}`;
		this.stage.checks.add(title, this.indexed() === expected.join(), this.indexed());
		return askedIn(sandbox.requests.slice(before));
	}

	/** Calls the example with an invalid body. Checks that the call fails and that the index does not change. */
	async refuse(what: string, body: object, why: string): Promise<void> {
		const before = this.indexed();
		const { name } = this.example;
		const { status, message = '', response } = await this.stage.callWebhook(name, body);
		const { error } = response.body as { error?: string };
		const isRefused = status === 'error' && message.includes(why) && message === error;
		const { checks } = this.stage;
		checks.add(
			`${name}: ${what} fails, and the response says why`,
			isRefused && response.status >= 400,
			`${response.status}: ${String(error)}; ${message}`,
		);
		checks.add(`${this.example.name}: ${what} changes nothing`, this.indexed() === before);
	}

	/** Checks the document rows of the table, in sorted order. Also checks that no run has left a lock behind. */
	async checkTable(when: string, expected: string): Promise<void> {
		const rows = await this.stage.demo.n8n.api.dataTables.rows(this.example.table);
		const ofDocuments = rows.filter(({ documentId }) => documentId);
		const shown = ofDocuments.map((row) => this.example.shown(row)).sort();
		const isRight = shown.join() === expected && ofDocuments.length === rows.length;
		const title = `${this.example.name}: the table is right, without a lock, ${when}`;
		const locks = `${rows.length - ofDocuments.length} locks`;
		this.stage.checks.add(title, isRight, `${shown.join()}; ${locks}`);
	}

	/**
	 * Checks that the sync stops if the list is missing or empty, or if it contains bad IDs, conflicting documents or
	 * damaged texts.
	 */
	async refuseBadCalls(document: SourceDocument): Promise<void> {
		const calls: Array<[what: string, body: object, why: string]> = [
			['no list', { oops: [] }, 'Expected: {'],
			['a bare list', [document], 'Expected: {'],
			['an empty list', { documents: [] }, 'the list is empty'],
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
			[
				'two texts in another encoding',
				{ documents: copies(document, 'K\ufffdche', 'Gr\ufffdn') },
				`the document '${document.id}/1' contains the character U+FFFD`,
			],
			[
				'three documents with one text',
				{ documents: copies(document, 'Sign in', 'Sign in', 'Sign in') },
				'all 3 documents have the same text, "Sign in"',
			],
		];
		for (const [what, body, why] of calls) await this.refuse(what, body, why);
		const damaged = { ...document, text: '# Almond\ufffd' };
		await this.sync('with the character U+FFFD in one text', [damaged], CONFIRMED);
		await this.sync('with its earlier text', [document]);
	}

	/**
	 * Checks that the sync stops if too many documents are missing from the list. This is the case if more than ten
	 * documents and more than 5% of all documents are missing.
	 * @param documents 25 indexed documents
	 */
	async checkGuard(documents: SourceDocument[]): Promise<void> {
		const lacking = { documents: documents.slice(11) };
		const why =
			"11 of 25 documents would be deleted, which is more than the node 'Few Are Gone'";
		await this.refuse('a list that lacks eleven of 25 documents', lacking, why);
		const advice = `"confirmDeletes": true in the body of the node 'List Arrives'`;
		await this.refuse('a list that lacks eleven, which says how to confirm', lacking, advice);
		await this.sync('that lacks ten', documents.slice(10));
		await this.sync('of which all but one are gone, confirmed', documents.slice(24), CONFIRMED);
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

	/**
	 * Checks that the run fails if it sends only deletes and all of them receive status 404. A 404 does not prove that
	 * a document no longer exists.
	 */
	async refuseUnprovenDeletes(documents: SourceDocument[], gone: Row): Promise<void> {
		const { sandbox, n8n } = this.stage.demo;
		await n8n.api.dataTables.insert(this.example.table, [gone]);
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
		const { table } = this.example;
		const lock = (seconds: number) => ({
			lockedUntil: new Date(Date.now() + seconds * 1000).toISOString(),
		});
		await dataTables.insert(table, [lock(3600)]);
		await this.refuse('another run active', { documents }, 'another run has not ended');
		await dataTables.deleteWith(table, 'lockedUntil');
		await dataTables.insert(table, [lock(-1)]);
		await this.sync('after the lock of a killed run expired', documents);
	}

	/**
	 * Syncs an empty list, which removes the source from the index. Checks that a caller without the webhook's key is
	 * rejected.
	 */
	async empty(): Promise<void> {
		await this.sync('after a confirmed empty list', [], { confirmDeletes: true });
		await this.checkTable('without documents', '');
		const status = await this.stage.statusWithoutKey(this.example.name);
		const title = `${this.example.name}: the webhook refuses a caller without its key`;
		this.stage.checks.add(title, status === 403, `${status}`);
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

const CONFIRMED = { confirmDeletes: true };

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
