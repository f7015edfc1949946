/** @import { Item, ReadPage, SelectedPage } from '../parts/types' */

/**
 * @param {{ pages: SelectedPage[] }} inputs
 * @returns {Item<ReadPage & { html: string }>[]}
 */
module.exports = ({ pages }) => {
	// The main part of each page, without menus and scripts. The Markdown node keeps menus even if its option Ignored
	// Elements names them.
	const unread = /<!--[\s\S]*?-->|<(nav|noscript|script|style)(?=[\s>])[\s\S]*?<\/\1\s*>/gi;
	return pages.map(({ main, article, body, ...page }) => {
		const html = (main || article || body || '').replace(unread, '');
		// Twice as much HTML takes the Markdown node four times as long, and nothing else runs in n8n meanwhile.
		const megabytes = html.length / 1_000_000;
		return { json: megabytes > 2 ? { ...page, html: '', megabytes } : { ...page, html } };
	});
};
