import { DEMO } from '../../sandbox';
import type { Execution } from '../n8n/execution';
import type { Workflow, WorkflowNode } from '../n8n/workflow';
import type { Page, Website } from '../service/website';
import { startWebsite } from '../service/website';
import type { Cases } from './runs';
import { BY_TIME, checkPlan, counted, inTurn, readExample, result, valueOf } from './runs';
import type { SourcesStage } from './stage';

const EXAMPLE = 'sync-of-a-website';
const PAGES = 8;
const SITEMAPS = ['/sitemap.xml', '/first.xml', '/last.xml.gz'];

/** Returns the cases against a website. */
export const websiteCases = (): Cases =>
	inTurn(async (stage) => await WebsiteCases.start(stage), {
		changes: async (cases) => await cases.changes(),
		'a page that cannot be read': async (cases) => await cases.unreadable(),
		'pages that are gone': async (cases) => await cases.gone(),
		'a sitemap that cannot be read': async (cases) => await cases.badSitemaps(),
		'sign-in pages': async (cases) => await cases.signIn(),
		'more pages than a run may read': async (cases) => await cases.limited(),
		'an internal website': async (cases) => await cases.internal(),
	});

class WebsiteCases {
	/** Each page with a part of the text that the index must contain of it. */
	private readonly expected = new Map<string, string>();

	private changesSoFar = 0;

	private constructor(
		private readonly stage: SourcesStage,
		private readonly website: Website,
		private readonly id: string,
	) {}

	static async start(stage: SourcesStage): Promise<WebsiteCases> {
		const website = await startWebsite(stage.command);
		const workflow = exampleFor(website);
		return new WebsiteCases(stage, website, await stage.publish(workflow));
	}

	async changes(): Promise<void> {
		for (let number = 1; number <= PAGES; number++) this.words(`/page-${number}`);
		this.put('/café', {
			text: 'Der Kaffee kostet übermorgen drei Euro.',
			headers: { 'content-type': 'text/html; charset=iso-8859-1' },
			body: Buffer.from(
				'<main><h2>Café</h2><p>Der Kaffee kostet übermorgen drei Euro.</p></main>',
				'latin1',
			),
		});
		this.put('/table', {
			text: '<h2>Prices</h2><table><tr><th>Size</th><th>Price</th></tr><tr><td>Small ladder</td><td>79 Euro</td></tr></table><p>Prices include taxes.</p>',
		});
		this.expected.set('/table', '| Small ladder | 79 Euro |');
		const leftOut: Record<string, Page> = {
			'/secret': { text: 'This page is not for search engines.', head: robots('noindex') },
			'/copy': { text: 'This page is a copy of another one.', head: canonical('/page-1') },
			'/moved': { status: 301, headers: { location: '/page-1' } },
			'/dead': { status: 404, text: 'This page was not found here.' },
			'/tag/all': { text: 'This is a list of pages with a tag.' },
		};
		for (const [name, page] of Object.entries(leftOut)) this.put(name, page, null);
		// Moved to the same address with a slash, after a page that is moved to another one.
		this.put('/help', { status: 301, headers: { location: '/help/' } }, 'Call us at any time');
		this.website.pages.set('/help/', { text: '<p>Call us at any time of the day.</p>' });
		// Its original is in no sitemap.
		this.put('/orphan', {
			text: 'This page names another one that nobody can find.',
			head: canonical('/nowhere'),
		});
		const all = this.expected.size;

		const asked = this.website.requests.length;
		const plan = await this.plan('before the first run', `new ${all + 4}`);
		this.check(
			'the plan says how many pages would be requested, and requests only the sitemaps',
			JSON.stringify([
				plan.requests,
				plan.secondsAtLeast,
				plan.skipped,
				this.website.requests.slice(asked).sort(),
			]),
			JSON.stringify([
				all + 4,
				Math.round((all + 4) * 0.1),
				{ excluded: 1 },
				[...SITEMAPS].sort(),
			]),
		);
		const first = await this.sync('a first load', `success, pushed ${all}, notIndexed 4`);
		this.check(
			'excluded pages are counted',
			JSON.stringify(result(first).skipped),
			'{"excluded":1}',
		);
		this.check(
			'pages that are left out are counted by their reasons',
			JSON.stringify(Object.entries(Object(result(first).leftOut)).sort()),
			'[["canonical address",1],["moved",1],["noindex",1],["status 404",1]]',
		);
		this.check(
			'a canonical address is asked for if it is in the list',
			['/page-1', '/nowhere'].map((path) => this.requestsOf(path)).join(),
			// By itself, by the redirect of another page, and as an original.
			'3,0',
		);
		const [chunk] = this.chunksOf('/page-2');
		this.check(
			'a chunk has the title and the address of its page, and no navigation',
			`${String(chunk.name)}, ${String(chunk.url)}, ${String(chunk.text).includes('Home')}`,
			`Page /page-2, ${this.website.url}/page-2, false`,
		);
		const before = this.website.requests.length;
		const sent = this.stage.sandbox.requests.length;
		await this.sync('nothing changed', `success, unchanged ${all + 4}`);
		this.check(
			'of an unchanged website, only the sitemaps are requested',
			this.website.requests.slice(before).sort().join(),
			[...SITEMAPS].sort().join(),
		);
		this.check(
			'an unchanged website costs no request to the services',
			String(this.stage.sandbox.requests.length - sent),
			'0',
		);
		this.words('/page-3', 'Page three says something else now.');
		await this.plan('with one changed', `changed 1, unchanged ${all + 3}`);
		await this.sync('one changed', `success, pushed 1, unchanged ${all + 3}`);
	}

