/** @import { Item, Sitemap, WebsiteSettings } from '../parts/types' */

const { includesPart, normalAddress } = require('./shared/address');
const { chosenFields } = require('./shared/fields');
const { versionOfSelectors } = require('./shared/selectors');

/**
 * @param {{ sitemaps: Sitemap[], settings: WebsiteSettings, now: Date }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ sitemaps, settings, now }) => {
	// One item per page. A page with `skipped` is only counted. The version also changes every 30 days, on another day
	// for each page, because lastmod may be missing or wrong.
	const days = settings.daysUntilReread;
	const today = Math.floor(now.getTime() / 86_400_000);
	// If these settings change, all pages are read again. Only what is not empty counts, so an update changes no version.
	const choices = [versionOfSelectors(settings)];
	// Fetched reads these fields. A name that is none of them is an error before anything is done.
	chosenFields({ lang: '', description: '', section: '' }, settings.fields);
	for (const name of ['fields', 'nameSuffix']) {
		const chosen = String(Object(settings)[name] ?? '').trim();
		choices.push(chosen && `/${name}=${chosen}`);
	}
	const rules = (settings.readNoindex ? '/noindex' : '') + choices.join('');
	const parts = settings.exclude.split(',').map((part) => part.trim());
	const excluded = parts.filter((part) => part !== '');
	// Two spellings of one address are one page.
	/** @type {Map<string, { url: string, lastmod: string }>} */
	const pages = new Map();
	// If there is only one page, the XML node returns an object in place of a list.
	for (const page of sitemaps.flatMap(({ urlset }) => Object(urlset).url ?? [])) {
		const url = text(page.loc).replace(/#.*$/, '');
		const lastmod = text(page.lastmod);
		const address = normalAddress(url);
		const other = pages.get(address) ?? { url, lastmod };
		const last = other.lastmod > lastmod ? other.lastmod : lastmod;
		pages.set(address, { url: other.url, lastmod: last });
	}
	return [...pages.values()].map(({ url, lastmod }) => {
		const skipped = kindToSkip(url);
		if (skipped) return { json: { id: url, skipped } };
		const version = `${lastmod}/${Math.floor((today + numberOf(url)) / days)}${rules}`;
		return { json: { id: url, name: url, url, version } };
	});

	/** @param {unknown} value */
	function text(value) {
		// An element with attributes has its text in `_`.
		return String(Object(value)._ ?? value ?? '').trim();
	}

	/** @param {string} url */
	function kindToSkip(url) {
		if (!/^https?:\/\/[^\s/]/i.test(url)) return 'entries without an address';
		return excluded.some((part) => includesPart(url, part)) ? 'excluded' : '';
	}

	/** @param {string} url */
	function numberOf(url) {
		let number = 0;
		for (const letter of url) number = (number * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
		return number;
	}
};
