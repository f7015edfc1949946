/**
 * `Parameters` reads a node's parameters, item by item. Labels, defaults, bounds, choices and types come from the
 * property definitions, which are declared with `property` and `properties`. A parameter's name is the name of its
 * property. A parameter in a collection is called a member of the collection, and its name is `collection.member`.
 *
 * If the user has not added a member to a collection, the member normally has its default value. If the default is an
 * expression, the member is empty until the user adds it. If a value is invalid, every method throws an InputError that
 * names the parameter. If an expression fails, the method throws n8n's error. The value of an expression may be part of
 * the input item, so callers must not change the value.
 *
 * n8n takes 0.1 to 0.7 ms to evaluate an expression, and blocks everything else during this time. Therefore, a
 * parameter without expressions is read only once. If an expression only reads a field, the field is read directly from
 * the item (`plain-path.ts`).
 */
import {
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';

import { fieldOf } from '../formats/fields';
import { InputError } from '../service/input-error';
import { isNullOrEmptyText, isObject, isoDate } from '../service/json';
import { documentId } from '../service/push/document-id';
import { indexDefinitions, type IndexedDefinition } from './definition-index';
import { invalidJson, invalidValue, type FoundValue } from './invalid-value';
import { plainReader, type Reader } from './plain-path';
import type {
	CollectionName,
	Definition,
	Member,
	ParameterName,
	ValueOf,
	Values,
} from './property';

/** `field` names the field or the parameter that contained the list. */
interface FoundList {
	field: string;
	list: readonly unknown[];
}

export class Parameters<P extends INodeProperties[]> {
	private readonly definitions: ReadonlyMap<string, IndexedDefinition>;
	private readonly readers = new Map<string, Reader>();
	private readonly addedMembers = new Map<string, ReadonlySet<string>>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: P,
	) {
		this.definitions = indexDefinitions(context.getNode(), properties);
	}

	label(name: ParameterName<P>): string {
		return this.definitionAt(name).definition.displayName;
	}

	/**
	 * Returns true if none of the parameters contains an expression, which means that their values are the same for all
	 * items.
	 */
	areConstant(...names: Array<ParameterName<P>>): boolean {
		return names.every((name) => !hasExpression(this.stored(name, null)));
	}

	/**
	 * Returns the members that the user has added to a collection, even if they are empty. They are the same for all
	 * items.
	 */
	membersAdded<N extends CollectionName<P>>(collection: N): ReadonlySet<NameOf<Member<P, N>>> {
		return this.namesAdded(collection) as ReadonlySet<NameOf<Member<P, N>>>;
	}

	/**
	 * Returns a parameter's value as n8n provides it. For a resource locator, returns the value that the locator
	 * contains.
	 */
	value(name: ParameterName<P>, itemIndex: number): unknown {
		return this.find(this.definitionAt(name), itemIndex).value;
	}

	/**
	 * Returns a value of the type in the definition. For text parameters, strings are returned unchanged, and numbers,
	 * booleans and dates become strings. Depending on the type, an empty value becomes the default, an empty string, an empty
	 * object, or an empty list of names. A collection contains only the members that the user has added and that are not
	 * empty.
	 */
	get<N extends ParameterName<P>>(name: N, itemIndex: number): ValueOf<Definition<P, N>> {
		const indexed = this.definitionAt(name);
		const value =
			indexed.definition.type === 'collection'
				? this.filledMembers(name, itemIndex)
				: convert(this.find(indexed, itemIndex));
		return value as ValueOf<Definition<P, N>>;
	}

	/**
	 * Returns a parameter as a trimmed string. Throws if the string is empty.
	 *
	 * @param advice what to do if the string is empty. By default, the error shows the placeholder as an example
	 */
	requiredText(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		return requiredTextOf(this.find(this.definitionAt(name), itemIndex), advice);
	}

	/** The ID is not changed (see `documentId`). */
	id(name: ParameterName<P>, itemIndex: number): string {
		const { value, definition } = this.find(this.definitionAt(name), itemIndex);
		return documentId(value, `'${definition.displayName}'`);
	}

	/**
	 * Returns a JSON value of any type. Strings are parsed, and other values are returned unchanged.
	 *
	 * @param advice what to do if the string is not valid JSON
	 */
	json(name: ParameterName<P>, itemIndex: number, advice?: string): unknown {
		return jsonOf(this.find(this.definitionAt(name), itemIndex), advice);
	}

	/**
	 * Returns a list. The parameter contains a field name, a dotted path, or an expression that returns the list
	 * itself.
	 *
	 * @param advice what to do if there is no list
	 */
	list(name: ParameterName<P>, itemIndex: number, advice: string): FoundList {
		const found = this.find(this.definitionAt(name), itemIndex);
		if (Array.isArray(found.value))
			return { field: found.definition.displayName, list: found.value };
		const field = requiredTextOf(found);
		const list = fieldOf(this.context.getInputData()[itemIndex]?.json ?? {}, field);
		if (Array.isArray(list)) return { field, list };
		throw new InputError(`The field '${field}' is not a list`, advice);
	}

	/**
	 * Returns the name of the input data field that contains a file, or the file itself. In n8n's `combined` binary
	 * mode, files are part of the JSON, and an expression may return the file itself. n8n's binary helpers accept both.
	 */
	file(name: ParameterName<P>, itemIndex: number): string | IBinaryData {
		const found = this.find(this.definitionAt(name), itemIndex);
		const { value } = found;
		const isFile = typeof value === 'object' && value !== null && 'mimeType' in value;
		return isFile ? (value as IBinaryData) : requiredTextOf(found);
	}

	/**
	 * Returns the rows of a fixedCollection parameter without converting the values of their fields.
	 *
	 * @param path `parameter.group`, for example `additionalFields.field`
	 */
	rows(path: `${P[number]['name']}.${string}`, itemIndex: number): IDataObject[] {
		const rows = this.stored(path, []) as IDataObject[];
		const cell = (at: number, name: string) =>
			this.readerOf(`${path}[${at}].${name}`, '')(itemIndex);
		return rows.map((row, at) =>
			Object.fromEntries(Object.keys(row).map((name) => [name, cell(at, name)])),
		) as IDataObject[];
	}

	/**
	 * Returns the values of a collection for the whole run. Expressions are evaluated for the first item.
	 *
	 * @param perItem members to leave out, because their values may vary from item to item
	 */
	collection<N extends CollectionName<P>, const X extends NameOf<Member<P, N>> = never>(
		name: N,
		perItem: readonly X[] = [],
	): Omit<Values<Member<P, N>>, X> {
		const values: Record<string, unknown> = {};
		const added = this.namesAdded(name);
		for (const member of this.definitionAt(name).members) {
			const memberName = member.definition.name;
			if ((perItem as readonly string[]).includes(memberName)) continue;
			// Only the options that the user has added are read through n8n. Users usually add only a few options.
			// Reading all other options would be slow.
			values[memberName] = added.has(memberName)
				? convert(this.find(member, 0))
				: member.initial;
		}
		return values as Omit<Values<Member<P, N>>, X>;
	}

	private filledMembers(collection: string, itemIndex: number): Record<string, unknown> {
		const values: Record<string, unknown> = {};
		for (const name of this.namesAdded(collection)) {
			const found = this.find(this.definitionAt(`${collection}.${name}`), itemIndex);
			if (!isNullOrEmptyText(found.value)) values[name] = convert(found);
		}
		return values;
	}

	private namesAdded(collection: string): ReadonlySet<string> {
		const names =
			this.addedMembers.get(collection) ??
			new Set(Object.keys(Object(this.stored(collection))));
		this.addedMembers.set(collection, names);
		return names;
	}

	private find({ path, definition, initial }: IndexedDefinition, itemIndex: number): FoundValue {
		const isLocator = definition.type === 'resourceLocator';
		const value = this.readerOf(path, initial, isLocator)(itemIndex);
		return { value, definition };
	}

	private definitionAt(path: string): IndexedDefinition {
		const indexed = this.definitions.get(path);
		if (indexed === undefined) throw new Error(`The node has no parameter '${path}'`);
		return indexed;
	}

	private stored(path: string, initial?: unknown): unknown {
		return this.context.getNodeParameter(path, 0, initial, { rawExpressions: true });
	}

	/** @param initial the value that applies if the workflow does not set one */
	private readerOf(path: string, initial: unknown, isLocator = false): Reader {
		const known = this.readers.get(path);
		if (known) return known;
		const raw = this.stored(path, initial);
		const evaluate: Reader = (itemIndex) =>
			this.context.getNodeParameter(path, itemIndex, initial);
		let reader: Reader = () => raw;
		if (hasExpression(raw)) reader = plainReader(this.context, path, raw, initial) ?? evaluate;
		// In a workflow, a resource locator may also be a plain string. The string is then the locator's value.
		if (isLocator && isObject(raw)) reader = this.readerOf(`${path}.value`, '');
		this.readers.set(path, reader);
		return reader;
	}
}