	async unreadable(): Promise<void> {
		const known = this.listed();
		this.words('/page-4', 'Page four has a new text for its readers.', false);
		this.website.faults.set('/page-4', { status: 503, text: 'Try again later, please.' });
		const counts = `error, unchanged ${known - 1}, unreadable 1`;
		await this.sync('one answers with 503', counts, 'answers with status 503');
		await this.sync('still 503', counts, 'answers with status 503');
		this.website.faults.clear();
		this.expected.set('/page-4', 'Page four has a new text for its readers.');
		await this.sync('readable again', `success, pushed 1, unchanged ${known - 1}`);

		this.put('/page-4', { text: '<div id="app"></div>' }, null);
		this.expected.set('/page-4', 'Page four has a new text for its readers.');
		const empty = `error, unchanged ${known - 1}, unreadable 1`;
		await this.sync('one without text', empty, 'has no text (0 letters)');
		const before = this.website.requests.length;
		await this.sync('still without text', empty, 'has no text (0 letters)');
		this.check(
			'a page without text is not read again',
			String(this.website.requests.slice(before).includes('/page-4')),
			'false',
		);
		this.words('/page-4');
		await this.sync('with text again', `success, pushed 1, unchanged ${known - 1}`);
	}

	async gone(): Promise<void> {
		const { pages, faults } = this.website;
		pages.delete('/page-5');
		this.expected.delete('/page-5');
		await this.plan('with one missing', `missing 1, unchanged ${this.listed()}`);
		await this.sync('one missing and 404', `success, deleted 1, unchanged ${this.listed()}`);

		pages.set('/page-6', { ...pages.get('/page-6'), lastmod: undefined });
		faults.set('/page-6', { status: 503 });
		await this.sync(
			'one missing and 503',
			`error, unchanged ${this.listed()}, unreadable 1`,
			'answers with status 503',
		);
		faults.set('/page-6', { status: 301, headers: { location: '/page-1' } });
		this.expected.delete('/page-6');
		await this.sync('one missing and moved', `success, deleted 1, unchanged ${this.listed()}`);
		faults.clear();
	}

	/** A sitemap that is missing, cut off or a page changes nothing. */
	async badSitemaps(): Promise<void> {
		const { faults } = this.website;
		const before = this.website.requests.length;
		faults.set('/first.xml', { status: 404 });
		await this.sync('a sitemap of the index is gone', 'error', 'could not be found');
		faults.set('/first.xml', { text: 'Please sign in.' });
		await this.sync('a page in place of a sitemap', 'error', 'is no sitemap');
		faults.set('/first.xml', { body: '<urlset><url><loc>http://a.example/b' });
		await this.sync('a sitemap that ends early', 'error', 'was cut off');
		faults.clear();
		const asked = this.website.requests.slice(before).filter((one) => !SITEMAPS.includes(one));
		this.check('no page is requested', asked.join(), '');

		// All pages but one are missing, and are still there.
		faults.set('/first.xml', {
			headers: { 'content-type': 'text/xml' },
			body: '<urlset xmlns="x"></urlset>',
		});
		const withheld = this.indexedPages() - 1;
		await this.sync(
			'a sitemap without pages',
			`error, notIndexed 4, unchanged 1, withheld ${withheld}`,
			'would be deleted',
		);
		faults.clear();
		const known = this.listed();
		await this.sync('the sitemap again', `success, notIndexed 4, unchanged ${known - 4}`);
	}

