/** @import { Entry, Item, Known, Row } from '../parts/types' */

/**
 * @param {{ rows: Row[], lock: { id: number, error?: unknown } | null, now: Date, mostRows: number }} inputs
 * @returns {[Item<Known>]}
 */
module.exports = ({ rows, lock, now, mostRows }) => {
	// What have earlier runs pushed? The rows are in the order in which they were written. A run that only shows its plan
	// has no lock.
	// The oldest lock that has not expired belongs to the run that may work.
	const owner = rows.find(({ lockedUntil }) => lockedUntil && new Date(lockedUntil) > now);

	// The last entry about a document counts: [ID, version, chunks, checksum of the text, problem].
	/** @type {Map<string, Entry>} */
	const known = new Map();
	// A run that has lost its lock may still write a row. Such a row is late: a newer run had begun before. Only a run
	// that began after a late row is certain again. The number of a run is the ID of its lock's row.
	const runs = [...new Set(rows.map(({ run }) => run ?? 0))];
	// The run goes on to its end, so that the lock is given back and a caller gets the reason.
	let problem = lock?.error ? `the data table cannot be written: ${words(lock.error)}` : '';
	/** @type {Map<string, number>} */
	const lateRows = new Map();
	let size = 0;
	let lastRow = 0;
	for (const { id: row, run, entries } of rows) {
		if (!run || !entries) continue;
		lastRow = row;
		const isLate = runs.some((other) => other > run && other < row);
		for (const entry of read(entries, row)) {
			size += 1;
			const [id, version, chunks = 1] = entry;
			if (isLate) lateRows.set(id, row);
			if (run < (lateRows.get(id) ?? 0)) {
				const [, , chunksBefore = 0] = known.get(id) ?? [];
				known.set(id, [id, '', Math.max(chunks, chunksBefore)]);
			} else if (version === null) {
				known.delete(id);
			} else {
				known.set(id, entry);
			}
		}
	}

	// If the table has grown, the first batch writes all entries into one row, and Unlock deletes the older rows. The
	// number of a lock must not be the limit: SQLite gives the number of a deleted last row to the next row.
	const isGrown = rows.length > mostRows || size > 1000 + 3 * known.size;
	return [
		{
			json: {
				...(problem && { problem }),
				isOwner: !lock || owner?.id === lock.id,
				lockedUntil: owner?.lockedUntil ?? now.toISOString(),
				entries: [...known.values()],
				compactUpTo: isGrown ? lastRow : 0,
			},
		},
	];

	/**
	 * @param {string} entries
	 * @param {number} row
	 * @returns {Entry[]}
	 */
	function read(entries, row) {
		/** @type {Entry[] | undefined} */
		let list;
		try {
			list = JSON.parse(entries);
		} catch {
			list = undefined; // no JSON
		}
		if (
			Array.isArray(list) &&
			list.every((entry) => Array.isArray(entry) && entry.length > 1)
		) {
			return list;
		}
		problem ||= `'entries' in the row with the ID ${row} of the data table is not a list of entries in JSON, so it is unknown what the index contains. Restore the text of this cell. If you cannot, delete all rows of the table. Then every document is pushed again, but documents that were removed from the source stay in the index`;
		return [];
	}

	/** @param {unknown} error */
	function words(error) {
		return String(Object(error).message ?? error).replace(/\.$/, '');
	}
};
