/** @import { Item } from '../parts/types' */

/**
 * @param {{ responses: { body: unknown, headers?: unknown }[], place: { list: string, total: string } }} inputs
 * @returns {Item<Record<string, unknown>>[]}
 */
module.exports = ({ responses, place }) => {
	// One item per entry of all pages. If a page is missing, nothing is changed, because documents that are missing from
	// the list are deleted.
	const lists = responses.map((response, at) => {
		const list = read(response, place.list);
		if (Array.isArray(list)) return list;
		const isBelow = Array.isArray(read(response, `body.${place.list}`));
		const advice = isBelow ? `'body.${place.list}'` : 'the place of the list';
		const shown = String(JSON.stringify(response.body)).slice(0, 100);
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
			.map((response) => parseFloat(String(read(response, place.total))))
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
	return entries.map((json) => ({ json }));

	/**
	 * Returns what a path such as `body.data.items` leads to.
	 * @param {unknown} value
	 * @param {string} path
	 * @returns {unknown}
	 */
	function read(value, path) {
		return path.split('.').reduce((part, name) => Object(part)[name], value);
	}
};
