import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * Declares one parameter of a node, keeping its name and its choices as literal types, from which
 * `Parameters` derives what reading it gives.
 */
export const property = <const P extends INodeProperties>(declared: P): P => declared;

/** Declares a list of parameters in the same way; lists may be spread into others. */
export const properties = <const P extends INodeProperties[]>(declared: P): P => declared;

/** The same parameters, shown only there. */
export const shownFor = <const P extends INodeProperties[]>(
	displayOptions: IDisplayOptions,
	list: P,
): P => list.map((declared) => ({ ...declared, displayOptions })) as P;

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
export type Choice<D> = D extends { type: 'options'; options?: infer O }
	? Extract<NonNullable<O>, Array<{ value: unknown }>>[number]['value']
	: never;

/** What reading a member of a collection gives. */
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
