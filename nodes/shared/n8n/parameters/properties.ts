import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * Declares one parameter of a node, keeping its name and its choices as literal types, from which
 * `Parameters` derives what reading it gives.
 */
export const property = <const P extends INodeProperties>(declared: P): P => declared;

/** Declares a list of parameters in the same way; lists may be spread into others. */
export const properties = <const P extends INodeProperties[]>(declared: P): P => declared;

/** The collection of what is needed rarely. */
export const optionsProperty = <const P extends INodeProperties[]>(options: P) =>
	property({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options,
	});

/** The same parameter, shown only there, as far as it is shown anyway. */
const shownIf = <const P extends INodeProperties>(
	{ show, hide }: IDisplayOptions,
	declared: P,
): P => {
	const { displayOptions = {} } = declared;
	const both = {
		show: { ...show, ...displayOptions.show },
		hide: { ...hide, ...displayOptions.hide },
	};
	return { ...declared, displayOptions: both };
};

/** The same parameters, shown only there, as far as they are shown anyway. */
export const shownFor = <const P extends INodeProperties[]>(where: IDisplayOptions, list: P): P =>
	list.map((declared) => shownIf(where, declared)) as P;

// n8n makes a variant of a node for AI agents.
const IN_TOOLS = { '@tool': [true] };

/** A parameter that tools do not have, or have in a variant of their own. */
export const notForTools = <const P extends INodeProperties>(declared: P): P =>
	shownIf({ hide: IN_TOOLS }, declared);

/** A parameter that only tools have. */
export const onlyForTools = <const P extends INodeProperties>(declared: P): P =>
	shownIf({ show: IN_TOOLS }, declared);

/** By this, n8n's editor shows that the model fills in a parameter, with a button to undo that. */
const BY_MODEL = '/*n8n-auto-generated-fromAI-override*/';

/**
 * A parameter that the model of an agent fills in where the node is its tool: n8n gives tools a variant
 * with another default.
 *
 * @param description what the model is told of it; what users are told unless given
 * @param isOptional whether the model may omit it; then it is empty
 */
export function filledByModel<const P extends INodeProperties>(
	declared: P,
	description = declared.description,
	isOptional = false,
): [P, P] {
	// The name that the editor would use.
	const key = declared.displayName.replace(/[^a-zA-Z0-9]/g, '_');
	const otherwise = isOptional ? ", ''" : '';
	const value = `={{ ${BY_MODEL} $fromAI('${key}', \`${description}\`, 'string'${otherwise}) }}`;
	return [notForTools(declared), onlyForTools({ ...declared, default: value })];
}

/** A parameter of a list of properties. */
type Named<P extends INodeProperties[], N> = Extract<P[number], { name: N }>;

/** The members of a collection, by the collection's name. */
export type Member<P extends INodeProperties[], N> =
	Named<P, N> extends { options?: infer M } ? Extract<NonNullable<M>, unknown[]>[number] : never;

/** Names of a node's collections. */
export type CollectionName<P extends INodeProperties[]> = Extract<
	P[number],
	{ type: 'collection' }
>['name'];

/** `collection.member`, for each member of each collection. */
type MemberPath<P extends INodeProperties[]> = {
	[N in CollectionName<P>]: Member<P, N> extends { name: infer M extends string }
		? `${N}.${M}`
		: never;
}[CollectionName<P>];

/** Names of all parameters; members of a collection as `collection.member`. */
export type ParameterName<P extends INodeProperties[]> = P[number]['name'] | MemberPath<P>;

/** The definition of a parameter or of a member of a collection. */
export type Definition<P extends INodeProperties[], N> = N extends `${infer C}.${infer M}`
	? Extract<Member<P, C>, { name: M }>
	: Named<P, N>;

/** The values a parameter of type `options` may have. */
type Choice<D> = D extends { type: 'options'; options?: infer O }
	? Extract<NonNullable<O>, Array<{ value: unknown }>>[number]['value']
	: never;

/** What `Parameters.get` gives for a definition. */
export type ValueOf<D> = D extends { type: 'number' }
	? number
	: D extends { type: 'boolean' }
		? boolean
		: D extends { type: 'options' }
			? Choice<D>
			: D extends { type: 'json' }
				? IDataObject
				: D extends { requiresDataPath: 'multiple' }
					? string[]
					: string;

/** The values of a collection, by the names of its members. */
export type Values<M> = {
	[D in M as D extends { name: infer N extends string } ? N : never]: ValueOf<D>;
};

/** Parameters of any node that has one with this name and type. Code that several nodes share asks for no more. */
export interface WithParameter<N extends string, T> {
	get(name: N, itemIndex: number): T;
}
