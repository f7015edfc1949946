import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';

import { fieldOf } from '../../records/fields';
import { InputError } from '../../service/input-error';
import { isEmpty, isObject, isRecord } from '../../service/json';
import type { Read } from './parameter-reader';

/** A value as part of a message. */
function shown(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string') return JSON.stringify(cut(value));
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const MAX_SHOWN = 60;
const cut = (text: string): string =>
	text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;

const refused = (label: string, expected: string, value: unknown, advice: string): InputError =>
	new InputError(`'${label}' must be ${expected}, but it is ${shown(value)}`, advice);

/** Tells what to do about a parameter whose value cannot be used. */
const correct = ({ displayName, default: initial }: INodeProperties): string =>
	isEmpty(initial) || typeof initial === 'object'
		? `Correct '${displayName}', or the field its expression points to.`
		: `Correct '${displayName}', or remove it to use the default of ${String(initial)}.`;

/**
 * A text: numbers and booleans count as the text they are written as, nothing as ''.
 *
 * @throws InputError for a list, an object, NaN and Infinity
 */
export function textOf({ value, definition }: Read): string {
	if (isEmpty(value)) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	const { displayName } = definition;
	const advice = `Point '${displayName}' to a field that contains text.`;
	throw refused(displayName, 'text', value, advice);
}

/** A parameter that must be filled in. */
const emptyError = ({ displayName, placeholder }: INodeProperties): InputError =>
	new InputError(
		`'${displayName}' is empty`,
		`Enter a value${placeholder === undefined ? '' : `, ${placeholder}`}, or point it to a field of the item that has one.`,
	);

/**
 * A text without spaces around it, of which there must be some.
 *
 * @param advice what to do if it is empty; by default what the placeholder says
 * @throws InputError
 */
export function requiredTextOf(read: Read, advice?: string): string {
	const text = textOf(read).trim();
	if (text !== '') return text;
	if (advice === undefined) throw emptyError(read.definition);
	throw new InputError(`'${read.definition.displayName}' is empty`, advice);
}

/** What to do about a number out of its bounds. */
export type Bounds =
	/** Replace it by the bound, as n8n's editor does with what is typed; by 0 never. */
	| 'clamp'
	/** Refuse it. */
	| 'refuse';

/**
 * A number, also from a text as expressions give it; nothing counts as the default. Whole, unless the
 * property has a `numberPrecision`.
 *
 * @throws InputError for anything else, naming the parameter
 */
export function numberOf({ value, definition }: Read, bounds: Bounds): number {
	if (isEmpty(value)) return definition.default as number;
	const { displayName, typeOptions = {} } = definition;
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision = 0 } = typeOptions;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw refused(displayName, 'a number', value, correct(definition));
	}
	if (numberPrecision === 0 && !Number.isInteger(number)) {
		throw refused(displayName, 'a whole number', value, correct(definition));
	}
	const clamped = Math.min(Math.max(number, minValue), maxValue);
	if (clamped === number) return number;
	// 0 may stand for "no limit", which nobody wants who enters -5.
	if (bounds === 'clamp' && clamped !== 0) return clamped;
	const bound = number < minValue ? `at least ${minValue}` : `at most ${maxValue}`;
	throw refused(displayName, bound, value, correct(definition));
}

/**
 * True or false, also as the text that an expression gives; nothing counts as the default. A required
 * one decides whether anything is done at all, so it must be a boolean.
 *
 * @throws InputError for anything else, naming the parameter
 */
export function booleanOf({ value, definition }: Read): boolean {
	if (typeof value === 'boolean') return value;
	if (!definition.required) {
		if (isEmpty(value)) return definition.default as boolean;
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (text === 'true' || text === 'false') return text === 'true';
	}
	throw refused(definition.displayName, 'true or false', value, correct(definition));
}

/**
 * One of the values a property of type `options` lists; nothing counts as the default.
 *
 * @throws InputError for any other value, naming the parameter and the choices
 */
export function choiceOf({ value, definition }: Read): unknown {
	if (isEmpty(value)) return definition.default;
	const options = (definition.options ?? []) as Array<{ value?: unknown }>;
	if (options.some((option) => option.value === value)) return value;
	const choices = options.map((option) => String(option.value)).join(', ');
	throw refused(definition.displayName, `one of ${choices}`, value, correct(definition));
}

/**
 * JSON, as text or as what it stands for.
 *
 * @throws InputError for text that is not JSON
 */
export function jsonOf({ value, definition }: Read, advice = OBJECT_ADVICE): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw notJson(definition.displayName, error as Error, advice);
	}
}

const notJson = (label: string, { message }: Error, advice: string): InputError =>
	new InputError(`'${label}' is not valid JSON: ${message}`, advice);

const OBJECT_ADVICE = 'Write it as {"name": value}, or leave it empty.';

/**
 * A JSON object, as text or as an object; nothing counts as {}.
 *
 * @throws InputError for anything else, naming the parameter
 */
export function objectOf({ value, definition }: Read): IDataObject {
	const trimmed = typeof value === 'string' ? value.trim() : value;
	const parsed = isEmpty(trimmed) ? {} : jsonOf({ value: trimmed, definition });
	if (isObject(parsed)) return parsed as IDataObject;
	throw new InputError(`'${definition.displayName}' is not a JSON object`, OBJECT_ADVICE);
}

/**
 * Names separated by commas, or a list of names from an expression.
 *
 * @returns the names without spaces around them, empty ones omitted
 * @throws InputError for anything else, naming the parameter
 */
export function namesOf({ value, definition: { displayName } }: Read): string[] {
	const names: unknown = typeof value === 'string' ? value.split(',') : (value ?? []);
	if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
		throw new InputError(
			`'${displayName}' is neither text nor a list of names`,
			`Enter names, separated by commas, as '${displayName}'.`,
		);
	}
	return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** A list, which is part of an item, and the name of its field, or of the parameter. */
export interface FoundList {
	field: string;
	list: readonly unknown[];
}

/**
 * The list in the field of an item that a parameter names, or the list that its expression gives.
 *
 * @param advice what to do if there is none
 * @throws InputError
 */
export function listOf(read: Read, json: IDataObject, advice?: string): FoundList {
	const { displayName } = read.definition;
	if (Array.isArray(read.value)) return { field: displayName, list: read.value };
	const field = requiredTextOf(read);
	const list = fieldOf(json, field);
	if (Array.isArray(list)) return { field, list };
	throw new InputError(
		`The field '${field}' is not a list`,
		advice ?? `Enter the name of a field with a list as '${displayName}'.`,
	);
}

/**
 * Where a file is: the name of a field, or the file itself.
 *
 * @throws InputError if it is neither
 */
export function fileOf(read: Read): string | IBinaryData {
	const { value } = read;
	const isFile = isRecord(value) && 'mimeType' in value;
	return isFile ? (value as unknown as IBinaryData) : requiredTextOf(read);
}
