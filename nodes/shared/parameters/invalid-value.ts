import type { INodeProperties } from 'n8n-workflow';

import { InputError } from '../service/input-error';
import { isDate, isNullOrEmptyText } from '../service/json';

export interface FoundValue {
	value: unknown;
	definition: INodeProperties;
}

function describe(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string')
		return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}...` : value);
	if (Array.isArray(value)) return 'a list';
	if (isDate(value)) return 'an invalid date';
	return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const MAX_SHOWN = 60;

/** Creates the error for a value that the parameter does not accept. */
export function invalidValue({ value, definition }: FoundValue, expected: string): InputError {
	const { displayName, default: initial } = definition;
	const otherwise =
		isNullOrEmptyText(initial) || typeof initial === 'object'
			? 'the field its expression points to'
			: `reset it to its default, ${String(initial)}`;
	return new InputError(
		`'${displayName}' must be ${expected}, but it is ${describe(value)}`,
		`Correct '${displayName}', or ${otherwise}.`,
	);
}

export const invalidJson = ({ displayName }: INodeProperties, { message }: Error, advice: string) =>
	new InputError(`'${displayName}' is not valid JSON: ${message}`, advice);
