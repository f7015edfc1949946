import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { InputError } from '../service/input-error';

/**
 * Reads the Options collection of a node. All its numbers are there afterwards, with the default
 * where one was not set or an expression gave nothing, and within the bounds of their fields: n8n
 * holds only what is typed to them, not what an expression gives.
 *
 * @param properties the node's parameters
 * @param perItem options that each item has its own value of, left as they are
 * @throws InputError for a number that is none
 */
export function readOptions<T extends object>(
	context: IExecuteFunctions,
	properties: INodeProperties[],
	perItem: string[] = [],
): T {
	const options = { ...(context.getNodeParameter('options', 0, {}) as Record<string, unknown>) };
	const collection = properties.find(({ name }) => name === 'options')?.options ?? [];
	for (const property of collection as INodeProperties[]) {
		const { name, type } = property;
		if (type !== 'number' || perItem.includes(name)) continue;
		options[name] = numberOf(options[name], property);
	}
	return options as T;
}

function numberOf(value: unknown, { displayName, typeOptions, ...property }: INodeProperties) {
	if (value === undefined || value === null || value === '') return property.default as number;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw new InputError(
			`'${displayName}' must be a number, but it is ${JSON.stringify(value) ?? typeof value}`,
			`Correct the option '${displayName}', or remove it to take the default of ${String(property.default)}.`,
		);
	}
	const { minValue = -Infinity, maxValue = Infinity } = typeOptions ?? {};
	return Math.min(Math.max(number, minValue), maxValue);
}
