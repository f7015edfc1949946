/** @import { Fetched, Item, PageEntry, PageResponse, PageToRead, WebsiteSettings } from '../parts/types' */

const { resolvedAddress, samePath } = require('./shared/address');
const { chosenFields } = require('./shared/fields');
const { readHtml } = require('./shared/html-text');
const { isAround, namedOriginal, originalToAsk } = require('./shared/original');
const { pageToRead } = require('./shared/page-to-read');

/**
 * @param {{
 *   pages: PageToRead[],
 *   settings: Partial<WebsiteSettings>,
 *   listed: string,
 *   originals: PageEntry[],
 *   responses: PageResponse[],
 *   bytes: (Buffer | undefined)[],
 * }} inputs
 * @returns {Item<Fetched>[]}
 */
module.exports = ({ pages, settings, listed, originals, responses, bytes }) => {
	// One item per page: `text`, `gone`, `problem` if this version cannot be read, `error` if it could not be now, or
	// `refused` if it is missing from the sitemap, and the website shows it to nobody who has not signed in.
	const places = new Set(listed.split(' '));
	/** @type {Map<unknown, PageToRead>} */
	const asked = new Map();
	for (const [at, entry] of originals.entries()) {
		const response = responses[at] ?? { error: 'was not requested' };
		const { location = '' } = Object(response.headers);
		const to = location && resolvedAddress(String(location), String(entry.id));
		asked.set(entry.id, pageToRead(entry, response, bytes[pages.length + at], to));
	}
	return pages.map((page) => ({ json: { id: page.id, ...result(page) } }));

	/**
	 * @param {PageToRead} page
	 * @returns {Partial<Fetched>}
	 */
	function result(page) {
		const found = answer(page);
		const isRefused = page.isMissing && found.isSignIn;
		const { isSignIn: _, ...others } = found;
		return isRefused ? { refused: found.error } : others;
	}

	/**
	 * @param {PageToRead} page
	 * @param {boolean} [isOriginal] whether other pages name this one as their original
	 * @returns {Partial<Fetched> & { isSignIn?: boolean }}
	 */
	function answer(page, isOriginal) {
		const { id, isMissing, status, type, to } = page;
		// Whether it is still there does not matter: its delete counts under the limits.
		if (page.isExcluded) return { text: '' };
		if (page.error !== undefined) return { error: page.error };
		if (to) return redirect(String(id), to, status);
		// It redirects to the same page, for example with a slash at its end, so it is still there.
		if (isMissing && status >= 300 && status < 400) return { text: '' };
		if (status === 404 || status === 410) return { gone: `status ${status}` };
		if (status === 401 || status === 403) {
			return signIn(`the website refuses it with status ${status}: does it need a sign-in?`);
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
		if (page.problem) return isMissing ? { text: '' } : { problem: page.problem };
		const read = readHtml(page.data, settings);
		const { text, letters, title, password } = read;
		const base = resolvedAddress(read.base, String(id));
		const other = refreshed(read.refresh, base);
		if (other && !samePath(other, String(id), true)) return redirect(String(id), other, 301);
		// The strictest of all rules counts.
		const rules = `${page.robots},${read.robots}`;
		// `max-image-preview:none` is another rule, and `otherbot: noindex` is for one crawler.
		const isNoindex = /(?<!:\s*)\b(?:noindex|none)\b/i.test(rules);
		if (isNoindex && !settings.readNoindex) return { gone: 'noindex' };
		const original = namedOriginal(read, String(id));
		if (original) {
			const gone = { gone: `canonical address: ${original}` };
			// Its text is not pushed anyway, or an original is itself a copy.
			if (isMissing || isOriginal) return gone;
			const found = originalOf(String(id), original, text);
			if (found.isRight) return gone;
			if (found.error) return { error: found.error };
		}
		if (password && letters < 500) return signIn('it is a sign-in page');
		if (letters < 20 && !isMissing) {
			return {
				problem: `has no text (${letters} letters): if it needs JavaScript, it cannot be read; otherwise, enter its part in mainPart in 'Settings'`,
			};
		}
		const [, heading = ''] = /^# (.*)/m.exec(text) ?? [];
		if (letters < 300 && isNotFound(heading) && !isMissing) {
			return {
				problem: `says '${heading}', but its status is ${status}: remove it from the sitemap`,
			};
		}
		const name = withoutSuffix(title);
		const fields = chosenFields(
			{
				lang: read.lang.trim(),
				description: read.description,
				section: sectionOf(String(id)),
			},
			settings.fields,
		);
		return { text, ...(name && { name }), ...(Object.keys(fields).length > 0 && { fields }) };
	}

	/**
	 * Whether the text of a page is not lost if only its original is indexed. The original must be in the list, and readable.
	 * Many websites name their start page in all pages by mistake.
	 * @param {string} id
	 * @param {string} original
	 * @param {string} text
	 * @returns {{ isRight?: boolean, error?: string }}
	 */
	function originalOf(id, original, text) {
		const page = asked.get(originalToAsk(original, id, places));
		if (!page) return {};
		if (page.error !== undefined || page.status === 429 || page.status >= 500) {
			const why =
				page.error === undefined ? `answers with status ${page.status}` : 'does not answer';
			return { error: `it names ${original} as its canonical address, which ${why} now` };
		}
		// It redirects to itself, for example with a slash at its end.
		if (page.status >= 300 && page.status < 400 && !page.to) return { isRight: true };
		const found = answer(page, true);
		if (found.text === undefined) return {};
		return { isRight: !isAround(original, id) || isCopy(text, String(found.text)) };
	}

	/**
	 * Whether most of a text stands in another one, line by line.
	 * @param {string} text
	 * @param {string} other
	 */
	function isCopy(text, other) {
		const there = new Set(other.split('\n'));
		const rest = text.split('\n').filter((line) => !there.has(line));
		return rest.join('').length < text.length / 2;
	}

	/**
	 * The name of the website often follows the name of the page.
	 * @param {string} title
	 */
	function withoutSuffix(title) {
		const suffix = String(settings.nameSuffix ?? '').trim();
		const name = suffix && title.endsWith(suffix) ? title.slice(0, -suffix.length).trim() : '';
		return name || title;
	}

	/**
	 * The first part of the path, if it is not the page itself.
	 * @param {string} url
	 */
	function sectionOf(url) {
		const [, part = ''] = /^https?:\/\/[^/?#]*\/([^/?#]+)\/[^/?#]/i.exec(url) ?? [];
		try {
			return decodeURIComponent(part);
		} catch {
			return part; // no UTF-8
		}
	}

	/**
	 * Whether a heading says in one of the usual ways that there is no such page.
	 * @param {string} heading
	 */
	function isNotFound(heading) {
		const words = [
			'(?:the |this |that )?page (?:was |is |could )?not (?:be )?found',
			"(?:the |this |that )?page (?:can[’']?t|cannot) be found",
			"(?:the |this |that )?(?:requested )?page (?:does not|doesn[’']t) exist",
			'(?:nothing|not) found',
			'(?:die |diese )?seite (?:wurde |konnte )?(?:leider )?nicht gefunden(?: werden)?',
			"(?:cette |la )?page (?:est |non |n[’']a pas été )?(?:trouvée|introuvable)",
			'(?:la |esta )?página no (?:ha sido |fue )?encontrada',
			'pagina (?:non trovata|niet gevonden)',
			'페이지를 찾을 수 없습니다',
			'ページが見つかりません(?:でした)?',
		];
		const before = '(?:(?:error|fehler|erreur)?\\W*404\\W+)?(?:(?:oops|sorry|ups)\\W+)?';
		const found = new RegExp(`^${before}(?:${words.join('|')})\\W*$`, 'iu').test(heading);
		return found || /^(?:error|fehler|erreur)?\W*404\W*$/iu.test(heading);
	}

	/** @param {string} error */
	function signIn(error) {
		return { error, isSignIn: true };
	}

	/**
	 * Where a page goes on its own, within a few seconds.
	 * @param {string} refresh
	 * @param {string} base
	 */
	function refreshed(refresh, base) {
		const [, seconds = '', url = ''] =
			/^\s*(\d*)[\d.]*\s*[;,\s]\s*(?:url\s*=)?\s*["']?([^"']*)/i.exec(refresh) ?? [];
		return url.trim() && Number(seconds) <= 5 ? resolvedAddress(url, base) : '';
	}

	/**
	 * @param {string} id
	 * @param {string} to
	 * @param {number} status
	 * @returns {Partial<Fetched> & { isSignIn?: boolean }}
	 */
	function redirect(id, to, status) {
		const isForGood = status === 301 || status === 308;
		if (isReturnedTo(id, to) || (isForGood ? isSignInPage(id, to) : hasSignInWord(to))) {
			return signIn(`it redirects to ${to}, which seems to be a sign-in page`);
		}
		return isForGood
			? { gone: `moved: ${to}` }
			: { error: `it redirects to ${to} for now (status ${status})` };
	}

	/**
	 * After a sign-in, the website returns to this page.
	 * @param {string} id
	 * @param {string} to
	 */
	function isReturnedTo(id, to) {
		const path = id.replace(/^https?:\/\/[^/?#]*/i, '');
		const query = to.split('?')[1] ?? '';
		const forms = [path, encodeURIComponent(path)];
		return path.length > 1 && forms.some((form) => query.includes(form));
	}

	/** @param {string} to */
	function hasSignInWord(to) {
		return /\b(?:log-?in|sign-?in|sso|oauth2?|auth)\b/i.test(to);
	}

	/**
	 * Pages about signing in move, too: only the host and the last part of the path tell, unless the page had this name.
	 * @param {string} id
	 * @param {string} to
	 */
	function isSignInPage(id, to) {
		const [host, name] = [/^https?:\/\/([^/?#]*)/i, /([^/?#]*)\/?(?:[?#].*)?$/].map(
			(part) => part.exec(to)?.[1] ?? '',
		);
		if (/^(?:log-?in|sign-?in|sso|auth|accounts?|idp?)\./i.test(host) && !id.includes(host)) {
			return true;
		}
		const isSignIn = /^(?:wp-)?(?:log[-_]?in|log[-_]?on|sign[-_]?in|authorize)(?:\.\w+)?$/i;
		return isSignIn.test(name) && !id.replace(/\/$/, '').endsWith(`/${name}`);
	}
};
