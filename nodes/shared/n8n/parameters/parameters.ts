import {
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';

import { fieldOf } from '../../records/fields';
import { InputError } from '../../service/input-error';
import { isEmpty, isObject } from '../../service/json';
import { documentId } from '../../service/push/document-id';
import { indexDefinitions, type IndexedDefinition } from './definitions';
import { invalidJson, invalidValue, type FoundValue } from './invalid-value';
import { plainReader, type Reader } from './plain-path';
import type {
	CollectionName,
	Definition,
	Member,
	ParameterName,
	ValueOf,
	Values,
} from './properties';

/** A list, which is part of an item, and the name of its field, or of the parameter. */
interface FoundList {
	field: string;
	list: readonly unknown[];
}

/**
 * Reads the parameters of a node, item by item. Labels, defaults, bounds and choices come from the
 * properties, each written once there; so do the types, if the properties are declared with
 * `properties` and `property` of `./properties`.
 *
 * Names are those of the properties, members of a collection are `collection.member`. A member that was
 * not added has its default, unless that is an expression: then it only suggests what to enter, and the
 * member is empty. Values read from expressions may be parts of the input item: never change them. All
 * methods throw InputError for a value that cannot be used, naming the parameter, and what n8n throws
 * for an expression that fails.
 *
 * An evaluation by n8n costs 0.1 to 0.7 ms and blocks everything else, so a parameter without expressions
 * is read once, and expressions that only read a field are answered from the item itself. n8n evaluates
 * them for the first item as well: only if both agree, the others are read directly.
 */
export class Parameters<P extends INodeProperties[]> {
	private readonly definitions: ReadonlyMap<string, IndexedDefinition>;
	private readonly readers = new Map<string, Reader>();
	private readonly addedMembers = new Map<string, string[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: P,
	) {
		this.definitions = indexDefinitions(context.getNode(), properties);
	}

	/** The name of a parameter as users see it. */
	label(name: ParameterName<P>): string {
		return this.definitionAt(name).definition.displayName;
	}

	/** Whether parameters have the same value for all items, since there is no expression in them. */
	areConstant(...names: Array<ParameterName<P>>): boolean {
		return names.every((name) => !hasExpression(this.raw(name, null)));
	}

	/** Whether a member of a collection was added, however it is filled. */
	isAdded<N extends CollectionName<P>>(collection: N, member: NameOf<Member<P, N>>): boolean {
		return this.membersAdded(collection).includes(member);
	}

	/** Returns a parameter as n8n provides it, or the value of a resource locator. */
	value(name: ParameterName<P>, itemIndex: number): unknown {
		return this.read(name, itemIndex).value;
	}

	/**
	 * A value of the type that the definition says: text exactly as it is (numbers and booleans become text), a
	 * number within its bounds, a boolean, one of the choices, a JSON object, or names. An empty value gives the
	 * default, or empty text, an empty object, or no names.
	 */
	get<N extends ParameterName<P>>(name: N, itemIndex: number): ValueOf<Definition<P, N>> {
		return convert(this.read(name, itemIndex)) as ValueOf<Definition<P, N>>;
	}

	/**
	 * A text without spaces around it, of which there must be some.
	 *
	 * @param advice what to do if it is empty; by default what the placeholder says
	 */
	requiredText(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		return requiredTextOf(this.read(name, itemIndex), advice);
	}

	/** The ID of a document, exactly as given; see `documentId`. */
	id(name: ParameterName<P>, itemIndex: number): string {
		const { value, definition } = this.read(name, itemIndex);
		return documentId(value, `'${definition.displayName}'`);
	}

	/**
	 * Any JSON, given as text or as what it stands for.
	 *
	 * @param advice what to do about text that is not JSON
	 */
	json(name: ParameterName<P>, itemIndex: number, advice?: string): unknown {
		return jsonOf(this.read(name, itemIndex), advice);
	}

	/**
	 * The list in the field that a parameter names, by its name or a dotted path; or the list that its
	 * expression gives.
	 *
	 * @param advice what to do if there is none
	 */
	list(name: ParameterName<P>, itemIndex: number, advice: string): FoundList {
		const read = this.read(name, itemIndex);
		if (Array.isArray(read.value))
			return { field: read.definition.displayName, list: read.value };
		const field = requiredTextOf(read);
		const list = fieldOf(this.context.getInputData()[itemIndex]?.json ?? {}, field);
		if (Array.isArray(list)) return { field, list };
		throw new InputError(`The field '${field}' is not a list`, advice);
	}

	/**
	 * Where a file is: the name of an input data field or, as an expression gives it where n8n keeps
	 * files among the JSON (binary mode `combined`), the file itself. n8n's binary helpers take both.
	 */
	file(name: ParameterName<P>, itemIndex: number): string | IBinaryData {
		const read = this.read(name, itemIndex);
		const isFile = isObject(read.value) && 'mimeType' in read.value;
		return isFile ? (read.value as unknown as IBinaryData) : requiredTextOf(read);
	}

	/**
	 * The rows of a fixedCollection, each with the values of its fields as they are.
	 *
	 * @param path `parameter.group`, e.g. `additionalFields.field`
	 */
	rows(path: `${P[number]['name']}.${string}`, itemIndex: number): IDataObject[] {
		const rows = this.raw(path, []) as IDataObject[];
		const cell = (at: number, name: string) =>
			this.readerOf(`${path}[${at}].${name}`, '')(itemIndex);
		return rows.map((row, at) =>
			Object.fromEntries(Object.keys(row).map((name) => [name, cell(at, name)])),
		) as IDataObject[];
	}

	/**
	 * All members of a collection that apply to the whole run, read for the first item.
	 *
	 * @param perItem members that each item has its own value of: read them by their names
	 */
	collection<N extends CollectionName<P>, const X extends NameOf<Member<P, N>> = never>(
		name: N,
		perItem: readonly X[] = [],
	): Omit<Values<Member<P, N>>, X> {
		const values: Record<string, unknown> = {};
		const added = this.membersAdded(name);
		for (const member of this.definitionAt(name).members) {
			if ((perItem as readonly string[]).includes(member)) continue;
			const path = `${name}.${member}`;
			// Most options are not added: what they are by default need not be looked up.
			values[member] = added.includes(member)
				? convert(this.read(path, 0))
				: this.definitionAt(path).initial;
		}
		return values as Omit<Values<Member<P, N>>, X>;
	}

	/**
	 * The members of a collection that were added and are not empty, for what is only sent if the user
	 * asks for it.
	 *
	 * @param only these members; all unless given
	 */
	added<N extends CollectionName<P>, const X extends NameOf<Member<P, N>>>(
		name: N,
		itemIndex: number,
		only?: readonly X[],
	): Partial<Pick<Values<Member<P, N>>, X>> {
		const values: Record<string, unknown> = {};
		for (const member of this.membersAdded(name)) {
			if (only && !(only as readonly string[]).includes(member)) continue;
			const read = this.read(`${name}.${member}`, itemIndex);
			if (!isEmpty(read.value)) values[member] = convert(read);
		}
		return values as Partial<Pick<Values<Member<P, N>>, X>>;
	}

	/** Members of a collection that were added, the same for all items. */
	private membersAdded(collection: string): string[] {
		const members =
			this.addedMembers.get(collection) ?? Object.keys(Object(this.raw(collection)));
		this.addedMembers.set(collection, members);
		return members;
	}

	/** The value for an item; of a resource locator what was chosen with it. */
	private read(path: string, itemIndex: number): FoundValue {
		const { definition, initial } = this.definitionAt(path);
		const isLocator = definition.type === 'resourceLocator';
		const value = this.readerOf(path, initial, isLocator)(itemIndex);
		return { value, definition };
	}

	private definitionAt(path: string): IndexedDefinition {
		const indexed = this.definitions.get(path);
		if (indexed === undefined) throw new Error(`The node has no parameter '${path}'`);
		return indexed;
	}

	private raw(path: string, initial?: unknown): unknown {
		return this.context.getNodeParameter(path, 0, initial, { rawExpressions: true });
	}

	/** @param initial the value if the workflow has none */
	private readerOf(path: string, initial: unknown, isLocator = false): Reader {
		const known = this.readers.get(path);
		if (known) return known;
		const raw = this.raw(path, initial);
		const evaluate: Reader = (itemIndex) =>
			this.context.getNodeParameter(path, itemIndex, initial);
		let reader: Reader = () => raw;
		if (hasExpression(raw)) reader = plainReader(this.context, path, raw, initial) ?? evaluate;
		// A workflow may have the value of a resource locator alone, as a text.
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

/** Reads a text; throws for lists, objects, NaN and Infinity. */
function textOf(found: FoundValue): string {
	const { value } = found;
	if (typeof value === 'string') return value;
	if (isEmpty(value)) return '';
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	throw invalidValue(found, 'text');
}

/** Reads a text of which there must be some, without spaces around it. */
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

/** Reads a number, also from a text as expressions give it; whole, unless the property has a `numberPrecision`. */
function numberOf(found: FoundValue): number {
	const { value, definition } = found;
	const {
		minValue = -Infinity,
		maxValue = Infinity,
		numberPrecision = 0,
	} = definition.typeOptions ?? {};
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' && isEmpty(number)) return definition.default as number;
	if (typeof number !== 'number' || !Number.isFinite(number))
		throw invalidValue(found, 'a number');
	if (numberPrecision === 0 && !Number.isInteger(number))
		throw invalidValue(found, 'a whole number');
	if (number < minValue) throw invalidValue(found, `at least ${minValue}`);
	if (number > maxValue) throw invalidValue(found, `at most ${maxValue}`);
	return number;
}

/**
 * Reads true or false, also from the text that an expression gives. A required one decides whether anything
 * is done at all, so it must be a boolean.
 */
function booleanOf(found: FoundValue): boolean {
	const { value, definition } = found;
	if (typeof value === 'boolean') return value;
	if (!definition.required) {
		if (isEmpty(value)) return definition.default as boolean;
		const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
		if (text === 'true' || text === 'false') return text === 'true';
	}
	throw invalidValue(found, 'true or false');
}

/** Reads one of the values that a property of type `options` lists. */
function choiceOf(found: FoundValue): unknown {
	const { value, definition } = found;
	const options = (definition.options ?? []) as Array<{ value?: unknown }>;
	const choices = options.map((option) => option.value);
	if (choices.includes(value)) return value;
	if (isEmpty(value)) return definition.default;
	throw invalidValue(found, `one of ${choices.join(', ')}`);
}

const OBJECT_ADVICE = 'Write it as {"name": value}, or leave it empty.';

/** Reads JSON, given as text or as what it stands for. */
function jsonOf({ value, definition }: FoundValue, advice = OBJECT_ADVICE): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw invalidJson(definition, error as Error, advice);
	}
}

/** Reads a JSON object; nothing, or a blank text, is {}. */
function objectOf({ value, definition }: FoundValue): IDataObject {
	const trimmed = typeof value === 'string' ? value.trim() : value;
	const parsed = isEmpty(trimmed) ? {} : jsonOf({ value: trimmed, definition });
	if (isObject(parsed)) return parsed as IDataObject;
	throw new InputError(`'${definition.displayName}' is not a JSON object`, OBJECT_ADVICE);
}

/** Reads names separated by commas, or a list of names from an expression; empty ones are omitted. */
function namesOf(found: FoundValue): string[] {
	const { value } = found;
	const names: unknown = typeof value === 'string' ? value.split(',') : (value ?? []);
	if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
		return names.map((name) => name.trim()).filter((name) => name !== '');
	throw invalidValue(found, 'names separated by commas, or a list of names');
}

/** Reads a value as the type that its definition says; `Parameters.get` says what that gives. */
function convert(found: FoundValue): unknown {
	const { type, requiresDataPath } = found.definition;
	if (type === 'number') return numberOf(found);
	if (type === 'boolean') return booleanOf(found);
	if (type === 'options') return choiceOf(found);
	if (type === 'json') return objectOf(found);
	return requiresDataPath === 'multiple' ? namesOf(found) : textOf(found);
}
