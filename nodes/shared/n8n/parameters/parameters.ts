import {
	NodeHelpers,
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { fieldOf } from '../../records/fields';
import { InputError } from '../../service/input-error';
import { isNullOrEmptyText, isObject } from '../../service/json';
import { documentId } from '../../service/push/document-id';
import { NOT_PLAIN, parsePlainPath, readPlainPath } from './plain-path';
import type {
	CollectionName,
	Definition,
	Member,
	ParameterName,
	ValueOf,
	Values,
} from './properties';
import { jsonOf, requiredTextOf, typedValue, type Read } from './values';

/** Gives a value of an item. */
type Reader = (itemIndex: number) => unknown;

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
	private readonly items: INodeExecutionData[];
	/** Index of the definitions that count for this node, by path. */
	private readonly definitions = new Map<string, INodeProperties>();
	private readonly readers = new Map<string, Reader>();
	private readonly addedMembers = new Map<string, string[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: P,
	) {
		this.items = context.getInputData();
		this.index(properties);
	}

	/** The name of a parameter as users see it. */
	label(name: ParameterName<P>): string {
		return this.definition(name).displayName;
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
		return typedValue(this.read(name, itemIndex)) as ValueOf<Definition<P, N>>;
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
		const list = fieldOf(this.items[itemIndex]?.json ?? {}, field);
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
		for (const { name: member } of collectionMembers(this.definition(name))) {
			if ((perItem as readonly string[]).includes(member)) continue;
			const path = `${name}.${member}`;
			// Most options are not added: what they are by default need not be looked up.
			values[member] = added.includes(member)
				? typedValue(this.read(path, 0))
				: initialOf(this.definition(path));
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
			if (!isNullOrEmptyText(read.value)) values[member] = typedValue(read);
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
	private read(path: string, itemIndex: number): Read {
		const definition = this.definition(path);
		const initial = path.includes('.') ? initialOf(definition) : definition.default;
		const isLocator = definition.type === 'resourceLocator';
		return { value: this.readerOf(path, initial, isLocator)(itemIndex), definition };
	}

	private definition(path: string): INodeProperties {
		const definition = this.definitions.get(path);
		if (definition === undefined) throw new Error(`The node has no parameter '${path}'`);
		return definition;
	}

	/** @param prefix of their paths: `collection.` for the members of a collection */
	private index(list: INodeProperties[], prefix = ''): void {
		const byName = new Map<string, INodeProperties[]>();
		for (const one of list) {
			const same = byName.get(one.name);
			if (same) same.push(one);
			else byName.set(one.name, [one]);
		}
		for (const [name, [first, ...others]] of byName) {
			if (first === undefined) continue;
			const definition = others.length > 0 ? this.shownOf(first, others) : first;
			this.definitions.set(prefix + name, definition);
			if (definition.type === 'collection')
				this.index(collectionMembers(definition), `${name}.`);
		}
	}

	/** Of parameters with the same name, for different choices, the one that is shown; the first if none is. */
	private shownOf(first: INodeProperties, others: INodeProperties[]): INodeProperties {
		const node = this.context.getNode();
		const { parameters } = node;
		// n8n tells its variant for AI agents by the name of the type.
		const type = { name: node.type } as INodeTypeDescription;
		const shown = [first, ...others].find((one) =>
			NodeHelpers.displayParameter(parameters, one, node, type, parameters),
		);
		return shown ?? first;
	}

	private raw(path: string, initial?: unknown): unknown {
		return this.context.getNodeParameter(path, 0, initial, { rawExpressions: true });
	}

	/** How to read a parameter, with its value if the workflow has none. */
	private readerOf(path: string, initial: unknown, isLocator = false): Reader {
		const known = this.readers.get(path);
		if (known) return known;
		const raw = this.raw(path, initial);
		const evaluate: Reader = (itemIndex) =>
			this.context.getNodeParameter(path, itemIndex, initial);
		const isExpression = typeof raw === 'string' && raw.startsWith('=');
		const steps = isExpression ? parsePlainPath(raw) : undefined;
		let reader: Reader = hasExpression(raw) ? evaluate : () => raw;
		if (steps) reader = this.directReader(steps, evaluate);
		// A workflow may have the value of a resource locator alone, as a text.
		if (isLocator && isObject(raw)) reader = this.readerOf(`${path}.value`, '');
		this.readers.set(path, reader);
		return reader;
	}

	/** Reads a field from the item, once that has given what n8n gives. */
	private directReader(steps: string[], evaluate: Reader): Reader {
		let agrees: boolean | undefined;
		return (itemIndex) => {
			const { json = {} } = this.items[itemIndex] ?? {};
			const direct = agrees === false ? NOT_PLAIN : readPlainPath(json, steps);
			if (direct === undefined) refuseMarked(json, steps);
			if (agrees && direct !== NOT_PLAIN) return direct;
			const value = evaluate(itemIndex);
			if (direct !== NOT_PLAIN) agrees ??= isSame(direct, value);
			return value;
		};
	}
}

const collectionMembers = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
	type === 'collection' ? (options as INodeProperties[]) : [];

/** The value of a member of a collection that was not added. */
function initialOf({ type, default: initial, requiresDataPath }: INodeProperties): unknown {
	if (typeof initial === 'string' && initial.startsWith('=')) return '';
	if (type === 'json') return {};
	return requiresDataPath === 'multiple' ? [] : initial;
}

const hasExpression = (raw: unknown): boolean =>
	typeof raw === 'object' && raw !== null
		? Object.values(raw).some(hasExpression)
		: typeof raw === 'string' && raw.startsWith('=');

/**
 * Refuses to take a field for missing that begins with a byte order mark, as n8n's Extract from File leaves
 * it in the name of the first column.
 */
function refuseMarked(json: IDataObject, [name = '']: string[]): void {
	if (!Object.hasOwn(json, `\uFEFF${name}`)) return;
	throw new InputError(
		`The field '${name}' begins with an invisible byte order mark`,
		"Turn on 'Exclude Byte Order Mark (BOM)' in Extract from File.",
	);
}

const isSame = (one: unknown, other: unknown): boolean =>
	Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);

type NameOf<M> = M extends { name: infer N extends string } ? N : never;
