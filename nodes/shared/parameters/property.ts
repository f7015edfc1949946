import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * Declares one node parameter. The name and the choices remain literal types, so that `Parameters` can derive the type
 * of the parameter's value.
 */
export const property = <const P extends INodeProperties>(declared: P): P => declared;

/** Declares a list of node parameters. Lists can be spread into other lists. */
export const properties = <const P extends INodeProperties[]>(declared: P): P => declared;

/** Declares the Options collection, which contains parameters that are rarely needed. */
export const optionsProperty = <const P extends INodeProperties[]>(options: P) =>
	property({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options,
	});

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

/** Returns copies of parameters with additional display conditions. The existing conditions still apply. */
export const shownFor = <const P extends INodeProperties[]>(where: IDisplayOptions, list: P): P =>
	list.map((declared) => shownIf(where, declared)) as P;

export const onePerInputItem = {
	name: 'One Item per Input Item',
	value: 'perInputItem',
	description:
		'Each item contains the counts for one input item. An item fails if any of its documents fails.',
} as const;

// n8n creates a tool variant of each node for AI agents.
const IN_TOOLS = { '@tool': [true] };

export const notForTools = <const P extends INodeProperties>(declared: P): P =>
	shownIf({ hide: IN_TOOLS }, declared);

export const onlyForTools = <const P extends INodeProperties>(declared: P): P =>
	shownIf({ show: IN_TOOLS }, declared);

/**
 * If an expression contains this comment, n8n's editor shows that the model fills in the parameter. The user can undo
 * this with a button.
 */
const BY_MODEL = '/*n8n-auto-generated-fromAI-override*/';

/**
 * Declares a parameter twice, once for the node and once for its tool variant. The default for the tool variant is an
 * expression with `$fromAI`, so that an agent's model fills in the parameter.
 *
 * @param description description for the model. By default, the model receives the description for users
 * @param isOptional whether the model may omit the value. An omitted value is empty
 */
export function filledByModel<const P extends INodeProperties>(
	declared: P,
	description = declared.description,
	isOptional = false,
): [P, P] {
	// n8n's editor generates the same key for `$fromAI`.
	const key = declared.displayName.replace(/[^a-zA-Z0-9]/g, '_');
	const otherwise = isOptional ? ", ''" : '';
	const value = `={{ ${BY_MODEL} $fromAI('${key}', \`${description}\`, 'string'${otherwise}) }}`;
	return [notForTools(declared), onlyForTools({ ...declared, default: value })];
}

type Named<P extends INodeProperties[], N> = Extract<P[number], { name: N }>;

export type Member<P extends INodeProperties[], N> =
	Named<P, N> extends { options?: infer M } ? Extract<NonNullable<M>, unknown[]>[number] : never;

export type CollectionName<P extends INodeProperties[]> = Extract<
	P[number],
	{ type: 'collection' }
>['name'];

type MemberPath<P extends INodeProperties[]> = {
	[N in CollectionName<P>]: Member<P, N> extends { name: infer M extends string }
		? `${N}.${M}`
		: never;
}[CollectionName<P>];

export type ParameterName<P extends INodeProperties[]> = P[number]['name'] | MemberPath<P>;

export type Definition<P extends INodeProperties[], N> = N extends `${infer C}.${infer M}`
	? Extract<Member<P, C>, { name: M }>
	: Named<P, N>;

type Choice<D> = D extends { type: 'options'; options?: infer O }
	? Extract<NonNullable<O>, Array<{ value: unknown }>>[number]['value']
	: never;

/** The type that `Parameters.get` returns for a definition. */
export type ValueOf<D> = D extends { type: 'number' }
	? number
	: D extends { type: 'boolean' }
		? boolean
		: D extends { type: 'options' }
			? Choice<D>
			: D extends { type: 'json' }
				? IDataObject
				: D extends { type: 'collection'; options?: infer M }
					? Partial<Values<Extract<NonNullable<M>, unknown[]>[number]>>
					: D extends { requiresDataPath: 'multiple' }
						? string[]
						: string;

export type Values<M> = {
	[D in M as D extends { name: infer N extends string } ? N : never]: ValueOf<D>;
};

/**
 * Accepts the parameters of any node that has a parameter with this name and type. Shared code uses this type to
 * require only the parameters that it reads.
 */
export interface WithParameter<N extends string, T> {
	get(name: N, itemIndex: number): T;
}
