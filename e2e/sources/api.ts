import { DEMO } from '../../sandbox';
import type { Execution } from '../n8n/execution';
import type { ContentApi, System } from '../service/content-api';
import { startContentApi, SYSTEMS } from '../service/content-api';
import type { Cases } from './runs';
import {
	BY_HAND,
	BY_TIME,
	counted,
	deleteLock,
	inTurn,
	killInTheMiddle,
	readExample,
	result,
	startTwo,
	valueOf,
} from './runs';
import type { SourcesStage } from './stage';

const EXAMPLE = 'sync-from-an-api';
/** After one is deleted, the others fill their batches. */
const ARTICLES = 13;
const PER_BATCH = { WordPress: 3, Zendesk: 200, Confluence: 200 };

/** A page that replaces others if a request has no valid login. */
const SIGN_IN = '<html><body><h1>Sign in</h1><form><input type="password"></form></body></html>';

/** Returns all cases against WordPress, and the first ones against the other systems. */
export const apiCases = (): Cases => ({
	...inTurn(async (stage) => await ApiCases.start(stage, 'WordPress'), {
		changes: async (cases) => await cases.changes(),
		'a list that is cut off': async (cases) => await cases.cutOff(),
		'entries that cannot be read': async (cases) => await cases.unreadable(),
		'sign-in pages': async (cases) => await cases.signIn(),
		'two runs at once': async (cases) => await cases.twice(),
		'killed in the middle': async (cases) => await cases.killed(),
	}),
	Zendesk: async (stage) => {
		const cases = await ApiCases.start(stage, 'Zendesk');
		await cases.drafts();
		await cases.changes();
		await cases.lost("'body.count'");
	},
	Confluence: async (stage) => {
		const ownServer = await ApiCases.start(stage, 'Confluence', '');
		await ownServer.otherSite();
		const cloud = await ApiCases.start(stage, 'Confluence');
		await cloud.changes();
	},
});

class ApiCases {
	/** Each article with a part of the text that the index must contain of it. */
	private readonly expected = new Map<number, string>();

	private constructor(
		private readonly stage: SourcesStage,
		private readonly system: System,
		private readonly api: ContentApi,
		private readonly id: string,
	) {}

	/** With small batches, a run of WordPress can be killed in the middle. The IDs have a prefix. */
	static async start(
		stage: SourcesStage,
		system: System,
		path = SYSTEMS[system],
	): Promise<ApiCases> {
		const api = await startContentApi(stage.command);
		const workflow = readExample(EXAMPLE, [
			[valueOf('api'), JSON.stringify(system)],
			[valueOf('site'), JSON.stringify(api.url + path)],
			[valueOf('mostDeletes'), '3'],
			[/const batchSize = 200;/, `const batchSize = ${PER_BATCH[system]};`],
			[/id: \$json\.id,/, `id: '${system}/' + $json.id,`],
		]);
		return new ApiCases(stage, system, api, await stage.publish(workflow));
	}

	async changes(): Promise<void> {
		for (let number = 1; number <= ARTICLES; number++) this.write(number);
		const { requests } = this.api;
		await this.sync('a first load', `success, pushed ${ARTICLES}`);
		const [chunk] = this.chunksOf(2);
		this.check(
			'a chunk has the title and the address of its article',
			`${String(chunk.name)}, ${String(chunk.url).startsWith(this.api.url)}`,
			'Q & A 2, true',
		);
		const before = requests.length;
		const sent = this.stage.sandbox.requests.length;
		await this.sync('nothing changed', `success, unchanged ${ARTICLES}`);
		this.check(
			'of an unchanged API, each page is requested once',
			this.pagesSince(before),
			'1,2,3',
		);
		this.check(
			'an unchanged API costs no request to the services',
			String(this.stage.sandbox.requests.length - sent),
			'0',
		);
		this.write(3, 'says something else now.');
		await this.sync('one changed', `success, pushed 1, unchanged ${ARTICLES - 1}`);
		this.remove(4);
		await this.sync('one deleted', `success, deleted 1, unchanged ${ARTICLES - 1}`);
	}

	/** Drafts are in the list, but not in the index. */
	async drafts(): Promise<void> {
		this.api.articles.set(100, { title: 'Draft', html: '<p>Not yet.</p>', isDraft: true });
	}

