/**
 * Reads a field of an item or record: by its name, or by a dotted path if no field has the whole name.
 * Only members of its own count.
 *
 * @returns undefined if there is no such field
 */
export function fieldOf(record: object, path: string): unknown {
	if (Object.hasOwn(record, path)) return (record as Record<string, unknown>)[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, key) =>
				typeof value === 'object' && value !== null && Object.hasOwn(value, key)
					? (value as Record<string, unknown>)[key]
					: undefined,
			record,
		);
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
	if (key !== '__proto__') object[key] = value;
	else {
		Object.defineProperty(object, key, {
			value,
			configurable: true,
			enumerable: true,
			writable: true,
		});
	}
}