	/** Every page redirects to a sign-in page, or is one. */
	async signIn(): Promise<void> {
		const { faults } = this.website;
		const names = ['/page-1', '/page-2', '/page-3', '/page-4'];
		const known = this.listed();
		const form =
			'<h1>Welcome to our site</h1><form><input name="user"><input type="password"></form>';
		const answers: Array<[string, Page]> = [
			['a redirect', { status: 302, headers: { location: '/login' } }],
			['a form', { text: form }],
			['a text', { text: 'Please identify yourself to read this.' }],
		];
		for (const [what, page] of answers) {
			for (const name of names) this.touch(name);
			faults.set('/page-', page);
			await this.sync(
				`${what} in place of four pages`,
				`error, unchanged ${known - 4}, unreadable 4`,
				'sign-in page',
			);
			faults.clear();
		}
		await this.sync('the pages again', `success, pushed 4, unchanged ${known - 4}`);
	}

	async limited(): Promise<void> {
		const known = this.listed();
		await this.setMostPerRun(3);
		for (const name of ['/page-1', '/page-2', '/page-3', '/page-4', '/page-7'])
			this.touch(name);
		const execution = await this.sync(
			'more than it may read',
			`success, pushed 3, unchanged ${known - 5}`,
		);
		this.check(
			'it says that it is not complete',
			`${String(result(execution).later)}, ${String(result(execution).outcome)}`,
			'2, incomplete: 2 documents wait for a later run',
		);
		const next = await this.sync('the next run', `success, pushed 2, unchanged ${known - 2}`);
		this.check('it is complete', String(result(next).outcome), 'undefined');
		await this.setMostPerRun(1000);
	}

	/** All pages say noindex, and n8n sends a password. */
	async internal(): Promise<void> {
		const { pages, headers, url, hostsWithPassword } = this.website;
		headers['x-robots-tag'] = 'noindex';
		this.expected.set('/secret', 'This page is not for search engines.');
		// The same page on another host, which must not get the password.
		const elsewhere = `${url.replace('127.0.0.1', 'localhost')}/help/`;
		pages.set('/help', {
			...pages.get('/help'),
			status: 301,
			headers: { location: elsewhere },
		});
		await this.addPassword();
		const known = this.listed();
		await this.sync(
			'pages with noindex are read',
			`success, pushed ${known - 3}, notIndexed 3`,
		);
		this.check(
			'another host gets no password',
			[...hostsWithPassword].join(),
			url.replace('http://', ''),
		);

		const hidden = ['/page-1', '/page-2', '/page-3', '/page-4'];
		for (const name of hidden) pages.set(name, { ...pages.get(name), lastmod: undefined });
		await this.sync(
			'pages with noindex are missing from the sitemap, and still there',
			`error, unchanged ${known - 4}, withheld 4`,
			'would be deleted',
		);
	}

	private async addPassword(): Promise<void> {
		const { api } = this.stage.n8n;
		const name = 'Website';
		const data = { user: 'reader', password: 'only for this website' };
		const id = await api.saveCredential({ name, type: 'httpBasicAuth', data });
		const withPassword = (node: WorkflowNode): WorkflowNode => {
			if (node.type !== 'n8n-nodes-base.httpRequest') return node;
			const authentication = 'genericCredentialType';
			const more = { authentication, genericAuthType: 'httpBasicAuth' };
			const parameters = { ...node.parameters, ...more };
			return { ...node, parameters, credentials: { httpBasicAuth: { id, name } } };
		};
		const workflow = exampleFor(this.website, 1000, true);
		const nodes = workflow.nodes.map(withPassword);
		await api.activate(await api.saveWorkflow({ ...workflow, nodes }, this.id));
	}

