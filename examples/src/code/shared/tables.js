module.exports = { tableText, shownCell };

/**
 * Writes each row as `Name: Ladder; Price: 79`, because a chunk may begin in the middle of the table. The names are in
 * the first row with more than one cell: a single cell above it is a title.
 * @param {unknown[][]} rows
 */
function tableText(rows) {
	const all = rows
		.map((row) => Object.entries(row).map(([at, cell]) => ({ at, text: shownCell(cell) })))
		.map((row) => row.filter(({ text }) => text !== ''))
		.filter((row) => row.length > 0);
	const first = all.findIndex((row) => row.length > 1);
	const titles = all.slice(0, first < 0 ? 1 : first);
	const header = first < 0 ? titles.pop() : all[first];
	const others = all.slice(first < 0 ? 1 : first + 1);
	const lines = titles.map(([{ text }]) => text);
	if (!header) return lines.join('\n\n');
	if (others.length === 0) lines.push(header.map(({ text }) => text).join('; '));
	const names = new Map(header.map(({ at, text }) => [at, text]));
	for (const row of others) {
		const cells = row.map(({ at, text }) => {
			const name = names.get(at);
			return name ? `${name}: ${text}` : text;
		});
		lines.push(cells.join('; '));
	}
	return lines.join('\n\n');
}

/** @param {unknown} cell */
function shownCell(cell) {
	return String(cell ?? '').trim();
}