	/** A page that has lost an entry is noticed by the total. */
	async lost(total: string): Promise<void> {
		this.api.lost.add(7);
		const { size } = this.api.articles;
		await this.refuse(
			'a page that has lost an entry',
			`has ${size} entries according to ${total}, but only ${size - 1} different entries`,
		);
		this.api.lost.clear();
	}

	/** A page that is missing changes nothing. If the total has changed too, it looks like many deletes. */
	async cutOff(): Promise<void> {
		const { faults, articles } = this.api;
		await this.lost("'headers.x-wp-total'");
		faults.set(2, { status: 503, body: { message: 'Try again later' } });
		await this.refuse('a page that answers with 503', '');
		faults.set(2, { body: { success: false, data: [] } });
		await this.refuse('a page that says so', 'page 2 of the API says that it has failed');
		faults.clear();

		const all = this.expected.size;
		const kept = [...this.expected].slice(-5);
		const hidden = kept.map(([number]) => [number, articles.get(number)!] as const);
		for (const [number] of kept) articles.delete(number);
		await this.sync(
			'a list that is cut off',
			`error, unchanged ${all - 5}, withheld 5`,
			`5 of ${all} documents would be deleted`,
		);
		for (const [number] of kept) this.expected.delete(number);
		const counts = `success, deleted 5, unchanged ${all - 5}`;
		await this.sync('the deletes, approved', counts, '', BY_HAND);
		for (const [number, article] of hidden) articles.set(number, article);
		for (const [number, text] of kept) this.expected.set(number, text);
		await this.sync('all again', `success, pushed 5, unchanged ${all - 5}`);
	}

	/** An entry without a text keeps what the index has, and is not chunked again until it changes. */
	async unreadable(): Promise<void> {
		const all = this.expected.size;
		this.api.articles.set(5, { title: 'Five', html: undefined });
		const counts = `error, unchanged ${all - 1}, unreadable 1`;
		await this.sync('one without a text', counts, `'${this.system}/5' has no text`);
		await this.sync('still without a text', counts, `'${this.system}/5' has no text`);
		this.write(5, 'is readable again.');
		await this.sync('readable again', `success, pushed 1, unchanged ${all - 1}`);
	}

	/** Every page is a sign-in page, or every entry has the text of one. */
	async signIn(): Promise<void> {
		const { faults, articles } = this.api;
		const all = this.expected.size;
		const answers: Array<
			[what: string, page: { status?: number; body: unknown }, why: string]
		> = [
			['a sign-in page for each page', { body: SIGN_IN }, 'identical'],
			['status 401', { status: 401, body: { code: 'rest_forbidden' } }, 'Authorization'],
		];
		for (const [what, page, why] of answers) {
			for (let number = 1; number <= 9; number++) faults.set(number, page);
			await this.refuse(what, why);
		}
		faults.clear();
		const before = [...articles];
		for (const [number, article] of before) articles.set(number, { ...article, html: SIGN_IN });
		await this.sync('a sign-in page in each entry', `error, unreadable ${all}`, 'sign-in page');
		for (const [number, article] of before) articles.set(number, article);
		await this.sync('the texts again', `success, unchanged ${all}`);
	}

	/** Of two runs at once, one works and the other one is refused. */
	async twice(): Promise<void> {
		const all = this.expected.size;
		for (const number of [1, 2, 3]) this.write(number, 'changed before two runs.');
		const { counts, refusal } = await startTwo(this.stage, async () => await this.start());
		this.check('two at once', counts, `error; success, pushed 3, unchanged ${all - 3}`);
		this.check('the second run says why', refusal, 'another run has not ended');
		this.checkIndex('two at once');
	}

	/** A run that is killed while it pushes. Meanwhile, the API changes. */
	async killed(): Promise<void> {
		const all = this.expected.size;
		for (const number of this.expected.keys()) this.write(number, 'changed before a kill.');
		const { message = '' } = await killInTheMiddle(this.stage, async () => await this.start());
		this.check(
			'while the killed run has the lock, nothing changes',
			/Its lock expires at/.exec(message)?.[0] ?? message,
			'Its lock expires at',
		);
		await deleteLock(this.stage, this.id);
		this.write(6, 'changed after a kill.');
		this.remove(8);
		const execution = await this.start();
		const pushed = Number(result(execution).pushed);
		this.check(
			'after a kill, the run goes on and succeeds',
			`${execution.status}, ${pushed > 0 && pushed < all - 1}`,
			'success, true',
			`pushed ${pushed} ${execution.message}`,
		);
		this.checkIndex('a kill');
		await this.sync('after that', `success, unchanged ${all - 1}`);
	}

