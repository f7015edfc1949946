import fc from 'fast-check';

import websiteExample from '../../../examples/src/sync-of-a-website';
import archives from '../../../examples/src/code/archives';
import fetchedPages from '../../../examples/src/code/fetched-pages';
import asOriginals from '../../../examples/src/code/originals';
import pagesToRead from '../../../examples/src/code/pages-to-read';
import { listedPlaces } from '../../../examples/src/code/shared/original';
import sitemapFiles from '../../../examples/src/code/sitemap-files';
import sitemapIndex from '../../../examples/src/code/sitemap-index';
import sitemapTexts from '../../../examples/src/code/sitemap-texts';
import websitePages from '../../../examples/src/code/website-pages';
import type {
	PageEntry,
	PageResponse,
	PageToRead,
	WebsiteSettings,
} from '../../../examples/src/parts/types';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';

const DAY = 86_400_000;

const SITE = 'https://www.example.com';

const settings: WebsiteSettings = {
	...{ exclude: '', daysUntilReread: 30, secondsBetweenRequests: 1, readNoindex: false },
};

const listed = (urls: unknown, { on = 0, given = {} } = {}) =>
	websitePages({
		...{ sitemaps: [{ urlset: { url: urls } }], now: new Date(on * DAY) },
		settings: { ...settings, ...given },
	}).map(({ json }) => json);

/** Returns what Fetched returns if no page is asked for as the original of another one. */
const read = (pages: PageToRead[], given: object) =>
	fetchedPages({
		...{ pages, settings: given, listed: '', originals: [], responses: [], bytes: [] },
	});

describe('fields', () => {
	const html =
		'<html lang="en"><title>Ladders – Toolbarn</title><meta name="Description" content="Safe &amp; light"><main>A ladder is a tool to climb on.</main>';
	const fetched = (given: object, id = `${SITE}/shop%C3%A9/ladder?a=/b/`) => {
		const page = { id, isMissing: false, status: 200, type: 'text/html', data: html };
		return read([{ ...page, robots: '', to: '' }], given)[0].json;
	};

	test('are those that the settings name', () => {
		expect(fetched({ fields: 'lang, description,section' }).fields).toEqual({
			...{ lang: 'en', description: 'Safe & light', section: 'shopé' },
		});
		expect(fetched({})).not.toHaveProperty('fields');
		expect(fetched({ fields: 'section' }, `${SITE}/ladder`)).not.toHaveProperty('fields');
		expect(fetched({ fields: 'section' }, `${SITE}/100%/a`).fields).toEqual({
			section: '100%',
		});
	});

	test('the name ends before the suffix, unless nothing is left', () => {
		expect(fetched({}).name).toBe('Ladders – Toolbarn');
		expect(fetched({ nameSuffix: ' – Toolbarn' }).name).toBe('Ladders');
		expect(fetched({ nameSuffix: ' – Other' }).name).toBe('Ladders – Toolbarn');
		expect(fetched({ nameSuffix: 'Ladders – Toolbarn' }).name).toBe('Ladders – Toolbarn');
	});

	test('each choice reads all pages again, and no choice reads none', () => {
		const version = (given: object) => listed([{ loc: `${SITE}/a` }], { given })[0].version;
		expect(version({ fields: '', nameSuffix: ' ' })).toBe(version({}));
		expect(version({ fields: 'lang' })).not.toBe(version({}));
		expect(version({ nameSuffix: 'T' })).not.toBe(version({}));
		expect(() => version({ fields: 'author' })).toThrow(/no field 'author'/);
	});
});