const hasExpression = (raw: unknown): boolean =>
	typeof raw === 'object' && raw !== null
		? Object.values(raw).some(hasExpression)
		: typeof raw === 'string' && raw.startsWith('=');

type NameOf<M> = M extends { name: infer N extends string } ? N : never;

function textOf(found: FoundValue): string {
	const { value } = found;
	if (typeof value === 'string') return value;
	if (isNullOrEmptyText(value)) return '';
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	const date = isoDate(value);
	if (date !== undefined) return date;
	throw invalidValue(found, 'text');
}

function requiredTextOf(found: FoundValue, advice?: string): string {
	const text = textOf(found).trim();
	if (text !== '') return text;
	const { displayName, placeholder } = found.definition;
	const example = placeholder === undefined ? '' : ` (${placeholder})`;
	throw new InputError(
		`'${displayName}' is empty`,
		advice ?? `Enter a value${example} or an expression for a field that has one.`,
	);
}

/**
 * Accepts numbers, and strings that contain a number. An empty value becomes the default, unless the parameter is
 * required. If the definition has no `numberPrecision`, the number must be whole.
 */
function numberOf(found: FoundValue): number {
	const { value, definition } = found;
	const {
		minValue = -Infinity,
		maxValue = Infinity,
		numberPrecision = 0,
	} = definition.typeOptions ?? {};
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (!definition.required && isNullOrEmptyText(number)) return definition.default as number;
	if (typeof number !== 'number' || !Number.isFinite(number))
		throw invalidValue(found, 'a number');
	if (numberPrecision === 0 && !Number.isInteger(number))
		throw invalidValue(found, 'a whole number');
	if (number < minValue) throw invalidValue(found, `at least ${minValue}`);
	if (number > maxValue) throw invalidValue(found, `at most ${maxValue}`);
	return number;
}

