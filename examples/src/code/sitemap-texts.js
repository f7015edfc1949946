/** @import { Item } from '../parts/types' */

const { decodedText } = require('./shared/decoded-text');
const { storableText } = require('./shared/storable-text');

/**
 * @param {{ texts: { data?: unknown }[], urls: string[], isInIndex: boolean }} inputs
 * @returns {Item<{ data: string }>[]}
 */
module.exports = ({ texts, urls, isInIndex }) => {
	// If a sitemap cannot be read, nothing is changed, because pages that are missing from it may be deleted.
	return texts.map(({ data }, at) => {
		const decoded = decodedText(Buffer.from(String(data ?? ''), 'base64'), 'text/xml');
		// Some programs give each element a prefix, which is declared for the names of sitemaps.
		const [, prefix] = /<([\w.-]+:)(?:urlset|sitemapindex)[\s/>]/.exec(decoded.text) ?? [];
		const text = (prefix ? withoutPrefix(decoded.text, prefix) : decoded.text).trim();
		const [, root] = /<(urlset|sitemapindex)[\s/>]/.exec(text) ?? [];
		if (!root) {
			throw new Error(
				`Nothing was changed: ${urls[at]} is no sitemap, only '${storableText(text, 100)}'.`,
			);
		}
		if (isInIndex && root === 'sitemapindex') {
			throw new Error(
				`Nothing was changed: ${urls[at]} is an index of sitemaps within an index, which is not allowed. Enter its address in 'Settings'.`,
			);
		}
		// Plugins of WordPress write comments after the end.
		const last = Math.max(text.lastIndexOf(`<${root}`), text.lastIndexOf(`</${root}`));
		if (!/^<(?:\/[^>]*|[^>]*\/)>(?:\s*<!--[\s\S]*?-->)*$/.test(text.slice(last))) {
			throw new Error(`Nothing was changed: the sitemap ${urls[at]} was cut off.`);
		}
		return { json: { data: text } };
	});

	/**
	 * @param {string} xml
	 * @param {string} prefix
	 */
	function withoutPrefix(xml, prefix) {
		return xml.replaceAll(`<${prefix}`, '<').replaceAll(`</${prefix}`, '</');
	}
};
