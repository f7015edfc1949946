/** @import { Fetched, Item, PageToRead, ReadPage } from '../parts/types' */

const { resolvedAddress, samePath } = require('./shared/address');

/**
 * @param {{ pages: PageToRead[], read: ReadPage[], readNoindex?: boolean }} inputs
 * @returns {Item<Fetched>[]}
 */
module.exports = ({ pages, read, readNoindex }) => {
	// One item per page: `text`, `gone`, `problem` if this version cannot be read, or `error` if it could not be now.
	return pages.map((page, at) => ({ json: { id: page.id, ...result(page, read[at] ?? {}) } }));

	/**
	 * @param {PageToRead} page
	 * @param {ReadPage} read
	 * @returns {Partial<Fetched>}
	 */
	function result(page, { text, title, canonical, robots, password, megabytes, error }) {
		const { id, isMissing, status, type, to } = page;
		if (page.error !== undefined) return { error: page.error };
		if (to) return redirect(String(id), to, status);
		// It redirects to the same page, for example with a slash at its end, so it is still there.
		if (isMissing && status >= 300 && status < 400) return { text: '' };
		if (status === 404 || status === 410) return { gone: true };
		if (status === 401 || status === 403) {
			return {
				error: `the website refuses it with status ${status}: does it need a sign-in?`,
			};
		}
		if (status < 200 || status > 299)
			return { error: `the website answers with status ${status}` };
		const isHtml = /html/i.test(type) || (type === '' && /<html/i.test(page.data));
		if (!isHtml && isMissing) return { text: '' };
		if (!isHtml) {
			return {
				problem: `is no HTML page, only ${type || 'a file of an unknown kind'}: add a part of its address to exclude in 'Settings'`,
			};
		}
		const rules = `${page.robots},${String(robots ?? '')}`;
		// `max-image-preview:none` is another rule, and `otherbot: noindex` is for one crawler.
		const isNoindex = /(?<!:\s*)\b(?:noindex|none)\b/i.test(rules);
		if (isNoindex && !readNoindex) return { gone: true };
		// A canonical address that is neither complete nor begins with a slash is a mistake.
		const original = /^(?:https?:)?\//i.test(String(canonical))
			? resolvedAddress(String(canonical), String(id))
			: String(id);
		// Canonical addresses have no parameters of campaigns, and a copy of a website names the original's host.
		if (!samePath(original, String(id), false)) return { gone: true };
		if (error || typeof text !== 'string')
			return { error: error ?? 'its HTML could not be read' };
		if (megabytes && !isMissing) {
			return {
				problem: `has ${megabytes.toFixed(1)} MB of HTML, and n8n would stand still while it converts more than 2 MB: add a part of its address to exclude in 'Settings'`,
			};
		}
		const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
		if (password && letters < 500) return { error: 'it is a sign-in page' };
		if (letters < 20 && !isMissing) {
			return {
				problem: `has no text (${letters} letters): if it needs JavaScript, it cannot be read; otherwise, change the selectors in 'Main Part'`,
			};
		}
		const name = String(title ?? '').trim();
		return name ? { text, name } : { text };
	}

	/**
	 * @param {string} id
	 * @param {string} to
	 * @param {number} status
	 * @returns {Partial<Fetched>}
	 */
	function redirect(id, to, status) {
		const path = id.replace(/^https?:\/\/[^/?#]*/i, '');
		const query = to.split('?')[1] ?? '';
		const isReturnedTo =
			path.length > 1 &&
			[path, encodeURIComponent(path)].some((each) => query.includes(each));
		const isSignIn = isReturnedTo || /\b(?:log-?in|sign-?in|sso|oauth2?|auth)\b/i.test(to);
		if (isSignIn) return { error: `it redirects to ${to}, which seems to be a sign-in page` };
		if (status === 301 || status === 308) return { gone: true };
		return { error: `it redirects to ${to} for now (status ${status})` };
	}
};