describe('sitemaps', () => {
	test('every file is tried as an archive, and one that is none is read as it is', () => {
		const plain = { json: { sitemap: 'a' }, binary: { data: { id: 1, fileExtension: 'xml' } } };
		const packed = { json: { sitemap: 'b' }, binary: { data: { id: 2 } } };
		expect(archives({ files: [plain, packed] })).toEqual([
			{ json: { sitemap: 'a' }, binary: { data: { id: 1, fileExtension: 'gz' } } },
			{ json: { sitemap: 'b' }, binary: { data: { id: 2, fileExtension: 'gz' } } },
		]);
		const decompressed = [
			{ json: { error: 'incorrect header check' } },
			{ json: {}, binary: { file_0: { id: 3 } } },
		];
		expect(sitemapFiles({ downloads: [plain, packed], decompressed })).toEqual([
			{ json: { sitemap: 'a' }, binary: { data: { id: 1, fileExtension: 'xml' } } },
			{ json: { sitemap: 'b' }, binary: { data: { id: 3 } } },
		]);
	});

	const texts = (data: unknown, isInIndex = false) => {
		const bytes = data === undefined ? data : Buffer.from(data as string).toString('base64');
		return sitemapTexts({ texts: [{ data: bytes }], urls: ['https://a/s.xml'], isInIndex });
	};

	test.each([
		'<ns0:urlset xmlns:ns0="x"><ns0:url><ns0:loc>a</ns0:loc></ns0:url></ns0:urlset>',
		'<sm:sitemapindex xmlns:sm="x"><sm:sitemap><sm:loc>a</sm:loc></sm:sitemap></sm:sitemapindex>',
	])('the elements of a sitemap may have a prefix: %s', (data) => {
		const plain = data.replaceAll(/(<\/?)\w+:/g, '$1');
		expect(texts(data)).toEqual([{ json: { data: plain } }]);
	});

	test('other elements keep their prefix, and a sitemap is decoded once', () => {
		const data = '<urlset xmlns:image="x"><url><loc>/Küçük</loc><image:image/></url></urlset>';
		expect(texts(data)).toEqual([{ json: { data } }]);
		const prolog = '<?xml version="1.0" encoding="iso-8859-1"?>';
		const latin = Buffer.from(`${prolog}<urlset>é</urlset>`, 'latin1');
		expect(texts(latin)[0].json.data).toBe(`${prolog}<urlset>é</urlset>`);
	});

	test.each([
		'<?xml version="1.0"?>\n<urlset xmlns="x"><url/></urlset>\n',
		'\ufeff<urlset></urlset>',
		'<urlset xmlns="x" />',
		'<sitemapindex xmlns="x"><sitemap/></sitemapindex>',
		'<urlset></urlset >\n<!-- Made by a plugin -->\n<!-- in 0.1 s -->',
		'<urlset xmlns="x"/><!-- Made by a plugin -->',
	])('%j is a sitemap', (data) => {
		expect(texts(data)).toEqual([{ json: { data: data.replace('\ufeff', '').trim() } }]);
	});

	test.each<[what: string, data: unknown, isInIndex: boolean, why: RegExp]>([
		['a sign-in page', '<html>Sign in', false, /s\.xml is no sitemap, only '<html>Sign in'/],
		['an empty file', '', false, /is no sitemap, only ''/],
		['nothing', undefined, false, /is no sitemap/],
		['a sitemap that ends early', '<urlset><url><loc>a', false, /was cut off/],
		['one that ends in a comment', '<urlset><url/><!-- a -->', false, /was cut off/],
		['one with a second part', '<urlset></urlset><urlset><url>', false, /was cut off/],
		['an index in an index', '<sitemapindex></sitemapindex>', true, /index .* within an index/],
	])('%s changes nothing', (_what, data, isInIndex, why) => {
		expect(() => texts(data, isInIndex)).toThrow(why);
		expect(() => texts(data, isInIndex)).toThrow(/^Nothing was changed: /);
	});

	test('an index names several sitemaps, one, or none', () => {
		const named = (sitemap: unknown) =>
			sitemapIndex({ indexes: [{ sitemapindex: { sitemap } }] }).map(({ json }) => json);
		expect(named([{ loc: 'a' }, { loc: ' b\n' }, { loc: 'a' }])).toEqual([
			{ sitemap: 'a' },
			{ sitemap: 'b' },
		]);
		expect(named({ loc: 'a' })).toEqual([{ sitemap: 'a' }]);
		expect(() => sitemapIndex({ indexes: [{ sitemapindex: '' }] })).toThrow(/names no sitemap/);
	});
});

