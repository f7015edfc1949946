import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../formats/fields';
import type { SinkOptions } from '../output/sink';
import { properties, property } from '../parameters/property';
import type { Run } from '../run/run';
import { fieldsOfItem } from './item-fields';

export const keepListed = {
	name: 'Listed',
	value: 'listed',
	description: "Only the fields named in 'Source Fields to Keep'",
} as const;

export const keepNone = {
	name: 'None',
	value: 'none',
	description: 'No input fields, only what this node adds',
} as const;

export const sourceFieldsToKeepProperty = property({
	displayName: 'Source Fields to Keep',
	name: 'sourceFieldsToKeep',
	type: 'string',
	default: '',
	placeholder: 'e.g. name, category',
	description: 'Names of the fields to keep, separated by commas',
	requiresDataPath: 'multiple',
	displayOptions: { show: { keepSourceFields: ['listed'] } },
});

/** Options for nodes that return one item per input item. */
export const listedSourceFieldProperties = properties([
	{
		displayName: 'Keep Source Fields',
		name: 'keepSourceFields',
		type: 'options',
		options: [keepListed, keepNone],
		default: 'listed',
		description:
			'Which input fields to keep in the output. Without this option, no fields are kept.',
	},
	sourceFieldsToKeepProperty,
]);

interface SourceFieldOptions {
	keepSourceFields?: 'all' | 'listed' | 'none' | undefined;
	sourceFieldsToKeep: readonly string[];
}

/**
 * Returns the source fields to keep in the output. The `error` field is never kept, because n8n would otherwise treat
 * the item as failed.
 */
export function selectSourceFields(
	source: IDataObject,
	{ keepSourceFields = 'none', sourceFieldsToKeep }: SourceFieldOptions,
): IDataObject {
	const fields: IDataObject = keepSourceFields === 'all' ? { ...source } : {};
	for (const name of keepSourceFields === 'listed' ? sourceFieldsToKeep : []) {
		const value = fieldOf(source, name);
		if (value !== undefined) fields[name] = value as IDataObject[string];
	}
	delete fields.error;
	return fields;
}

/** Fields that an item with counts may contain, whichever node returns it. */
const COUNT_FIELDS = ['failed', 'failures', 'failedIds', 'advice', 'httpStatus', 'progress'];

/**
 * Returns the function that selects the fields to keep from an input item. Only an output of one item per input item
 * keeps fields.
 *
 * @param ownFields names of the fields that the node may return. A source field with such a name is not kept, even if
 *   the result does not contain that field. Otherwise, the source's `skipped` could be mistaken for the node's
 */
export function keptFieldsOf(
	run: Run,
	options: SourceFieldOptions & Pick<SinkOptions, 'output'>,
	ownFields: readonly string[],
): (itemIndex: number) => IDataObject {
	if (options.output !== 'perInputItem') return () => ({});
	return (itemIndex) => {
		const fields = selectSourceFields(fieldsOfItem(run, itemIndex), options);
		for (const name of [...ownFields, ...COUNT_FIELDS]) delete fields[name];
		return fields;
	};
}
