/** @import { Begun, Item, SyncRun } from '../parts/types' */

const { checkedSettings } = require('./shared/settings');

/**
 * @param {{
 *   settings: { table: string, hoursBetweenRuns: number },
 *   names: string[],
 *   startedBy: string,
 *   confirmed: unknown,
 *   isPlanOnly: unknown,
 *   ownTable: string,
 *   isDataTable: boolean,
 *   tables: { id?: string, name?: string }[],
 *   runs: Partial<SyncRun>[],
 *   workflow: { id: string, name: string },
 *   execution: string,
 *   now: Date,
 * }} inputs
 * @returns {[Item<Begun>]}
 */
module.exports = ({
	settings,
	names,
	startedBy,
	confirmed,
	isPlanOnly,
	ownTable,
	isDataTable,
	tables,
	runs,
	workflow,
	execution,
	now,
}) => {
	// May this run begin? What do earlier runs allow it? Nothing has been read from the source or written yet.
	checkedSettings(settings, names);
	if (typeof isPlanOnly !== 'boolean') {
		throw new Error(
			`Nothing was changed: "dryRun" is ${JSON.stringify(isPlanOnly)}. It must be true or false.`,
		);
	}
	const named = settings.table.trim();
	const table = named || ownTable;
	if (/["'%\\]/.test(table)) {
		throw new Error(
			`Nothing was changed: 'table' in 'Settings' is ${JSON.stringify(named)}, which is no name of a table.`,
		);
	}
	const stateTable = isDataTable ? tables.find(({ name }) => name === table) : undefined;
	if (named && isDataTable && !stateTable) {
		throw new Error(
			`Nothing was changed: there is no data table '${named}' in this project. Correct 'table' in 'Settings', or leave it empty: then this workflow has a table of its own, and pushes everything.`,
		);
	}

	// Runs of all workflows that have used this table, the oldest first. A workflow that uses it for the first time takes
	// it over.
	const used = runs
		.map((run) => ({ ...run, id: run.id ?? 0, more: read(run.more) }))
		.filter(({ more }) => more.table === table)
		.sort((one, other) => one.id - other.id);
	const mine = used.filter((run) => run.workflow === workflow.id).at(-1);
	const other = used.filter((run) => run.workflow !== workflow.id).at(-1);
	if (mine && other && other.id > mine.id) {
		throw new Error(
			`Nothing was changed: the workflow '${other.name}' (${other.workflow}) has used the table '${table}' at ${String(other.beganAt)}, after this workflow last did. Two workflows with one table undo each other's work. Unpublish one of them. To go on with this one, delete the rows of the other one from the data table 'Sync Runs'.`,
		);
	}

	// The number of deletes that a person may approve. A run that has compared nothing does not count.
	const compared = used.filter(({ more }) => more.compared).at(-1);
	const remembered = compared?.approvable ?? 0;
	const isAsked = confirmed !== undefined && confirmed !== null && confirmed !== false;
	const isNumber = Number.isSafeInteger(confirmed) && Number(confirmed) >= 0;
	const isApproved = startedBy === 'approval' || (isAsked && isNumber);
	const later = (/** @type {number} */ minutes) =>
		new Date(now.getTime() + minutes * 60_000).toISOString();
	return [
		{
			json: {
				table,
				isPlanOnly,
				tableId: stateTable?.id ?? '',
				approval: {
					...{ isApproved, isInvalid: isAsked && !isNumber, remembered },
					most: isAsked && isNumber ? Number(confirmed) : remembered,
				},
				row: {
					...{ workflow: workflow.id, name: workflow.name },
					startedBy: isApproved ? 'approval' : startedBy,
					...{
						beganAt: now.toISOString(),
						nextBefore: later(settings.hoursBetweenRuns * 60),
					},
					// To get a list may take long. Each batch renews this time.
					aliveUntil: later(60),
					...{ outcome: '', error: '', problems: '', approvable: remembered },
					// Tell Me finds the row of a failed execution by its ID.
					more: JSON.stringify({ table, execution }),
				},
			},
		},
	];

	/**
	 * @param {unknown} more
	 * @returns {{ table?: string, compared?: boolean }}
	 */
	function read(more) {
		try {
			return Object(JSON.parse(String(more)));
		} catch {
			return {}; // no JSON
		}
	}
};
