/** The data table that Fan Out over Workers and Fan Out: One Range share. If a range has several rows, the last counts. */
import type { WorkflowNode } from './workflow';
import { node } from './workflow';

type Position = [x: number, y: number];

const COLUMNS = [
	['run', 'string'],
	['range', 'number'],
	['event', 'string'],
	['atEnd', 'boolean'],
	['records', 'number'],
	['pushed', 'number'],
	['failed', 'number'],
	['file', 'string'],
	['message', 'string'],
] as const;

/** The range of rows that say whether a run goes on. */
export const WHOLE_RUN = '={{ -1 }}';

export const makeTable = (position: Position): WorkflowNode =>
	node('Make Table if Missing', 'dataTable', 1.1, position, {
		...{ resource: 'table', operation: 'create', tableName: 'Fan-Out Ranges' },
		columns: { column: COLUMNS.map(([name, type]) => ({ name, type })) },
		options: { createIfNotExists: true },
	});

const dataTableId = {
	__rl: true,
	mode: 'id',
	value: "={{ $('Make Table if Missing').first().json.id }}",
};

/** Defines a node that reads the rows with this value, in this order of their IDs. */
export const rowsOf = (
	name: string,
	position: Position,
	[keyName, keyValue]: [column: string, value: string],
	{ limit, order }: { limit: object; order: 'ASC' | 'DESC' },
	more: object,
): WorkflowNode =>
	node(
		name,
		'dataTable',
		1.1,
		position,
		{
			...{ resource: 'row', operation: 'get', dataTableId, matchType: 'allConditions' },
			filters: { conditions: [{ keyName, condition: 'eq', keyValue }] },
			...limit,
			...{ orderBy: true, orderByColumn: 'id', orderByDirection: order },
		},
		more,
	);

/** Defines a node that adds a row with these values. */
export const addRow = (
	name: string,
	position: Position,
	value: Record<string, string>,
): WorkflowNode =>
	node(name, 'dataTable', 1.1, position, {
		...{ resource: 'row', operation: 'insert', dataTableId },
		columns: {
			...{ mappingMode: 'defineBelow', value, matchingColumns: [] },
			schema: COLUMNS.map(([id, type]) => ({
				...{ id, displayName: id, required: false, defaultMatch: false, display: true },
				...{ type, readOnly: false, removed: !(id in value) },
			})),
			...{ attemptToConvertTypes: false, convertFieldsToString: false },
		},
		options: {},
	});
