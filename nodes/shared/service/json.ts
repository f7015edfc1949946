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

/**
 * Returns a date in ISO format, as JSON contains it, or undefined if the value is no valid date. Dates are objects of
 * `Date`, including those from another JavaScript realm, and Luxon's DateTime, which n8n's `$now` and `$today` are.
 */
export function isoDate(value: unknown): string | undefined {
	if (!isDate(value)) return undefined;
	const text: unknown = Number.isFinite(value.valueOf()) ? value.toJSON() : undefined;
	return typeof text === 'string' ? text : undefined;
}

/** Returns true for a date in one of the two forms, even if it is invalid. */
export const isDate = (value: unknown): value is Pick<Date, 'toJSON' | 'valueOf'> =>
	isRecord(value) &&
	(Object.prototype.toString.call(value) === '[object Date]' ||
		(value.isLuxonDateTime === true && typeof value.toJSON === 'function'));
