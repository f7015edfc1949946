/** @import { ApiPlace, Item } from '../parts/types' */

const { resolvedAddress } = require('./shared/address');
const { filledFields } = require('./shared/fields');
const { htmlText } = require('./shared/html-text');
const { storableText } = require('./shared/storable-text');

/**
 * @param {{ responses: { body: unknown, headers?: unknown }[], place: ApiPlace }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ responses, place }) => {
	// One item per entry of all pages. If a page is missing, nothing is changed, because documents that are missing from
	// the list are deleted.
	const lists = responses.map((response, at) => {
		const shown = storableText(String(JSON.stringify(response.body)), 100);
		const list = read(response, place.list);
		const body = Object(response.body);
		if (body.success === false || (Array.isArray(list) && hasFailed(body))) {
			throw new Error(
				`Nothing was changed: page ${at + 1} of the API says that it has failed: ${shown}.`,
			);
		}
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
	const leftOut = place.leaveOut.split(',').map((rule) => rule.trim());
	const kept = entries.filter((entry) => !leftOut.some((rule) => rule && applies(rule, entry)));
	return kept.map((entry) => {
		const [id, name, link, body] = [place.id, place.name, place.link, place.text].map((path) =>
			path ? read(entry, path) : undefined,
		);
		const text = place.isHtml && typeof body === 'string' ? htmlText(body) : body;
		const isPath = typeof link === 'string' && link.startsWith('/');
		// Two slashes begin an address without its scheme.
		const isAddress = isPath && link.startsWith('//');
		const path = isPath ? place.site + link : link;
		const url = isAddress ? resolvedAddress(link, place.site) : path;
		const isHtmlName = place.isHtmlName && typeof name === 'string';
		const title = isHtmlName ? htmlText(name).replace(/\s+/g, ' ') : name;
		const found = Object.entries(place.fields ?? {}).map(([field, path]) => [
			field,
			readAll(entry, path.split('.')),
		]);
		const fields = filledFields(Object.fromEntries(found));
		const hasFields = Object.keys(fields).length > 0;
		return { json: { id, name: title, url, text, ...(hasFields && { fields }) } };
	});

	/**
	 * An API may answer with status 200 and a list that is not complete.
	 * @param {Record<string, unknown>} body
	 */
	function hasFailed(body) {
		const isFalse = ['success', 'ok', 'acknowledged', 'status'].some(
			(name) => body[name] === false,
		);
		const isStatus = ['status', 'statusCode'].some((name) => Number(body[name]) >= 400);
		const isError = ['error', 'errors', 'errorMessage'].some((name) => isFilled(body[name]));
		const isWord = /^(?:error|fail|failed|failure)$/i.test(String(body.status));
		const parts = [
			'timed_out',
			'terminated_early',
			'incomplete_results',
			'is_partial',
			'hasErrors',
		];
		const isPart = isWord || parts.some((name) => body[name] === true);
		const shards = Number(Object(body._shards).failed) > 0;
		return isFalse || isStatus || isError || isPart || shards;
	}

	/**
	 * Whether a value is true or not empty.
	 * @param {unknown} value
	 * @returns {boolean}
	 */
	function isFilled(value) {
		if (typeof value !== 'object' || value === null) return Boolean(value);
		return Object.values(value).some(isFilled);
	}

	/**
	 * @param {string} rule a place, or a place and its value
	 * @param {unknown} entry
	 */
	function applies(rule, entry) {
		const [at, wanted] = rule.split('=').map((part) => part.trim());
		const value = read(entry, at);
		return wanted === undefined ? isFilled(value) : String(value) === wanted;
	}

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
	 * As `read`, but `*` in a path stands for each entry of a list.
	 * @param {unknown} value
	 * @param {string[]} path
	 * @returns {unknown}
	 */
	function readAll(value, path) {
		const star = path.indexOf('*');
		if (star < 0) return read(value, path.join('.'));
		const list = star > 0 ? read(value, path.slice(0, star).join('.')) : value;
		const rest = path.slice(star + 1);
		const all = Array.isArray(list) ? list : [];
		return all
			.flatMap((each) => (rest.length > 0 ? readAll(each, rest) : each))
			.filter((each) => each !== undefined);
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
