import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { InputError } from '../../service/input-error';
import { isNullOrEmptyText, isObject } from '../../service/json';

// Each function takes nothing for the default or for empty, and throws InputError, naming the parameter,
// for a value that cannot be used. `Parameters` says what they give.

/** A value as n8n gives it, and what the node says about its parameter. */
export interface Read {
	value: unknown;
	definition: INodeProperties;
}

/** A value as part of a message. */
function shown(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string')
		return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}...` : value);
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const MAX_SHOWN = 60;

/** Refuses a value that is not what the parameter expects. */
function refused({ value, definition }: Read, expected: string): InputError {
	const { displayName, default: initial } = definition;
	const otherwise =
		isNullOrEmptyText(initial) || typeof initial === 'object'
			? 'the field its expression points to'
			: `reset it to its default, ${String(initial)}`;
	return new InputError(
		`'${displayName}' must be ${expected}, but it is ${shown(value)}`,
		`Correct '${displayName}', or ${otherwise}.`,
	);
}

/** Reads a text; throws for lists, objects, NaN and Infinity. */
function textOf(read: Read): string {
	const { value } = read;
	if (typeof value === 'string') return value;
	if (isNullOrEmptyText(value)) return '';
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	throw refused(read, 'text');
}

/** Reads a text of which there must be some, without spaces around it. */
export function requiredTextOf(read: Read, advice?: string): string {
	const text = textOf(read).trim();
	if (text !== '') return text;
	const { displayName, placeholder } = read.definition;
	const example = placeholder === undefined ? '' : ` (${placeholder})`;
	throw new InputError(
		`'${displayName}' is empty`,
		advice ?? `Enter a value${example} or an expression for a field that has one.`,
	);
}

/** Reads a number, also from a text as expressions give it; whole, unless the property has a `numberPrecision`. */
function numberOf(read: Read): number {
	const { value, definition } = read;
	if (isNullOrEmptyText(value)) return definition.default as number;
	const {
		minValue = -Infinity,
		maxValue = Infinity,
		numberPrecision = 0,
	} = definition.typeOptions ?? {};
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) throw refused(read, 'a number');
	if (numberPrecision === 0 && !Number.isInteger(number)) throw refused(read, 'a whole number');
	if (number < minValue) throw refused(read, `at least ${minValue}`);
	if (number > maxValue) throw refused(read, `at most ${maxValue}`);
	return number;
}

/**
 * Reads true or false, also from the text that an expression gives. A required one decides whether anything
 * is done at all, so it must be a boolean.
 */
function booleanOf(read: Read): boolean {
	const { value, definition } = read;
	if (typeof value === 'boolean') return value;
	if (!definition.required) {
		if (isNullOrEmptyText(value)) return definition.default as boolean;
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (text === 'true' || text === 'false') return text === 'true';
	}
	throw refused(read, 'true or false');
}

/** Reads one of the values that a property of type `options` lists. */
function choiceOf(read: Read): unknown {
	const { value, definition } = read;
	if (isNullOrEmptyText(value)) return definition.default;
	const options = (definition.options ?? []) as Array<{ value?: unknown }>;
	const choices = options.map((option) => option.value);
	if (choices.includes(value)) return value;
	throw refused(read, `one of ${choices.join(', ')}`);
}

const OBJECT_ADVICE = 'Write it as {"name": value}, or leave it empty.';

/** Reads JSON, given as text or as what it stands for. */
export function jsonOf({ value, definition }: Read, advice = OBJECT_ADVICE): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw notJson(definition, error as Error, advice);
	}
}

const notJson = ({ displayName }: INodeProperties, { message }: Error, advice: string) =>
	new InputError(`'${displayName}' is not valid JSON: ${message}`, advice);

/** Reads a JSON object; nothing, or a blank text, is {}. */
function objectOf({ value, definition }: Read): IDataObject {
	const trimmed = typeof value === 'string' ? value.trim() : value;
	const parsed = isNullOrEmptyText(trimmed) ? {} : jsonOf({ value: trimmed, definition });
	if (isObject(parsed)) return parsed as IDataObject;
	throw new InputError(`'${definition.displayName}' is not a JSON object`, OBJECT_ADVICE);
}

/** Reads names separated by commas, or a list of names from an expression; empty ones are omitted. */
function namesOf(read: Read): string[] {
	const { value } = read;
	const names: unknown = typeof value === 'string' ? value.split(',') : (value ?? []);
	if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
		return names.map((name) => name.trim()).filter((name) => name !== '');
	throw refused(read, 'names separated by commas, or a list of names');
}

/** Reads a value as the type that its definition says; `Parameters.get` says what that gives. */
export function typedValue(read: Read): unknown {
	const { type, requiresDataPath } = read.definition;
	if (type === 'number') return numberOf(read);
	if (type === 'boolean') return booleanOf(read);
	if (type === 'options') return choiceOf(read);
	if (type === 'json') return objectOf(read);
	return requiresDataPath === 'multiple' ? namesOf(read) : textOf(read);
}