/**
 * If the parameter is optional, the strings 'true' and 'false' are accepted too, and an empty value becomes the
 * default. If the parameter is required, only booleans are accepted, because each required boolean decides whether the
 * node does anything at all.
 */
function booleanOf(found: FoundValue): boolean {
	const { value, definition } = found;
	if (typeof value === 'boolean') return value;
	if (!definition.required) {
		if (isNullOrEmptyText(value)) return definition.default as boolean;
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (text === 'true' || text === 'false') return text === 'true';
	}
	throw invalidValue(found, 'true or false');
}

function choiceOf(found: FoundValue): unknown {
	const { value, definition } = found;
	const options = (definition.options ?? []) as Array<{ value?: unknown }>;
	const choices = options.map((option) => option.value);
	if (choices.includes(value)) return value;
	if (isNullOrEmptyText(value)) return definition.default;
	throw invalidValue(found, `one of ${choices.join(', ')}`);
}

const OBJECT_ADVICE = 'Write it as {"name": value}, or leave it empty.';

function jsonOf({ value, definition }: FoundValue, advice = OBJECT_ADVICE): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw invalidJson(definition, error as Error, advice);
	}
}

function objectOf(found: FoundValue): IDataObject {
	const { value, definition } = found;
	const text = value ?? '';
	if (typeof text === 'string' && text.trim() === '') return {};
	const parsed = jsonOf(found);
	if (isObject(parsed)) return parsed as IDataObject;
	throw new InputError(`'${definition.displayName}' is not a JSON object`, OBJECT_ADVICE);
}

function namesOf(found: FoundValue): string[] {
	const { value } = found;
	const names: unknown = typeof value === 'string' ? value.split(',') : (value ?? []);
	if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
		return names.map((name) => name.trim()).filter((name) => name !== '');
	throw invalidValue(found, 'names separated by commas, or a list of names');
}

function convert(found: FoundValue): unknown {
	const { type, requiresDataPath } = found.definition;
	if (type === 'number') return numberOf(found);
	if (type === 'boolean') return booleanOf(found);
	if (type === 'options') return choiceOf(found);
	if (type === 'json') return objectOf(found);
	return requiresDataPath === 'multiple' ? namesOf(found) : textOf(found);
}