describe('Pages of the Website', () => {
	test('several pages, one page, and none', () => {
		const a = { loc: `${SITE}/a`, lastmod: '2026-01-01' };
		expect(listed([a, { loc: ` ${SITE}/b ` }]).map(({ id }) => id)).toEqual([
			`${SITE}/a`,
			`${SITE}/b`,
		]);
		expect(listed(a)).toEqual([
			{
				...{ id: `${SITE}/a`, name: `${SITE}/a`, url: `${SITE}/a` },
				version: expect.stringMatching(/^2026-01-01\/\d+$/) as string,
			},
		]);
		expect(websitePages({ sitemaps: [{ urlset: '' }], settings, now: new Date() })).toEqual([]);
	});

	test('a page in two sitemaps counts once, with its last change, and without its fragment', () => {
		const [page, ...others] = listed([
			{ loc: `${SITE}/a#one`, lastmod: '2026-02-01' },
			{ loc: { _: `${SITE}/a`, lang: 'en' }, lastmod: { _: '2026-01-01' } },
		]);
		expect(others).toEqual([]);
		expect(page).toMatchObject({
			id: `${SITE}/a`,
			version: expect.stringContaining('2026-02-01/') as string,
		});
	});

	test('two spellings of an address are one page, with the first spelling', () => {
		const urls = listed([
			{ loc: `${SITE}/%eb`, lastmod: '2026-01-01' },
			{ loc: `${SITE}:443/%EB`, lastmod: '2026-02-01' },
			{ loc: `${SITE}/b` },
		]);
		expect(urls.map(({ id, version }) => [id, String(version).split('/')[0]])).toEqual([
			[`${SITE}/%eb`, '2026-02-01'],
			[`${SITE}/b`, ''],
		]);
	});

	test('a part to exclude may be spelled in another way', () => {
		const urls = [{ loc: `${SITE}/%eb%b3%b4/x` }, { loc: `${SITE}/%EB%B3%B4/y` }];
		const given = { exclude: '/보/' };
		expect(listed(urls, { given }).map(({ skipped }) => skipped)).toEqual([
			'excluded',
			'excluded',
		]);
	});

	test('excluded pages and entries without an address are counted', () => {
		const pages = [{ loc: `${SITE}/tag/x` }, { loc: '/relative' }, {}, { loc: `${SITE}/a` }];
		expect(
			listed(pages, { given: { exclude: ' /tag/, ' } }).map(({ skipped }) => skipped),
		).toEqual([
			'excluded',
			'entries without an address',
			'entries without an address',
			undefined,
		]);
	});

	test('a page is read again every 30 days, and the pages on different days', () => {
		const urls = Array.from({ length: 300 }, (_, number) => ({ loc: `${SITE}/${number}` }));
		const versions = Array.from({ length: 61 }, (_, on) =>
			listed(urls, { on: on + 20_000 }).map(({ version }) => version),
		);
		const changes = urls.map((_, at) =>
			Array.from({ length: 60 }, (__, on) => on).filter(
				(on) => versions[on][at] !== versions[on + 1][at],
			),
		);
		expect(
			changes.every(([first, second, ...more]) => second - first === 30 && !more.length),
		).toBe(true);
		const onDay = Array.from(
			{ length: 30 },
			(_, day) => changes.filter(([first]) => first === day).length,
		);
		expect(Math.min(...onDay)).toBeGreaterThan(0);
		expect(Math.max(...onDay)).toBeLessThan(30);
	});

	test('all pages are read again if pages with noindex are to be read', () => {
		const [before] = listed({ loc: `${SITE}/a` });
		const [after] = listed({ loc: `${SITE}/a` }, { given: { readNoindex: true } });
		expect(after.version).not.toBe(before.version);
	});

	test('all pages are read again if the part to read changes, and an update changes nothing', () => {
		const versionOf = (given: object) => listed({ loc: `${SITE}/a` }, { given })[0].version;
		const before = versionOf({});
		expect(versionOf({ mainPart: '', leaveOut: ' ' })).toBe(before);
		const after = [{ mainPart: 'p' }, { leaveOut: 'p' }, { mainPart: '#p' }].map(versionOf);
		expect(new Set([before, ...after]).size).toBe(4);
		expect(() => versionOf({ leaveOut: 'a > b' })).toThrow(/'a > b' is no selector/);
	});
});

test('n8n guesses no encoding: each response of the website is a file', () => {
	const requests = websiteExample.nodes.filter(({ type }) => type.endsWith('.httpRequest'));
	expect(requests.map(({ name }) => name)).toEqual(
		expect.arrayContaining([
			'Get Sitemaps',
			'Get Pages',
			'Get Redirected Pages',
			'Get Originals',
		]),
	);
	for (const { parameters } of requests) {
		expect(parameters).toHaveProperty('options.response.response.responseFormat', 'file');
	}
});

/** A response with its body. */
type Answer = PageResponse & { data?: string | Buffer };

/** Returns the pages to read of responses with bodies, as n8n's nodes return them. */
const toRead = ({
	responses,
	redirected,
	...others
}: {
	entries: PageEntry[];
	responses: Answer[];
	redirected: Answer[];
}) =>
	pagesToRead({
		...{ responses, redirected, ...others },
		bytes: [...responses, ...redirected].map(({ data }) =>
			data === undefined ? undefined : Buffer.from(data),
		),
	});

const ok = (data: string | Buffer, headers: object = {}): Answer => ({
	...{ statusCode: 200, data },
	headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
});

