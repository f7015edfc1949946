/** @import { Approval, Compared, DatabaseBatch, Item, RunLock, RunPlan, Settings, Summary } from '../parts/types' */

const { mostDeletesOf } = require('./shared/most-deletes');
const { runPlan } = require('./shared/run-plan');

/**
 * @param {{
 *   compared: Compared,
 *   query: string,
 *   ignored: string,
 *   settings: Settings,
 *   approval: Approval,
 *   owner: string,
 *   lock: Pick<RunLock, 'run' | 'history'> | null,
 *   isChunked: boolean,
 * }} inputs
 * @returns {Item<{ batch: number, summary: Summary, plan?: RunPlan } | DatabaseBatch>[]}
 */
module.exports = ({ compared, query, ignored, settings, approval, owner, lock, isChunked }) => {
	// Returns one item per batch. The first item also says what is unchanged or withheld. Without a lock, it returns only
	// what a run would do.
	/** @type {Summary} */
	const nothing = {
		...{ status: 200, problem: '', known: 0, unchanged: 0, missing: 0, withheld: 0 },
		...{ mostDeletes: 0, unreadable: 0, problems: [], planned: 0, compactUpTo: 0 },
	};

	// 1. May this run work, and is the table complete?
	const [status, problem] = check();
	if (problem) {
		const end = { ...nothing, status, problem };
		return [{ json: { batch: 0, summary: end, ...(!lock && { plan: runPlan(end, {}) }) } }];
	}
	const { known, unchanged, goneFromIndex, unreadable, problems } = compared;
	/** @type {(ranges: { documents: number }[]) => number} */
	const total = (ranges) => ranges.reduce((sum, { documents }) => sum + documents, 0);
	const missing = total(compared.gone);
	/** @type {Summary} */
	const summary = { ...nothing, known, unchanged, missing, unreadable, problems };

	// 2. If too many documents are missing, nothing is deleted, but everything else is done.
	const isEmpty = compared.rows === 0;
	const most = mostDeletesOf({ known, isEmpty, settings, approval });
	summary.mostDeletes = most;
	const isWithheld = goneFromIndex > most;
	if (isWithheld) summary.withheld = goneFromIndex;
	const gone = isWithheld ? [] : compared.gone;
	if (!lock) return [{ json: { batch: 0, summary, plan: plan() } }];

	// 3. Batches. A batch deletes and pushes, if possible: if the service answers every request with 404, its URL may be
	// wrong.
	summary.planned = total(gone) + total(compared.changed);
	const batches = Math.max(gone.length, compared.changed.length);
	if (batches === 0) return [{ json: { batch: 0, summary } }];
	return Array.from({ length: batches }, (_, at) => {
		const deleted = gone[at] ?? { from: null, to: null, documents: 0 };
		const pushed = compared.changed[at] ?? { from: null, to: null, documents: 0 };
		/** @type {DatabaseBatch} */
		const batch = {
			...{ batch: at + 1, batches, ...lock, owner, snapshot: [] },
			...{ settings: compared.settings, isApproved: approval.isApproved },
			missing: deleted.documents,
			...{ from: pushed.from, to: pushed.to, goneFrom: deleted.from, goneTo: deleted.to },
			...{ documents: deleted.documents + pushed.documents, query, ids: pushed.ids ?? null },
			ignored,
			mayDelete: mayDelete(pushed.documents),
			pushAgain: JSON.stringify([settings.pushAgain ?? []].flat().map(String)),
		};
		return { json: at === 0 ? { ...batch, summary } : batch };
	});

	function plan() {
		const { characters = 0, ...counts } = compared.plan ?? {};
		return runPlan(summary, {
			...{ ...counts, approval, problems, missing },
			unreadable: unreadable + (counts.unreadable ?? 0),
			...(isChunked && { charactersToChunk: characters }),
		});
	}

	/** @returns {[status: number, problem: string]} */
	function check() {
		const { message, isOwner, lockedUntil, rows, keyType, rowsWithoutId, repeatedId } =
			compared;
		if (message !== undefined) {
			return [400, `PostgreSQL cannot run the query of 'Your Query': ${message}`];
		}
		if (!isOwner) {
			return [
				409,
				`another run has not ended, or was killed. Its lock expires at ${lockedUntil}; to run earlier, make sure that no run is active and delete its row from the table search_sync_runs`,
			];
		}
		if (rows === 0 && compared.known === 0) {
			return [400, "the query of 'Your Query' returns no rows"];
		}
		if (keyType === 'record') {
			return [
				400,
				"'key' in 'Your Query' is a row, which PostgreSQL cannot find again. Write array[a, b]",
			];
		}
		if (rowsWithoutId > 0) {
			return [400, `${rowsWithoutId} of ${rows} rows of 'Your Query' have no ID or no key`];
		}
		if (repeatedId !== null) {
			return [400, `two rows of 'Your Query' have the ID '${repeatedId}'. Check its joins`];
		}
		return [200, ''];
	}

	/**
	 * A text that is empty now is a doubtful delete. All batches together carry out at most as many of them as the
	 * missing documents leave.
	 * @param {number} pushed
	 */
	function mayDelete(pushed) {
		if (isWithheld) return 0;
		return Math.floor(((most - goneFromIndex) * pushed) / summary.planned);
	}
};
