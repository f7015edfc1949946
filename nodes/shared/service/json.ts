export type Members = Record<string, unknown>;

/** Returns true if a value is an object or a list. */
export const isRecord = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null;

/**
 * Returns true if a value is undefined, null or ''. A field that the user left empty has one of these
 * values.
 */
export const isNullOrEmptyText = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** Returns true if a value is an object but not a list. */
export const isObject = (value: unknown): value is Members =>
	isRecord(value) && !Array.isArray(value);

/** Returns a value if it is an object but not a list. Otherwise, returns undefined. */
export const membersOf = (value: unknown): Members | undefined =>
	isObject(value) ? value : undefined;

/** Builds an object from name-value pairs. Pairs whose value is undefined, null or '' are omitted. */
export function nonEmptyMembers(
	members: Array<[name: string, value: unknown]>,
): Record<string, unknown> {
	return Object.fromEntries(members.filter(([, value]) => !isNullOrEmptyText(value)));
}