const redirect = (location: string, statusCode = 301): Answer => ({
	...{ statusCode, headers: { location, 'content-type': 'text/html' }, data: '' },
});

describe('Pages to Read', () => {
	const page = (response: Answer, redirected: Answer[] = [], isMissing = false) =>
		toRead({
			...{ entries: [{ id: `${SITE}/a/b`, isMissing }], responses: [response], redirected },
		})[0].json;

	test('a page has its HTML, its media type and its rules for robots', () => {
		expect(page(ok('<p>A</p>', { 'x-robots-tag': 'noindex' }))).toMatchObject({
			...{ id: `${SITE}/a/b`, status: 200, type: 'text/html', data: '<p>A</p>' },
			...{ robots: 'noindex', to: '' },
		});
		expect(page({ error: 'no answer' })).toMatchObject({ error: 'no answer', data: '' });
	});

	test.each([
		'http://www.example.com/a/b/',
		'https://example.com/a/b/index.html',
		'/a/b/',
		'//example.org/a/b',
		'b/',
		'/%61/b',
		'../a/./b',
	])('a redirect to %s leads to the same page', (location) => {
		expect(page(redirect(location), [ok('there')])).toMatchObject({
			...{ status: 200, data: 'there', to: '' },
		});
	});

	test.each([
		['/', `${SITE}/`],
		['c', `${SITE}/a/c`],
		['/a/b?x=1', `${SITE}/a/b?x=1`],
		['//login.example.com/', 'https://login.example.com/'],
		['https://example.com/a', 'https://example.com/a'],
	])('a redirect to %s leads to %s, another page', (location, to) => {
		expect(page(redirect(location), [ok('there')])).toMatchObject({ status: 301, to });
	});

	test('a page is decoded as its header says, and what is no text is not', () => {
		const latin = Buffer.from('<p>Käse «\u00a0Ü\u00a0»</p>', 'latin1');
		const header = { 'content-type': 'TEXT/HTML; charset=iso-8859-1' };
		expect(page(ok(latin, header))).toMatchObject({ data: '<p>Käse «\u00a0Ü\u00a0»</p>' });
		expect(page(ok('<p>«\u00a0prolongé\u00a0» Küçük</p>'))).toMatchObject({
			data: '<p>«\u00a0prolongé\u00a0» Küçük</p>',
		});
		const picture = ok(Buffer.from([0x89, 0x50, 0]), { 'content-type': 'image/png' });
		expect(page(picture)).toMatchObject({ type: 'image/png', data: '' });
		expect(page(redirect('/a/b/'), [ok(latin, header)])).toMatchObject({
			data: expect.stringContaining('Käse') as string,
		});
	});

	test('an excluded page was not asked for, and the others keep their order', () => {
		const entries = ['a', 'b', 'c'].map((name, at) => ({
			...{ id: `${SITE}/${name}`, isMissing: at === 1, isExcluded: at === 1 },
		}));
		const responses = [ok('A'), ok('C')];
		const pages = toRead({ entries, responses, redirected: [] });
		expect(pages.map(({ json }) => json.data)).toEqual(['A', '', 'C']);
		expect(isIncluded(entries[0])).toBe(true);
		expect(isIncluded(entries[1])).toBe(false);
	});

	test('the redirect of a missing page is not followed, and the others keep their order', () => {
		const pages = toRead({
			entries: ['a', 'b', 'c'].map((name, at) => ({
				id: `${SITE}/${name}`,
				isMissing: at === 0,
			})),
			responses: [redirect('/a/'), redirect('/b/'), redirect('/c/')],
			redirected: [ok('B'), ok('C')],
		});
		expect(pages.map(({ json }) => [json.data, json.to])).toEqual([
			['', ''],
			['B', ''],
			['C', ''],
		]);
	});
});

/** Where a page redirects to. */
const SAME_PAGE: Record<string, (id: string) => string> = {
	'to itself with a slash': (id) => `${id}/`,
	'to itself on another host': (id) => id.replace('www.', ''),
	'to itself with a relative address': (id) => `${id.split('/').at(-1)}/index.html`,
};
const OTHER_PAGE: Record<string, (id: string) => string> = {
	'to another page': (id) => `${id}-2`,
	'to another page with a relative address': () => '../',
};
const REDIRECTS = { ...SAME_PAGE, ...OTHER_PAGE };
const OTHERS: Record<string, (id: string) => Answer> = {
	'no redirect': (id) => ok(`first: ${id}`),
	'not modified': () => ({ statusCode: 304, headers: {}, data: '' }),
	'no answer': (id) => ({ error: `first: ${id}` }),
};

