import type {
	IBinaryData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { documentId } from '../../service/push/document-id';
import { InputError } from '../../service/input-error';
import { isEmpty, isRecord } from '../../service/json';
import { fieldOf } from '../../records/fields';
import { definitionsOf, type Definitions } from './parameter-definitions';
import { ParameterSource, type SourceOptions } from './parameter-source';
import {
	booleanOf,
	choiceOf,
	emptyError,
	jsonOf,
	namesOf,
	numberOf,
	objectOf,
	textOf,
	type Bounds,
} from './parameter-values';
import type {
	Choice,
	CollectionName,
	Definition,
	Member,
	ParameterName,
	Values,
} from './properties';

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
 */
export class Parameters<P extends INodeProperties[]> {
	private readonly items: INodeExecutionData[];
	private readonly definitions: Definitions;
	private readonly sources = new Map<string, ParameterSource>();
	private readonly addedMembers = new Map<string, string[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: P,
	) {
		this.items = context.getInputData();
		this.definitions = definitionsOf(context.getNode(), properties);
	}

	/** The name of a parameter as users see it. */
	label(name: ParameterName<P>): string {
		return this.definition(name).displayName;
	}

	/** Whether a member of a collection was added, however it is filled. */
	isAdded<N extends CollectionName<P>>(collection: N, member: NameOf<Member<P, N>>): boolean {
		return this.membersAdded(collection).includes(member);
	}

	/** A parameter just as n8n gives it; of a resource locator the value. */
	value(name: ParameterName<P>, itemIndex: number): unknown {
		return this.read(name, itemIndex);
	}

	/** A text as it is, '' for nothing. Numbers and booleans become text. */
	text(name: ParameterName<P>, itemIndex: number): string {
		return textOf(this.read(name, itemIndex), this.definition(name));
	}

	/**
	 * A text without spaces around it, of which there must be some.
	 *
	 * @param advice what to do if it is empty; by default what the placeholder says
	 */
	requiredText(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		const text = this.text(name, itemIndex).trim();
		if (text !== '') return text;
		throw advice === undefined
			? emptyError(this.definition(name))
			: new InputError(`'${this.label(name)}' is empty`, advice);
	}

	/**
	 * An ID, exactly as given: a text that is not blank, or a safe integer.
	 *
	 * @param advice what to do about one that cannot be used
	 */
	id(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		return documentId(this.read(name, itemIndex), this.label(name), advice);
	}

	/** A number within the bounds of its property; the default for nothing. */
	number(name: ParameterName<P>, itemIndex: number, bounds: Bounds = 'refuse'): number {
		return numberOf(this.read(name, itemIndex), this.definition(name), bounds);
	}

	/** True or false; the default for nothing. */
	boolean(name: ParameterName<P>, itemIndex = 0): boolean {
		return booleanOf(this.read(name, itemIndex), this.definition(name));
	}

	/** One of the values that the property lists; the default for nothing. */
	choice<N extends ParameterName<P>>(name: N, itemIndex = 0): Choice<Definition<P, N>> {
		const value = choiceOf(this.read(name, itemIndex), this.definition(name));
		return value as Choice<Definition<P, N>>;
	}

	/**
	 * Any JSON, given as text or as what it stands for.
	 *
	 * @param advice what to do about text that is not JSON
	 */
	json(name: ParameterName<P>, itemIndex: number, advice?: string): unknown {
		return jsonOf(this.read(name, itemIndex), this.definition(name), advice);
	}

	/** A JSON object, given as text or as an object; {} for nothing. */
	object(name: ParameterName<P>, itemIndex: number): IDataObject {
		return objectOf(this.read(name, itemIndex), this.definition(name));
	}

	/**
	 * The list in the field that a parameter names, by its name or a dotted path; or the list that its
	 * expression gives.
	 *
	 * @param advice what to do if there is none
	 * @returns the name of the field, or of the parameter, and the list, which is part of an item
	 */
	list(
		name: ParameterName<P>,
		itemIndex: number,
		advice = `Enter the name of a field with a list as '${this.label(name)}'.`,
	): { field: string; list: readonly unknown[] } {
		const value = this.read(name, itemIndex);
		if (Array.isArray(value)) return { field: this.label(name), list: value };
		const field = this.requiredText(name, itemIndex);
		const list = fieldOf(this.items[itemIndex]?.json ?? {}, field);
		if (Array.isArray(list)) return { field, list };
		throw new InputError(`The field '${field}' is not a list`, advice);
	}

	/** Names, separated by commas or as a list; none for nothing. */
	names(name: ParameterName<P>, itemIndex: number): string[] {
		return namesOf(this.read(name, itemIndex), this.definition(name));
	}

	/**
	 * Where a file is: the name of an input data field or, as an expression gives it where n8n keeps
	 * files among the JSON (binary mode `combined`), the file itself. n8n's binary helpers take both.
	 */
	file(name: ParameterName<P>, itemIndex: number): string | IBinaryData {
		const value = this.read(name, itemIndex);
		const isFile = isRecord(value) && 'mimeType' in value;
		return isFile ? (value as unknown as IBinaryData) : this.requiredText(name, itemIndex);
	}

	/**
	 * The rows of a fixedCollection, each with the values of its fields as they are.
	 *
	 * @param path `parameter.group`, e.g. `additionalFields.field`
	 */
	rows(
		path: `${P[number]['name']}.${string}`,
		itemIndex: number,
	): Array<Record<string, unknown>> {
		const source = this.sources.get(path) ?? this.open(path, { name: path, fallback: [] });
		const rows = source.read(itemIndex);
		// A single object where the collection does not allow several.
		const list: unknown[] = Array.isArray(rows) ? rows : [rows];
		return list.map((row) => ({ ...(row as Record<string, unknown>) }));
	}

	/**
	 * All members of a collection that apply to the whole run, read for the first item. Numbers out of
	 * their bounds are replaced by the bound, as n8n's editor does with what is typed.
	 *
	 * @param perItem members that each item has its own value of: read them by their names
	 */
	collection<N extends CollectionName<P>, const X extends NameOf<Member<P, N>> = never>(
		name: N,
		perItem: readonly X[] = [],
	): Omit<Values<Member<P, N>>, X> {
		const values: Record<string, unknown> = {};
		for (const path of this.definitions.keys()) {
			if (!path.startsWith(`${name}.`)) continue;
			const member = path.slice(name.length + 1);
			if ((perItem as readonly string[]).includes(member)) continue;
			values[member] = this.typed(path, 0, 'clamp');
		}
		return values as Omit<Values<Member<P, N>>, X>;
	}

	/**
	 * The members of a collection that were added and are not empty, for what is only sent if the user
	 * asks for it. Numbers out of their bounds are refused.
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
			const path = `${name}.${member}`;
			if (isEmpty(this.read(path, itemIndex))) continue;
			values[member] = this.typed(path, itemIndex, 'refuse');
		}
		return values as Partial<Pick<Values<Member<P, N>>, X>>;
	}

	/** Reads a member by the kind of its property. */
	private typed(path: string, itemIndex: number, bounds: Bounds): unknown {
		const definition = this.definition(path);
		const value = this.read(path, itemIndex);
		if (definition.type === 'number') return numberOf(value, definition, bounds);
		if (definition.type === 'boolean') return booleanOf(value, definition);
		if (definition.type === 'options') return choiceOf(value, definition);
		if (definition.type === 'json') return objectOf(value, definition);
		if (definition.requiresDataPath === 'multiple') return namesOf(value, definition);
		return textOf(value, definition);
	}

	/** Names of the members of a collection that were added, the same for all items. */
	private membersAdded(collection: string): string[] {
		const known = this.addedMembers.get(collection);
		if (known) return known;
		const how = { rawExpressions: true };
		const raw: unknown = this.context.getNodeParameter(collection, 0, {}, how);
		const members = isRecord(raw) ? Object.keys(raw) : [];
		this.addedMembers.set(collection, members);
		return members;
	}

	/** The value for an item; of a resource locator what was chosen with it. */
	private read(path: string, itemIndex: number): unknown {
		const definition = this.definition(path);
		const source = this.sources.get(path) ?? this.open(path, optionsOf(path, definition));
		const value = source.read(itemIndex);
		if (definition.type !== 'resourceLocator') return value;
		return isRecord(value) && '__rl' in value ? value.value : value;
	}

	private open(path: string, options: SourceOptions): ParameterSource {
		const source = new ParameterSource(this.context, this.items, options);
		this.sources.set(path, source);
		return source;
	}

	private definition(path: string): INodeProperties {
		const definition = this.definitions.get(path);
		if (definition) return definition;
		throw new Error(`The node has no parameter '${path}'`);
	}
}

/** How to read a parameter so that the result is n8n's. */
function optionsOf(name: string, definition: INodeProperties): SourceOptions {
	const { default: initial, modes, validateType } = definition;
	const isMember = name.includes('.');
	const isSuggestion = isMember && typeof initial === 'string' && initial.startsWith('=');
	const extractValue = modes?.some((mode) => mode.extractValue !== undefined) ?? false;
	return {
		name,
		fallback: isSuggestion ? '' : initial,
		extractValue,
		onlyEngine: extractValue || validateType !== undefined,
	};
}

type NameOf<M> = M extends { name: infer N extends string } ? N : never;