	private async setMostPerRun(pages: number): Promise<void> {
		const { api } = this.stage.n8n;
		const workflow = exampleFor(this.website, pages);
		await api.activate(await api.saveWorkflow(workflow, this.id));
	}

	private async plan(when: string, counts: string): Promise<Record<string, unknown>> {
		return await checkPlan(this.stage, { id: this.id, name: EXAMPLE }, when, counts);
	}

	/** Runs the sync once, and checks its counts, its error and the index. */
	private async sync(after: string, counts: string, why = ''): Promise<Execution> {
		const execution = await this.stage.n8n.api.runManually(this.id, BY_TIME);
		const seen = counted(execution);
		const { message = '' } = execution;
		this.stage.checks.add(
			`${EXAMPLE}, ${after}: ${counts}`,
			seen === counts && message.includes(why),
			`${seen}; ${message}`,
		);
		const wrong = [...this.expected].filter(
			([name, text]) =>
				!this.chunksOf(name)
					.map((chunk) => String(chunk.text))
					.join(' ')
					.includes(text),
		);
		const strange = this.documents().filter(
			({ parentId }) => !this.expected.has(String(parentId).slice(this.website.url.length)),
		);
		this.stage.checks.add(
			`${EXAMPLE}: the index equals the website after ${after}`,
			wrong.length === 0 && strange.length === 0,
			JSON.stringify([wrong.slice(0, 3), strange.slice(0, 3).map(({ id }) => id)]),
		);
		return execution;
	}

	private documents(): Array<Record<string, unknown>> {
		return this.stage.sandbox
			.documents(DEMO.endpoint)
			.filter(({ id }) => String(id).startsWith(this.website.url));
	}

	private chunksOf(name: string): Array<Record<string, unknown>> {
		return this.documents().filter(({ parentId }) => parentId === this.website.url + name);
	}

	private requestsOf(name: string): number {
		return this.website.requests.filter((path) => path === name).length;
	}

	private indexedPages(): number {
		return new Set(this.documents().map(({ parentId }) => parentId)).size;
	}

	/** Number of pages in the sitemap that are not excluded. */
	private listed(): number {
		const names = [...this.website.pages].filter(([, { lastmod }]) => lastmod);
		return names.filter(([name]) => !name.startsWith('/tag/')).length;
	}

	/** Writes a page with a plain text. */
	private words(
		name: string,
		text = `The page ${name} tells you all about ${name}.`,
		isExpected = true,
	): void {
		const kept = this.expected.get(name);
		this.put(name, { text: `<h1>${name}</h1><p>${text}</p>` }, text);
		if (!isExpected && kept !== undefined) this.expected.set(name, kept);
	}

	/** `text` is what the index must contain of the page. Null means nothing. */
	private put(name: string, page: Page, text: string | null = page.text ?? ''): void {
		this.website.pages.set(name, page);
		this.touch(name);
		if (text === null) this.expected.delete(name);
		else this.expected.set(name, text);
	}

	private touch(name: string): void {
		this.changesSoFar += 1;
		const lastmod = new Date(this.changesSoFar * 86_400_000).toISOString().slice(0, 10);
		this.website.pages.set(name, { ...this.website.pages.get(name), lastmod });
	}

	private check(what: string, seen: string, expected: string): void {
		this.stage.checks.add(`${EXAMPLE}: ${what}`, seen === expected, seen);
	}
}

const robots = (rule: string): string => `<meta name="robots" content="${rule}">`;

const canonical = (href: string): string => `<link rel="canonical" href="${href}">`;

const exampleFor = ({ url }: Website, mostPerRun = 1000, readNoindex = false): Workflow =>
	readExample(EXAMPLE, [
		[valueOf('sitemap'), JSON.stringify(`${url}/sitemap.xml`)],
		[valueOf('exclude'), '"/tag/"'],
		[valueOf('secondsBetweenRequests'), '0.1'],
		[valueOf('mostDeletes'), '3'],
		[valueOf('mostPerRun'), String(mostPerRun)],
		[valueOf('readNoindex'), String(readNoindex)],
	]);