/** Whether the example asks the website for the page. */
function isIncluded(entry: PageEntry): boolean {
	const filter = websiteExample.nodes.find(({ name }) => name === 'Is Included');
	const [, condition = ''] = /\{\{ (.*?) \}\}/.exec(JSON.stringify(filter?.parameters)) ?? [];
	return (new Function('$json', `return Boolean(${condition})`) as (json: object) => boolean)(
		entry,
	);
}

/** Whether the example gets the page again and follows its redirect. */
function isPassed(entry: PageEntry, response: PageResponse): boolean {
	const filter = websiteExample.nodes.find(({ name }) => name === 'Is Redirected');
	const [, condition = ''] = /\{\{ (.*?) \}\}/.exec(JSON.stringify(filter?.parameters)) ?? [];
	const passes = new Function('$json', '$', `return Boolean(${condition})`) as (
		json: PageResponse,
		node: () => object,
	) => boolean;
	return passes(response, () => ({ item: { json: entry } }));
}

test('in any batch of pages to read, each page has its own response', () => {
	const variations = new Variations();
	const anyPage = fc.record({
		kind: fc.constantFrom(...Object.keys({ ...REDIRECTS, ...OTHERS })),
		isMissing: fc.boolean(),
		isReached: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.array(anyPage, { maxLength: 8 }), (batch) => {
			const answers = batch.map(({ kind, isMissing, isReached }, at) => {
				const id = `${SITE}/${at}`;
				const location = REDIRECTS[kind]?.(id);
				return {
					kind,
					entry: { id, isMissing },
					first: location === undefined ? OTHERS[kind](id) : redirect(location),
					followed: isReached ? ok(`followed: ${id}`) : { error: `followed: ${id}` },
				};
			});
			// n8n's nodes return the responses in the order of the pages.
			const redirected = answers.filter(({ entry, first }) => isPassed(entry, first));
			const pages = toRead({
				entries: answers.map(({ entry }) => entry),
				responses: answers.map(({ first }) => first),
				redirected: redirected.map(({ followed }) => followed),
			});
			const isFollowed = ({ kind, entry }: (typeof answers)[0]) =>
				kind in SAME_PAGE && !entry.isMissing;
			expect(
				pages.map(({ json: { id, isMissing, status, data, error } }) => [
					id,
					isMissing,
					status,
					data,
					error,
				]),
			).toEqual(
				answers.map((answer) => {
					const { entry, first, followed } = answer;
					const {
						statusCode = 0,
						data = '',
						error,
					}: Answer = isFollowed(answer) ? followed : first;
					return [entry.id, entry.isMissing, statusCode, data, error];
				}),
			);
			expect(pages.map(({ json }) => json.to !== '')).toEqual(
				answers.map(({ kind }) => kind in OTHER_PAGE),
			);
			const lastFollowed = answers.findLastIndex(isFollowed);
			const before = answers.slice(0, Math.max(0, lastFollowed));
			variations.note({
				...occurring(Object.keys({ ...REDIRECTS, ...OTHERS }), (name) =>
					batch.some(({ kind }) => kind === name),
				),
				'a redirect elsewhere before one that is followed': before.some(
					({ kind, entry }) => kind in OTHER_PAGE && !entry.isMissing,
				),
				'a redirect of a missing page before one that is followed': before.some(
					({ kind, entry }) => kind in REDIRECTS && entry.isMissing,
				),
				'two redirects that are followed': before.some(isFollowed),
				'no page': batch.length === 0,
			});
		}),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});

const TEXT = 'These words are long enough for a page.';

/** What a page says. */
interface Said {
	text?: string;
	title?: string;
	canonical?: string;
	robots?: string[];
	refresh?: string;
	base?: string;
	form?: string;
}

const FORM = '<form><input name="user"><input type="password"></form>';

const htmlOf = ({ text = TEXT, title, canonical, robots = [], refresh, base, form = '' }: Said) =>
	[
		...[title === undefined ? '' : `<title>${title}</title>`, base && `<base href="${base}">`],
		canonical === undefined ? '' : `<link rel="canonical" href="${canonical}">`,
		...robots.map((rules) => `<meta name="robots" content="${rules}">`),
		refresh === undefined ? '' : `<meta http-equiv="refresh" content="${refresh}">`,
		text.startsWith('<') ? text : `<main>${text}${form}</main>`,
	].join('');

describe('Fetched', () => {
	const fetched = (page: Partial<PageToRead> = {}, said: Said = {}, given = {}) => {
		const whole = {
			...{ id: `${SITE}/a`, isMissing: false, status: 200, type: 'text/html' },
			...{ data: htmlOf(said), robots: '', to: '' },
			...page,
		};
		const { id, ...result } = read([whole], given)[0].json;
		expect(id).toBe(page.id ?? `${SITE}/a`);
		return result;
	};

	test('a page has its text, and its title as name', () => {
		expect(fetched()).toEqual({ text: TEXT });
		expect(fetched({}, { title: ' A title ' })).toEqual({ text: TEXT, name: 'A title' });
	});

	test('settings choose the part of a page', () => {
		const text = `<p>Menu</p><div id="b"><p>${TEXT}</p><p class="c">C</p></div>`;
		expect(fetched({}, { text }, { mainPart: '#b', leaveOut: '.c' })).toEqual({ text: TEXT });
	});

	test.each<[Partial<PageToRead>, Said]>([
		[{ status: 404 }, {}],
		[{ status: 410 }, {}],
		[{ status: 301, to: `${SITE}/other` }, {}],
		[{ status: 308, to: `${SITE}/` }, {}],
		[{ id: `${SITE}/docs/oauth`, status: 301, to: `${SITE}/guides/oauth` }, {}],
		[{ id: `${SITE}/docs/sso`, status: 308, to: `${SITE}/guides/sso/setup` }, {}],
		[{ status: 301, to: `${SITE}/help/login-problems` }, {}],
		[{ id: `${SITE}/docs/login`, status: 301, to: `${SITE}/guides/login` }, {}],
		[{ robots: 'noindex, nofollow' }, {}],
		[{}, { robots: ['NONE'] }],
		[{}, { robots: ['max-image-preview:large', 'noindex'] }],
		[{}, { robots: ['noindex', 'all'] }],
		[{ isMissing: true }, { canonical: `${SITE}/other` }],
		[{}, { refresh: `0;url=${SITE}/other` }],
		[{}, { refresh: "3; URL='other'" }],
		[{}, { refresh: '0, b', base: '/c/' }],
	])('%j %j says that the page is gone, and why', (page, said) => {
		expect(fetched(page, said)).toEqual({
			gone: expect.stringMatching(
				/^(?:status 4\d\d|moved: https:.*|noindex|canonical address: https:.*)$/,
			) as string,
		});
	});

	test('one noindex is enough, whatever the other place says', () => {
		for (const other of [undefined, '', 'all', 'index, follow', 'noindex']) {
			const robots = other === undefined ? [] : [other];
			expect(fetched({ robots: 'noindex' }, { robots })).toEqual({ gone: 'noindex' });
			expect(fetched({ robots: other ?? '' }, { robots: ['noindex'] })).toEqual({
				gone: 'noindex',
			});
		}
	});

	test.each<[Partial<PageToRead>, Said]>([
		[{}, { canonical: 'http://example.com/a/?utm=1' }],
		[{}, { canonical: '/a' }],
		[{}, { canonical: '/%61' }],
		[{}, { canonical: `${SITE}:443/b/../a` }],
		[{ id: `${SITE}/%eb%b3%b4/` }, { canonical: `${SITE}/%EB%B3%B4/` }],
		[{ id: `${SITE}/o'neil` }, { canonical: '/o%27neil' }],
		[{ id: `${SITE}/café` }, { canonical: '/caf%C3%A9' }],
		[{}, { canonical: '//other.example/a/index.html' }],
		[{}, { canonical: 'a-mistake' }],
		[{}, { robots: ['index, follow'] }],
		[{}, { robots: ['index, max-image-preview:none'] }],
		[{ robots: 'otherbot: noindex' }, {}],
		[{ type: '', data: `<html>${TEXT}` }, {}],
		[{ type: 'application/xhtml+xml' }, {}],
		[{}, { refresh: '300' }],
		[{}, { refresh: '0;url=/a/' }],
		[{}, { refresh: '60;url=/other' }],
		[{}, { text: TEXT.repeat(20), form: FORM }],
		[{}, { text: `<header>${FORM}</header><p>${TEXT}</p>` }],
		[{}, { text: `<h1>Error 404 explained</h1><p>${TEXT}</p>` }],
	])('%j %j is read', (page, said) => {
		expect(fetched(page, said)).toMatchObject({ text: expect.any(String) as string });
	});

	test('pages with noindex are read if the settings say so, and are then never gone', () => {
		const all = { readNoindex: true };
		expect(fetched({ robots: 'noindex' }, {}, all)).toEqual({ text: TEXT });
		expect(fetched({}, { robots: ['none'] }, all)).toEqual({ text: TEXT });
		expect(fetched({ robots: 'noindex', isMissing: true }, {}, all)).toEqual({ text: TEXT });
	});

	test.each<[Partial<PageToRead>, Said, RegExp]>([
		[{ status: 503 }, {}, /answers with status 503/],
		[{ status: 302, to: `${SITE}/other` }, {}, /redirects to .*other for now/],
		[{ error: 'ECONNREFUSED' }, {}, /ECONNREFUSED/],
	])('%j %j could not be read now', (page, said, why) => {
		const error = { error: expect.stringMatching(why) as string };
		expect(fetched(page, said)).toEqual(error);
		expect(fetched({ ...page, isMissing: true }, said)).toEqual(error);
	});

	test.each<[Partial<PageToRead>, Said, RegExp]>([
		[{ status: 401 }, {}, /refuses it with status 401/],
		[{ status: 403 }, {}, /refuses it with status 403/],
		[{ status: 302, to: `${SITE}/help/sso/start` }, {}, /seems to be a sign-in page/],
		[{ status: 301, to: `${SITE}/login` }, {}, /seems to be a sign-in page/],
		[{ status: 301, to: `${SITE}/wp-login.php?x` }, {}, /seems to be a sign-in page/],
		[{ status: 308, to: 'https://login.example.com/' }, {}, /seems to be a sign-in page/],
		[{ status: 301, to: 'https://id.example.com/oauth2/authorize?x' }, {}, /a sign-in page/],
		[{ status: 301, to: `${SITE}/enter?next=%2Fa` }, {}, /seems to be a sign-in page/],
		[{}, { refresh: '0;url=/login' }, /seems to be a sign-in page/],
		[{}, { form: FORM }, /is a sign-in page/],
	])('%j %j needs a sign-in: unreadable, or withheld if it is missing', (page, said, why) => {
		const reason = expect.stringMatching(why) as string;
		expect(fetched(page, said)).toEqual({ error: reason });
		expect(fetched({ ...page, isMissing: true }, said)).toEqual({ refused: reason });
	});

	test('an excluded page counts as missing, whatever the website answers', () => {
		for (const status of [200, 404, 403, 503])
			expect(fetched({ isMissing: true, isExcluded: true, status })).toEqual({ text: '' });
	});

	test('a missing page that redirects to itself is still there', () => {
		expect(fetched({ status: 301, isMissing: true })).toEqual({ text: '' });
	});

	test.each<[Partial<PageToRead>, Said, RegExp]>([
		[{ type: 'application/pdf', data: '' }, {}, /is no HTML page, only application\/pdf/],
		[{}, { text: 'Loading…' }, /has no text \(7 letters\)/],
		[{ problem: 'has bytes that are no text' }, {}, /has bytes that are no text/],
		[{}, { text: '<h1>404 - Page not found</h1><p>Sorry about that.' }, /says '404 - Page not/],
		[{}, { text: '<h1>Seite nicht gefunden!</h1><p>Zur Startseite' }, /says 'Seite nicht/],
		...[
			'Oops! That page can’t be found.',
			'This page could not be found',
			'The requested page does not exist.',
			'Nothing found',
			'404. Diese Seite konnte leider nicht gefunden werden.',
			'Cette page est introuvable',
			'La página no fue encontrada',
		].map((heading): [object, Said, RegExp] => [
			{},
			{ text: `<h1>${heading}</h1><p>It looks like nothing was found at this location.` },
			new RegExp(`^says '${heading.replace(/\W/g, '.')}', but its status is 200`),
		]),
	])('%j %j cannot be read until it changes', (page, said, why) => {
		expect(fetched(page, said)).toEqual({ problem: expect.stringMatching(why) as string });
		expect(fetched({ ...page, isMissing: true }, said)).toEqual({
			text: expect.any(String) as string,
		});
	});

	test.each([
		'What to do if a page is not found',
		'Lost and found',
		'Nothing found in the attic',
	])('a short page with the heading %j may exist', (heading) => {
		const read = fetched({}, { text: `<h1>${heading}</h1><p>These are a few words about it.` });
		expect(read.text).toContain(heading);
	});
});

describe('a page that names another one as its original', () => {
	/** Returns what Fetched says about the first page of a website, whose sitemap has all pages that are not `unlisted`. */
	const fetched = (
		website: Record<string, Said & { answer?: Partial<Answer>; unlisted?: boolean }>,
	) => {
		const answers = new Map(
			Object.entries(website).map(([path, { answer, ...said }]) => [
				SITE + path,
				{ ...ok(htmlOf(said)), ...answer },
			]),
		);
		const paths = Object.keys(website).filter((path) => !website[path].unlisted);
		const listed = listedPlaces(paths.map((path) => SITE + path));
		const [id = ''] = answers.keys();
		const entries = [{ id, isMissing: false }];
		const first = answers.get(id) ?? {};
		const pages = toRead({ entries, responses: [first], redirected: [] });
		const all = pages.map(({ json }) => json);
		const originals = asOriginals({ pages: all, listed }).map(({ json }) => json);
		const responses = originals.map(
			({ id }): Answer => answers.get(id) ?? { error: 'refused' },
		);
		const bodies = responses.map(({ data }) => data && Buffer.from(data));
		const [{ json }] = fetchedPages({
			...{ pages: all, settings: {}, listed, originals, responses },
			bytes: [undefined, ...bodies] as Buffer[],
		});
		return { ...json, asked: originals.map(({ id }) => id.replace(SITE, '')) };
	};
	const copy: Said = { canonical: `${SITE}/b` };
	const long = (word: string) => `${word} is what this page is about, and it says more.`;

	test('is left out if the other one is in the list and can be read', () => {
		const gone = `canonical address: ${SITE}/b`;
		expect(fetched({ '/a': copy, '/b': {} })).toMatchObject({ gone, asked: ['/b'] });
		expect(fetched({ '/a': copy, '/b': { canonical: '/b/' } })).toMatchObject({ gone });
		expect(fetched({ '/a': copy, '/b': { answer: redirect('/b/') } })).toMatchObject({ gone });
		for (const canonical of ['./b', '../b'])
			expect(fetched({ '/a': { canonical }, '/b': {} })).toMatchObject({ gone });
		const other = { canonical: 'http://example.com/b/' };
		expect(fetched({ '/a': other, '/b/': {} })).toMatchObject({ asked: ['/b/'] });
	});

	test.each<[what: string, asked: string[], website: Parameters<typeof fetched>[0]]>([
		['is not in the list', [], { '/a': copy, '/b': { unlisted: true } }],
		['is on another website', [], { '/a': { canonical: 'https://other.example/b' }, '/b': {} }],
		['is gone', ['/b'], { '/a': copy, '/b': { answer: { statusCode: 404 } } }],
		['says noindex', ['/b'], { '/a': copy, '/b': { robots: ['noindex'] } }],
		['has no text', ['/b'], { '/a': copy, '/b': { text: 'B' } }],
		['needs a sign-in', ['/b'], { '/a': copy, '/b': { answer: { statusCode: 403 } } }],
		['moved', ['/b'], { '/a': copy, '/b': { answer: redirect('/c') } }],
		['names this one', ['/b'], { '/a': copy, '/b': { canonical: '/a' } }],
		['names a third one', ['/b'], { '/a': copy, '/b': { canonical: '/c' } }],
		[
			'is the start page with another text',
			['/'],
			{ '/a': { canonical: '/', text: long('A') }, '/': { text: long('Start') } },
		],
		[
			'is a folder around it with another text',
			['/a/'],
			{ '/a/2': { canonical: '/a/', text: long('Two') }, '/a/': { text: long('One') } },
		],
	])('is read if the other one %s', (_what, asked, website) => {
		expect(fetched(website)).toMatchObject({ text: expect.any(String) as string, asked });
	});

	test('is left out if its text is the one of the start page', () => {
		const gone = `canonical address: ${SITE}/`;
		expect(fetched({ '/home': { canonical: '/' }, '/': {} })).toMatchObject({ gone });
	});

	test('waits for the next run if the other one does not answer', () => {
		const error = expect.stringContaining(`names ${SITE}/b as its canonical`) as string;
		for (const answer of [{ error: 'refused' }, { statusCode: 503 }, { statusCode: 429 }]) {
			expect(fetched({ '/a': copy, '/b': { answer } })).toEqual({
				...{ id: `${SITE}/a`, error, asked: ['/b'] },
			});
		}
	});

	test('each original of a batch is asked for once', () => {
		const page = (id: string) => ({
			...{ id: SITE + id, isMissing: id === '/c', status: 200, type: 'text/html' },
			...{ data: htmlOf(copy), robots: '', to: '' },
		});
		const listed = listedPlaces([`${SITE}/b`]);
		expect(asOriginals({ pages: ['/a', '/c', '/d'].map(page), listed })).toEqual([
			{ json: { id: `${SITE}/b`, isMissing: false } },
		]);
		expect(asOriginals({ pages: [page('/c')], listed })).toEqual([]);
	});
});
