import type { IBinaryData, IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { documentId } from '../../service/push/document-id';
import { isEmpty } from '../../service/json';
import { ParameterReader, type Read } from './parameter-reader';
import {
	booleanOf,
	choiceOf,
	fileOf,
	jsonOf,
	listOf,
	namesOf,
	numberOf,
	objectOf,
	requiredTextOf,
	textOf,
	type Bounds,
	type FoundList,
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
	private readonly reader: ParameterReader;

	constructor(context: IExecuteFunctions, properties: P) {
		this.reader = new ParameterReader(context, properties);
	}

	/** The name of a parameter as users see it. */
	label(name: ParameterName<P>): string {
		return this.reader.definition(name).displayName;
	}

	/** Whether a member of a collection was added, however it is filled. */
	isAdded<N extends CollectionName<P>>(collection: N, member: NameOf<Member<P, N>>): boolean {
		return this.reader.membersAdded(collection).includes(member);
	}

	/** A parameter just as n8n gives it; of a resource locator the value. */
	value(name: ParameterName<P>, itemIndex: number): unknown {
		return this.reader.read(name, itemIndex).value;
	}

	/** A text as it is, '' for nothing. Numbers and booleans become text. */
	text(name: ParameterName<P>, itemIndex: number): string {
		return textOf(this.reader.read(name, itemIndex));
	}

	/**
	 * A text without spaces around it, of which there must be some.
	 *
	 * @param advice what to do if it is empty; by default what the placeholder says
	 */
	requiredText(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		return requiredTextOf(this.reader.read(name, itemIndex), advice);
	}

	/**
	 * An ID, exactly as given: a text that is not blank, or a safe integer.
	 *
	 * @param advice what to do about one that cannot be used
	 */
	id(name: ParameterName<P>, itemIndex: number, advice?: string): string {
		return documentId(this.value(name, itemIndex), this.label(name), advice);
	}

	/** A number within the bounds of its property; the default for nothing. */
	number(name: ParameterName<P>, itemIndex: number, bounds: Bounds = 'refuse'): number {
		return numberOf(this.reader.read(name, itemIndex), bounds);
	}

	/** True or false; the default for nothing. */
	boolean(name: ParameterName<P>, itemIndex = 0): boolean {
		return booleanOf(this.reader.read(name, itemIndex));
	}

	/** One of the values that the property lists; the default for nothing. */
	choice<N extends ParameterName<P>>(name: N, itemIndex = 0): Choice<Definition<P, N>> {
		const value = choiceOf(this.reader.read(name, itemIndex));
		return value as Choice<Definition<P, N>>;
	}

	/**
	 * Any JSON, given as text or as what it stands for.
	 *
	 * @param advice what to do about text that is not JSON
	 */
	json(name: ParameterName<P>, itemIndex: number, advice?: string): unknown {
		return jsonOf(this.reader.read(name, itemIndex), advice);
	}

	/** A JSON object, given as text or as an object; {} for nothing. */
	object(name: ParameterName<P>, itemIndex: number): IDataObject {
		return objectOf(this.reader.read(name, itemIndex));
	}

	/**
	 * The list in the field that a parameter names, by its name or a dotted path; or the list that its
	 * expression gives.
	 *
	 * @param advice what to do if there is none
	 */
	list(name: ParameterName<P>, itemIndex: number, advice?: string): FoundList {
		const { json = {} } = this.reader.items[itemIndex] ?? {};
		return listOf(this.reader.read(name, itemIndex), json, advice);
	}

	/** Names, separated by commas or as a list; none for nothing. */
	names(name: ParameterName<P>, itemIndex: number): string[] {
		return namesOf(this.reader.read(name, itemIndex));
	}

	/**
	 * Where a file is: the name of an input data field or, as an expression gives it where n8n keeps
	 * files among the JSON (binary mode `combined`), the file itself. n8n's binary helpers take both.
	 */
	file(name: ParameterName<P>, itemIndex: number): string | IBinaryData {
		return fileOf(this.reader.read(name, itemIndex));
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
		const rows = this.reader.rows(path, itemIndex);
		return rows.map((row) => ({ ...(row as Record<string, unknown>) }));
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
		for (const member of this.reader.members(name)) {
			if ((perItem as readonly string[]).includes(member)) continue;
			values[member] = typed(this.reader.read(`${name}.${member}`, 0), 'clamp');
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
		for (const member of this.reader.membersAdded(name)) {
			if (only && !(only as readonly string[]).includes(member)) continue;
			const read = this.reader.read(`${name}.${member}`, itemIndex);
			if (!isEmpty(read.value)) values[member] = typed(read, 'refuse');
		}
		return values as Partial<Pick<Values<Member<P, N>>, X>>;
	}
}

/** The value of a member by the kind of its property. */
function typed(read: Read, bounds: Bounds): unknown {
	const { type, requiresDataPath } = read.definition;
	if (type === 'number') return numberOf(read, bounds);
	if (type === 'boolean') return booleanOf(read);
	if (type === 'options') return choiceOf(read);
	if (type === 'json') return objectOf(read);
	return requiresDataPath === 'multiple' ? namesOf(read) : textOf(read);
}

type NameOf<M> = M extends { name: infer N extends string } ? N : never;