	/** A link to another site would send the credential there. */
	async otherSite(): Promise<void> {
		const own = this.api.url.replace('http://', '');
		const other = own.replace('127.0.0.1', 'localhost');
		const before = this.api.requests.length;
		for (const next of [`http://${other}/`, `http://${own}@${other}/`, `@${other}/`]) {
			const body = { results: [{ id: '1' }], _links: { next } };
			this.api.faults.set(1, { body });
			await this.refuse(`a next page at ${next.replaceAll(/\d{4,}/g, '…')}`, '');
		}
		this.api.faults.clear();
		const hosts = this.api.requests.slice(before).map(({ host }) => host);
		const strange = hosts.filter((host) => host !== own);
		this.check('another site gets no request', strange.join(), '');
	}

	private async start(trigger = BY_TIME): Promise<Execution> {
		return await this.stage.n8n.api.runManually(this.id, trigger);
	}

	/** Runs the sync once. Checks that the run fails before it asks the services for anything. */
	private async refuse(what: string, why: string): Promise<void> {
		const sent = this.stage.sandbox.requests.length;
		await this.sync(what, 'error', why);
		const count = this.stage.sandbox.requests.length - sent;
		this.check(`${what} sends nothing to the services`, String(count), '0');
	}

	/** Runs the sync once, and checks its counts, its error and the index. */
	private async sync(after: string, counts: string, why = '', trigger = BY_TIME): Promise<void> {
		const execution = await this.start(trigger);
		const seen = counted(execution);
		const { message = '' } = execution;
		const isRight = seen === counts && message.includes(why);
		this.add(`${after}: ${counts}`, isRight, `${seen}; ${message}`);
		this.checkIndex(after);
	}

	private checkIndex(after: string): void {
		const wrong = [...this.expected].filter(([number, text]) => {
			const texts = this.chunksOf(number).map((chunk) => String(chunk.text));
			return !texts.join(' ').includes(text);
		});
		const strange = this.documents()
			.map(({ parentId }) => Number(String(parentId).split('/')[1]))
			.filter((number) => !this.expected.has(number));
		this.check(
			`the index equals the API after ${after}`,
			`${wrong.length} wrong, ${strange.length} strange`,
			'0 wrong, 0 strange',
			JSON.stringify([wrong.slice(0, 3), strange.slice(0, 3)]),
		);
	}

	private documents(): Array<Record<string, unknown>> {
		return this.stage.sandbox
			.documents(DEMO.endpoint)
			.filter(({ id }) => String(id).startsWith(`${this.system}/`));
	}

	private chunksOf(number: number): Array<Record<string, unknown>> {
		const id = `${this.system}/${number}`;
		return this.documents().filter(({ parentId }) => parentId === id);
	}

	private pagesSince(before: number): string {
		const { requests } = this.api;
		return requests
			.slice(before)
			.map(({ page }) => page)
			.join();
	}

	/** Its HTML becomes text with headings. */
	private write(number: number, text = 'is here to help.'): void {
		const html = `<h2>Article ${number}</h2>\n<p>It <strong>${text}</strong> And it ends.</p>\n`;
		// WordPress returns titles as HTML, the others as text.
		const and = this.system === 'WordPress' ? '&#038;' : '&';
		this.api.articles.set(number, { title: `Q ${and} A ${number}`, html });
		this.expected.set(number, `## Article ${number}\n\nIt ${text} And it ends.`);
	}

	private remove(number: number): void {
		this.api.articles.delete(number);
		this.expected.delete(number);
	}

	private check(what: string, seen: string, expected: string, more = ''): void {
		this.add(what, seen === expected, `${seen} ${more}`);
	}

	private add(what: string, passed: boolean, seen: string): void {
		this.stage.checks.add(`${EXAMPLE}, ${this.system}, ${what}`, passed, seen);
	}
}
