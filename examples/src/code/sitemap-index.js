/** @import { Item, Sitemap } from '../parts/types' */

/**
 * @param {{ indexes: Sitemap[] }} inputs
 * @returns {Item<{ sitemap: string }>[]}
 */
module.exports = ({ indexes }) => {
	// One item per sitemap of an index. If there is only one, the XML node returns an object in place of a list.
	const sitemaps = indexes.flatMap(({ sitemapindex }) => Object(sitemapindex).sitemap ?? []);
	const urls = new Set(sitemaps.map(({ loc }) => String(loc ?? '').trim()));
	if (urls.size === 0) {
		throw new Error('Nothing was changed: the index of sitemaps names no sitemap.');
	}
	return [...urls].map((sitemap) => ({ json: { sitemap } }));
};
