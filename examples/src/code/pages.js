/** @import { ApiPlace, Item } from '../parts/types' */

const { htmlText } = require('./shared/html-text');

/**
 * @param {{ responses: { body: unknown, headers?: unknown }[], place: ApiPlace }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ responses, place }) => {
	// One item per entry of all pages. If a page is missing, nothing is changed, because documents that are missing from
	// the list are deleted.
	const lists = responses.map((response, at) => {
		const shown = String(JSON.stringify(response.body)).slice(0, 100);
		if (read(response, 'body.success') === false) {
			throw new Error(
				`Nothing was changed: page ${at + 1} of the API says that it has failed: ${shown}.`,
			);
		}
		const list = read(response, place.list);
		if (Array.isArray(list)) return list;
		const isBelow = Array.isArray(read(response, `body.${place.list}`));
		const advice = isBelow ? `'body.${place.list}'` : 'the place of the list';
		throw new Error(
			`Nothing was changed: page ${at + 1} of the API has no list at '${place.list}', only ${shown}: enter ${advice} in the node 'Where the List Is'.`,
		);
	});

	/** @type {Map<string, number>} */
	const seen = new Map();
	for (const [at, list] of lists.entries()) {
		if (list.length === 0) continue;
		const page = JSON.stringify(list);
		const earlier = seen.get(page);
		if (earlier !== undefined) {
			throw new Error(
				`Nothing was changed: page ${at + 1} of the API is the same as page ${earlier + 1}.`,
			);
		}
		seen.set(page, at);
	}

	const entries = lists.flat();
	if (place.total) {
		const totals = responses
			.map((response) => numberIn(read(response, place.total)))
			.filter((total) => total >= 0);
		if (totals.length === 0) {
			throw new Error(
				`Nothing was changed: the API returns no number at '${place.total}': enter the place of the total in the node 'Where the List Is', or leave it empty.`,
			);
		}
		const total = totals.reduce((most, each) => (each > most ? each : most));
		const count = new Set(entries.map((entry) => JSON.stringify(entry))).size;
		if (count < total) {
			throw new Error(
				`Nothing was changed: the API has ${total} entries according to '${place.total}', but only ${count} different entries arrived.`,
			);
		}
	}
	const kept = entries.filter((entry) => !place.leaveOut || !read(entry, place.leaveOut));
	return kept.map((entry) => {
		const [id, name, link, body] = [place.id, place.name, place.link, place.text].map((path) =>
			path ? read(entry, path) : undefined,
		);
		const text = place.isHtml && typeof body === 'string' ? htmlText(body) : body;
		const isPath = typeof link === 'string' && link.startsWith('/');
		const isHtmlName = place.isHtmlName && typeof name === 'string';
		const title = isHtmlName ? htmlText(name).replace(/\s+/g, ' ') : name;
		return { json: { id, name: title, url: isPath ? place.site + link : link, text } };
	});

	/**
	 * Returns what a path such as `body.data.items` leads to.
	 * @param {unknown} value
	 * @param {string} path
	 * @returns {unknown}
	 */
	function read(value, path) {
		return path.split('.').reduce((part, name) => Object(part)[name], value);
	}

	/**
	 * A total may be written as 1,234 or 1.234.
	 * @param {unknown} value
	 */
	function numberIn(value) {
		const text = String(value ?? '').trim();
		const isGrouped =
			typeof value === 'string' && /^\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+$/.test(text);
		const digits = isGrouped ? text.replace(/\D/g, '') : text;
		return /^\d+$/.test(digits) ? Number(digits) : -1;
	}
};
