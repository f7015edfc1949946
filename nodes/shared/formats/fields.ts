/**
 * Matches one step of a field path: `['Article No']`, `[0]` or a name. n8n writes such a path when the user
 * drags a field into a parameter.
 */
const STEP = /\['(.*?)'\]|\[(\d+)\]|[^.]+?(?=$|\.|\['|\[\d)/g;

/**
 * Reads a field from an item or record by name. If no field has this name, the name is read as a path, such
 * as `meta.sku`, `meta['Article No']` or `tags[0]`. Inherited properties are ignored.
 *
 * @returns undefined if there is no such field
 */
export function fieldOf(record: object, path: string): unknown {
	if (Object.hasOwn(record, path)) return (record as Record<string, unknown>)[path];
	// Most names are not paths. This shortcut saves time in files with many records.
	if (!path.includes('.') && !path.includes('[')) return undefined;
	let value: unknown = record;
	for (const [step, quoted, index] of path.matchAll(STEP)) {
		const key = quoted ?? index ?? step;
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
			return undefined;
		value = (value as Record<string, unknown>)[key];
	}
	return value === record ? undefined : value;
}

const stepsOf = (record: object, path: string): string[] =>
	Object.hasOwn(record, path)
		? [path]
		: [...path.matchAll(STEP)].map(([step, quoted, index]) => quoted ?? index ?? step);

/**
 * Returns a copy of a record. The copy does not have the field that `fieldOf` would read. Only the objects along the
 * field's path are copied.
 */
export const withoutField = <R extends object>(record: R, path: string): R =>
	withoutSteps(record, stepsOf(record, path));

function withoutSteps<R extends object>(record: R, [step = '', ...others]: string[]): R {
	if (!Object.hasOwn(record, step)) return record;
	const copy = (Array.isArray(record) ? [...record] : { ...record }) as Record<string, unknown>;
	const inner = copy[step];
	if (others.length === 0) delete copy[step];
	else if (typeof inner === 'object' && inner !== null) copy[step] = withoutSteps(inner, others);
	return copy as R;
}
