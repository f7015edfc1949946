/**
 * Matches one step of a field path: `['Article No']`, `[0]` or a name. n8n writes such a path when the user
 * drags a field into a parameter.
 */
const STEP = /\['(.*?)'\]|\[(\d+)\]|[^.]+?(?=$|\.|\['|\[\d)/g;

/** Characters that take no room. A joiner within a word belongs to its spelling, but not at the ends of a name. */
const WITHOUT_WIDTH =
	/^[\s\u00ad\u200b-\u200f\u2060]+|[\s\u00ad\u200b-\u200f\u2060]+$|[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g;
const ODD_CHARACTERS = /[^!-~]/;

/**
 * Returns a name in the form in which names are compared: letters such as é are one character, invisible characters
 * are left out, and any white space is one space.
 */
export const plainName = (name: string): string =>
	ODD_CHARACTERS.test(name)
		? name.normalize().replace(WITHOUT_WIDTH, '').replace(/\s+/g, ' ')
		: name;

/** Returns the record's own field that has this name, or else a field whose name looks the same. */
export function nameIn(record: object, name: string): string | undefined {
	if (Object.hasOwn(record, name)) return name;
	const plain = plainName(name);
	if (plain === '' || Array.isArray(record)) return undefined;
	return Object.keys(record).find((other) => plainName(other) === plain);
}

/**
 * Reads a field from an item or record by name. If no field has this name, the name is read as a path, such
 * as `meta.sku`, `meta['Article No']` or `tags[0]`. If there is no such field either, a field whose name looks the same
 * is read (see `plainName`). Inherited properties are ignored.
 *
 * @returns undefined if there is no such field
 */
export function fieldOf(record: object, path: string): unknown {
	if (Object.hasOwn(record, path)) return (record as Record<string, unknown>)[path];
	const steps = stepsTo(record, path);
	return steps?.reduce(
		(value: unknown, step) => (value as Record<string, unknown>)[step],
		record,
	);
}

/** Returns the names of the fields that lead to a field, or undefined if there is no such field. */
function stepsTo(record: object, path: string): string[] | undefined {
	if (Object.hasOwn(record, path)) return [path];
	// Most names are not paths. This shortcut saves time in files with many records.
	const isPath = path.includes('.') || path.includes('[');
	const steps = isPath ? stepsAlong(record, path) : undefined;
	if (steps) return steps;
	const name = nameIn(record, path);
	return name === undefined ? undefined : [name];
}

function stepsAlong(record: object, path: string): string[] | undefined {
	const steps: string[] = [];
	let value: unknown = record;
	for (const [step, quoted, index] of path.matchAll(STEP)) {
		if (typeof value !== 'object' || value === null) return undefined;
		const name = nameIn(value, quoted ?? index ?? step);
		if (name === undefined) return undefined;
		steps.push(name);
		value = (value as Record<string, unknown>)[name];
	}
	return steps.length > 0 ? steps : undefined;
}

/**
 * Returns a copy of a record. The copy does not have the field that `fieldOf` would read. Only the objects along the
 * field's path are copied.
 */
export function withoutField<R extends object>(record: R, path: string): R {
	const steps = stepsTo(record, path);
	return steps ? withoutSteps(record, steps) : record;
}

function withoutSteps<R extends object>(record: R, [step = '', ...others]: string[]): R {
	const copy = (Array.isArray(record) ? [...record] : { ...record }) as Record<string, unknown>;
	if (others.length === 0) delete copy[step];
	else copy[step] = withoutSteps(copy[step] as object, others);
	return copy as R;
}
