/**
 * The nodes that examples with large files share: they store the records that failed, and end with an error if anything
 * is wrong.
 */
import { conditions, CREDENTIALS, whenTrue } from './nodes';
import type { WorkflowNode } from './workflow';
import { code, node } from './workflow';

type Position = [x: number, y: number];

export const pushFile = (
	position: Position,
	options: object = {},
	parameters: object = {},
): WorkflowNode =>
	node(
		'Push Documents',
		'pushDocuments',
		1,
		position,
		{ documentSource: 'file', ...parameters, options },
		{ credentials: CREDENTIALS.push, onError: 'continueErrorOutput' },
	);

export const oneItemPerFile = (position: Position, parameters: object = {}): WorkflowNode =>
	node('One Item per File', 'splitOut', 1, position, {
		fieldToSplitOut: '$binary',
		...parameters,
		options: {},
	});

/** @param prefix what the name of a stored file begins with */
export const storeFailedRecords = (position: Position, prefix = ''): WorkflowNode =>
	node('Store Failed Records', 'httpRequest', 4.4, position, {
		method: 'PUT',
		url: `=http://localhost:4321/files/${prefix}{{ Object.values($binary)[0].fileName }}`,
		sendBody: true,
		contentType: 'binaryData',
		inputDataFieldName: '={{ Object.keys($binary)[0] }}',
		options: {},
	});

/** @param records an expression that returns the number of records in the file */
export const recordsLookWrong = (
	position: Position,
	records = '={{ $json.records }}',
): WorkflowNode =>
	node('Records Look Wrong', 'filter', 2.2, position, {
		conditions: conditions(
			'or',
			{
				...{ id: 'records', leftValue: records, rightValue: 1 },
				operator: { type: 'number', operation: 'lt' },
			},
			whenTrue('={{ $json.warnings?.length > 0 }}'),
		),
		looseTypeValidation: true,
		options: {},
	});

/** Defines the node before Fail the Run, which says why the run fails. */
export const reason = (position: Position): WorkflowNode =>
	code('Reason', 'reason', position, { summaries: '$input.all().map(({ json }) => json)' });
