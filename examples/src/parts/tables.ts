/** n8n's Data Table nodes. */
import type { WorkflowNode } from './workflow';
import { node } from './workflow';

export type Columns = ReadonlyArray<readonly [name: string, type: 'string' | 'number' | 'date']>;

/** Defines the columns of a table that is created. */
export const columnsOf = (columns: Columns) => ({
	column: columns.map(([name, type]) => ({ name, type })),
});

const schemaOf = (columns: Columns) =>
	columns.map(([id, type]) => ({
		...{ id, displayName: id, required: false, defaultMatch: false, display: true },
		...{ type: type === 'date' ? 'dateTime' : type, readOnly: false, removed: false },
	}));

const mapping = { matchingColumns: [], attemptToConvertTypes: false, convertFieldsToString: false };

/** Defines the values of some columns. */
export const values = (columns: Columns, value: Record<string, string>) => ({
	...{ mappingMode: 'defineBelow', value, ...mapping },
	schema: schemaOf(columns).filter(({ id }) => id in value),
});

/** Each column gets the field of the same name. */
export const autoMapped = (columns: Columns) => ({
	...{ mappingMode: 'autoMapInputData', value: null, ...mapping },
	schema: schemaOf(columns),
});

export const condition = (keyName: string, is: string, keyValue: string) => ({
	...{ keyName, condition: is, keyValue },
});

/**
 * Defines a Data Table node that works with rows.
 *
 * @param tableId an expression
 */
export function tableNode(
	name: string,
	operation: string,
	position: [number, number],
	tableId: string,
	parameters: object,
	more: object = {},
): WorkflowNode {
	return node(
		name,
		'dataTable',
		1.1,
		position,
		{
			...{ resource: 'row', operation },
			dataTableId: { __rl: true, mode: 'id', value: `={{ ${tableId} }}` },
			...parameters,
		},
		more,
	);
}
