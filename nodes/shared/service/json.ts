/** The members of an object or a list, by their names. */
export type Members = Record<string, unknown>;

/** Whether a value is an object, lists included. */
export const isRecord = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null;

/** Whether there is no value: a field that is missing, or left empty. */
export const isNullOrEmptyText = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is Members =>
	isRecord(value) && !Array.isArray(value);

/** The members of an object that is no list; undefined for anything else. */
export const membersOf = (value: unknown): Members | undefined =>
	isObject(value) ? value : undefined;

/** The members that have a value: what is empty is omitted. */
export function nonEmptyMembers(
	members: Array<[name: string, value: unknown]>,
): Record<string, unknown> {
	return Object.fromEntries(members.filter(([, value]) => !isNullOrEmptyText(value)));
}
